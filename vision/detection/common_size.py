"""The size that the dice of one game have in common, against what the finder takes for the size of one of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vision.detection.faces import Face
from vision.detection.finder import FaceCandidate
from vision.types.frame import F32

Pair = tuple[Face | None, FaceCandidate | None]
"""A lattice's face and the finder's candidate of one die; one of them may be None."""


@dataclass(frozen=True, slots=True)
class CommonSizeParams:
    """When a size is the dice's, and what departs from it.

    Attributes:
        larger: Ratio from which a candidate that only the finder measured is too large, compared with the common edge:
            the finder also saw a side that leans into view. Cut out so large, a leaning die passes for a flat one.
        largest: Ratio to the common edge from which a candidate is no die with a side.
        vouched: Least number of dice, on each of which finder and lattice agree about the edge to within `larger`, that
            vouch for the common edge of all lattices: a cloth's pattern has one of its own.
        clear: Share of a value from which a place is read at its own size, however large that is: it is no chip.
        seconded: Least share of a value at one size for it to be believed at the other.
    """

    larger: float = 1.15
    largest: float = 1.8
    vouched: int = 2
    clear: float = 0.8
    seconded: float = 0.5


def seen_too_large(
    pairs: Sequence[Pair], inside: Sequence[bool], edge_px: float, params: CommonSizeParams
) -> dict[int, FaceCandidate]:
    """What only the finder measured, and measured too large.

    Args:
        pairs: What may be dice.
        inside: Of each whether it lies within the tray; what lies beyond vouches for nothing.
        edge_px: What all lattices have in common.
        params: The tunables.

    Returns:
        The candidates at the size of the other dice, by their row.
    """
    low_px, high_px = edge_px / params.larger, edge_px * params.larger
    vouched = sum(
        within and face is not None and candidate is not None and low_px < candidate.edge_px < high_px
        for (face, candidate), within in zip(pairs, inside, strict=True)
    )
    if vouched < params.vouched:
        return {}
    return {
        row: replace(candidate, edge_px=edge_px)
        for row, (face, candidate) in enumerate(pairs)
        if face is None and candidate is not None and high_px <= candidate.edge_px < params.largest * edge_px
    }


def better_size(own: F32, common: F32, params: CommonSizeParams) -> tuple[bool, bool]:
    """At which size a place is read.

    Args:
        own: Shape (6,), shares of the values at the size at which the finder saw the place.
        common: Shape (6,), shares of the values at the size that the dice have in common.
        params: The tunables.

    Returns:
        Whether at the dice's; whether the other size denies the value that is read.
    """
    better = bool(common.max() > own.max() and own.max() < params.clear)
    read, other = (common, own) if better else (own, common)
    return better, bool(other[read.argmax()] < params.seconded)
