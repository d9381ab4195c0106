"""Opening a Pi camera that is missing, in use or broken: the right cure, and nothing left open."""

import importlib
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from device.camera.pi_camera import PiCamera, PiCameraParams
from device.camera.pi_driver import open_picamera
from device.camera.worker import CameraWorker, CameraWorkerParams
from device.cli.main import main
from device.errors import DeviceError
from device.game.state.events import CameraFailed, Event
from tests.device.conftest import count_descriptors
from tests.device.fake_picamera import FakePicamera2, plug_in

SECONDS_A_DAY = 24 * 60 * 60


class Watch:
    """Never sees anything."""

    def see(self, seen: Any) -> None:
        raise AssertionError("no picture can come")

    glance = see

    def forget(self) -> None:
        return

    def remember(self, lying: Any, gone: Any) -> None:
        return


class ManualWait:
    """The pause between two tries of the camera thread, on the test's own clock: a day passes at once."""

    def __init__(self, day_s: float) -> None:
        self.left_s = day_s
        self.tries = 0

    def is_set(self) -> bool:
        return self.left_s <= 0.0

    def wait(self, pause_s: float) -> bool:
        self.tries += 1
        self.left_s -= pause_s
        return self.is_set()


@pytest.mark.parametrize("trouble", ["missing", "in use"])
def test_a_day_of_tries_leaves_no_file_open(pi_world: Any, trouble: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL")  # picamera2 logs each failure; a day of them is no help here
    if trouble == "missing":
        pi_world.sensors = ()
    else:
        pi_world.busy = True
    with pytest.raises(DeviceError):
        open_picamera(0)
    before = count_descriptors()
    events: list[Event] = []
    eye = CameraWorker(PiCamera(), Watch(), events.append, params=CameraWorkerParams())
    day = ManualWait(SECONDS_A_DAY)
    eye._stopping = day  # type: ignore[assignment]
    eye._run()
    assert day.tries > 5000
    assert len(events) == day.tries
    assert all(isinstance(event, CameraFailed) for event in events)
    assert count_descriptors() <= before


def test_camera_that_was_opened_and_broke_leaves_no_file_open(pi_world: Any) -> None:
    pi_world.sensors = ("imx219",)
    source = PiCamera(PiCameraParams(lens_dioptres=3.0, close_s=5.0))
    counts = []
    for _ in range(3):
        with pytest.raises(DeviceError, match="does not move"):
            source.open()
        counts.append(count_descriptors())
    assert counts[0] == counts[1] == counts[2]


def test_camera_in_use_is_distinguished_from_a_broken_cable(pi_world: Any) -> None:
    pi_world.busy = True
    with pytest.raises(DeviceError) as caught:
        PiCamera().open()
    assert str(caught.value).startswith("camera pi is in use: stop the other program")
    assert "cable" not in str(caught.value)


class Broken(FakePicamera2):
    """Opens, and fails to configure."""

    error: Exception

    def configure(self, camera_config: Any = None) -> None:
        raise self.error


@pytest.mark.parametrize(
    ("error", "cure"),
    [
        (RuntimeError("Failed to start camera: Device or resource busy"), "stop the other program"),
        (OSError(12, "Cannot allocate memory"), "lower pi.buffers"),
        (PermissionError(13, "Permission denied", "/dev/dma_heap/linux,cma"), "usermod -aG video"),
        (RuntimeError("Control ColourGains is not advertised by libcamera"), "no such control"),
        (TypeError("unexpected keyword argument 'sensor'"), "too old"),
        (RuntimeError("Configuration failed: {'use_case': 'video'}"), "restart the Pi"),
    ],
)
def test_cure_fits_the_error(monkeypatch: pytest.MonkeyPatch, error: Exception, cure: str) -> None:
    plug_in(monkeypatch, type("Failing", (Broken,), {"error": error}))
    with pytest.raises(DeviceError) as caught:
        PiCamera().open()
    what, _, reported = str(caught.value).rpartition(": ")
    assert cure in reported
    assert "does not start" in what


RAISED = [
    ("ValueError", "numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88"),
    ("ImportError", "numpy.core.multiarray failed to import"),
    ("OSError", "libcamera.so.0.5: cannot open shared object file: No such file or directory"),
    ("SystemError", "initialization of _libcamera raised unreported exception"),
    ("ModuleNotFoundError", "No module named 'libcamera'"),
    ("SystemExit", "1"),
    ("AttributeError", "_ARRAY_API not found"),
]


@pytest.fixture(params=RAISED, ids=[kind for kind, _ in RAISED])
def unloadable(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """A picamera2 that raises when it is imported."""
    kind, reason = request.param
    package = tmp_path / "lib" / "picamera2"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(f"raise {kind}({reason!r})\n")
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.delitem(sys.modules, "picamera2", raising=False)
    importlib.invalidate_caches()
    return kind, reason


def doctor_of_pi(folder: Path) -> int:
    """Run `pushtray doctor --camera pi`, without a panel, while no tray runs."""
    settings = folder / "settings.toml"
    settings.write_text('[panel]\npins = "none"\n[web]\nport = 0\n')
    return main(["doctor", "--settings", str(settings), "--camera", "pi", "--data", str(folder / "data")])


def test_doctor_names_what_an_import_raised_and_its_cure(
    unloadable: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert doctor_of_pi(tmp_path) == 1
    reported = capsys.readouterr()
    (line,) = (line for line in reported.out.splitlines() if line.split()[1] == "camera")
    kind, reason = unloadable
    assert line.startswith("FAIL")
    assert kind in line
    assert reason.split(":")[0][:30] in line
    cure = line.partition("->")[2]
    assert ("another NumPy" in cure) == ("numpy" in reason)
    assert "apt" in cure or "install.py" in cure
    assert "Traceback" not in reported.out + reported.err


def test_a_running_tray_goes_on_and_says_the_same(unloadable: tuple[str, str]) -> None:
    events: list[Event] = []
    tried = threading.Event()

    def post(event: Event) -> None:
        events.append(event)
        tried.set()

    eye = CameraWorker(PiCamera(), Watch(), post, params=CameraWorkerParams(retry_first_s=0.01))
    eye.start()
    assert tried.wait(30)
    eye.stop()
    assert isinstance(events[0], CameraFailed)
    assert "picamera2 does not load" in events[0].text
    assert unloadable[0] in events[0].text


def test_no_picamera2_at_all_is_reported_by_doctor(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    assert doctor_of_pi(tmp_path) == 1
    assert "-> run sudo apt install python3-picamera2" in capsys.readouterr().out


def test_failing_constructor_is_closed_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """The subject is a fault in picamera2, which the fake has like the real one."""
    plug_in(monkeypatch, type("Busy", (FakePicamera2,), {"busy": True}))
    before = count_descriptors()
    busy: type[FakePicamera2] = type("Busy", (FakePicamera2,), {"busy": True})
    made = busy.__new__(busy)
    with pytest.raises(RuntimeError):
        busy.__init__(made, 0)
    made.close()
    assert count_descriptors() == before + 2
    made.notifymeread.close()
    os.close(made.notifyme_w)
