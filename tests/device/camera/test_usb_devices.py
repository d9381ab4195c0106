"""Why a USB camera does not open: the cure fits the cause."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from device.camera.base import CameraRequest
from device.camera.registry import camera_driver
from device.camera.usb_camera import UsbCamera, UsbCameraParams
from device.camera.usb_devices import UsbIdentity, first_usb, usb_cameras, why_not
from device.errors import DeviceError
from tests.device.fake_capture import FakeCapture

C920 = ("046d", "082d", "A1B2")
CHEAP = ("1908", "2310", "")


def plug(root: Path, number: int, usb: tuple[str, str, str], socket: str, index: int = 0) -> None:
    """Plug in a USB camera as a video device, as the kernel shows it."""
    interface = root / f"sys/devices/usb1/{socket}/{socket}:1.0"
    folder = interface / f"video4linux/video{number}"
    folder.mkdir(parents=True)
    for name, text in zip(("idVendor", "idProduct", "serial"), usb, strict=True):
        (interface.parent / name).write_text(f"{text}\n")
    name_device(root, number, folder, interface, index)


def name_device(root: Path, number: int, folder: Path, parent: Path, index: int) -> None:
    (root / "dev").mkdir(exist_ok=True)
    (root / f"dev/video{number}").touch()
    (folder / "index").write_text(f"{index}\n")
    (folder / "device").symlink_to(parent)
    listed = root / "sys/class/video4linux"
    listed.mkdir(parents=True, exist_ok=True)
    (listed / f"video{number}").symlink_to(folder)


def pull(root: Path, number: int) -> None:
    listed = root / f"sys/class/video4linux/video{number}"
    shutil.rmtree(listed.resolve())
    listed.unlink()
    (root / f"dev/video{number}").unlink()


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A Pi with a webcam: video0 gives pictures, video1 has metadata; a second webcam, video2; a codec, video10."""
    plug(tmp_path, 0, C920, "1-1")
    plug(tmp_path, 1, C920, "1-1", index=1)
    plug(tmp_path, 2, CHEAP, "1-2")
    codec = tmp_path / "sys/devices/platform/bcm2835-codec"
    (codec / "video4linux/video10").mkdir(parents=True)
    (codec / "video4linux/video10/name").write_text("bcm2835-codec-decode\n")
    name_device(tmp_path, 10, codec / "video4linux/video10", codec, 0)
    (tmp_path / "proc").symlink_to("/proc")
    return tmp_path


