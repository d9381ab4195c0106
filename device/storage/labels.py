"""What people said of dice, as labels of pictures: what `pushtray evaluate` reads and training can use.

A label says what a person said, and never what the reader said where nobody looked. So a die is confirmed in three ways
only: somebody said what it shows; somebody said that all dice here are right; somebody pointed it out where the reader
saw none. Every other die stands in the label as not confirmed, and nothing is asked of it.
"""

import json
import math
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from device.errors import BadInput
from device.game.state.layout import Layout, LyingDie
from rules.system import JsonValue
from vision.types.cures import cure_of, why
from vision.types.reading import Unread

FOLDER_NAME: Final = "labelled"
TAG: Final = "table"
_LEANS = (Unread.COCKED, Unread.STACKED, Unread.OCCLUDED)
"""Doubts that a person's word does not settle: a value was agreed on, whether the die leans nobody said."""
_NO_LABELS = "set labelled = true under [memory] of the settings, and correct a die"


def label_of(layout: Layout, image: str) -> dict[str, JsonValue] | None:
    """Return the label of a picture.

    Returns:
        `complete` where all in it is confirmed, so that whatever else is read there is wrong; None where nobody has
        said anything.
    """
    dice = [_label_of_die(die, whole=layout.confirmed) for die in layout.dice]
    said = [die for die in dice if die["confirmed"]]
    not_dice: list[JsonValue] = [{"center_px": _rounded(die.reading.center_px)} for die in layout.ignored]
    if not said and not not_dice:
        return None
    return {
        "image": image,
        "tags": [TAG],
        "complete": layout.confirmed,
        "dice": list(dice),
        "not_dice": not_dice,
    }


def _label_of_die(die: LyingDie, *, whole: bool) -> dict[str, JsonValue]:
    label: dict[str, JsonValue] = {
        "center_px": _rounded(die.reading.center_px),
        "top_quad_px": [_rounded(point) for point in die.reading.top_quad_px],
    }
    word = die.correction
    value = die.value if whole else None if word is None else word.value
    colour = die.colour if whole else None if word is None else word.colour
    if value is None:
        return {**label, "confirmed": False}
    label |= {"confirmed": True, "pips": value}
    if colour is not None:
        label["role"] = colour
    if die.reading.unread in _LEANS and not die.is_unseen:
        label["may_be_doubted"] = True
    return label


def export_labelled(folder: Path, out: Path) -> int:
    """Copy what a data folder keeps of labelled pictures into a folder that `pushtray evaluate` reads.

    Args:
        out: Made here; it must not be there yet.
    """
    kept = folder / FOLDER_NAME
    labels = sorted(kept.glob("*.json")) if kept.is_dir() else []
    if not labels:
        raise BadInput(f"there is no labelled picture in {folder}: {_NO_LABELS}")
    try:
        out.mkdir(parents=True)
        entries = []
        for path in labels:
            entry = _read(path)
            picture = path.with_name(str(entry["image"])) if entry is not None else path
            if entry is not None and picture.is_file():
                shutil.copyfile(picture, out / picture.name)
                entries.append(entry)
        (out / "labels.json").write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        cure = cure_of(error.errno, "name a new folder")
        raise BadInput(f"{out} cannot be made ({why(error)}): {cure}") from error
    return len(entries)


def _read(path: Path) -> Mapping[str, JsonValue] | None:
    """Return a label; None where a power cut left half of one."""
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None
    return entry if isinstance(entry, dict) and isinstance(entry.get("image"), str) else None


def _rounded(point: tuple[float, float]) -> list[JsonValue]:
    return [round(part, 1) if math.isfinite(part) else 0.0 for part in point]
