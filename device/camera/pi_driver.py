"""Load picamera2, which drives a Raspberry Pi's own cameras, and open one; failures come with their cure.

It comes with Raspberry Pi OS, never from the package index. Tests compare the parts used with the real package.
"""

import errno
import importlib
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Protocol

from device.camera.usb_devices import first_usb, usb_cameras
from device.errors import DeviceError


class Request(Protocol):
    def make_array(self, name: str) -> Any:
        """Return a copy of a stream's pixels."""
        ...

    def get_metadata(self) -> dict[str, Any]: ...

    def release(self) -> None: ...


class Camera(Protocol):
    """The part of picamera2's `Picamera2` that is used; tests compare it with the real class."""

    @property
    def camera_properties(self) -> dict[str, Any]:
        """Return the camera's properties, such as `Model`."""
        ...

    @property
    def camera_controls(self) -> dict[str, Any]: ...

    @property
    def sensor_modes(self) -> list[dict[str, Any]]:
        """The sensor's modes; reading them configures the camera once for each."""
        ...

    def create_video_configuration(
        self,
        main: Any = ...,
        lores: Any = ...,
        *,
        buffer_count: int = ...,
        controls: Any = ...,
        queue: bool = ...,
        sensor: Any = ...,
    ) -> dict[str, Any]: ...

    def configure(self, camera_config: Any = ...) -> None: ...

    def start(self, config: Any = ..., show_preview: Any = ...) -> None: ...

    def capture_request(self, wait: Any = ..., signal_function: Any = ..., flush: Any = ...) -> Any:
        """Request the next picture; returns a job if `wait` is False."""
        ...

    def wait(self, job: Any, timeout: Any = ...) -> Any: ...

    def capture_metadata(self, wait: Any = ..., signal_function: Any = ...) -> Any:
        """Return the metadata of the next picture; a job if `wait` is False."""
        ...

    def autofocus_cycle(self, wait: Any = ..., signal_function: Any = ...) -> Any:
        """Focus once and return whether it succeeded; a job if `wait` is False."""
        ...

    def set_controls(self, controls: Any) -> None: ...

    def cancel_all_and_flush(self) -> None: ...

    def stop(self) -> None: ...

    def close(self) -> None: ...


def pi_name(number: int) -> str:
    """Return a camera's name: `pi` for the first, `pi:1` for the second on a Pi 5."""
    return f"pi:{number}" if number else "pi"


def pi_number(name: str) -> int:
    """Return the number of the camera of a name."""
    return int(name.partition(":")[2] or 0)


def ribbon_cameras() -> tuple[str, ...]:
    """Return the model of each camera on a ribbon, by number; none where picamera2 is missing or fails."""
    try:
        return _ribbons(_load().Picamera2)
    except DeviceError:
        return ()


def _ribbons(kind: Any) -> tuple[str, ...]:
    try:
        found = kind.global_camera_info()
    except Exception as error:
        raise DeviceError(f"cannot look for camera pi ({_words(error)}): {_cure(error)}") from error
    # picamera2 lists USB cameras after those on ribbons, so the numbers of the latter are stable.
    return tuple(str(info.get("Model", "")) for info in found if "/usb" not in str(info.get("Id", "")))


def open_picamera(number: int) -> Camera:
    kind, name = _load().Picamera2, pi_name(number)
    ribbons = _ribbons(kind)
    # Checked before opening: a constructor that fails leaks a pipe each time, and the tray retries for days.
    if number >= len(ribbons):
        others = [pi_name(other) for other in range(len(ribbons))] + ([first_usb()] if usb_cameras() else [])
        instead = f", or choose --camera {' or '.join(others)}" if others else ""
        raise DeviceError(
            f"camera {name} was not found: switch the Pi off, check its ribbon cable at both ends, switch it on; "
            f"rpicam-hello --list-cameras lists what is found{instead}"
        )
    try:
        return _made(kind, number)
    except Exception as error:
        if _is_in_use(error):
            raise DeviceError(f"camera {name} is in use: {_cure(error)}") from error
        raise DeviceError(f"camera {name} does not open ({_words(error)}): {_cure(error)}") from error


def driver_error(what: str, error: Exception) -> DeviceError:
    return DeviceError(f"camera pi {what} ({_words(error)}): {_cure(error)}")


def _load() -> Any:
    try:
        return importlib.import_module("picamera2")
    except KeyboardInterrupt:
        raise
    except ModuleNotFoundError as error:
        if error.name == "picamera2":
            raise DeviceError(
                f"camera pi needs picamera2 ({error}): run sudo apt install python3-picamera2, delete .venv and run "
                f"the same command again, or choose --camera {first_usb()}"
            ) from error
        raise _does_not_load(error) from error
    except BaseException as error:  # mismatched compiled parts raise anything, even SystemExit
        raise _does_not_load(error) from error


def _does_not_load(error: BaseException) -> DeviceError:
    detail = " ".join(f"{type(error).__name__}: {error}".split())
    if "numpy" in detail.lower() or "binary incompatib" in detail:
        cure = (
            "its parts were built for another NumPy than the one here; delete .venv and run the same command again, "
            "or install the tray again with sudo python3 systemd/install.py upgrade"
        )
    else:
        cure = f"run sudo apt install --reinstall python3-picamera2 python3-libcamera, or choose --camera {first_usb()}"
    return DeviceError(f"camera pi: picamera2 does not load ({detail.replace(': ', ', ')}): {cure}")


def _made(kind: Any, number: int) -> Camera:
    """Return an opened camera. If its constructor fails it is closed here, since picamera2 leaves its pipe open.

    Source: picamera2 0.3.38, `Picamera2.__init__` and `close`, which does nothing for a camera that is not open yet.
    """
    camera = kind.__new__(kind)
    try:
        camera.__init__(number)
    except BaseException:
        with suppress(Exception):
            camera.close()
        reading, writing = getattr(camera, "notifymeread", None), getattr(camera, "notifyme_w", None)
        if reading is not None and not reading.closed:
            reading.close()
            if writing is not None:
                os.close(writing)
        raise
    made: Camera = camera
    return made


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and its causes; picamera2 wraps libcamera's errors."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def _words(error: BaseException) -> str:
    first = list(_causes(error))[-1]
    return " ".join(str(first).split()).replace(": ", ", ") or type(first).__name__


def _is_in_use(error: BaseException) -> bool:
    """Source: libcamera's `Camera::acquire` gives EBUSY; picamera2's wording varies, but always has "acquire"."""
    return any(
        getattr(cause, "errno", None) == errno.EBUSY or "acquire" in str(cause) or "busy" in str(cause)
        for cause in _causes(error)
    )


def _cure(error: BaseException) -> str:
    if _is_in_use(error):
        return "stop the other program that has it (another tray, rpicam-hello, a web camera service)"
    numbers = {getattr(cause, "errno", None) for cause in _causes(error)}
    detail = " ".join(str(cause) for cause in _causes(error))
    if errno.ENOMEM in numbers or "Cannot allocate" in detail:
        return "it lacks memory for its pictures; lower pi.buffers or pi.main_px, and close other programs"
    if numbers & {errno.EACCES, errno.EPERM}:
        return "this user may not use it; sudo usermod -aG video $USER, then log in again"
    if "not advertised" in detail:
        return "this camera has no such control; take the setting for it out of [pi], or run sudo apt full-upgrade"
    if isinstance(error, TypeError):
        return "its picamera2 is too old; sudo apt full-upgrade"
    return "restart the Pi; where that does not help, check its ribbon cable with the Pi switched off"
