"""Corrections as labels of pictures, for `pushtray evaluate` and for training.

A label contains only what a person confirmed, never an unchecked reading. A die is confirmed in one of three ways: its
value was corrected, all dice were confirmed, or the reader missed it and a person added it. Every other die is labelled
as unconfirmed and not evaluated.
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
"""Doubts that a correction does not settle: a person confirmed the value, not whether the die leans."""
_NO_LABELS = "set labelled = true under [memory] of the settings, and correct a die"


def label_of(layout: Layout, image: str) -> dict[str, JsonValue] | None:
    """Return the label of a picture.

    Returns:
        `complete` if everything in it is confirmed, so that any other reading is wrong; None if nothing is confirmed.
    """
    dice = [_label_of_die(die, whole=layout.confirmed) for die in layout.dice]
    sure = [die for die in dice if die["confirmed"]]
    not_dice: list[JsonValue] = [{"center_px": _rounded(die.reading.center_px)} for die in layout.ignored]
    if not sure and not not_dice:
        return None
    return {"image": image, "tags": [TAG], "complete": layout.confirmed, "dice": list(dice), "not_dice": not_dice}


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
    """Copy the labelled pictures of a data folder into a folder for `pushtray evaluate`."""
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
    """Return a label; None if a power cut left it incomplete."""
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None
    return entry if isinstance(entry, dict) and isinstance(entry.get("image"), str) else None


def _rounded(point: tuple[float, float]) -> list[JsonValue]:
    return [round(part, 1) if math.isfinite(part) else 0.0 for part in point]
