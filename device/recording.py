"""A night at the tray as a folder of numbered frames with what was pressed when: written whole or not at all."""

import json
import math
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import cv2
import numpy as np

from device.errors import BadInput, DeviceError
from vision.frame import Frame, ImageBgr

FORMAT = "pushtray-recording/1"
BUTTONS = ("push", "reset")
_LONGEST_SIDE_PX = 16384


@dataclass(frozen=True, slots=True)
class Press:
    """A button that was pressed just before a frame was taken."""

    frame: int
    button: str


@dataclass(frozen=True, slots=True)
class RestDie:
    """One die of a rest, as a person wrote it down.

    Attributes:
        id: The person's name for it; the same through the whole recording.
        colour: Colour class.
        value: Pips of the top face.
        cocked: It leans, so that it has no value.
        center_px: Centre of the top face; None where nobody wrote it down.
    """

    id: str
    colour: str
    value: int
    cocked: bool
    center_px: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class TrueRest:
    """A stretch of frames over which all dice lay still."""

    first_frame: int
    last_frame: int
    dice: tuple[RestDie, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording's facts; its frames are loaded one by one.

    Attributes:
        folder: Where it lies.
        fps: Frames a second.
        width_px: Of every frame.
        height_px: Of every frame.
        system: Id of the rule system that was played.
        pool: Declared dice by role; empty where none were declared.
        profile: The tray's profile file, or None.
        colours: Body colour by colour class.
        presses: Buttons, in the order of their frames.
        frames: Paths of the frames, in order.
        rests: What a person saw, empty without truth.json.
        hand_frames: Numbers of the frames with a hand in view, where truth.json names them.
        throws: First and last frame of each throw, where truth.json names them.
    """

    folder: Path
    fps: float
    width_px: int
    height_px: int
    system: str
    pool: Mapping[str, int]
    profile: Path | None
    colours: Mapping[str, str]
    presses: tuple[Press, ...]
    frames: tuple[Path, ...]
    rests: tuple[TrueRest, ...] = ()
    hand_frames: frozenset[int] = field(default_factory=frozenset)
    throws: tuple[tuple[int, int], ...] = ()

    def presses_at(self, frame: int) -> tuple[Press, ...]:
        """Return the buttons pressed just before a frame."""
        return tuple(press for press in self.presses if press.frame == frame)

    def load_frame(self, index: int) -> Frame:
        """Load one frame.

        Raises:
            BadInput: The file is no picture, or not of the recording's size.
        """
        path = self.frames[index]
        image = cv2.imdecode(np.fromfile(path, dtype=np.uint8), cv2.IMREAD_COLOR) if path.stat().st_size else None
        if image is None:
            raise BadInput(f"{path} is no readable picture: copy the recording again or delete the file's recording")
        if image.shape[:2] != (self.height_px, self.width_px):
            raise BadInput(
                f"{path} is {image.shape[1]}x{image.shape[0]}, the recording says {self.width_px}x{self.height_px}: "
                "correct width and height in recording.json"
            )
        return Frame(image_bgr=np.asarray(image, dtype=np.uint8), t_s=index / self.fps, sequence=index)

    def load_frames(self) -> Iterator[Frame]:
        """Load all frames, one at a time."""
        for index in range(len(self.frames)):
            yield self.load_frame(index)


def find_recordings(folder: Path) -> tuple[Path, ...]:
    """Return the recordings in a folder, sorted by name: the folder itself, or those directly in it.

    Raises:
        BadInput: It is no folder.
    """
    if not folder.is_dir():
        raise BadInput(f"{folder} is no folder: name a recording or a folder of recordings")
    if (folder / "recording.json").is_file():
        return (folder,)
    return tuple(sorted(path.parent for path in folder.glob("*/recording.json")))


def load_recording(folder: Path) -> Recording:
    """Read and check a recording.

    Raises:
        BadInput: Not a recording, or a field is missing, of the wrong kind, or out of range; the message names it.
    """
    path = folder / "recording.json"
    body = _load_object(path)
    if body.get("format") != FORMAT:
        raise BadInput(f"{path}: format is {body.get('format')!r}, this program reads {FORMAT!r}")
    fps = _number(path, body, "fps", 0.1, 1000.0)
    width = _whole(path, body, "width", 1, _LONGEST_SIDE_PX)
    height = _whole(path, body, "height", 1, _LONGEST_SIDE_PX)
    system = body.get("system")
    if not isinstance(system, str) or not system:
        raise BadInput(f"{path}: system is {system!r}, needs a rule system's id, such as 'push-pool'")
    frames = tuple(sorted((folder / "frames").glob("[0-9]*.jpg")))
    if not frames:
        raise BadInput(f"{folder / 'frames'} holds no frames: they are named 000000.jpg, 000001.jpg and so on")
    for index, frame in enumerate(frames):
        if frame.stem != f"{index:06d}":
            raise BadInput(f"{folder / 'frames'} lacks frame {index:06d}.jpg: number the frames without a gap from 0")
    profile = body.get("profile")
    if profile is not None and not isinstance(profile, str):
        raise BadInput(f"{path}: profile is {profile!r}, needs a file name or null")
    rests, hand_frames, throws = _load_truth(folder / "truth.json", len(frames))
    return Recording(
        folder=folder,
        fps=fps,
        width_px=width,
        height_px=height,
        system=system,
        pool=MappingProxyType(_pool(path, body)),
        profile=None if profile is None else folder / profile,
        colours=MappingProxyType(_colours(path, body)),
        presses=_presses(path, body),
        frames=frames,
        rests=rests,
        hand_frames=hand_frames,
        throws=throws,
    )


class RecordingWriter:
    """Writes a recording. Until `finish` nothing stands under its name, so that a half-written one is never found."""

    def __init__(
        self,
        folder: Path,
        fps: float,
        system: str,
        pool: Mapping[str, int],
        colours: Mapping[str, str],
        *,
        profile: str | None = None,
        jpeg_quality: int = 95,
    ) -> None:
        """Start a recording beside where it will stand.

        Raises:
            BadInput: Something stands under that name already, or fps is not positive.
            DeviceError: The folder cannot be made.
        """
        if folder.exists():
            raise BadInput(f"{folder} exists already: name a new folder for the recording")
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
            "profile": profile,
            "colours": dict(colours),
            "presses": [],
        }
        self._quality = jpeg_quality
        self._count = 0
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            self._draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
            (self._draft / "frames").mkdir()
        except OSError as error:
            raise DeviceError(
                f"cannot make a recording at {folder}: {error.strerror}; name a writable folder"
            ) from error

    @property
    def count(self) -> int:
        """Frames written so far."""
        return self._count

    def add_frame(self, image_bgr: ImageBgr) -> None:
        """Write the next frame, shape (H, W, 3).

        Raises:
            BadInput: It is not of the first frame's size.
            DeviceError: The disk did not take it.
        """
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
            raise DeviceError(f"cannot write frame {self._count}: {error.strerror}; free some disk space") from error
        self._count += 1

    def add_press(self, button: str) -> None:
        """Note a button pressed just before the next frame.

        Raises:
            BadInput: There is no such button.
        """
        if button not in BUTTONS:
            raise BadInput(f"button is {button!r}, needs one of {', '.join(BUTTONS)}")
        self._body["presses"].append({"frame": self._count, "button": button})

    def finish(self) -> Recording:
        """Put the recording in its place and load it.

        Raises:
            BadInput: It has no frame.
            DeviceError: The disk did not take it, or something now stands under its name.
        """
        if self._count == 0:
            self.discard()
            raise BadInput(f"no frame came for {self._folder}: check the camera with pushtray doctor")
        try:
            text = json.dumps(self._body, indent=1, ensure_ascii=False) + "\n"
            with (self._draft / "recording.json").open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            self._draft.chmod(0o755)
            self._draft.rename(self._folder)
        except OSError as error:
            raise DeviceError(
                f"cannot finish {self._folder}: {error.strerror}; what was written is in {self._draft}"
            ) from error
        return load_recording(self._folder)

    def discard(self) -> None:
        """Throw away what was written. Safe to call twice; after `finish` it does nothing."""
        for path in sorted(self._draft.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        if self._draft.exists():
            self._draft.rmdir()


def _load_object(path: Path) -> dict[str, Any]:
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise BadInput(f"{path} is missing: name the folder of a recording") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is no JSON text ({type(error).__name__}): correct the file") from error
    if not isinstance(body, dict):
        raise BadInput(f"{path} holds a {type(body).__name__}, needs an object")
    return body


def _number(path: Path, body: Mapping[str, Any], key: str, least: float, most: float) -> float:
    value = body.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise BadInput(f"{path}: {key} is {value!r}, needs a number from {least:g} to {most:g}")
    return float(value)


def _whole(path: Path, body: Mapping[str, Any], key: str, least: int, most: float) -> int:
    value = body.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        limit = f"from {least} to {most:g}" if math.isfinite(most) else f"of at least {least}"
        raise BadInput(f"{path}: {key} is {value!r}, needs a whole number {limit}")
    return value


def _pool(path: Path, body: Mapping[str, Any]) -> dict[str, int]:
    pool = body.get("pool") or {}
    if not isinstance(pool, dict):
        raise BadInput(f'{path}: pool is {pool!r}, needs counts by role, such as {{"base": 5}}')
    return {role: _whole(path, pool, role, 0, 100) for role in pool}


def _colours(path: Path, body: Mapping[str, Any]) -> dict[str, str]:
    colours = body.get("colours") or {}
    if not isinstance(colours, dict) or not all(isinstance(colour, str) for colour in colours.values()):
        raise BadInput(f'{path}: colours is {colours!r}, needs colours by class, such as {{"base": "yellow"}}')
    return dict(colours)


def _presses(path: Path, body: Mapping[str, Any]) -> tuple[Press, ...]:
    entries = body.get("presses", [])
    if not isinstance(entries, list):
        raise BadInput(f"{path}: presses is {entries!r}, needs a list")
    presses: list[Press] = []
    for entry in entries:
        if not isinstance(entry, dict) or entry.get("button") not in BUTTONS:
            raise BadInput(f"{path}: press {entry!r} needs a frame and a button, one of {', '.join(BUTTONS)}")
        presses.append(Press(frame=_whole(path, entry, "frame", 0, math.inf), button=entry["button"]))
    return tuple(sorted(presses, key=lambda press: press.frame))


def _load_truth(
    path: Path, frame_count: int
) -> tuple[tuple[TrueRest, ...], frozenset[int], tuple[tuple[int, int], ...]]:
    if not path.exists():
        return (), frozenset(), ()
    body = _load_object(path)
    entries = body.get("rests")
    if not isinstance(entries, list):
        raise BadInput(f"{path}: rests is {entries!r}, needs a list")
    rests: list[TrueRest] = []
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("dice"), list):
            raise BadInput(f"{path}: rest {len(rests)} needs first_frame, last_frame and dice")
        first = _whole(path, entry, "first_frame", 0, frame_count - 1)
        last = _whole(path, entry, "last_frame", first, frame_count - 1)
        rests.append(TrueRest(first, last, tuple(_true_die(path, die) for die in entry["dice"])))
    hands = body.get("hand_visible_frames", [])
    if not isinstance(hands, list) or not all(isinstance(frame, int) for frame in hands):
        raise BadInput(f"{path}: hand_visible_frames is no list of frame numbers")
    throws = body.get("throws", [])
    if not isinstance(throws, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(frame, int) for frame in pair) for pair in throws
    ):
        raise BadInput(f"{path}: throws is no list of pairs of frame numbers")
    return tuple(rests), frozenset(hands), tuple((pair[0], pair[1]) for pair in throws)


def _true_die(path: Path, entry: object) -> RestDie:
    if not isinstance(entry, dict) or not isinstance(entry.get("id"), str) or not isinstance(entry.get("colour"), str):
        raise BadInput(f"{path}: die {entry!r} needs id, colour and value")
    center = entry.get("center_px")
    if center is not None and (
        not isinstance(center, list) or len(center) != 2 or not all(isinstance(part, int | float) for part in center)
    ):
        raise BadInput(f"{path}: center_px of die {entry['id']} is {center!r}, needs [x, y]")
    return RestDie(
        id=entry["id"],
        colour=entry["colour"],
        value=_whole(path, entry, "value", 1, 6),
        cocked=entry.get("cocked") is True,
        center_px=None if center is None else (float(center[0]), float(center[1])),
    )