class Desk:
    """Opens cameras, and records their numbers in order."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.opened: list[int] = []

    def camera(self, index: int, **memory: Any) -> UsbCamera:
        return UsbCamera(index, root=self.root, capture_factory=self._open, why_not=self._why_not, **memory)

    def reopen(self, camera: UsbCamera) -> int:
        """Return the number that it opens."""
        camera.open()
        camera.close()
        return self.opened[-1]

    def _open(self, index: int) -> FakeCapture:
        self.opened.append(index)
        return FakeCapture(opens=(self.root / f"dev/video{index}").exists())

    def _why_not(self, index: int) -> str:
        return why_not(index, self.root)


def test_camera_that_comes_back_under_another_number_is_found(machine: Path) -> None:
    desk = Desk(machine)
    camera = desk.camera(0)
    assert desk.reopen(camera) == 0
    pull(machine, 1)
    pull(machine, 0)
    with pytest.raises(DeviceError, match="there is no /dev/video0"):
        camera.open()
    plug(machine, 3, C920, "1-4")
    assert desk.reopen(camera) == 3
    plug(machine, 0, CHEAP, "1-5")
    assert desk.reopen(camera) == 3, "what now has its old number is another camera"
    assert camera.name == "usb:0"


def test_cameras_that_changed_numbers_while_the_tray_was_off_are_told_apart(machine: Path, tmp_path: Path) -> None:
    desk, memory = Desk(machine), tmp_path / "data/usb_camera.json"
    assert desk.reopen(desk.camera(0, memory=memory, keep=False)) == 0
    assert not memory.exists(), "a look keeps nothing"
    assert desk.reopen(desk.camera(0, memory=memory)) == 0
    for number in (0, 1, 2):
        pull(machine, number)
    plug(machine, 0, CHEAP, "1-2")
    plug(machine, 2, C920, "1-1")
    assert desk.reopen(desk.camera(0, memory=memory)) == 2
    assert desk.reopen(desk.camera(2, memory=memory)) == 2, "another name is what is there by that number"
    assert desk.reopen(desk.camera(0, memory=memory)) == 0
    memory.write_text("[]")
    assert desk.reopen(desk.camera(0, memory=memory)) == 0


def test_twins_are_told_apart_by_their_sockets(machine: Path) -> None:
    plug(machine, 5, CHEAP, "1-3")
    desk = Desk(machine)
    camera = desk.camera(5)
    assert desk.reopen(camera) == 5
    pull(machine, 5)
    with pytest.raises(DeviceError, match="there is no /dev/video5"):
        camera.open()
    plug(machine, 6, CHEAP, "1-3")
    assert desk.reopen(camera) == 6


def test_parts_of_a_pi_are_no_cameras(machine: Path) -> None:
    assert list(usb_cameras(machine)) == [0, 2]
    assert why_not(10, machine).startswith(
        "/dev/video10 is no USB camera (bcm2835-codec-decode): choose --camera usb:0 or"
    )
    pull(machine, 1)
    pull(machine, 0)
    assert first_usb(machine) == "usb:2"
    pull(machine, 2)
    assert first_usb(machine) == "usb:0"
    assert why_not(10, machine).endswith("plug the camera in")


def test_cure_names_the_device_that_the_camera_is_now(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.camera.usb_camera.number_of", lambda known, root: 4)
    (machine / "usb_camera.json").write_text(
        '{"camera": "usb:0", "model": "m", "socket": "1-1:1.0", "has_twin": false}'
    )
    cures = camera_driver("usb:0").cures(CameraRequest("usb:0", UsbCameraParams(), machine), (1280, 720))
    assert "v4l2-ctl -d /dev/video4 " in cures.size


@pytest.mark.skipif(shutil.which("umockdev-run") is None, reason="no umockdev: sudo apt install umockdev")
def test_cameras_as_the_kernel_shows_them(tmp_path: Path) -> None:
    usb = "/devices/platform/scb/fd500000.pcie/pci0000:00/0000:01:00.0/usb1/1-1"
    codec = "/devices/platform/bcm2835-codec/video4linux/video10"
    described = "".join(
        f"P: {place}\nN: video{number}\nE: DEVNAME=/dev/video{number}\nE: SUBSYSTEM=video4linux\n"
        f"E: MAJOR=81\nE: MINOR={number}\nA: index={index}\\n\nL: device={device}\n\n"
        for place, number, index, device in (
            (f"{usb}/1-1:1.0/video4linux/video0", 0, 0, "../../../1-1:1.0"),
            (f"{usb}/1-1:1.0/video4linux/video1", 1, 1, "../../../1-1:1.0"),
            (codec, 10, 0, "../../../bcm2835-codec"),
        )
    )
    described += (
        f"P: {usb}/1-1:1.0\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_interface\nA: bInterfaceNumber=00\\n\n\n"
        f"P: {usb}\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\nA: idVendor=046d\\n\nA: idProduct=082d\\n\n"
        "A: serial=A1B2\\n\n\nP: /devices/platform/bcm2835-codec\nE: SUBSYSTEM=platform\n\n"
    )
    (tmp_path / "cameras.umockdev").write_text(described)
    code = "from device.camera.usb_devices import usb_cameras; print(usb_cameras())"
    done = subprocess.run(
        ["umockdev-run", "--device", str(tmp_path / "cameras.umockdev"), "--", sys.executable, "-c", code],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == str({0: UsbIdentity("046d:082d:A1B2:1.0", "1-1:1.0")})


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
    ("number", "expected"),
    [
        (errno.EACCES, "usermod -aG video"),
        (errno.EPERM, "usermod -aG video"),
        (errno.ENODEV, "does not answer (No such device): unplug it"),
        (errno.EBUSY, "stop other programs"),
    ],
)
def test_device_that_the_kernel_refuses(
    machine: Path, monkeypatch: pytest.MonkeyPatch, number: int, expected: str
) -> None:
    def refuse(path: Path, flags: int) -> int:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(os, "open", refuse)
    assert expected in why_not(2, machine)


def test_camera_says_what_is_the_matter_in_one_line() -> None:
    class Shut:
        def isOpened(self) -> bool:  # noqa: N802 - OpenCV's own name
            return False

        def release(self) -> None:
            return

    source = UsbCamera(63, capture_factory=lambda index: Shut())  # type: ignore[arg-type,return-value]
    with pytest.raises(DeviceError, match=r"^camera usb:63 does not open, there is no /dev/video63: "):
        source.open()
