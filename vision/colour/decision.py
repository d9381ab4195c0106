"""The colour class of each die, with its probability. `vision.training.fit_colour` fitted every number."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from vision.colour.features import FEATURES, MEASURED, Classes, class_features
from vision.colour.top_faces import TopFace
from vision.nets.onnx_net import WEIGHTS
from vision.types.errors import VisionError
from vision.types.frame import FloatArray

REACH = 4.0
"""Scaled features are clipped at this many standard deviations in either direction."""


@dataclass(frozen=True, slots=True, eq=False)
class ColourNet:
    """A net with one hidden layer that scores a die for a class."""

    mean: FloatArray  # shape (F,), subtracted from the features
    scale: FloatArray  # shape (F,), divisor of the features after `mean` was subtracted
    hidden: FloatArray  # shape (H, F + 1), weights of the hidden layer, its bias last
    out: FloatArray  # shape (H + 1,), weights of the score, its bias last
    none: float
    trusted: float  # probability from which a class is trusted

    def shares(self, features: FloatArray) -> FloatArray:
        """Return the probability of each class and, last, of none: shape (N, K, F) to (N, K + 1)."""
        scaled = np.clip((features - self.mean) / self.scale, -REACH, REACH)
        hidden = np.maximum(scaled @ self.hidden[:, :-1].T + self.hidden[:, -1], 0.0)
        scores = hidden @ self.out[:-1] + self.out[-1]
        scores = np.concatenate([scores, np.full((len(scores), 1), self.none)], axis=1)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        return np.asarray(shares, np.float64)


def colour_classes(faces: Sequence[TopFace], light: FloatArray, classes: Classes) -> tuple[str | None, ...]:
    """Decide the class of each die.

    Args:
        light: Shape (3,): divide colours by it to get them as under a white lamp of the usual strength.

    Returns:
        The class of each face, or None if none is likely enough.

    Raises:
        VisionError: The fitted net is missing.
    """
    if not faces or not classes.labels:
        return (None,) * len(faces)
    net = load_colour_net("named" if classes.names else "measured")
    shares = net.shares(class_features(faces, light, classes))
    best = shares.argmax(axis=1)
    is_sure = (shares.max(axis=1) >= net.trusted) & (best < len(classes.labels))
    return tuple(classes.labels[k] if sure else None for k, sure in zip(best.tolist(), is_sure.tolist(), strict=True))


@cache
def load_colour_net(kind: str, path: Path = WEIGHTS / "colour.json") -> ColourNet:
    """Return the net that was fitted for `measured` classes, or for classes that are only `named`.

    Raises:
        VisionError: It is missing, or was fitted to other features.
    """
    try:
        fitted = json.loads(path.read_text(encoding="utf-8"))
        if tuple(fitted[kind]["features"]) != {"named": FEATURES, "measured": MEASURED}[kind]:
            raise VisionError(f"{path.name} was fitted on other features: fit it again")
        parts = {name: np.array(fitted[kind][name], np.float64) for name in ("mean", "scale", "hidden", "out")}
        return ColourNet(**parts, none=float(fitted[kind]["none"]), trusted=float(fitted[kind]["trusted"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise VisionError(f"{path.name} cannot be read from {path.parent}: install the project again") from error
