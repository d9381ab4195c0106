"""Dice that the reader left out: what the detector sees where no die is reported.

Of a die under a card's edge a part still shows. No top face is found there, so that a reading without it would be
trusted. The detector learned from photographs where a die is; whether what it sees is one that was left out is fitted
(`vision.training.fit_left_out`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.classification.die_net import DieReader
from vision.decision.association import suppress_duplicates
from vision.decision.features import logit
from vision.decision.model import Logistic, load_models
from vision.detection.detector import Detector, DetectorParams
from vision.detection.found import Found
from vision.detection.squares import Squares
from vision.geometry.neighbours import squared_distances
from vision.imaging.pyramid import ImagePyramid
from vision.nets.onnx_net import WEIGHTS
from vision.types.errors import VisionError
from vision.types.frame import FloatArray

_SPANS = (1.0, 1.6)
"""A place is looked at as the detector sees it, and as if it were so much larger: what hides the die shows as well."""
_ONE_DIE = 1.4
"""So much larger than their tops dice count here: of one that is tipped two sides are seen."""
_SHOWN = ("1", "2", "3", "4", "5", "6", "no_die", "no_pips", "seen")
LEFT_OUT_FEATURES = (
    "heat",
    "smaller",
    "larger",
    "away",
    "inside",
    *(f"{name} at {span}" for span in _SPANS for name in _SHOWN),
)
"""Names of the columns of `Unreported.columns`."""


@dataclass(frozen=True, slots=True)
class LeftOutParams:
    """Where the detector is asked.

    Attributes:
        edge_px: Edge of the dice in the detector's pixels.
        least_heat: Least heat of a place that the detector reports.
        on_die: A place nearer than this to the middle of a reported die, in edges of that die, is that die.
        beyond: A place farther than this outside the floor, in edges, is not in the tray.
        farthest: Greatest distance to the nearest reported die that is distinguished, in edges.
    """

    edge_px: float = 22.0
    least_heat: float = 0.05
    on_die: float = 0.45
    beyond: float = 0.3
    farthest: float = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Unreported:
    """What the detector sees beside the reported dice.

    Attributes:
        found: Positions of the N places.
        columns: Shape (N, len(LEFT_OUT_FEATURES)): `heat`, log odds of the detector's; `smaller` and `larger`, how far
            the place's edge is from the dice's, as a logarithm; `away`, edges to the nearest reported die; `inside`,
            edges from the floor's outline; and for each span what the die net says: logarithms of its shares, log odds
            of the share that shows.
    """

    found: Found
    columns: FloatArray


class LeftOut:
    """Looks for dice that were left out; threads may share one."""

    def __init__(self, fitted: Path = WEIGHTS / "decision.json", params: LeftOutParams | None = None) -> None:
        """Load the nets and what was fitted.

        Args:
            fitted: The file of what was fitted.
            params: Where the detector is asked.

        Raises:
            VisionError: Their files are missing, or were fitted on other features.
        """
        self._seeker = Seeker(params)
        models = load_models(fitted)
        try:
            model = dict(models["left_out"])
            self._is_left_out = Logistic.from_json(dict(model["is_left_out"]), LEFT_OUT_FEATURES)  # type: ignore[call-overload]
            self._doubted = float(str(model["doubted"]))
        except KeyError as error:
            raise VisionError(f"the fitted decision lacks {error}: install the project again") from error

    def find(
        self, picture: ImagePyramid, tops: Squares, edge_px: float, inside_px: Callable[[float, float], float]
    ) -> Found:
        """Find dice that were left out.

        Args:
            picture: With its halves.
            tops: Of the dice that are reported.
            edge_px: Usual edge of a top.
            inside_px: How far inside the floor's outline a point of the picture lies.

        Returns:
            Where they lie, the likeliest first.
        """
        unreported = self._seeker.unreported(picture, tops, edge_px, inside_px)
        share = self._is_left_out.share(unreported.columns)
        found = unreported.found
        order = suppress_duplicates(found.center_xy, np.full(len(found), _ONE_DIE * edge_px), share)
        return found.some(order[share[order] >= self._doubted])


class Seeker:
    """Asks the two nets about what lies beside the reported dice."""

    def __init__(self, params: LeftOutParams | None = None) -> None:
        """Load the nets.

        Args:
            params: Where the detector is asked.

        Raises:
            VisionError: Their files are missing.
        """
        self._params = params or LeftOutParams()
        # In numbers of 8 bits: half the time, and what is fitted here was fitted on what it sees.
        self._detector = Detector(DetectorParams(least_heat=self._params.least_heat), WEIGHTS / "detector_int8.onnx")
        self._reader = DieReader()

    def unreported(
        self, picture: ImagePyramid, tops: Squares, edge_px: float, inside_px: Callable[[float, float], float]
    ) -> Unreported:
        """What the nets see; arguments as `LeftOut.find` has them."""
        params = self._params
        found = self._detector.find(picture, min(1.0, params.edge_px / edge_px))
        away = np.sqrt(squared_distances(found.center_xy, tops.center_xy)) / np.maximum(tops.edge_px, 1.0)[None]
        nearest = away.min(axis=1, initial=params.farthest)
        inside = np.array([inside_px(x, y) for x, y in found.center_xy.tolist()]).reshape(-1) / edge_px
        beside = np.flatnonzero((nearest > params.on_die) & (inside > -params.beyond))
        found, nearest, inside = found.some(beside), nearest[beside], inside[beside]
        if not len(found):
            return Unreported(found, np.zeros((0, len(LEFT_OUT_FEATURES))))
        off = np.log(found.edge_px / edge_px)
        own = [
            logit(found.heat),
            np.maximum(0, -off),
            np.maximum(0, off),
            nearest,
            np.clip(inside, -1, params.farthest),
        ]
        columns = [np.stack(own, axis=1)]
        for span in _SPANS:
            sights = self._reader.look_at(picture, Squares(found.center_xy, span * found.edge_px, found.turn_rad))
            columns += [np.log(np.maximum(sights.shares, 1e-5)), logit(sights.seen)[:, None]]
        return Unreported(found, np.concatenate(columns, axis=1))
