"""Which way a die leans, seen closely: from the middle of its top face to that of its bottom.

The nets that judge how a die stands are given what one lying flat would show, and weigh it. This one is not: what
it sees can be held against that. Drawn pictures taught it (vision/training); vision/README.md says how well it does.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.detection.squares import Squares
from vision.nets.onnx_net import WEIGHTS, OnnxNet
from vision.standing.close_look import CLOSE_SPAN
from vision.standing.stance import Beside, seen_by_net
from vision.types.frame import FloatArray, ImageBgr


@dataclass(frozen=True, slots=True)
class LeanParams:
    """What a die's lean says of how it stands; lengths in edges.

    Found on drawn and on traced trays.

    Attributes:
        face: Weight of the face reader in what is believed of a lean; the rest is the lean net's.
        even: Departure of a lean from a flat die's, in edges, at which leaning and lying flat are equally likely.
        error: Added to departures, in edges: smaller ones cannot be measured.
        power: Exponent of the departure in the odds of leaning.
    """

    face: float = 0.1
    even: float = 0.2
    error: float = 0.03
    power: float = 2.0


def odds_of_leaning(departs: FloatArray, params: LeanParams) -> FloatArray:
    """How much likelier dice lean than they lie flat whose leans depart so much, shape (N,), from a flat die's.

    Args:
        departs: In edges.
        params: The tunables.

    Returns:
        Shape (N,), ratios of likelihoods.
    """
    odds: FloatArray = ((departs + params.error) / (params.even + params.error)) ** params.power
    return odds


class LeanReader:
    """Sees which way dice lean."""

    def __init__(self, weights: Path = WEIGHTS / "lean.onnx") -> None:
        """Load the net.

        Args:
            weights: ONNX file of the net.

        Raises:
            VisionError: No such file.
        """
        self._net = OnnxNet(weights)

    def look_at(self, crops: ImageBgr, squares: Squares, beside_px: Beside) -> FloatArray:
        """See which way each die leans: the mean of what the net says of it and of its mirror image.

        Args:
            crops: Shape (N, CLOSE_PX, CLOSE_PX, 3), CLOSE_SPAN wide, as `cut_out` makes them; N at least 1.
            squares: Where they were in the picture.
            beside_px: The dice beside them, in the picture.

        Returns:
            Shape (N, 2), from the middle of each top to that of the face below it, in pixels of the picture.
        """
        planes = seen_by_net(crops, CLOSE_SPAN, squares, np.zeros((len(crops), 2)), beside_px)
        said = self._net.run_on_both(planes)
        said[1, :, 0] *= -1.0
        return squares.in_picture(said[:, :, :2].mean(axis=0))
