"""The card's first-boot file, the command that writes it, and the program that it starts."""

import http.client
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from device.cli.main import main
from rules.system import systems
from tests.scripts import load_script

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "systemd"

needs_cloud_init = pytest.mark.skipif(
    shutil.which("cloud-init") is None, reason="cloud-init is not installed (on Debian: apt install cloud-init)"
)


@pytest.fixture(scope="module")
def program() -> Iterator[Any]:
    before = list(sys.path)
    yield load_script(FOLDER / "first_boot.py")
    sys.path[:] = before


@pytest.fixture
def card(tmp_path: Path) -> Path:
    folder = tmp_path / "bootfs"
    folder.mkdir()
    for name in ("cmdline.txt", "meta-data"):
        (folder / name).touch()
    (folder / "user-data").write_text("#cloud-config\n\n# hostname: raspberrypi\n")
    return folder


def program_of(user_data: str) -> str:
    """Return the shell program in a first-boot file."""
    return re.sub(r"(?m)^ {6}", "", user_data.partition("- |\n")[2])


def test_the_file_in_the_sources_is_what_the_command_writes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["first-boot"]) == 0
    assert capsys.readouterr().out == (FOLDER / "first-boot/user-data").read_text()


@needs_cloud_init
@pytest.mark.parametrize(
    "choices", [[], ["--name", "dice-tray", "--rules", "step-dice", "--from", "https://a.example/it's.deb"]]
)
def test_cloud_init_takes_the_file(choices: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["first-boot", *choices]) == 0
    (tmp_path / "user-data").write_text(capsys.readouterr().out)
    words = ["cloud-init", "schema", "--config-file", str(tmp_path / "user-data")]
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Valid" in done.stdout


