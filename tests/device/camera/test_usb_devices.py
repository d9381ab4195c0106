"""Why a USB camera does not open: the cure fits what is the matter."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from device.camera.usb_camera import UsbCamera
from device.camera.usb_devices import why_not
from device.errors import DeviceError


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A machine with a webcam: video0 gives pictures, video1 carries their metadata; and a second webcam, video2."""
    for number, index in ((0, 0), (1, 1), (2, 0)):
        (tmp_path / "dev").mkdir(exist_ok=True)
        (tmp_path / f"dev/video{number}").touch()
        folder = tmp_path / f"sys/class/video4linux/video{number}"
        folder.mkdir(parents=True)
        (folder / "index").write_text(f"{index}\n")
    (tmp_path / "proc").symlink_to("/proc")
    return tmp_path


def test_device_that_is_not_there_names_those_that_are(machine: Path) -> None:
    assert why_not(7, machine) == "there is no /dev/video7: choose --camera usb:0 or usb:2"
    assert why_not(0, machine / "nowhere") == "there is no /dev/video0: plug the camera in"


def test_second_device_of_a_camera_names_the_first(machine: Path) -> None:
    assert why_not(1, machine).startswith("/dev/video1 is a camera's second device")


def test_device_in_another_programs_hands_names_the_program(machine: Path) -> None:
    hold = "import sys; held = open(sys.argv[1]); print('holding', flush=True); sys.stdin.read()"
    words = [sys.executable, "-c", hold, str(machine / "dev/video0")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"holding\n"
        reported = why_not(0, machine)
        holder.communicate()
    assert f"(process {holder.pid}): stop that program" in reported
    assert "in use by python" in reported
    assert "gives no pictures" in why_not(0, machine), "once it is let go of nothing is known but that"


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EACCES, "usermod -aG video"),
        (errno.EPERM, "usermod -aG video"),
        (errno.ENODEV, "does not answer (No such device): unplug it"),
        (errno.EBUSY, "stop other programs"),
    ],
)
def test_device_that_the_kernel_refuses(machine: Path, monkeypatch: pytest.MonkeyPatch, number: int, said: str) -> None:
    def refuse(path: Path, flags: int) -> int:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(os, "open", refuse)
    assert said in why_not(2, machine)


def test_camera_says_what_is_the_matter_in_one_line() -> None:
    class Shut:
        def isOpened(self) -> bool:  # noqa: N802 - OpenCV's own name
            return False

        def release(self) -> None:
            return

    source = UsbCamera(63, capture_factory=lambda index: Shut())  # type: ignore[arg-type,return-value]
    with pytest.raises(DeviceError, match=r"^camera usb:63 does not open, there is no /dev/video63: "):
        source.open()
