"""Tops of drawn dice that were cut out, with how each die stands and what lies beside it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from vision.frame import F32, ImageBgr
from vision.training.dataset import FLAT, UNASKED

NEAR = 2.6
"""Dice with their middles nearer than this, in edges, can show in a crop."""


@dataclass(frozen=True, slots=True, eq=False)
class Stands:
    """Cut-out tops with their truth.

    Attributes:
        images: Shape (N, 72, 72, 3).
        kinds: Shape (N,), `FLAT`, `LEANING` or `STACKED`.
        leans: Shape (N, 2), in edges along the crop's axes.
        flats: Shape (N, 2), the lean of a die lying flat at that place.
        beside: Of each the dice near it, shape (K, 7): middle of the top and half an edge along one of its sides in
            edges along the crop's axes, lean, share of it that shows.
    """

    images: ImageBgr
    kinds: npt.NDArray[np.int64]
    leans: F32
    flats: F32
    beside: list[F32]

    @property
    def flat_rows(self) -> npt.NDArray[np.intp]:
        """Which of them lie flat."""
        return np.flatnonzero(self.kinds == FLAT)

    @property
    def other_rows(self) -> npt.NDArray[np.intp]:
        """Which of them do not."""
        return np.flatnonzero(self.kinds != FLAT)


def load_stands(folders: list[Path]) -> Stands:
    """All tops of some folders that `vision.training.dataset` wrote."""
    images, leans, stances = [], [], []
    beside: list[F32] = []
    for path in (p for folder in folders for p in sorted(folder.glob("truth-*.npz"))):
        with np.load(path) as data:
            asked = data["stances"][:, 0] != UNASKED
            images.append(data["crops"][asked])
            leans.append(data["leans"][asked])
            stances.append(data["stances"][asked])
            rows = data["rows"]
            known = zip(data["row_of"][asked], data["turns"][asked], stances[-1][:, 1:], strict=True)
            beside += [near_dice(rows, int(row), float(turn), flat) for row, turn, flat in known]
    kinds = np.concatenate(stances)
    return Stands(np.concatenate(images), kinds[:, 0].astype(np.int64), np.concatenate(leans), kinds[:, 1:], beside)


def near_dice(rows: F32, row: int, turn: float, flat: F32) -> F32:
    """The dice near one, as `Stands.beside` has them.

    Args:
        rows: Of all dice, as `dataset.add_picture` writes them.
        row: Which of them is asked about.
        turn: Of the crop's axes in the picture, radians.
        flat: Shape (2,), its lean if it lies flat, along the crop's axes; cocked dice near it would lean likewise.
    """
    own = rows[row]
    others = rows[(rows[:, 0] == own[0]) & (np.arange(len(rows)) != row)]
    ways = others[:, 5:7] - own[5:7]
    others, ways = (part[np.hypot(*ways.T) < NEAR * own[7]] for part in (others, ways))
    c, s = np.cos(turn), np.sin(turn)
    into = np.array([[c, -s], [s, c]]) / own[7]
    half = 0.5 * others[:, 7:8] * np.stack([np.cos(others[:, 8]), np.sin(others[:, 8])], axis=1)
    leans = np.where(others[:, 2:3] > 0, flat, others[:, 9:11] * others[:, 7:8] @ into)
    return np.concatenate([ways @ into, half @ into, leans, others[:, 4:5]], axis=1).astype(np.float32)