def test_the_file_starts_the_program_with_the_choices_and_only_until_it_is_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = "https://a.example/it's$(reboot).deb"
    words = ["--rules", "die-code", "--language", "de", "--camera", "usb:1", "--no-panel", "--from", source]
    assert main(["first-boot", *words]) == 0
    state, tools = tmp_path / "state", tmp_path / "tools"
    tools.mkdir()
    (tools / "systemd-run").write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/ran\n')
    (tools / "systemd-run").chmod(0o755)
    text = program_of(capsys.readouterr().out).replace("/var/lib/pushtray-first-boot", str(state))
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"}
    subprocess.run(["sh", "-c", text], check=True, env=environment)
    ran = (tmp_path / "ran").read_text()
    assert "--property=Before=display-manager.service" in ran
    chosen = "".join(line + "\n" for line in (state / "start").read_text().splitlines()[:2])
    expected = subprocess.run(
        ["sh", "-c", chosen + 'echo "$options|$from"'], capture_output=True, text=True, check=True
    )
    assert expected.stdout == f"--rules die-code --language de --camera usb:1 --phones --no-panel|{source}\n"
    (state / "done").touch()
    (tmp_path / "ran").unlink()
    subprocess.run(["sh", "-c", text], check=True, env=environment)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--rules", "poker"], "--rules is poker: choose one of"),
        (["--language", "tlh"], "--language is tlh: choose one of en, de"),
        (["--camera", "webcam"], "--camera is webcam: choose"),
        (["--name", "Tray of Kim"], "--name is Tray of Kim: use up to 63"),
        (["--name", "x\nruncmd: []"], "--name is x\\nruncmd: []: use"),
        (["--from", "http://a.example/x.deb"], "begins with https"),
        (["--from", "https://a.example/x\n.deb"], "begins with https"),
        (["--wifi", "Home"], "name its boot partition with --card"),
        (["--card", "/nowhere"], "is no card's boot partition"),
    ],
)
def test_bad_choices_are_one_line(words: list[str], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["first-boot", *words]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert expected in error


@pytest.mark.parametrize(
    ("there", "name"),
    [
        (None, "user-data"),
        ("#cloud-config\n\n# all comments\n", "user-data"),
        ("#cloud-config\nusers:\n- name: kim\n", "vendor-data"),
        ((FOLDER / "first-boot/user-data").read_text(), "user-data"),
    ],
)
def test_what_imager_wrote_on_the_card_stays(card: Path, there: str | None, name: str) -> None:
    (card / "user-data").unlink()
    if there is not None:
        (card / "user-data").write_text(there)
    assert main(["first-boot", "--card", str(card), "--rules", "hits-pool"]) == 0
    assert "--rules hits-pool" in (card / name).read_text()
    if name == "vendor-data":
        assert (card / "user-data").read_text() == there


def test_a_card_of_another_kind_is_refused(card: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (card / "user-data").write_text("#cloud-config\nhostname: kims\n")
    assert main(["first-boot", "--card", str(card), "--name", "ours"]) == 2
    (card / "meta-data").unlink()
    assert main(["first-boot", "--card", str(card)]) == 2
    named, bookworm = capsys.readouterr().err.splitlines()
    assert "says kims: leave --name out" in named
    assert "no meta-data, as on Bookworm" in bookworm
    assert not (card / "vendor-data").exists()


def test_a_wifi_password_is_asked_for_and_only_its_key_is_stored(card: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getpass", lambda _: "password")
    package = card.parent / "pushtray_0.1.0_arm64.deb"
    package.write_bytes(b"a package")
    words = ["--card", str(card), "--wifi", "IEEE", "--country", "DE", "--package", str(package)]
    assert main(["first-boot", *words]) == 0
    network = (card / "network-config").read_text()
    # IEEE Std 802.11-2020, J.4.2: the key of "password" in the network "IEEE".
    assert "f42c6fc52df0ebef9ebb4b90b38a5f902e83fe1b135a70e23aed762e9710a12e" in network
    assert '"password"' not in network
    assert (card / package.name).read_bytes() == b"a package"
    monkeypatch.setattr("getpass.getpass", lambda _: "short")
    assert main(["first-boot", *words]) == 2


@pytest.mark.parametrize("camera", ["pi:0", "usb:100", "replay:evening", ""])
def test_a_camera_that_no_tray_opens_is_refused_before_anything_is_installed(program: Any, camera: str) -> None:
    assert main(["first-boot", "--camera", camera]) == 2
    assert program.install.main(["install", "--camera", camera]) == 2


def test_the_installer_knows_every_rule_system(program: Any) -> None:
    assert program.install.rule_systems() == sorted(system.id for system in systems())


def test_the_installer_needs_no_package_and_leaves_nothing_in_the_sources(program: Any, tmp_path: Path) -> None:
    program.install.copy_sources(ROOT, tmp_path)
    kept = sorted(tmp_path.rglob("*"))
    words = [sys.executable, "-IS", str(tmp_path / "systemd/install.py"), "install", "--rules", "no-rules"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, "push-pool" in done.stderr) == (2, True), done.stderr
    assert sorted(tmp_path.rglob("*")) == kept


class Machine:
    """A first boot whose programs answer as told."""

    def __init__(self, program: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ran: list[str] = []
        self.answers: dict[str, list[tuple[int, str]]] = {}
        self.progress = program.Progress()
        self.pages = program.Pages(self.progress, "en")
        monkeypatch.setattr(program, "TRAY_PORT", 0)
        monkeypatch.setattr(program, "has_screen", lambda: False)
        self.boot = program.FirstBoot(folder / "p.deb", folder, ["--rules", "die-code"], self.progress, self.pages)
        monkeypatch.setattr(self.boot, "_call", self.call)
        self.seen: list[str] = []

    def call(self, *words: str) -> int:
        self.ran.append(" ".join(words))
        for part, answers in self.answers.items():
            if part in self.ran[-1] and answers:
                status, lines = answers.pop(0)
                for line in lines.splitlines():
                    self.boot._follow(line)
                    self.seen.append(self.progress.step)
                return status
        return 0


@pytest.fixture
def machine(program: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    made = Machine(program, tmp_path, monkeypatch)
    yield made
    for port in list(made.pages._servers):
        made.pages.close(port)


def test_steps_follow_what_the_programs_print_and_the_trays_port_is_left_for_it(machine: Machine) -> None:
    expected = (
        "Reading\ninstall.py: building release 1\ninstall.py: starting the tray\ninstall.py: it asks for a PIN: 471100"
    )
    machine.answers["p.deb"] = [(0, expected)]
    machine.boot.run()
    assert machine.progress.lines
    assert not any("471100" in line for line in machine.progress.lines), "anyone may read them"
    assert machine.seen == ["packages", "building", "starting", "starting"]
    assert machine.pages._servers == {}


def test_a_failure_names_its_cure_and_is_tried_again(
    program: Any, machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "has_network", lambda: False)
    machine.answers["p.deb"] = [
        (100, "E: Unable to correct problems"),
        (100, "install.py: building\n\x1b[?25h\x1b[0minstall.py: no room\r\nE: dpkg failed"),
    ]
    pauses: list[tuple[str, float]] = []
    machine.boot.run(lambda seconds: pauses.append((str(machine.progress.failed), seconds)))
    assert [seconds for _, seconds in pauses] == [program.RETRY_S] * 2
    assert "no internet" in pauses[0][0]
    assert "no room" in pauses[1][0]
    note = (tmp_path / "pushtray.txt").read_text()
    assert "no internet" in note
    assert "no room" in note
    assert machine.progress.failed is None


def test_old_package_lists_are_renewed_where_there_is_internet(
    program: Any, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "has_network", lambda: True)
    machine.answers["p.deb"] = [(100, "E: Unable to locate package python3-lgpio"), (0, "")]
    machine.boot.run(lambda _: pytest.fail("nothing failed"))
    assert [line.rpartition(" ")[2] for line in machine.ran if line.startswith("apt-get")][1] == "update"


def test_a_screen_that_cannot_be_set_up_is_a_note(
    program: Any, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "has_screen", lambda: True)
    monkeypatch.setattr(program, "desktop_user", lambda: "kim")
    machine.answers["--kiosk kim"] = [(1, "install.py: the desktop starts wayfire")]
    machine.boot.run()
    (note,) = machine.progress.notes
    assert "the desktop starts wayfire" in str(note)


@pytest.mark.parametrize(
    ("lightdm", "user"),
    [
        (None, None),
        ("[Seat:*]\n#autologin-user=\n", None),
        ("[Seat:*]\nautologin-user=rpi-first-boot-wizard\n", None),
        ("[Seat:*]\nautologin-user=kim\n", "kim"),
    ],
)
def test_the_desktops_user(program: Any, tmp_path: Path, lightdm: str | None, user: str | None) -> None:
    if lightdm is not None:
        (tmp_path / "etc/lightdm").mkdir(parents=True)
        (tmp_path / "etc/lightdm/lightdm.conf").write_text(lightdm)
    assert program.desktop_user(tmp_path) == user


def ask(port: int, host: str, cookie: str = "", language: str = "en") -> tuple[str, str]:
    """Return the cookie that a page gives and its text."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {"Host": host, "Accept-Language": language} | ({"Cookie": cookie} if cookie else {})
    connection.request("GET", "/", headers=headers)
    answer = connection.getresponse()
    given = (answer.getheader("Set-Cookie") or "").partition(";")[0]
    text = answer.read().decode()
    connection.close()
    return given, text


def test_only_the_first_browser_gets_the_pin(program: Any) -> None:
    progress = program.Progress()
    pages = program.Pages(progress, None)
    pages.open(0)
    port = pages._servers[0].server_port
    try:
        assert ask(port, "evil.example")[0] == "", "a name that is not this machine's gets nothing"
        cookie, text = ask(port, f"127.0.0.1:{port}", language="de-AT")
        assert cookie
        assert "PushTray wird installiert" in text
        progress.step, progress.pin = "", "4711"
        assert "4711" in ask(port, "127.0.0.1", cookie)[1]
        assert ask(port, "127.0.0.1") == ("", ask(port, "127.0.0.1", f"{program.COOKIE}=wrong")[1])
        assert "4711" not in ask(port, "127.0.0.1")[1]
        assert "4711" not in ask(port, "evil.example", cookie)[1]
    finally:
        pages.close(0)
