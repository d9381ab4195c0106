"""What root does for the page's update: which release it takes, and that every failure leaves the tray as it was."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.scripts import load_script

FOLDER = Path(__file__).resolve().parents[2] / "systemd"
NAME = "pushtray_0.2.0_amd64.deb"


@pytest.fixture(scope="module")
def updater() -> Any:
    return load_script(FOLDER / "update.py")


@dataclass
class Machine:
    """A root with version 0.1.0, and what its programs do."""

    updater: Any
    root: Path
    installs: str | None = "0.2.0"
    is_package: bool = True
    fails: str = ""
    ran: list[tuple[str, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.places = self.updater.Places(self.root)
        for folder in ("run/pushtray", "etc", "var/tmp", "opt/pushtray/current/src", "releases"):
            (self.root / folder).mkdir(parents=True)
        self.have("0.1.0")
        self.folder = self.root / "releases"
        (self.folder / NAME).write_bytes(b"package")
        self.describe()

    def have(self, version: str) -> None:
        (self.places.current / "src/pyproject.toml").write_text(f'[project]\nversion = "{version}"\n')

    def describe(self, **changed: Any) -> None:
        package = {"file": NAME, "sha256": hashlib.sha256(b"package").hexdigest()} | changed.pop("package", {})
        body = {
            "format": self.updater.FORMAT,
            "version": "0.2.0",
            "changes": {"Added": ["A thing."]},
            "packages": {"amd64": package},
        }
        (self.folder / "release.json").write_text(json.dumps(body | changed))
        self.places.source.write_text(f"{self.folder / 'release.json'}\n")

    def run(self, *words: str) -> tuple[int, str]:
        self.ran.append(words)
        name = Path(words[0]).name
        if name == "dpkg":
            return 0, "amd64"
        if name == "dpkg-query":
            return int(not self.is_package), ""
        if name in ("apt-get", "python3") and self.installs is not None:
            self.have(self.installs)
        return int(name == self.fails), f"{name} said"

    def wish(self, wish: str) -> Any:
        self.places.wish.write_text(wish)
        state = self.updater.update(self.places, self.run)
        assert json.loads(self.places.state.read_text())["state"] == state.state, "the page sees how it ended"
        assert not self.places.wish.exists(), "else it would be done at each start"
        return state

    @property
    def programs(self) -> list[str]:
        return [Path(words[0]).name for words in self.ran]


@pytest.fixture
def machine(updater: Any, tmp_path: Path) -> Machine:
    return Machine(updater, tmp_path)


def test_a_newer_release_is_found_with_what_it_changes_and_nothing_is_installed(machine: Machine) -> None:
    state = machine.wish("look")
    assert (state.state, state.version, state.changes) == ("found", "0.2.0", {"Added": ["A thing."]})
    assert machine.programs == ["dpkg"]
    machine.have("0.10.0")
    assert machine.wish("look").state == "newest", "versions are numbers"


def test_rolls_are_backed_up_before_the_package_is_installed(machine: Machine) -> None:
    assert machine.wish("install 0.2.0").state == "installed"
    assert machine.programs == ["dpkg", "pushtray", "dpkg-query", "apt-get"]
    assert machine.places.backups.stat().st_mode & 0o777 == 0o700
    assert list((machine.root / "var/tmp").iterdir()) == []


def test_a_tray_without_the_package_is_upgraded_by_the_installer_of_the_new_release(machine: Machine) -> None:
    machine.is_package = False
    assert machine.wish("install 0.2.0").state == "installed"
    assert machine.programs[-2:] == ["dpkg-deb", "python3"]
    assert machine.ran[-1][1].endswith("/usr/lib/pushtray/systemd/install.py")
    assert machine.ran[-1][2:] == ("upgrade", "--no-apt")


@pytest.mark.parametrize(
    ("installs", "fails", "code"),
    [
        (None, "apt-get", "went_back"),
        (None, "", "went_back"),
        (None, "pushtray", "no_backup"),
        ("0.1.5", "apt-get", "not_installed"),
    ],
)
def test_what_fails_is_told(machine: Machine, installs: str | None, fails: str, code: str) -> None:
    machine.installs, machine.fails = installs, fails
    state = machine.wish("install 0.2.0")
    assert (state.state, state.code) == ("failed", code)
    assert ("apt-get" in machine.programs) == (fails != "pushtray")
    assert state.detail == f"{fails or 'apt-get'} said"


@pytest.mark.parametrize("wish", ["install 0.3.0", "install", "install 0.2.0; reboot", "install ../../0.2.0"])
def test_only_the_version_that_is_described_is_installed(machine: Machine, wish: str) -> None:
    assert machine.wish(wish).code == "changed"
    assert machine.programs == ["dpkg"]


def test_a_version_that_is_not_newer_is_not_installed(machine: Machine) -> None:
    machine.have("0.2.0")
    assert machine.wish("install 0.2.0").code == "changed"


def test_a_package_that_differs_from_its_checksum_is_not_installed(machine: Machine) -> None:
    (machine.folder / NAME).write_bytes(b"another")
    assert machine.wish("install 0.2.0").code == "other_package"
    assert machine.programs == ["dpkg"]


@pytest.mark.parametrize(
    "changed",
    [
        {"format": "another/1"},
        {"version": "newest"},
        {"version": "../0.2.0"},
        {"packages": {}},
        {"packages": []},
        {"changes": ["A thing."]},
        {"package": {"file": "../pushtray_0.2.0_amd64.deb"}},
        {"package": {"file": "/etc/passwd"}},
        {"package": {"file": "https://elsewhere.example/pushtray_0.2.0_amd64.deb"}},
        {"package": {"sha256": ""}},
    ],
    ids=str,
)
def test_what_is_no_description_is_refused(machine: Machine, changed: dict[str, Any]) -> None:
    machine.describe(**changed)
    for wish in ("look", "install 0.2.0"):
        assert machine.wish(wish).code == "no_release"


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"format": 1}'])
def test_a_damaged_description_is_refused(machine: Machine, text: str) -> None:
    (machine.folder / "release.json").write_text(text)
    assert machine.wish("look").code == "no_release"


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (None, "not_set"),
        ("http://plain.example/release.json", "not_set"),
        ("file:///etc/passwd", "not_set"),
        ("/nowhere/release.json", "unreachable"),
        ("https://127.0.0.1:1/release.json", "unreachable"),
        ("https://", "unreachable"),
    ],
)
def test_what_cannot_be_fetched_is_told(machine: Machine, source: str | None, code: str) -> None:
    machine.places.source.unlink()
    if source is not None:
        machine.places.source.write_text(source)
    assert machine.wish("look").code == code


def test_of_what_programs_print_the_installers_last_line_is_told(updater: Any) -> None:
    words = ("sh", "-c", "echo install.py: why; echo; echo E: dpkg failed >&2; exit 3")
    assert updater.run_program(*words) == (3, "install.py: why")
    assert updater.run_program("echo", "that") == (0, "that")


def test_a_fault_of_the_machine_is_told(machine: Machine) -> None:
    (machine.root / "var/tmp").rmdir()
    assert machine.wish("install 0.2.0").code == "not_installed"


def test_a_wish_that_is_a_link_is_not_followed(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("install 0.2.0")
    machine.places.wish.symlink_to(tmp_path / "secret")
    assert machine.updater.update(machine.places, machine.run).state == "found"
    assert "apt-get" not in machine.programs
    assert (tmp_path / "secret").exists()
