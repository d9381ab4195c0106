"""Sets of painted dice, shown a few times and then read: how near their faces are, and what of it is right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.classification.face_net import FaceReader
from vision.decision.own_faces import nearness
from vision.training.glyphs import fonts, numeral
from vision.training.painted_faces import BareDie, CutNoise, Glyph, cut_face, painted, printed
from vision.types.frame import F32, FloatArray, ImageGray

KINDS = ("symbols", "mixed", "numerals")
"""Symbols on all six faces; symbols on 1 and 6 and pips between; numerals, the 6 underlined."""


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """Looks that were read after faces were taught."""

    features: FloatArray  # shape (N, 2), as `nearness` gives them
    right: np.ndarray  # shape (N,), whether the nearest face was the one shown; never where it is none of the set's
    foreign: np.ndarray  # shape (N,), whether the face shown is none of the set's


def digits(folder: Path) -> list[list[ImageGray]]:
    """The numerals 1 to 6 of each font of a folder, the 6 underlined."""
    found = [[numeral(font, digit, underlined=digit == 6) for digit in range(1, 7)] for font in fonts(folder)]
    return [[mask for mask in masks if mask is not None] for masks in found]


def set_faces(
    rng: np.random.Generator, kind: str, icons: Sequence[ImageGray], numerals: Sequence[ImageGray]
) -> list[Glyph]:
    """The faces 1 to 6 of a set; each glyph printed as its maker prints it."""
    picks = [icons[i] for i in rng.choice(len(icons), 6, replace=False)]
    masks: dict[str, list[ImageGray | None]] = {
        "symbols": [*picks],
        "mixed": [picks[0], None, None, None, None, picks[1]],
        "numerals": [*numerals],
    }
    return [Glyph(mask, *printed(rng)) for mask in masks[kind]]


def looks(
    rng: np.random.Generator, reader: FaceReader, dice: Sequence[BareDie], faces: Sequence[tuple[int, Glyph]]
) -> F32:
    """Looks of faces, each its value and glyph, on any of the dice."""
    by_value = {value: [die for die in dice if die.value == value] for value in range(1, 7)}
    cuts = []
    for value, glyph in faces:
        pool = dice if glyph.mask is not None else by_value[value]
        die = pool[int(rng.integers(len(pool)))]
        cuts.append(cut_face(rng, painted(rng, die, glyph), CutNoise()))
    return reader.looks_of(np.stack(cuts))


def tried_sets(
    reader: FaceReader,
    pools: Sequence[Sequence[BareDie]],
    kind: str,
    icons: Sequence[ImageGray],
    numerals: Sequence[Sequence[ImageGray]],
    *,
    sets: int,
    reads: int = 12,
    foreign: int = 12,
    seed: int = 1,
) -> Iterator[Tried]:
    """Teach sets, each face by one view to six, and read them.

    Args:
        pools: Dice of one colour class each, in turn.
        kind: One of `KINDS`.
        icons: To be painted.
        numerals: Of each font, 1 to 6.
        sets: How many sets.
        reads: Views of each face that are read.
        foreign: Views of faces that are none of the set's.
        seed: Of chance.
    """
    for k in range(sets):
        rng = np.random.default_rng([seed, KINDS.index(kind), k])
        dice = pools[k % len(pools)]
        shown = 1 + k % 6
        faces = list(enumerate(set_faces(rng, kind, icons, numerals[k % len(numerals)]), 1))
        taught = looks(rng, reader, dice, [face for face in faces for _ in range(shown)])
        means = taught.reshape(6, shown, -1).sum(axis=1)
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        others = [(0, Glyph(icons[i], *printed(rng))) for i in rng.choice(len(icons), foreign, replace=False)]
        seen = looks(rng, reader, dice, [face for face in faces for _ in range(reads)] + others)
        near = seen @ means.T
        wanted = np.concatenate([np.repeat(np.arange(6), reads), np.full(foreign, -1)])
        yield Tried(nearness(near, range(1, 7)), near.argmax(axis=1) == wanted, wanted < 0)
