"""The truth of a recording, written by a person: when the dice lay still and what they showed."""

from dataclasses import dataclass
from pathlib import Path

from device.errors import BadInput
from device.recording.json_fields import load_object, whole

_FARTHEST_PX = 1e6


@dataclass(frozen=True, slots=True)
class RestDie:
    id: str
    colour: str
    value: int
    cocked: bool
    center_px: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class TrueRest:
    first_frame: int
    last_frame: int
    dice: tuple[RestDie, ...]


@dataclass(frozen=True, slots=True)
class Truth:
    """The content of truth.json."""

    rests: tuple[TrueRest, ...] = ()
    hand_frames: frozenset[int] = frozenset()
    throws: tuple[tuple[int, int], ...] = ()
    # ids of the dice that stayed in the tray through the push, knocked or not; None if the file does not give them
    stayed: frozenset[str] | None = None


def load_truth(path: Path, frame_count: int) -> Truth:
    """Load truth.json; return an empty truth if it is missing.

    Args:
        frame_count: Frames of the recording; higher frame numbers are refused.
    """
    if not path.exists():
        return Truth()
    body = load_object(path)
    entries = body.get("rests")
    if not isinstance(entries, list):
        raise BadInput(f"{path}: rests is {entries!r}, needs a list")
    rests: list[TrueRest] = []
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("dice"), list):
            raise BadInput(f"{path}: rest {len(rests)} needs first_frame, last_frame and dice")
        first = whole(path, entry, "first_frame", 0, frame_count - 1)
        last = whole(path, entry, "last_frame", first, frame_count - 1)
        rests.append(TrueRest(first, last, tuple(_true_die(path, die) for die in entry["dice"])))
    hands = body.get("hand_visible_frames", [])
    if not isinstance(hands, list) or not all(isinstance(frame, int) for frame in hands):
        raise BadInput(f"{path}: hand_visible_frames is not a list of frame numbers")
    throws = body.get("throws", [])
    if not isinstance(throws, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(frame, int) for frame in pair) for pair in throws
    ):
        raise BadInput(f"{path}: throws is not a list of pairs of frame numbers")
    return Truth(
        rests=tuple(rests),
        hand_frames=frozenset(hands),
        throws=tuple((pair[0], pair[1]) for pair in throws),
        stayed=_stayed(path, body.get("push")),
    )


def _stayed(path: Path, push: object) -> frozenset[str] | None:
    if push is None:
        return None
    if not isinstance(push, dict):
        raise BadInput(f"{path}: push is {push!r}, needs an object with lists kept and left_lying")
    stayed: set[str] = set()
    for key in ("kept", "left_lying"):
        ids = push.get(key, [])
        if not isinstance(ids, list) or not all(isinstance(die_id, str) for die_id in ids):
            raise BadInput(f"{path}: push.{key} is {ids!r}, needs a list of die ids")
        stayed.update(ids)
    return frozenset(stayed)


def _is_pixel(part: object) -> bool:
    """Return whether a value is a valid pixel coordinate: not NaN or infinity."""
    return isinstance(part, int | float) and not isinstance(part, bool) and abs(part) <= _FARTHEST_PX


def _true_die(path: Path, entry: object) -> RestDie:
    if not isinstance(entry, dict) or not isinstance(entry.get("id"), str) or not isinstance(entry.get("colour"), str):
        raise BadInput(f"{path}: die {entry!r} needs id, colour and value")
    center = entry.get("center_px")
    if center is not None and (
        not isinstance(center, list) or len(center) != 2 or not all(_is_pixel(part) for part in center)
    ):
        raise BadInput(f"{path}: center_px of die {entry['id']} is {center!r:.60}, needs [x, y] in pixels")
    return RestDie(
        id=entry["id"],
        colour=entry["colour"],
        value=whole(path, entry, "value", 1, 6),
        cocked=entry.get("cocked") is True,
        center_px=None if center is None else (float(center[0]), float(center[1])),
    )
