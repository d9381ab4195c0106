"""README's commands run device/bootstrap.py, which must work before anything is installed."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.scripts import load_script

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "device" / "bootstrap.py"
LOCKS = ("requirements.lock", "device/simulation.lock", "systemd/bookworm.lock", "tests/requirements.lock")


@pytest.fixture
def bootstrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module whose project is an empty folder with the files of its fingerprint."""
    module: ModuleType = load_script(SCRIPT)
    for name in LOCKS:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "pyproject.toml").write_text("pyproject.toml")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    return module


def pretend_installed(bootstrap: ModuleType, *, dev: bool = False, system: bool = False) -> None:
    (bootstrap.VENV / "bin").mkdir(parents=True, exist_ok=True)
    bootstrap.venv_python().touch()
    bootstrap.stamp_path(dev=dev, system=system).write_text(bootstrap.stamp_of(dev=dev, system=system))


PLAIN, TEST, SYSTEM = {"dev": False, "system": False}, {"dev": True, "system": False}, {"dev": False, "system": True}


@pytest.mark.parametrize(
    ("installed", "serves_for"), [(None, []), (PLAIN, [PLAIN]), (TEST, [PLAIN, TEST]), (SYSTEM, [PLAIN, SYSTEM])]
)
def test_which_environment_serves_for_what(
    bootstrap: ModuleType, installed: dict[str, bool] | None, serves_for: list[dict[str, bool]]
) -> None:
    if installed is not None:
        pretend_installed(bootstrap, **installed)
    assert [kind for kind in (PLAIN, TEST, SYSTEM) if bootstrap.is_prepared(**kind)] == serves_for


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements.lock", "device/simulation.lock"])
def test_a_changed_pin_prepares_again(bootstrap: ModuleType, name: str) -> None:
    pretend_installed(bootstrap)
    (bootstrap.ROOT / name).write_text("changed")
    assert not bootstrap.is_prepared(**PLAIN)


@pytest.mark.parametrize(
    ("minor", "kind", "locks"),
    [
        (11, PLAIN, ["requirements.lock", "device/simulation.lock"]),
        (13, SYSTEM, ["requirements.lock", "device/simulation.lock"]),
        (11, SYSTEM, ["systemd/bookworm.lock", "device/simulation.lock"]),
        (11, TEST, ["tests/requirements.lock"]),
    ],
)
def test_prepare_hands_pip_locks_with_hashes_and_then_the_project(
    bootstrap: ModuleType, *, minor: int, kind: dict[str, bool], locks: list[str]
) -> None:
    calls: list[tuple[str, ...]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "version_info", (3, minor, 0, "final", 0))
        patch.setattr(bootstrap, "install", lambda *words: calls.append(words))
        patch.setattr(bootstrap.venv.EnvBuilder, "create", lambda _self, path: Path(path).mkdir())
        bootstrap.prepare(**kind)
    assert calls == [
        ("--no-deps", "--require-hashes", *(word for name in locks for word in ("-r", str(bootstrap.ROOT / name)))),
        ("--no-deps", "--no-build-isolation", "--editable", str(bootstrap.ROOT)),
    ]


def test_environment_of_another_kind_leaves_no_stamp_that_is_no_longer_true(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_installed(bootstrap, **TEST)
    monkeypatch.setattr(bootstrap, "install", lambda *words: None)
    monkeypatch.setattr(bootstrap.venv.EnvBuilder, "create", lambda _self, path: None)
    bootstrap.prepare(**SYSTEM)
    assert bootstrap.is_prepared(**SYSTEM)
    assert not bootstrap.is_prepared(**TEST)


@pytest.mark.parametrize(
    ("arguments", "has_picamera2", "is_seen"),
    [
        (["--camera", "pi"], False, True),
        (["--port", "80", "--camera=pi"], False, True),
        (["--camera", "simulated"], False, False),
        (["--camera", "usb:0"], True, True),
        ([], False, False),
    ],
)
def test_environment_sees_picamera2_of_the_system_and_only_then_its_packages(
    tmp_path: Path, *, arguments: list[str], has_picamera2: bool, is_seen: bool
) -> None:
    # A separate clone, prepared for real by the script except for pip; `device` of that clone prints what it sees.
    (tmp_path / "clone/device").mkdir(parents=True)
    for name in ("pyproject.toml", *LOCKS):
        (tmp_path / "clone" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "clone" / name).write_text("")
    script = tmp_path / "clone/device/bootstrap.py"
    text = SCRIPT.read_text()
    assert "with_pip=True" in text
    script.write_text(
        text.replace("with_pip=True", "with_pip=False").replace("    install(", "    (lambda *words: 0)(")
    )
    (tmp_path / "clone/device/__init__.py").write_text("")
    (tmp_path / "clone/device/__main__.py").write_text("import sys\nprint(sys.prefix)\n")
    (tmp_path / "system").mkdir()
    if has_picamera2:
        (tmp_path / "system/picamera2.py").write_text("")
    done = subprocess.run(
        [sys.executable, str(script), "run", *arguments],
        env=os.environ | {"PYTHONPATH": str(tmp_path / "system")},
        cwd=tmp_path / "clone",
        capture_output=True,
        text=True,
        check=True,
    )
    prefix = Path(done.stdout.strip())
    assert prefix == tmp_path / "clone/.venv"
    assert f"include-system-site-packages = {str(is_seen).lower()}" in (prefix / "pyvenv.cfg").read_text()


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


@pytest.mark.parametrize("section", ["Start", "Test"])
def test_readme_gives_one_command_that_a_fresh_clone_has(section: str) -> None:
    printer = SCRIPT.parent.parent / ".ci" / "readme_command.py"
    printed = subprocess.run([sys.executable, str(printer), section], check=True, capture_output=True, text=True)
    (command,) = printed.stdout.splitlines()
    assert command.split()[:2] == ["python3", "device/bootstrap.py"]


@pytest.mark.parametrize(("words", "workers"), [([], {"gw0", "gw1", "gw2"}), (["-n0"], {"none"})])
def test_tests_run_on_all_cores_unless_the_arguments_say_otherwise(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, words: list[str], workers: set[str]
) -> None:
    class HandedOverError(Exception):
        pass

    def hand_over(_program: str, command: list[str]) -> None:
        raise HandedOverError(command)

    pretend_installed(bootstrap, **TEST)
    (bootstrap.ROOT / "test_where.py").write_text(
        "import os, pathlib, pytest\n"
        "@pytest.mark.parametrize('number', range(3))\n"
        "def test_where(number):\n"
        "    pathlib.Path(f'ran{number}').write_text(os.environ.get('PYTEST_XDIST_WORKER', 'none'))\n"
    )
    monkeypatch.chdir(bootstrap.ROOT)
    monkeypatch.setattr(bootstrap.os, "execv", hand_over)
    monkeypatch.setattr(bootstrap.os, "sched_getaffinity", lambda _: {0})
    with pytest.raises(HandedOverError) as handed_over:
        bootstrap.main(["test", *words, "test_where.py"])
    (_python, *command) = handed_over.value.args[0]
    (bootstrap.ROOT / "pyproject.toml").unlink()
    # This pytest may be such a worker itself, which its children would inherit.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    subprocess.run([sys.executable, *command], env=inherited, check=True, capture_output=True)
    assert {path.read_text() for path in bootstrap.ROOT.glob("ran*")} == workers
