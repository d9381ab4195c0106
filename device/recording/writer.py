"""Write a recording frame by frame; the result is complete or absent."""

import json
import math
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2

from device.errors import BadInput, DeviceError
from device.game.buttons import BUTTONS
from device.kept_files import sync_file, sync_folder
from device.recording.recording import FORMAT, Recording, load_recording
from vision.types.cures import cure_of, why
from vision.types.frame import ImageBgr

PROFILE_NAME = "profile.json"


def check_place(folder: Path) -> None:
    """Check that a recording can be created, before a camera starts for it. Writes nothing."""
    if folder.exists():
        raise BadInput(f"{folder} exists already: name a new folder for the recording")
    above = next(parent for parent in folder.absolute().parents if parent.exists())
    if not above.is_dir():
        raise BadInput(f"cannot make a recording at {folder}: {above} is not a folder: name a writable folder")
    if not os.access(above, os.W_OK | os.X_OK):
        raise BadInput(f"cannot make a recording at {folder}: {above} cannot be written: name a writable folder")


class RecordingWriter:
    """Writes a recording. Its folder appears only at `finish`, so that an incomplete one is never found."""

    def __init__(
        self,
        folder: Path,
        fps: float,
        system: str,
        pool: Mapping[str, int],
        colours: Mapping[str, str],
        *,
        profile: Path | None = None,
        jpeg_quality: int = 95,
    ) -> None:
        """Start a recording next to its final place.

        Args:
            jpeg_quality: 0 to 100; from 95 on dice look as the camera saw them.
        """
        check_place(folder)
        if not math.isfinite(fps) or fps <= 0.0:
            raise BadInput(f"fps is {fps}, needs a positive number")
        self._folder = folder
        self._body: dict[str, Any] = {
            "format": FORMAT,
            "fps": fps,
            "width": 0,
            "height": 0,
            "system": system,
            "pool": dict(pool),
            "profile": None if profile is None else PROFILE_NAME,
            "colours": dict(colours),
            "presses": [],
        }
        self._quality = jpeg_quality
        self._count = 0
        try:
            copied = b"" if profile is None else profile.read_bytes()
            folder.parent.mkdir(parents=True, exist_ok=True)
            self._draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
            (self._draft / "frames").mkdir()
            if profile is not None:
                (self._draft / PROFILE_NAME).write_bytes(copied)
        except OSError as error:
            cure = cure_of(error.errno, "name a writable folder")
            raise BadInput(f"cannot make a recording at {folder}: {why(error)}: {cure}") from error

    @property
    def count(self) -> int:
        return self._count

    def add_frame(self, image_bgr: ImageBgr) -> None:
        height, width = image_bgr.shape[:2]
        if self._count == 0:
            self._body["width"], self._body["height"] = width, height
        elif (self._body["width"], self._body["height"]) != (width, height):
            raise BadInput(
                f"frame {self._count} is {width}x{height}, the first was {self._body['width']}x{self._body['height']}: "
                "record one camera mode at a time"
            )
        done, packed = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, self._quality])
        if not done:
            raise DeviceError(f"frame {self._count} could not be packed as JPEG: record smaller frames")
        try:
            (self._draft / "frames" / f"{self._count:06d}.jpg").write_bytes(packed.tobytes())
        except OSError as error:
            cure = cure_of(error.errno, "name another folder")
            raise DeviceError(f"cannot write frame {self._count}: {why(error)}: {cure}") from error
        self._count += 1

    def add_press(self, button: str) -> None:
        """Record a button pressed just before the next frame."""
        if button not in BUTTONS:
            raise BadInput(f"button is {button!r}, needs one of {', '.join(BUTTONS)}")
        self._body["presses"].append({"frame": self._count, "button": button})

    def finish(self) -> Recording:
        if self._count == 0:
            self.discard()
            raise BadInput(f"the camera sent no frame for {self._folder}: check the camera with pushtray doctor")
        try:
            text = json.dumps(self._body, indent=1, ensure_ascii=False) + "\n"
            with (self._draft / "recording.json").open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            for path in (*(self._draft / "frames").iterdir(), *self._draft.glob(PROFILE_NAME)):
                sync_file(path)
            for folder in (self._draft / "frames", self._draft):
                sync_folder(folder)
            self._draft.chmod(0o755)
            self._draft.rename(self._folder)
            sync_folder(self._folder.absolute().parent)
        except OSError as error:
            cure = cure_of(error.errno, "name another folder next time")
            raise DeviceError(
                f"cannot finish {self._folder} ({why(error)}; what was written is in {self._draft}): {cure}"
            ) from error
        return load_recording(self._folder)

    def discard(self) -> None:
        """Delete what was written. Safe to call twice; does nothing after `finish`."""
        for path in sorted(self._draft.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        if self._draft.exists():
            self._draft.rmdir()
