"""The decision which places are dice, and how likely each value is right. Every number here was fitted."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from vision.classification.die_net import NO_DIE, DieSights
from vision.decision.association import suppress_duplicates
from vision.decision.features import ANYWHERE, IN_TRAY, STANDING, InTray, place_features
from vision.decision.model import Logistic, load_models
from vision.detection.found import Found
from vision.geometry.neighbours import IntArray
from vision.nets.onnx_net import WEIGHTS
from vision.types.errors import VisionError
from vision.types.frame import FloatArray

FEATURES = {"anywhere": ANYWHERE, "tray": IN_TRAY, "known tray": IN_TRAY}
"""By the kind of picture: of dice lying anywhere, of a tray, and of a calibrated tray."""


@dataclass(frozen=True, slots=True, eq=False)
class Believed:
    """The probabilities of N places, each a different die."""

    found: Found  # N places
    sights: DieSights
    values: IntArray  # shape (N,), the likeliest value, 1 to 6
    is_die: FloatArray  # shape (N,), probability that the place is a die
    is_right: FloatArray  # shape (N,), probability that the place is a die and shows that value
    # shape (N,), whether a value is doubted for the die's stance more than for all other reasons
    stands_oddly: npt.NDArray[np.bool_]
    tray: InTray | None = None  # the tray's features of each place, if there is a tray


class Decision:
    """Weighs places; threads may share one."""

    def __init__(self, models: Mapping[str, object], kind: str = "anywhere") -> None:
        """Read the fitted models.

        Args:
            models: With `is_die`, `is_right` as `Logistic.to_json` returns them, and the operating points `shown` and
                `trusted`.

        Raises:
            VisionError: Something is missing, or was fitted to other features.
        """
        self._names = FEATURES[kind]
        self._of_standing = np.array([name in STANDING for name in self._names])
        try:
            self._is_die = Logistic.from_json(dict(models["is_die"]), self._names)  # type: ignore[call-overload]
            self._is_right = Logistic.from_json(dict(models["is_right"]), self._names)  # type: ignore[call-overload]
            self.shown, self.trusted = float(str(models["shown"])), float(str(models["trusted"]))
        except (KeyError, TypeError, ValueError) as error:
            raise VisionError(f"the fitted decision lacks {error}: install the project again") from error

    def weigh(self, found: Found, sights: DieSights, tray: InTray | None = None) -> Believed:
        """Estimate how likely each place is a die, and how likely its value is right."""
        features = place_features(found, sights, tray)
        columns = np.stack([features[name] for name in self._names], axis=1)
        parts = self._is_right.parts(columns)
        by_standing = parts[:, self._of_standing].sum(axis=1)
        stands_oddly = (by_standing < 0) & (by_standing < parts[:, ~self._of_standing].sum(axis=1))
        if tray is not None:
            stands_oddly |= tray.stances[:, 0] < 0.5
        return Believed(
            found, sights, sights.values, self._is_die.share(columns), self._is_right.share(columns), stands_oddly, tray
        )


def best_places(found: Found, sights: DieSights) -> IntArray:
    """Return the rows of places, no two of one die, likeliest first: by heat times the share of being a die."""
    return suppress_duplicates(found.center_xy, found.edge_px, found.heat * (1 - sights.shares[:, NO_DIE]))


def load_decision(kind: str, path: Path = WEIGHTS / "decision.json") -> Decision:
    """Return the fitted decision for a kind of picture.

    Raises:
        VisionError: It is missing or does not include this kind.
    """
    models = load_models(path)
    if kind not in models:
        raise VisionError(f"{path.name} holds no decision for {kind!r}: install the project again")
    return Decision(dict(models[kind]), kind)
