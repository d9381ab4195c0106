"""A net that reads a cropped die: its value, or that it is not a die, and how much of it is visible.

It was pretrained on ImageNet and trained on real photographs, traced and drawn trays (vision/training).
vision/README.md has its results.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from vision.detection.found import Found
from vision.detection.squares import Squares, cut_out
from vision.geometry.neighbours import IntArray
from vision.imaging.pyramid import ImagePyramid
from vision.nets.onnx_net import WEIGHTS, OnnxNet, net_input, shares_of
from vision.types.frame import F32, FloatArray, ImageBgr

DIE_PX = 64
"""Side of the crops."""
DIE_SPANS = (2.0, 1.7)
"""Widths of the crops, in edges of the top face: the usual one first."""
NO_DIE, NO_PIPS = 6, 7
"""Columns of the net's output; columns 0 to 5 are the values."""
SURELY_NONE = 0.9
"""Share of "no die" at the first look from which a place is dropped; this saves two thirds of a photograph's time."""
_ANSWERS = 9


@dataclass(frozen=True, slots=True, eq=False)
class DieSights:
    """The net's outputs for N places, the mean of its looks."""

    # Shape (N, 8), rows that sum to 1: the values 1 to 6, no die (`NO_DIE`), a die without visible pips (`NO_PIPS`).
    # The logarithms of the looks are averaged.
    shares: FloatArray
    agreement: FloatArray  # shape (N,), least share of the likeliest value in any look
    seen: FloatArray  # shape (N,), visible share of the top face
    # shape (N, 128), vector of length 1 for the look of each face: similar faces have close vectors
    embedding: F32

    @property
    def values(self) -> IntArray:
        """The likeliest value of each, 1 to 6, shape (N,)."""
        return np.asarray(self.shares[:, :6].argmax(axis=1) + 1, np.intp)

    def some(self, which: IntArray | npt.NDArray[np.bool_]) -> "DieSights":
        """Return some of them, by index or mask."""
        return DieSights(self.shares[which], self.agreement[which], self.seen[which], self.embedding[which])

    def put(self, which: npt.NDArray[np.bool_], others: "DieSights") -> None:
        """Replace some of them."""
        self.shares[which], self.agreement[which] = others.shares, others.agreement
        self.seen[which], self.embedding[which] = others.seen, others.embedding

    @staticmethod
    def mean(answers: F32) -> "DieSights":
        """Return the mean of looks, shape (looks, N, 9 + 128), as the net returns them."""
        logits = answers[..., :_ANSWERS].astype(np.float64)
        each = np.log(np.maximum(shares_of(np.asarray(logits[..., :8], np.float32)), 1e-7)).astype(np.float64)
        mean = each.mean(axis=0)
        shares = np.exp(mean - mean.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        best = shares[:, :6].argmax(axis=1)
        agreement = np.exp(each[:, np.arange(len(best)), best].min(axis=0))
        seen = 1 / (1 + np.exp(-logits[..., 8].mean(axis=0)))
        embedding = answers[..., _ANSWERS:].mean(axis=0)
        embedding /= np.maximum(np.linalg.norm(embedding, axis=1, keepdims=True), 1e-6)
        return DieSights(shares, agreement, seen, np.asarray(embedding, np.float32))


class DieReader:
    """Reads cropped dice; threads may share one."""

    def __init__(self, weights: Path = WEIGHTS / "die.onnx") -> None:
        """Load the net.

        Raises:
            VisionError: The file is missing.
        """
        self._net = OnnxNet(weights)

    def glance(self, picture: ImagePyramid, squares: Squares) -> F32:
        """Return the net's outputs for the first of `look_at`'s looks, shape (N, 9 + 128)."""
        return self._net.run(net_input(cut_out(picture, squares, DIE_PX, DIE_SPANS[0])[0]))

    def look_at(
        self, picture: ImagePyramid, squares: Squares, first: F32 | None = None, *, turns: int = 4
    ) -> DieSights:
        """Read dice.

        Args:
            first: The outputs of `glance` for them, if it was called.
            turns: Looks at each, a quarter turn apart, 1 to 4, each at two sizes.

        Returns:
            What each shows, in their order.
        """
        count = len(squares.edge_px)
        looks = turns * len(DIE_SPANS)
        if not count:
            return DieSights(np.zeros((0, 8)), np.zeros(0), np.zeros(0), np.zeros((0, 128), np.float32))
        crops = _turned(cut_out(picture, squares, DIE_PX, *DIE_SPANS), turns)
        if first is None:
            answers = self._net.run(net_input(crops))
        else:
            answers = np.concatenate([first, self._net.run(net_input(crops[count:]))])
        return DieSights.mean(answers.reshape(looks, count, -1))


def read_places(
    reader: DieReader,
    picture: ImagePyramid,
    found: Found,
    *,
    surely_none: float = SURELY_NONE,
    surely_read: float = 1.0,
    turns: int = 4,
) -> tuple[Found, DieSights]:
    """Read places that may be dice: one look at each, and more at those that may be one.

    Args:
        surely_none: Share of "no die" at the first look from which a place gets no further look, and is dropped.
        surely_read: Share of a value at the first look above which a place gets no further look.
        turns: Further looks, a quarter turn apart, each at two sizes.

    Returns:
        The remaining places, and what they show.
    """
    if not len(found):
        return found, reader.look_at(picture, found.squares)
    first = reader.glance(picture, found.squares)
    shares = shares_of(first[:, : NO_PIPS + 1])
    left = shares[:, NO_DIE] < surely_none
    found, first, sights = found.some(left), first[left], DieSights.mean(first[None, left])
    again = shares[left, :NO_DIE].max(axis=1) <= surely_read
    sights.put(again, reader.look_at(picture, found.some(again).squares, first[again], turns=turns))
    return found, sights


def looks_like_dice(reader: DieReader, picture: ImagePyramid, found: Found) -> npt.NDArray[np.bool_]:
    """Return which places are likelier dice than not at one look, shape (N,)."""
    if not len(found):
        return np.zeros(0, np.bool_)
    return np.asarray(shares_of(reader.glance(picture, found.squares)[:, : NO_PIPS + 1])[:, NO_DIE] < 0.5)


def _turned(crops: ImageBgr, turns: int) -> ImageBgr:
    """Return crops of shape (M, N, S, S, 3) with their quarter turns: shape (turns * M * N, S, S, 3)."""
    flat = crops.reshape(-1, *crops.shape[2:])
    return np.concatenate([np.rot90(flat, k, axes=(1, 2)) for k in range(turns)])
