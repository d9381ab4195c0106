"""README's commands go through device/bootstrap.py: it must be right before anything is installed."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "device" / "bootstrap.py"


@pytest.fixture
def bootstrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module whose project is an empty folder with the files it fingerprints."""
    spec = importlib.util.spec_from_file_location("bootstrap_under_test", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "tests").mkdir()
    for name in ("pyproject.toml", "requirements.lock", "tests/requirements.lock"):
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    return module


def pretend_installed(bootstrap: ModuleType, *, dev: bool) -> None:
    (bootstrap.VENV / "bin").mkdir(parents=True, exist_ok=True)
    bootstrap.venv_python().touch()
    stamp = bootstrap.VENV / f"pushtray-{'dev' if dev else 'run'}.stamp"
    stamp.write_text(bootstrap.stamp_of(dev=dev))


def test_a_fresh_clone_is_not_prepared(bootstrap: ModuleType) -> None:
    assert not bootstrap.is_prepared(dev=False)
    assert not bootstrap.is_prepared(dev=True)


def test_running_does_not_bring_the_test_tools(bootstrap: ModuleType) -> None:
    pretend_installed(bootstrap, dev=False)
    assert bootstrap.is_prepared(dev=False)
    assert not bootstrap.is_prepared(dev=True)


def test_the_test_environment_serves_for_running(bootstrap: ModuleType) -> None:
    pretend_installed(bootstrap, dev=True)
    assert bootstrap.is_prepared(dev=False)
    assert bootstrap.is_prepared(dev=True)


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements.lock"])
def test_a_changed_pin_prepares_again(bootstrap: ModuleType, name: str) -> None:
    pretend_installed(bootstrap, dev=False)
    (bootstrap.ROOT / name).write_text("changed")
    assert not bootstrap.is_prepared(dev=False)


def test_prepare_hands_pip_the_lock_with_hashes_and_then_the_project(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[str, ...]] = []
    monkeypatch.setattr(bootstrap, "install", lambda *words: calls.append(words))
    monkeypatch.setattr(bootstrap.venv.EnvBuilder, "create", lambda _self, path: Path(path).mkdir())
    bootstrap.prepare(dev=False)
    assert calls == [
        ("--require-hashes", "-r", str(bootstrap.ROOT / "requirements.lock")),
        ("--no-deps", "--no-build-isolation", "--editable", str(bootstrap.ROOT)),
    ]


def test_a_failed_environment_is_one_line_with_the_cure(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_self: object, _path: object) -> None:
        raise subprocess.CalledProcessError(1, "ensurepip")

    monkeypatch.setattr(bootstrap.venv.EnvBuilder, "create", fail)
    with pytest.raises(SystemExit) as stopped:
        bootstrap.prepare(dev=False)
    assert stopped.value.code == 2
    assert "python3-venv" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(("arguments", "status"), [([], 2), (["--help"], 0), (["prepare", "--nonsense"], 2)])
def test_usage_needs_nothing_installed(arguments: list[str], status: int) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], check=False, capture_output=True, text=True, timeout=20
    )
    assert done.returncode == status
    assert "Traceback" not in done.stderr
