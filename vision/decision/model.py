"""A probability from named features: a logistic regression fitted by `vision.training.fit_decision`."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from vision.types.errors import VisionError
from vision.types.frame import FloatArray

Fitted = TypeVar("Fitted")


@dataclass(frozen=True, slots=True, eq=False)
class Logistic:
    """One fitted model."""

    names: tuple[str, ...]
    mean: FloatArray  # shape (K,), subtracted from the features
    # shape (K,), divisor of the features after `mean` was subtracted; the quotient is kept within four in either
    # direction
    scale: FloatArray
    weights: FloatArray  # shape (K,), weights of the scaled features
    bias: float

    def share(self, columns: FloatArray) -> FloatArray:
        """Return probabilities, shape (N,), for rows of features, shape (N, K)."""
        shares: FloatArray = 1 / (1 + np.exp(-(self.parts(columns).sum(axis=1) + self.bias)))
        return shares

    def parts(self, columns: FloatArray) -> FloatArray:
        """Return each feature's share of the log odds, shape (N, K); 0 at its usual value."""
        parts: FloatArray = np.clip((columns - self.mean) / self.scale, -4.0, 4.0) * self.weights
        return parts

    def to_json(self) -> dict[str, object]:
        """Return the model as JSON."""
        return {
            "names": list(self.names),
            "mean": [round(float(v), 5) for v in self.mean],
            "scale": [round(float(v), 5) for v in self.scale],
            "weights": [round(float(v), 5) for v in self.weights],
            "bias": round(self.bias, 5),
        }

    @staticmethod
    def from_json(text: dict[str, object], names: Sequence[str]) -> "Logistic":
        """Read a model from JSON.

        Raises:
            VisionError: It was fitted to other features.
        """
        if text.get("names") != list(names):
            raise VisionError(f"the decision was fitted on {text.get('names')}, gets {list(names)}: fit it again")
        mean, scale, weights = (np.array(text[key], np.float64) for key in ("mean", "scale", "weights"))
        return Logistic(tuple(names), mean, scale, weights, float(str(text["bias"])))


def load_models(path: Path) -> dict[str, dict[str, object]]:
    """Read the fitted models and operating points of a file, by name.

    Raises:
        VisionError: The file is missing or is not JSON.
    """
    try:
        models = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise VisionError(f"{path.name} cannot be read from {path.parent}: install the project again") from error
    if not isinstance(models, dict):
        raise VisionError(f"{path.name} holds no models: install the project again")
    return models


def read_fitted(path: Path, build: Callable[[dict[str, Any]], Fitted]) -> Fitted:
    """Read what was fitted from a file.

    Raises:
        VisionError: The file is missing or damaged.
    """
    held = load_models(path)
    try:
        return build(held)
    except (KeyError, TypeError, ValueError) as error:
        raise VisionError(f"{path.name} lacks {error}: install the project again") from error
