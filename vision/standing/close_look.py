"""A closer look at what leaves a doubt: what a place shows and how it stands, judged at once.

The face reader sees a face alone, the stance net a die with its surroundings at a coarser scale. What either
leaves open is seen by a larger net at the face reader's scale with the stance net's surroundings. It learned from the
very places that the reader weighs on drawn trays (vision/training), chance patterns that are no dice among them.
"""

from dataclasses import dataclass
from pathlib import Path

from vision.detection.squares import Squares
from vision.nets.onnx_net import WEIGHTS, OnnxNet, shares_of
from vision.standing.stance import Beside, seen_by_net
from vision.types.frame import F32, FloatArray, ImageBgr

CLOSE_PX, CLOSE_SPAN = 64, 2.4
"""Side of its crops, in pixels and in edges of the face."""
CLOSE_NO_DIE = 6
"""Column of `CloseSights.values` for what is no die's top face; those before are the values 1 to 6."""
CLOSE_VALUES = 7
"""Columns of `CloseSights.values`; how it stands comes after them."""


@dataclass(frozen=True, slots=True, eq=False)
class CloseSights:
    """What shows at N places, rows of shares that sum to 1.

    Attributes:
        values: Shape (N, 7), shares of the values 1 to 6 and of no top face.
        stances: Shape (N, 3), shares of flat, leaning, and lying on another die.
    """

    values: F32
    stances: F32


class CloseReader:
    """Looks closely at places."""

    def __init__(self, weights: Path = WEIGHTS / "close.onnx") -> None:
        """Load the net.

        Args:
            weights: ONNX file of the net.

        Raises:
            VisionError: No such file.
        """
        self._net = OnnxNet(weights)

    def look_at(self, crops: ImageBgr, squares: Squares, flat_px: FloatArray, beside_px: Beside) -> CloseSights:
        """See what shows at each place: the mean of what the net says of it and of its mirror image.

        Args:
            crops: Shape (N, CLOSE_PX, CLOSE_PX, 3), CLOSE_SPAN wide, as `cut_out` makes them; N at least 1.
            squares: Where they were in the picture.
            flat_px: Shape (N, 2), from the middle of each to that of the bottom, if a die lies flat there.
            beside_px: The dice beside them, in the picture.

        Returns:
            What shows there, in their order.
        """
        planes = seen_by_net(crops, CLOSE_SPAN, squares, flat_px, beside_px)
        said = self._net.run_on_both(planes)
        values, stances = shares_of(said[..., :CLOSE_VALUES]), shares_of(said[..., CLOSE_VALUES : CLOSE_VALUES + 3])
        return CloseSights(values.mean(axis=0), stances.mean(axis=0))
