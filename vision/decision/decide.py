"""What is believed of places: which are dice, and how likely each value is right. Every number here was fitted."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vision.classification.die_net import NO_DIE, DieSights
from vision.decision.association import suppress_duplicates
from vision.decision.features import FEATURES, place_features
from vision.decision.model import Logistic, load_models
from vision.detection.found import Found
from vision.geometry.neighbours import IntArray
from vision.nets.onnx_net import WEIGHTS
from vision.types.errors import VisionError
from vision.types.frame import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Believed:
    """What is believed of N places, each another die.

    Attributes:
        found: Positions of the N places.
        sights: What the net sees at each place.
        values: Shape (N,), the likeliest value, 1 to 6.
        is_die: Shape (N,), probability that a die lies there.
        is_right: Shape (N,), probability that a die lies there and shows that value.
        features: Shape (N, K), the features that `is_die` and `is_right` are computed from.
    """

    found: Found
    sights: DieSights
    values: IntArray
    is_die: FloatArray
    is_right: FloatArray
    features: FloatArray


class Decision:
    """Weighs places; threads may share one."""

    def __init__(self, models: Mapping[str, object]) -> None:
        """Read what was fitted.

        Args:
            models: With `is_die`, `is_right` as `Logistic.to_json` gives them, and the operating points `shown` and
                `trusted`.

        Raises:
            VisionError: Something of it is missing, or was fitted on other features.
        """
        try:
            self._is_die = Logistic.from_json(dict(models["is_die"]), FEATURES)  # type: ignore[call-overload]
            self._is_right = Logistic.from_json(dict(models["is_right"]), FEATURES)  # type: ignore[call-overload]
            self.shown, self.trusted = float(str(models["shown"])), float(str(models["trusted"]))
        except (KeyError, TypeError, ValueError) as error:
            raise VisionError(f"the fitted decision lacks {error}: install the project again") from error

    def weigh(self, found: Found, sights: DieSights) -> Believed:
        """Estimate how likely each place is a die, and its value right; of one die each place but the best is dropped.

        Args:
            found: Places.
            sights: What shows there.
        """
        kept = best_places(found, sights)
        found, sights = found.some(kept), sights.some(kept)
        places = place_features(found, sights)
        return Believed(
            found,
            sights,
            places.values,
            self._is_die.share(places.columns),
            self._is_right.share(places.columns),
            places.columns,
        )


def best_places(found: Found, sights: DieSights) -> IntArray:
    """Rows of places of which no two are of one die, most believed first: heat times the share of being a die."""
    return suppress_duplicates(found.center_xy, found.edge_px, found.heat * (1 - sights.shares[:, NO_DIE]))


def load_decision(kind: str, path: Path = WEIGHTS / "decision.json") -> Decision:
    """The decision that was fitted for a kind of picture.

    Args:
        kind: `anywhere` for pictures of dice lying anywhere.
        path: The file.

    Raises:
        VisionError: It is missing or holds no such kind.
    """
    models = load_models(path)
    if kind not in models:
        raise VisionError(f"{path.name} holds no decision for {kind!r}: install the project again")
    return Decision(dict(models[kind]))
