import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from device.config.settings import load_settings
from device.diagnostics.probes import CheckParams
from device.storage.display_secret import name_display_url
from device.web.core.addresses import own_address
from tests.device.running_tray import running
from tests.scripts import load_script

FOLDER = Path(__file__).resolve().parents[2] / "systemd"


installer = load_script(FOLDER / "install.py")


class System:
    """A machine that records what is run on it and fails as told."""

    def __init__(self, root: Path, *, booted: bool = True) -> None:
        self.places = installer.Places(root)
        self.ran: list[tuple[str, ...]] = []
        self.fails: set[str] = set()
        self.printed: list[str] = []
        if booted:
            (root / "run/systemd/system").mkdir(parents=True)

    def run(self, *words: str) -> int:
        self.ran.append(words)
        line = " ".join(words)
        if "-m venv" in line:
            (Path(words[-1]) / "bin").mkdir(parents=True)
        return 1 if any(part in line for part in self.fails) else 0

    def install(self, camera: str = "pi") -> None:
        installer.install(self.places, installer.tray_of(self.places, camera=camera), self.run, self.printed.append)

    def current(self) -> str:
        target: str = os.readlink(self.places.current)
        return target


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "sources"
    for name in ("device", "rules", "vision"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text('"""Here."""\n')
    (folder / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n')
    (folder / "systemd").symlink_to(FOLDER)
    copied = folder / "systemd"
    copied.unlink()
    copied.mkdir()
    for path in FOLDER.iterdir():
        if path.is_file():
            (copied / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(installer, "SOURCES", folder)
    return folder


@pytest.fixture
def system(tmp_path: Path, sources: Path) -> System:
    return System(tmp_path / "root")


def test_first_install_makes_everything_and_starts(system: System) -> None:
    system.install()
    assert system.current().startswith("releases/1.2.3-")
    for target in system.places.system_files().values():
        assert target.exists()
    assert os.access(system.places.root / "usr/local/bin/pushtray", os.X_OK)
    settings = load_settings(system.places.settings)
    assert (settings.tray.camera, settings.pins) == ("pi", "gpio")
    lines = [" ".join(words) for words in system.ran]
    assert any("venv --system-site-packages" in line for line in lines)
    order = [next(index for index, line in enumerate(lines) if word in line) for word in (
        "-m venv", "pip", "pushtray --help", "systemd-sysusers", "systemd-tmpfiles", "chgrp", "daemon-reload",
        "restart",
    )]  # fmt: skip
    assert order == sorted(order)


def test_the_tray_may_change_its_settings_and_their_folder(system: System) -> None:
    system.install()
    where = (str(system.places.settings.parent), str(system.places.settings))
    assert [words for words in system.ran if words[0].startswith("ch")] == [
        ("chgrp", "pushtray", *where),
        ("chmod", "g+w", *where),
    ]


def test_settings_that_only_an_editor_changes_are_reported_and_stop_nothing(system: System) -> None:
    system.fails = {"chgrp"}
    system.install()
    assert any("change it in an editor" in line for line in system.printed)


def test_second_install_builds_nothing_and_leaves_settings_alone(system: System) -> None:
    system.install()
    system.places.settings.write_text("# mine\n")
    system.ran.clear()
    system.install("usb:0")
    assert system.places.settings.read_text() == "# mine\n"
    assert not any("pip" in words or "venv" in words for words in system.ran)
    assert len(list(system.places.releases.iterdir())) == 1


def test_upgrade_keeps_data_and_one_older_release(system: System, sources: Path) -> None:
    names = []
    for number in range(4):
        (sources / "device" / "new.py").write_text(f"NUMBER = {number}\n")
        system.install()
        system.places.data.mkdir(parents=True, exist_ok=True)
        (system.places.data / "rolls").write_text("kept")
        names.append(system.current())
    assert len(set(names)) == 4
    kept = {f"releases/{one.name}" for one in system.places.releases.iterdir()}
    assert kept == set(names[-2:])
    assert (system.places.data / "rolls").read_text() == "kept"


@pytest.mark.parametrize("step", ["-m venv", "pip", "--help"])
def test_upgrade_that_cannot_be_built_leaves_the_old_version_alone(system: System, sources: Path, step: str) -> None:
    system.install()
    before = system.current()
    (sources / "device" / "new.py").write_text("broken\n")
    system.fails = {step}
    system.ran.clear()
    with pytest.raises(installer.InstallError):
        system.install()
    assert system.current() == before
    assert [one.name for one in system.places.releases.iterdir()] == [before.removeprefix("releases/")]
    assert not any(words[0] == "systemctl" for words in system.ran), "the running tray was not touched"


def test_upgrade_that_does_not_start_goes_back_to_the_old_version(system: System, sources: Path) -> None:
    system.install()
    before = system.current()
    (sources / "device" / "new.py").write_text("starts not\n")
    service = sources / "systemd" / "pushtray.service"
    service.write_text(service.read_text() + "# newer\n")
    restarts = 0
    usual = system.run

    def run(*words: str) -> int:
        nonlocal restarts
        usual(*words)
        if words[:2] == ("systemctl", "restart"):
            restarts += 1
            return 1 if restarts == 1 else 0
        return 0

    with pytest.raises(installer.InstallError, match="runs again"):
        installer.install(system.places, installer.Tray(), run, system.printed.append)
    assert restarts == 2
    assert system.current() == before
    assert "# newer" not in system.places.system_files()["pushtray.service"].read_text()


class Upgrade:
    """A new release migrates the rolls and does not become ready; the old one starts with older rolls only."""

    def __init__(self, system: System, sources: Path) -> None:
        self.system = system
        system.install()
        self.before = system.places.current.resolve()
        self.log = system.places.data / "history.sqlite3"
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.log.write_text("version 1")
        self.log.with_name("history.sqlite3.version-0").write_text("of an earlier upgrade")
        (sources / "device" / "new.py").write_text("starts not\n")
        system.ran.clear()
        self.can_restore = True

    def run(self, *words: str) -> int:
        self.system.run(*words)
        if words[:2] == ("systemctl", "restart"):
            if self.system.places.current.resolve() == self.before:
                return 0 if self.log.read_text() == "version 1" else 1
            self.log.rename(self.log.with_name("history.sqlite3.version-1"))
            self.log.write_text("version 2")
            return 1
        if words[:2] == (str(self.before / "venv/bin/pushtray"), "restore"):
            if not self.can_restore:
                return 2
            assert words[3:] == ("--settings", str(self.system.places.settings), "--data", str(self.log.parent))
            self.log.write_text(Path(words[2]).read_text())
        return 0

    def refusal(self) -> str:
        with pytest.raises(installer.InstallError) as caught:
            installer.install(self.system.places, installer.Tray(), self.run, self.system.printed.append)
        assert self.system.places.current.resolve() == self.before
        return str(caught.value)


def test_going_back_takes_the_rolls_back_that_the_new_release_migrated(system: System, sources: Path) -> None:
    upgrade = Upgrade(system, sources)
    assert upgrade.refusal().endswith(f"{upgrade.before.name} runs again")
    assert upgrade.log.read_text() == "version 1"
    lines = [" ".join(words[:2]) for words in system.ran]
    old_program = str(upgrade.before / "venv/bin/pushtray")
    order = [line for line in lines if line in ("systemctl restart", "systemctl stop", f"{old_program} restore")]
    assert order == ["systemctl restart", "systemctl stop", f"{old_program} restore", "systemctl restart"]
    assert system.printed[-1].endswith("history.sqlite3.version-1")


def test_an_old_release_that_does_not_start_again_is_not_reported_as_running(system: System, sources: Path) -> None:
    upgrade = Upgrade(system, sources)
    upgrade.can_restore = False
    assert upgrade.refusal() == (
        f"neither the new release nor {upgrade.before.name} starts: sudo systemctl status pushtray"
    )


def test_first_install_that_does_not_start_says_so(system: System) -> None:
    system.fails = {"systemctl restart"}
    with pytest.raises(installer.InstallError, match="systemctl status pushtray"):
        system.install()


def test_upgrade_and_uninstall_remove_files_that_no_release_makes_now(system: System) -> None:
    outdated = system.places.root / "etc/udev/rules.d/60-pushtray.rules"
    for step in (
        system.install,
        lambda: installer.uninstall(system.places, system.run, system.printed.append, purge=False),
    ):
        outdated.parent.mkdir(parents=True, exist_ok=True)
        outdated.write_text("# of an earlier release\n")
        step()
        assert not outdated.exists()


@pytest.mark.parametrize(
    ("minor", "settings", "camera", "locks"),
    [
        (13, None, "pi", ["requirements.lock"]),
        (11, None, "pi", ["systemd/bookworm.lock"]),
        (13, None, "simulated", ["requirements.lock", "device/simulation.lock"]),
        (11, '[tray]\ncamera = "simulated"\n', "pi", ["systemd/bookworm.lock", "device/simulation.lock"]),
        (13, '\ufeff[tray]\ncamera = "simulated"\n', "pi", ["requirements.lock", "device/simulation.lock"]),
        (13, '[tray]\ncamera = "pi"\n', "simulated", ["requirements.lock"]),
        (13, "[tray]\ncamera = pi\n", "simulated", ["requirements.lock"]),
        (13, "tray = 3\n", "simulated", ["requirements.lock"]),
    ],
)
def test_packages_come_from_locks_with_hashes_and_mujoco_only_for_simulated_dice(
    sources: Path, tmp_path: Path, *, minor: int, settings: str | None, camera: str, locks: list[str]
) -> None:
    system = System(tmp_path / "root")
    if settings is not None:
        system.places.settings.parent.mkdir(parents=True)
        system.places.settings.write_text(settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "version_info", (3, minor, 0, "final", 0))
        system.install(camera)
    installed = [words for words in system.ran if "pip" in words]
    release = system.places.current.resolve()
    named = [word for lock in locks for word in ("-r", str(release / "src" / lock))]
    assert list(installed[0][installed[0].index("--require-hashes") + 1 :]) == named
    assert "--no-deps" in installed[0], "locks name everything"
    assert list(installed[1][-3:]) == ["--no-deps", "--no-build-isolation", str(release / "src")]
    assert len(installed) == 2


@pytest.mark.parametrize(("camera", "is_offline"), [("pi", True), ("simulated", False)])
def test_wheels_next_to_the_sources_are_taken_and_only_simulated_dice_need_the_internet(
    system: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, camera: str, is_offline: bool
) -> None:
    monkeypatch.setattr(installer, "WHEELS", tmp_path)
    system.install(camera)
    for words in [words for words in system.ran if "pip" in words]:
        assert words[words.index("--find-links") + 1] == str(tmp_path)
        assert ("--no-index" in words) == is_offline


def test_training_is_no_part_of_a_release(system: System, sources: Path) -> None:
    for name in ("vision/training/teach.py", "vision/pipeline/read.py"):
        (sources / name).parent.mkdir(parents=True)
        (sources / name).touch()
    system.install()
    copied = system.places.current.resolve() / "src"
    assert (copied / "vision/pipeline/read.py").exists()
    assert not (copied / "vision/training").exists()
    assert not (copied / "systemd/debian").exists()


@pytest.mark.parametrize("words", [["--rules", "poker"], ["--language", "tlh"]])
def test_rules_and_language_that_do_not_exist_are_one_line(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert installer.main(["install", *words]) == 2
    assert f"{words[0]} is {words[1]}: choose one of" in capsys.readouterr().err


def test_rules_and_language_of_new_settings(system: System) -> None:
    tray = installer.tray_of(system.places, system="die-code", language="de")
    installer.install(system.places, tray, system.run, system.printed.append)
    settings = load_settings(system.places.settings)
    assert (settings.tray.system, settings.display.language) == ("die-code", "de")
    installer.tray_of(system.places, system.printed.append, system="step-dice")
    assert "--rules step-dice changes nothing" in system.printed[-1]


def test_release_without_room_is_refused_in_one_line_and_nothing_is_touched(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installer.shutil, "disk_usage", lambda folder: SimpleNamespace(free=599_000_000))
    with pytest.raises(installer.InstallError, match=r"needs 600 MB and .* has 599 MB free: make room there"):
        system.install()
    assert system.ran == []
    assert not system.places.home.exists()
    monkeypatch.undo()


def test_two_releases_and_an_upgrade_fit_in_what_doctor_demands() -> None:
    # Measured: a release takes 390 MB; the installer itself checks for the space to build one.
    assert CheckParams().free_mb >= 2 * 390 + installer.RELEASE_MB + 100


def test_where_systemd_does_not_run_units_are_only_enabled(tmp_path: Path, sources: Path) -> None:
    system = System(tmp_path / "image", booted=False)
    system.install("simulated")
    verbs = [words[1] for words in system.ran if words[0] == "systemctl"]
    assert verbs == ["enable"]
    assert 'pins = "mock"' in system.places.settings.read_text()


def test_uninstall_keeps_rolls_and_settings_and_purge_does_not(system: System) -> None:
    system.install()
    system.places.data.mkdir(parents=True)
    installer.uninstall(system.places, system.run, system.printed.append, purge=False)
    installer.uninstall(system.places, system.run, system.printed.append, purge=False)
    assert not system.places.home.exists()
    assert not any(target.exists() for target in system.places.system_files().values())
    assert system.places.data.exists()
    assert system.places.settings.exists()
    installer.uninstall(system.places, system.run, system.printed.append, purge=True)
    assert not system.places.data.exists()
    assert not system.places.settings.exists()


def test_bytecode_makes_no_new_release(sources: Path) -> None:
    locks = ("requirements.lock",)
    before = installer.release_name(sources, locks)
    (sources / "device" / "__pycache__").mkdir()
    (sources / "device" / "__pycache__" / "x.pyc").write_bytes(b"x")
    assert installer.release_name(sources, locks) == before
    assert installer.release_name(sources, (*locks, "device/simulation.lock")) != before
    (sources / "device" / "__init__.py").write_text('"""There."""\n')
    assert installer.release_name(sources, locks) != before


def test_autostart_gets_the_kiosk_once() -> None:
    once = installer.with_kiosk("kanshi &")
    assert once.startswith("kanshi &\n")
    assert once.count("kiosk.py") == 1
    assert installer.with_kiosk(once) == once
    assert installer.with_kiosk("") .count("\n") == 3  # fmt: skip


def test_wrong_camera_and_missing_rights_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert installer.main(["install", "--camera", "webcam"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_every_part_that_is_installed_exists() -> None:
    for part in installer.PARTS:
        assert (FOLDER.parent / part).exists(), part
    for name in installer.Places(Path("/")).system_files():
        assert (FOLDER / name).exists(), name


kiosk = load_script(FOLDER / "kiosk.py")


class Browser:
    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        self.status: int | None = None

    def poll(self) -> int | None:
        return self.status

    def terminate(self) -> None:
        self.status = 0


class Screen:
    """A session on a machine without programs, a tray and a clock."""

    def __init__(self, tmp_path: Path, **params: Any) -> None:
        self.now_s = 0.0
        self.version: int | None = 1
        self.started: list[Browser] = []
        self.touched = tmp_path / "touched"
        self.kiosk = kiosk.Kiosk(
            kiosk.KioskParams(**params),
            tmp_path / "profile",
            self.touched,
            version_of=lambda url: self.version,
            start=self.start,
            clock=lambda: self.now_s,
        )

    def start(self, words: tuple[str, ...]) -> Browser:
        self.started.append(Browser(tuple(words)))
        return self.started[-1]

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds)):
            self.now_s += 1.0
            self.kiosk.look()

    def names(self) -> list[str]:
        return [" ".join(one.words[:2]) for one in self.started if one.words[0] != "wtype"]


def test_browser_waits_for_the_tray_and_is_started_again(tmp_path: Path) -> None:
    screen = Screen(tmp_path, blank_s=0.0)
    screen.version = None
    screen.run(20)
    assert screen.names() == []
    screen.version = 1
    screen.run(5)
    assert screen.names() == ["chromium --kiosk"]
    screen.version = None
    screen.run(50)
    assert len(screen.names()) == 1, "the tray being away is no reason to end the browser"
    screen.started[0].status = -11
    screen.run(10)
    assert len(screen.names()) == 1, "no browser without a tray: it would show an error page"
    screen.version = 2
    screen.run(3)
    assert screen.names() == ["chromium --kiosk"] * 2


def test_the_browser_follows_a_tray_to_another_port(tmp_path: Path) -> None:
    screen = Screen(tmp_path, blank_s=0.0, secret=tmp_path / "none", named=tmp_path / "display-url")
    screen.run(1)
    assert screen.started[0].words[-1] == "http://127.0.0.1:8000/?kiosk", "no tray has named its page yet"
    name_display_url(tmp_path, "http://127.0.0.1:8123/")
    screen.run(5)
    browsers = [one for one in screen.started if one.words[0] == "chromium"]
    assert [one.status for one in browsers] == [0, None]
    assert browsers[1].words[-1] == "http://127.0.0.1:8123/?kiosk"


def test_screen_goes_dark_and_wakes_by_a_throw_and_by_a_touch(tmp_path: Path) -> None:
    screen = Screen(tmp_path, blank_s=60.0)
    screen.run(59)
    assert not screen.kiosk.is_dark
    screen.run(2)
    assert screen.kiosk.is_dark
    screen.version = 2
    screen.run(1)
    assert not screen.kiosk.is_dark
    screen.run(61)
    assert screen.kiosk.is_dark
    screen.touched.touch()
    screen.run(1)
    assert not screen.kiosk.is_dark
    assert [one.words for one in screen.started if one.words[0] == "wlopm"] == [
        ("wlopm", "--off", "*"),
        ("wlopm", "--on", "*"),
    ] * 2


def test_crash_bubble_is_forgotten(tmp_path: Path) -> None:
    preferences = tmp_path / "profile" / "Default" / "Preferences"
    kiosk.forget_crash(tmp_path / "profile")
    preferences.parent.mkdir(parents=True)
    for text, expected in (
        ('{"profile": {"exit_type": "Crashed", "x": 1}}', '"exit_type": "Normal"'),
        ("{broken", "{broken"),
        ("[]", "[]"),
    ):
        preferences.write_text(text)
        kiosk.forget_crash(tmp_path / "profile")
        assert expected in preferences.read_text()


@pytest.fixture
def chromium() -> str:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None and os.environ.get("CI"):
        pytest.fail("no Chromium on the PATH: apt install chromium")
    if path is None:
        pytest.skip("no Chromium on the PATH: apt install chromium")
    return path


class RealBrowser:
    """A Chromium with its own profile, started like the kiosk's, but without a screen."""

    def __init__(self, chromium: str, profile: Path) -> None:
        self.process = subprocess.Popen(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
             f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def comes_up(self) -> bool:
        assert self.process.stderr is not None
        return any("DevTools listening" in line for line in self.process.stderr)

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()


def test_lock_of_another_host_name_goes_unless_a_browser_lives(tmp_path: Path, chromium: str) -> None:
    profile = tmp_path / "profile"
    profile.mkdir()
    lock = profile / "SingletonLock"
    lock.symlink_to("name-before-999999999")
    refused = RealBrowser(chromium, profile)
    assert not refused.comes_up(), "Chromium minds such a lock no more: then neither need the kiosk"
    refused.end()
    assert not kiosk.is_in_use(profile)
    kiosk.forget_lock(profile)
    browser = RealBrowser(chromium, profile)
    assert browser.comes_up()
    assert kiosk.is_in_use(profile)
    pid = os.readlink(lock).rpartition("-")[2]
    lock.unlink()
    lock.symlink_to(f"name-before-{pid}")
    assert kiosk.is_in_use(profile), "the machine got another name while its browser runs"
    lock.unlink()
    lock.symlink_to("name-before-999999999")
    assert kiosk.is_in_use(profile), "it still answers at its socket"
    browser.end()
    assert not kiosk.is_in_use(profile)


def test_stale_lock_is_gone_before_the_browser_starts_and_a_living_one_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen(tmp_path, blank_s=0.0)
    profile = tmp_path / "profile"
    profile.mkdir()
    # A process with this number is running, but it is not a browser of this profile.
    (profile / "SingletonLock").symlink_to(f"name-before-{os.getpid()}")
    monkeypatch.setattr(kiosk, "is_in_use", lambda profile: True)
    screen.run(20)
    assert screen.names() == []
    assert (profile / "SingletonLock").is_symlink()
    monkeypatch.undo()
    screen.run(3)
    assert screen.names() == ["chromium --kiosk"]
    assert not (profile / "SingletonLock").is_symlink()


def test_version_of_a_tray_that_is_not_there() -> None:
    assert kiosk.ask_version("http://127.0.0.1:9/") is None


def test_the_browser_shows_the_secret_and_no_command_line_does(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s3cret\n")
    screen = Screen(tmp_path, secret=tmp_path / "secret")
    screen.run(1)
    page = Path(screen.started[0].words[-1].removeprefix("file://"))
    assert "s3cret" not in " ".join(screen.started[0].words)
    assert "url=http://127.0.0.1:8000/display?key=s3cret&amp;kiosk" in page.read_text()
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert Screen(tmp_path, secret=tmp_path / "none").kiosk._page() == "http://127.0.0.1:8000/?kiosk"


def test_kiosk_reads_its_command_line() -> None:
    assert kiosk.read_arguments([]) == kiosk.KioskParams()
    assert kiosk.read_arguments(["--blank-s", "0"]).blank_s == 0.0


def test_kiosk_of_a_user_is_that_users_own(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    class Entry:
        pw_dir, pw_uid, pw_gid = "/home/me", 1234, 1234

    owned: dict[str, tuple[int, int]] = {}
    monkeypatch.setattr(installer.pwd, "getpwnam", lambda name: Entry)
    monkeypatch.setattr(installer.os, "chown", lambda path, uid, gid: owned.update({Path(path).name: (uid, gid)}))
    labwc = system.places.root / "home/me/.config/labwc"
    labwc.mkdir(parents=True)
    (labwc / "rc.xml").write_text("<mine/>")
    (installer.SOURCES / "systemd/labwc").mkdir()
    (installer.SOURCES / "systemd/labwc/rc.xml").write_text("<ours/>")
    for _ in range(2):
        installer.install_kiosk(system.places, "me", system.run, system.printed.append)
    assert (labwc / "autostart").read_text().count("kiosk.py") == 1
    assert (labwc / "rc.xml").read_text() == "<mine/>"
    assert owned == dict.fromkeys((".config", "labwc", "autostart", "rc.xml"), (1234, 1234))


@pytest.mark.parametrize(
    ("words", "tray"),
    [
        ([], ("pi", "gpio", "127.0.0.1")),
        (["--camera", "pi", "--phones", "--no-panel"], ("pi", "none", "0.0.0.0")),
        (["--camera", "usb:0"], ("usb:0", "none", "127.0.0.1")),
        (["--camera", "usb:0", "--panel"], ("usb:0", "gpio", "127.0.0.1")),
        (["--camera", "simulated", "--panel"], ("simulated", "mock", "127.0.0.1")),
    ],
)
def test_new_settings_are_those_of_the_command_line(
    system: System, monkeypatch: pytest.MonkeyPatch, words: list[str], tray: tuple[str, str, str]
) -> None:
    monkeypatch.setattr(installer.os, "geteuid", lambda: 0)
    monkeypatch.setattr(installer, "Places", lambda root: system.places)
    monkeypatch.setattr(installer, "run_program", system.run)
    assert installer.main(["install", *words]) == 0
    settings = load_settings(system.places.settings)
    assert (settings.tray.camera, settings.pins, settings.web.host) == tray
    (command,) = (line for line in system.ran if line[0] == "apt-get")
    assert ("python3-lgpio" in command) is (settings.pins == "gpio")
    assert ("python3-picamera2" in command) is (settings.tray.camera == "pi")


def test_settings_that_are_there_count_and_the_command_line_says_so(system: System) -> None:
    places, printed = system.places, system.printed
    places.settings.parent.mkdir(parents=True)
    places.settings.write_text('[tray]\ncamera = "usb:0"\n[panel]\npins = "gpio"\n')
    assert installer.tray_of(places, printed.append) == installer.Tray("usb:0", "gpio", "")
    assert installer.tray_of(places, printed.append, "usb:0", has_panel=True).pins == "gpio"
    assert printed == []
    found = installer.tray_of(places, printed.append, "pi", has_panel=False, lets_phones_in=True)
    assert found == installer.Tray("usb:0", "gpio", "")
    assert [line.split(" changes nothing")[0] for line in printed] == ["--camera pi", "--no-panel", "--phones"]
    for text in ("[tray]\n", "camera = ["):
        places.settings.write_text(text)
        assert installer.tray_of(places).camera == ""


@pytest.mark.parametrize(
    ("tray", "kiosk", "cures"),
    [
        (("pi", "gpio"), True, ["--camera usb:0", "--no-panel", "--kiosk"]),
        (("usb:0", "gpio"), False, ["--no-panel"]),
        (("usb:0", "none"), True, ["--kiosk"]),
        (("usb:0", "none"), False, []),
    ],
)
def test_packages_that_debians_bookworm_lacks_have_a_cure(
    tray: tuple[str, str], cures: list[str], *, kiosk: bool
) -> None:
    with pytest.raises(installer.InstallError) as refused:
        installer.install_packages(installer.Tray(*tray), lambda *_: 100, kiosk=kiosk)
    assert [cure for cure in ("--camera usb:0", "--no-panel", "--kiosk") if cure in str(refused.value)] == cures


@pytest.mark.parametrize(
    ("session", "is_right"),
    [("LXDE-pi-labwc", True), ("rpd-labwc", True), ("LXDE-pi-wayfire", False), ("LXDE-pi-x", False), (None, True)],
)
def test_a_kiosk_needs_the_desktop_that_starts_it(system: System, session: str | None, *, is_right: bool) -> None:
    if session is not None:
        config = system.places.root / "etc/lightdm/lightdm.conf"
        config.parent.mkdir(parents=True)
        config.write_text(f"#autologin-session=UNIMPLEMENTED\n[Seat:*]\nautologin-session={session}\n")
    if is_right:
        installer.check_session(system.places.root)
        return
    with pytest.raises(installer.InstallError, match=rf"{session}.*raspi-config.*Labwc"):
        installer.check_session(system.places.root)


@pytest.mark.parametrize("is_open", [False, True])
def test_an_install_ends_with_the_next_step(system: System, tmp_path: Path, *, is_open: bool) -> None:
    host = "0.0.0.0" if is_open else "127.0.0.1"
    with running(tmp_path / "own", "--host", host) as tray:
        system.places.data.mkdir(parents=True)
        name_display_url(system.places.data, tray.url)
        installer.name_next_step(system.places, system.printed.append)
        pins = tray.ask("phones")["pins"]
    if not is_open or own_address() is None:
        assert f"{tray.url}start" in system.printed[0]
        return
    assert "/start" in system.printed[0]
    assert "127.0.0.1" not in system.printed[0]
    assert pins["game_master"] in system.printed[1]


def test_a_tray_that_does_not_answer_is_pointed_at(system: System) -> None:
    installer.name_next_step(system.places, system.printed.append)
    (line,) = system.printed
    assert "/start" in line
    assert "journalctl" in line


def test_kiosk_switches_the_desktops_own_blanking_off_and_asks_for_a_reboot(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = SimpleNamespace(pw_dir="/home/me", pw_uid=os.getuid(), pw_gid=os.getgid())
    monkeypatch.setattr(installer.pwd, "getpwnam", lambda user: home)
    monkeypatch.setattr(installer, "SOURCES", FOLDER.parent)
    installer.install_kiosk(system.places, "me", system.run, system.printed.append)
    assert ("raspi-config", "nonint", "do_blanking", "1") in system.ran
    assert system.printed[-1].endswith("sudo reboot")
    system.fails = {"raspi-config"}
    installer.install_kiosk(system.places, "me", system.run, system.printed.append)
    assert "blanks the screen" in system.printed[-2]


def test_uninstall_takes_the_kiosk_out_of_every_session(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    homes = ["/home/me", "/home/you", "/nonexistent", "/home/me"]
    monkeypatch.setattr(installer.pwd, "getpwall", lambda: [SimpleNamespace(pw_dir=home) for home in homes])
    mine, yours = (system.places.root / f"home/{who}/.config/labwc/autostart" for who in ("me", "you"))
    for autostart in (mine, yours):
        autostart.parent.mkdir(parents=True)
    mine.write_text(installer.with_kiosk("kanshi &\n"))
    yours.write_text("kanshi &")
    system.install()
    installer.uninstall(system.places, system.run, system.printed.append, purge=False)
    assert mine.read_text() == "kanshi &\n"
    assert yours.read_text() == "kanshi &"


def test_kiosk_of_an_unknown_user_is_refused(system: System) -> None:
    with pytest.raises(installer.InstallError, match="no user"):
        installer.install_kiosk(system.places, "no-such-user", system.run, system.printed.append)


def test_going_back_to_a_release_that_had_no_command_leaves_the_newer_one(system: System, sources: Path) -> None:
    (sources / "systemd" / "pushtray").unlink()
    system.install()
    command = system.places.system_files()["pushtray"]
    assert not command.exists()
    (sources / "systemd" / "pushtray").write_bytes((FOLDER / "pushtray").read_bytes())
    system.install()
    installer.write_system_files(
        system.places, min(system.places.releases.iterdir(), key=lambda one: one.stat().st_mtime)
    )
    assert command.read_bytes() == (FOLDER / "pushtray").read_bytes()


def test_command_of_anybody_is_the_plain_program_and_of_root_the_tray(tmp_path: Path) -> None:
    program, named = tmp_path / "program", tmp_path / "bin"
    program.write_text('#!/bin/sh\necho "$XDG_CONFIG_HOME $XDG_DATA_HOME $*"\n')
    named.mkdir()
    (named / "id").write_text("#!/bin/sh\necho $WHO\n")
    (named / "runuser").write_text(
        '#!/bin/sh\necho "as $*" >&2\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n'
    )
    command = tmp_path / "pushtray"
    text = (FOLDER / "pushtray").read_text()
    assert "program=/opt/pushtray/current/venv/bin/pushtray\n" in text
    command.write_text(text.replace("program=/opt/pushtray/current/venv/bin/pushtray", f"program={program}"))
    for path in (program, command, *named.iterdir()):
        path.chmod(0o755)
    printed = {}
    for who in ("0", "1000"):
        environment = {"PATH": f"{named}:/usr/bin:/bin", "WHO": who}
        done = subprocess.run(
            [str(command), "doctor", "a b"], env=environment, capture_output=True, text=True, check=True
        )
        printed[who] = (done.stdout.strip(), done.stderr.strip().partition(" -- ")[0])
    assert printed["1000"] == ("doctor a b", "")
    assert printed["0"] == ("/etc /var/lib doctor a b", "as -u pushtray -g pushtray -G video -G gpio -G dialout")


def answering(answers: dict[str, tuple[int, str, str]]) -> Callable[..., tuple[int, str, str]]:
    """Return a stand-in for programs whose output is used, by the last word of their command."""
    return lambda *words: answers[words[-1].removeprefix("--name=")]


CHIP = "ID_BUS=usb\nID_SERIAL=Silicon_Labs_CP2102_0001\nID_SERIAL_SHORT=0001\nID_PATH=platform-xhci-usb-0:2:1.0\n"


def test_ring_is_the_adapter_that_answers_or_the_one_that_is_named(system: System) -> None:
    system.install()
    found = answering(
        {"device.ring.locate": (0, "/dev/serial/by-id/usb-ring\n", ""), "/dev/serial/by-id/usb-ring": (0, CHIP, "")}
    )
    installer.choose_ring(system.places, None, system.run, system.printed.append, found)
    assert 'ENV{ID_SERIAL}=="Silicon_Labs_CP2102_0001"' in system.places.ring_rule.read_text()
    stopped = [
        words[1]
        for words in system.ran
        if words[0] == "systemctl" and words[1:] in (("stop", "pushtray.service"), ("start", "pushtray.service"))
    ]
    assert stopped == ["stop", "start"], "the tray lets go of the port while it is asked"
    nameless = CHIP.replace("ID_SERIAL_SHORT=0001\n", "")
    installer.choose_ring(
        system.places, "/dev/ttyUSB1", system.run, system.printed.append, answering({"/dev/ttyUSB1": (0, nameless, "")})
    )
    assert 'ENV{ID_PATH}=="platform-xhci-usb-0:2:1.0"' in system.places.ring_rule.read_text()
    installer.uninstall(system.places, system.run, system.printed.append, purge=False)
    assert not system.places.ring_rule.exists()


def test_what_is_no_ring_gets_no_rule(system: System) -> None:
    system.install()
    none = answering({"device.ring.locate": (1, "", "no serial adapter answers as WLED does (/dev/x says nothing)")})
    with pytest.raises(installer.InstallError, match=r"no serial adapter answers .*install\.py ring /dev/serial"):
        installer.choose_ring(system.places, None, system.run, system.printed.append, none)
    for answer in ((4, "", "Unknown device"), (0, "DEVNAME=/dev/ttyS0\n", "")):
        with pytest.raises(installer.InstallError, match="/dev/ttyS0 is no serial adapter on USB"):
            installer.choose_ring(
                system.places, "/dev/ttyS0", system.run, system.printed.append, answering({"/dev/ttyS0": answer})
            )
    assert not system.places.ring_rule.exists()


def test_an_upgrade_finds_the_ring_of_settings_that_name_its_link(system: System) -> None:
    system.install()
    assert not system.places.ring_rule.exists()
    text = system.places.settings.read_text().replace('kind = "none"', 'kind = "wled"')
    system.places.settings.write_text(f'{text}\n[ring.port]\nport = "/dev/pushtray-ring"\n')
    found = answering(
        {"device.ring.locate": (0, "/dev/serial/by-id/usb-ring\n", ""), "/dev/serial/by-id/usb-ring": (0, CHIP, "")}
    )
    installer.install(
        system.places, installer.tray_of(system.places, camera=None), system.run, system.printed.append, found
    )
    assert system.places.ring_rule.exists()
