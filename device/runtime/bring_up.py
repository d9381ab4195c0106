"""Try the parts of a new tray, one after another: cameras, ring, lamps and buttons. For the page `/start`."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import cv2

from device.camera.pi_driver import pi_name, pi_number, ribbon_cameras
from device.camera.pi_kind import PI
from device.camera.registry import SIMULATED, camera_driver, camera_kind
from device.camera.usb_devices import usb_cameras
from device.config.mains import mains_here
from device.config.settings import Settings
from device.errors import PushTrayError
from device.game.buttons import BUTTONS
from device.game.lamps import ALL_DARK, LAMP_NAMES, LightPlan, shine
from device.texts.catalogue import translate
from rules.system import JsonValue

LAMP_S: Final = 1.5
"""How long each lamp is lit during the lamp test, in seconds."""
_LOOK_S: Final = 4.0
_VIDEO: Final = Path("/sys/class/video4linux")
_PI_MODEL: Final = Path("/proc/device-tree/model")


class BringUp:
    """Lists and tries the parts while a tray is set up. Any thread."""

    def __init__(
        self,
        settings: Settings,
        show: Callable[[LightPlan | None], None],
        choose: Callable[[str], None],
        *,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        self._settings = settings
        self._show = show
        self.choose = choose
        self._wait = wait
        self._presses: Counter[str] = Counter()
        self._found: tuple[str, ...] = ()
        self._looking = threading.Lock()
        self._shining = threading.Lock()

    def pressed(self, button: str) -> None:
        self._presses[button] += 1

    def report(self) -> dict[str, JsonValue]:
        """Return the cameras found, which one is in use, and the other parts of the tray."""
        now = self._settings.tray.camera
        names = [f"usb:{number}" for number in usb_cameras()]
        if _PI_MODEL.exists() and "Raspberry" in _PI_MODEL.read_text(errors="replace"):
            names = [*(pi_name(number) for number in range(max(1, len(self._ribbons())))), *names]
        names = [*dict.fromkeys([*([now] if now != SIMULATED.id else []), *names]), SIMULATED.id]
        return {
            "cameras": [{"name": name, "title": self._title(name), "in_use": name == now} for name in names],
            "ring": self._settings.ring.kind != "none",
            "panel": self._settings.pins == "gpio",
            "mains": self._mains(),
            "presses": {name: self._presses[name] for name in BUTTONS},
        }

    def _ribbons(self) -> tuple[str, ...]:
        """Return the models of the cameras on ribbons; none is plugged in while the Pi runs."""
        self._found = self._found or ribbon_cameras()
        return self._found

    def _title(self, name: str) -> JsonValue:
        kind, _, number = name.partition(":")
        if kind == "pi" and len(self._found) > max(1, pi_number(name)):
            model = self._found[pi_number(name)]
            return translate("tray.camera_title.pi_named", number=pi_number(name), name=model)
        return _title(kind, number) or name

    def _mains(self) -> JsonValue:
        """Return the mains frequency that the camera's exposure fits, and what says so; None for other cameras."""
        if camera_kind(self._settings.tray.camera) is not PI:
            return None
        if self._settings.pi.mains_hz is not None:
            return {"hz": self._settings.pi.mains_hz, "by": "setting", "zone": None}
        here = mains_here()
        return {"hz": here.hz, "by": "zone" if here.zone else "nothing", "zone": here.zone}

    def look(self, name: str) -> bytes | None:
        """Return a picture of a camera that is not in use, as JPEG; None if it gives none."""
        driver = camera_driver(name)
        wanted = replace(self._settings, tray=replace(self._settings.tray, camera=name)).camera_request
        with self._looking:
            camera = driver.make(replace(wanted, keep=False))
            frame = None
            try:
                camera.open()
                ends_s = time.monotonic() + _LOOK_S
                count = 0
                while time.monotonic() < ends_s and count <= driver.settle:
                    frame = camera.read(1.0) or frame
                    count += frame is not None
            except PushTrayError:
                return None
            finally:
                camera.close()
        return None if frame is None else bytes(cv2.imencode(".jpg", frame.image_bgr)[1].tobytes())

    def try_lamps(self) -> None:
        """Light each lamp alone, in panel order; returns at once."""
        threading.Thread(target=self._light_each, name="lamps", daemon=True).start()

    def _light_each(self) -> None:
        with self._shining:
            for name in LAMP_NAMES:
                self._show(replace(ALL_DARK, **{name: shine()}))
                self._wait(LAMP_S)
            self._show(None)


def _title(kind: str, number: str) -> JsonValue:
    maker = _VIDEO / f"video{number}/name"
    if kind == "usb" and maker.exists():
        return translate(
            "tray.camera_title.usb_named", number=number, name=maker.read_text(errors="replace").strip()[:60]
        )
    return translate(f"tray.camera_title.{kind}", number=number) if kind in {"simulated", "pi", "usb"} else None
