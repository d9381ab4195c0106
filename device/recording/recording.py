"""A recorded evening as a folder of numbered frames with the buttons pressed, loaded with checks."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from device.config.messages import nearest
from device.errors import BadInput
from device.game.buttons import BUTTONS
from device.recording.json_fields import load_object, number, whole
from device.recording.truth import TrueRest, load_truth
from vision.colour.classes import COLOUR_NAMES
from vision.imaging.image_file import ImageFileParams, decode_image
from vision.types.cures import cure_of, why
from vision.types.errors import BadImage
from vision.types.frame import Frame

FORMAT = "pushtray-recording/1"
_LONGEST_SIDE_PX = 16384
# A recording checks itself whether its frames are large enough.
_FRAME = ImageFileParams(min_px=1, max_px=_LONGEST_SIDE_PX)


@dataclass(frozen=True, slots=True)
class RecordedPress:
    """A button pressed just before a frame was taken."""

    frame: int
    button: str


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording's facts; its frames are loaded one by one."""

    folder: Path
    fps: float
    width_px: int
    height_px: int
    system: str
    pool: Mapping[str, int]
    profile: Path | None
    colours: Mapping[str, str]
    presses: tuple[RecordedPress, ...]
    frames: tuple[Path, ...]
    rests: tuple[TrueRest, ...] = ()
    hand_frames: frozenset[int] = field(default_factory=frozenset)
    throws: tuple[tuple[int, int], ...] = ()
    # ids of the dice that stayed in the tray through the push, knocked or not; None if truth.json does not give them
    stayed: frozenset[str] | None = None

    def presses_at(self, frame: int) -> tuple[RecordedPress, ...]:
        """Return the buttons pressed just before a frame."""
        return tuple(press for press in self.presses if press.frame == frame)

    def load_frame(self, index: int) -> Frame:
        path = self.frames[index]
        try:
            image = decode_image(path.read_bytes(), path.name, _FRAME)
        except OSError as error:
            cure = cure_of(error.errno, "copy the recording again")
            raise BadInput(f"{path} cannot be read ({why(error)}): {cure}") from error
        except BadImage as error:
            raise BadInput(
                f"{path} is not a readable picture: copy the recording again or delete the file's recording"
            ) from error
        if image.shape[:2] != (self.height_px, self.width_px):
            raise BadInput(
                f"{path} is {image.shape[1]}x{image.shape[0]}, the recording says {self.width_px}x{self.height_px}: "
                "correct width and height in recording.json"
            )
        return Frame(image_bgr=image, t_s=index / self.fps, sequence=index)

    def load_frames(self) -> Iterator[Frame]:
        for index in range(len(self.frames)):
            yield self.load_frame(index)


def find_recordings(folder: Path) -> tuple[Path, ...]:
    """Return the recordings in a folder, sorted by name: the folder itself, or its direct subfolders."""
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder: name a recording or a folder of recordings")
    if (folder / "recording.json").is_file():
        return (folder,)
    return tuple(sorted(path.parent for path in folder.glob("*/recording.json")))


def load_recording(folder: Path) -> Recording:
    path = folder / "recording.json"
    body = load_object(path)
    if body.get("format") != FORMAT:
        raise BadInput(f"{path}: format is {body.get('format')!r}, this program reads {FORMAT!r}")
    fps = number(path, body, "fps", 0.1, 1000.0)
    width = whole(path, body, "width", 1, _LONGEST_SIDE_PX)
    height = whole(path, body, "height", 1, _LONGEST_SIDE_PX)
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
    truth = load_truth(folder / "truth.json", len(frames))
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
        rests=truth.rests,
        hand_frames=truth.hand_frames,
        throws=truth.throws,
        stayed=truth.stayed,
    )


def _pool(path: Path, body: Mapping[str, Any]) -> dict[str, int]:
    pool = body.get("pool") or {}
    if not isinstance(pool, dict):
        raise BadInput(f'{path}: pool is {pool!r}, needs counts by role, such as {{"base": 5}}')
    return {role: whole(path, pool, role, 0, 100) for role in pool}


def _colours(path: Path, body: Mapping[str, Any]) -> dict[str, str]:
    colours = body.get("colours") or {}
    if not isinstance(colours, dict):
        raise BadInput(f'{path}: colours is {colours!r}, needs colours by class, such as {{"base": "yellow"}}')
    for label, colour in colours.items():
        if colour not in COLOUR_NAMES:
            raise BadInput(f"{path}: colours.{label} is {colour!r}: {nearest(str(colour), COLOUR_NAMES)}")
    return dict(colours)


def _presses(path: Path, body: Mapping[str, Any]) -> tuple[RecordedPress, ...]:
    entries = body.get("presses", [])
    if not isinstance(entries, list):
        raise BadInput(f"{path}: presses is {entries!r}, needs a list")
    presses: list[RecordedPress] = []
    for entry in entries:
        if not isinstance(entry, dict) or entry.get("button") not in BUTTONS:
            raise BadInput(f"{path}: press {entry!r} needs a frame and a button, one of {', '.join(BUTTONS)}")
        presses.append(RecordedPress(frame=whole(path, entry, "frame", 0, math.inf), button=entry["button"]))
    return tuple(sorted(presses, key=lambda press: press.frame))
