"""Labelled pictures, read from the `labels.json` in their folder."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.types.cures import cure_of, why
from vision.types.errors import VisionError
from vision.types.reading import PointPx


class BadLabels(VisionError, ValueError):
    """A folder without usable labels; the message names what, the value, and the cure."""


@dataclass(frozen=True, slots=True)
class TrueDie:
    """The label of one die."""

    value: int
    colour: str | None  # colour class; None if the label has none
    center_px: PointPx | None  # centre of the top face; None if the label has no places
    edge_px: float  # longest edge of the top face, since a leaning one looks shortened in one direction; 0 if unknown
    flagged: bool  # whether it is cocked or stacked, so that the reader must not give it a trusted value
    covered: bool  # whether another die lies on it, so that it cannot be read
    # Whether a person confirmed what it shows. An unconfirmed place is not evaluated, whether it is a die or not.
    confirmed: bool = True
    # whether a person confirmed the value but not that it lies flat: then a doubt is right as well
    may_be_doubted: bool = False


@dataclass(frozen=True, slots=True)
class TruePicture:
    """A labelled picture."""

    path: Path
    tags: tuple[str, ...]
    dice: tuple[TrueDie, ...]
    # Whether every die in it is labelled, so that anything else read there is wrong. In an incomplete one only what is
    # read at one of `not_dice` is wrong.
    complete: bool = True
    not_dice: tuple[PointPx, ...] = ()  # places that a person marked as not a die

    @property
    def plain(self) -> bool:
        """Whether every die in it can be read."""
        return not any(die.flagged or die.covered for die in self.dice)


def load_labels(folder: Path) -> tuple[TruePicture, ...]:
    """Read a folder's labels.json.

    Raises:
        BadLabels: The file is missing, or not of the form that the README of the pictures describes.
    """
    file = folder / "labels.json"
    try:
        entries = json.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise BadLabels(f"{file} does not exist: give a folder of labelled pictures") from error
    except OSError as error:
        cure = cure_of(error.errno, "give a folder of labelled pictures")
        raise BadLabels(f"{file} cannot be read ({why(error)}): {cure}") from error
    except (ValueError, RecursionError) as error:
        raise BadLabels(f"{file} is no JSON text: repair or replace it") from error
    if not isinstance(entries, list) or not entries:
        raise BadLabels(f"{file} holds no list of pictures: repair or replace it")
    pictures = []
    for number, entry in enumerate(entries):
        try:
            pictures.append(_picture(folder, entry))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            what = f"lacks {error}" if isinstance(error, KeyError) else "has a value of the wrong kind"
            raise BadLabels(f"{file}: entry {number} {what}: repair it") from error
    return tuple(pictures)


def _picture(folder: Path, entry: dict[str, object]) -> TruePicture:
    name = str(entry.get("image") or entry["local"])
    dice = entry["dice"]
    tags = entry.get("tags", [])
    if not isinstance(dice, list) or not isinstance(tags, list):
        raise TypeError("dice and tags must be lists")
    elsewhere = entry.get("not_dice", [])
    if not isinstance(elsewhere, list):
        raise TypeError("not_dice must be a list")
    return TruePicture(
        folder / name,
        tuple(str(tag) for tag in tags),
        tuple(_die(die) for die in dice),
        complete=entry.get("complete") is not False,
        not_dice=tuple(_point(place["center_px"]) for place in elsewhere),
    )


def _point(place: object) -> PointPx:
    x, y = np.array(place, dtype=np.float64)
    return float(x), float(y)


def _die(die: dict[str, object]) -> TrueDie:
    center = die.get("center_px")
    quad = die.get("top_quad_px")
    corners = np.array(quad, dtype=np.float64) if quad is not None else None
    edges = None if corners is None else np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    role = die.get("role")
    confirmed = die.get("confirmed") is not False
    return TrueDie(
        value=int(str(die["pips"])) if confirmed else 0,
        colour=None if role is None else str(role),
        center_px=None if center is None else _point(center),
        edge_px=0.0 if edges is None else float(edges.max()),
        flagged=bool(die.get("cocked")) or bool(die.get("stacked")),
        covered=bool(die.get("covered")),
        confirmed=confirmed,
        may_be_doubted=bool(die.get("may_be_doubted")),
    )
