"""What is believed of places: which are dice, whose value is right, which lie flat. Every number here was fitted."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.classification.die_net import NO_DIE, DieSights
from vision.decision.association import suppress_duplicates
from vision.decision.features import FEATURES, TRAY_FEATURES, place_features
from vision.decision.model import Logistic, load_models
from vision.detection.found import Found
from vision.errors import VisionError
from vision.frame import FloatArray
from vision.near import IntArray
from vision.onnx_net import WEIGHTS

KINDS = {"anywhere": FEATURES, "tray": TRAY_FEATURES}
"""Kinds of pictures that a decision was fitted for, and the features it rests on."""


@dataclass(frozen=True, slots=True, eq=False)
class Believed:
    """What is believed of N places, each another die.

    Attributes:
        found: Where they are.
        sights: What shows there.
        values: Shape (N,), the likeliest value, 1 to 6.
        is_die: Shape (N,), probability that a die lies there.
        is_right: Shape (N,), probability that one does and shows that value.
        is_flat: Shape (N,), probability that it lies flat; 1 where nothing is known of the camera.
        features: Shape (N, K), what that rests on.
    """

    found: Found
    sights: DieSights
    values: IntArray
    is_die: FloatArray
    is_right: FloatArray
    is_flat: FloatArray
    features: FloatArray

    @property
    def confidence(self) -> FloatArray:
        """Shape (N,), probability that a flat die lies there and shows that value."""
        confidence: FloatArray = self.is_right * self.is_flat
        return confidence


class Decision:
    """Weighs places; threads may share one."""

    def __init__(self, kind: str, models: Mapping[str, object]) -> None:
        """Read what was fitted.

        Args:
            kind: One of `KINDS`.
            models: With `is_die`, `is_right` and, for trays, `is_flat` as `Logistic.to_json` gives them, and the
                operating points `shown`, `trusted` and, for trays, `flat`.

        Raises:
            VisionError: Something of it is missing, or was fitted on other features.
        """
        names = KINDS[kind]
        try:
            self._is_die = Logistic.from_json(dict(models["is_die"]), names)  # type: ignore[call-overload]
            self._is_right = Logistic.from_json(dict(models["is_right"]), names)  # type: ignore[call-overload]
            self.shown, self.trusted = float(str(models["shown"])), float(str(models["trusted"]))
            self._is_flat, self.flat = None, 0.0
            if kind == "tray":
                self._is_flat = Logistic.from_json(dict(models["is_flat"]), names)  # type: ignore[call-overload]
                self.flat = float(str(models["flat"]))
        except (KeyError, TypeError, ValueError) as error:
            raise VisionError(f"the fitted decision lacks {error}: install the project again") from error

    def weigh_anywhere(self, found: Found, sights: DieSights) -> Believed:
        """Weigh places of which nothing is known; of one die each place but the best is dropped.

        Args:
            found: Places.
            sights: What shows there.
        """
        kept = best_places(found, sights)
        found, sights = found.some(kept), sights.some(kept)
        places = place_features(found, sights)
        return self.weigh(found, sights, places.columns, places.values)

    def weigh(self, found: Found, sights: DieSights, columns: FloatArray, values: IntArray) -> Believed:
        """Tell how likely each place is a die, its value right, and how likely it lies flat.

        Args:
            found: N places.
            sights: What shows there.
            columns: Shape (N, K), the features of `KINDS`.
            values: Shape (N,), the likeliest values.
        """
        is_flat = np.ones(len(values)) if self._is_flat is None else self._is_flat.share(columns)
        return Believed(
            found, sights, values, self._is_die.share(columns), self._is_right.share(columns), is_flat, columns
        )


def best_places(found: Found, sights: DieSights) -> IntArray:
    """Rows of places of which no two are of one die, most believed first: heat times the share of being a die."""
    return suppress_duplicates(found.center_xy, found.edge_px, found.heat * (1 - sights.shares[:, NO_DIE]))


def load_decision(kind: str, path: Path = WEIGHTS / "decision.json") -> Decision:
    """The decision that was fitted for a kind of picture.

    Args:
        kind: One of `KINDS`.
        path: The file.

    Raises:
        VisionError: It is missing or holds no such kind.
    """
    models = load_models(path)
    if kind not in models:
        raise VisionError(f"{path.name} holds no decision for {kind!r}: install the project again")
    return Decision(kind, dict(models[kind]))
