"""What is known of a place, as named numbers: what the decision weighs."""

from dataclasses import dataclass

import numpy as np

from vision.classification.die_net import NO_DIE, NO_PIPS, DieSights
from vision.detection.found import Found
from vision.geometry.neighbours import squared_distances
from vision.types.frame import FloatArray

FEATURES = (
    "heat",
    "die",
    "value",
    "margin",
    "agreement",
    "seen",
    "no_pips",
    "smaller",
    "larger",
    "coarse",
    "crowd",
    "alone",
)
"""Names of the columns that `place_features` gives; `vision/README.md` says what each means."""
_LEAST = 1e-5


def logit(share: FloatArray) -> FloatArray:
    """Logarithm of the odds of shares, kept within 11.5 either way."""
    kept = np.clip(share, _LEAST, 1 - _LEAST)
    odds: FloatArray = np.log(kept / (1 - kept))
    return odds


@dataclass(frozen=True, slots=True, eq=False)
class PlaceFeatures:
    """Features of N places.

    Attributes:
        columns: Shape (N, len(FEATURES)), the features of each place.
        values: Shape (N,), the likeliest value of each, 1 to 6.
    """

    columns: FloatArray
    values: np.ndarray[tuple[int], np.dtype[np.intp]]


def place_features(found: Found, sights: DieSights) -> PlaceFeatures:
    """What is known of places without a tray.

    Args:
        found: N places.
        sights: What shows there.

    Returns:
        Columns: `heat`, log odds of the detector's; `die`, of being one; `value`, of the likeliest value among the
        values; `margin`, the logarithm of its lead on the second; `agreement`, log odds of its least share in any look;
        `seen`, of the share of its top that shows; `no_pips`, of showing none; `smaller` and `larger`, how far its edge
        is from the usual one of the picture's dice, as a logarithm; `coarse`, how few pixels its edge has; `crowd`, how
        near the nearest better place is; `alone`, whether there is no other likely die to compare it with.
    """
    count = len(found)
    if not count:
        return PlaceFeatures(np.zeros((0, len(FEATURES))), np.zeros(0, np.intp))
    best = sights.shares[:, :6].argmax(axis=1)
    is_die = 1 - sights.shares[:, NO_DIE]
    belief = found.heat * is_die
    off, alone = np.zeros(count), np.ones(count)
    for i in range(count):
        others = np.flatnonzero((belief > 0.5) & (np.arange(count) != i))
        if len(others):
            off[i] = np.log(found.edge_px[i] / np.median(found.edge_px[others]))
            alone[i] = 0.0
    away = np.sqrt(squared_distances(found.center_xy, found.center_xy))
    away /= np.maximum(found.edge_px[:, None], found.edge_px[None])
    away[belief[None] <= belief[:, None]] = np.inf
    crowd = np.maximum(0.0, 1.0 - away.min(axis=1, initial=np.inf))
    own = np.stack(
        [
            np.maximum(0.0, -off),
            np.maximum(0.0, off),
            np.maximum(0.0, np.log(24.0 / np.maximum(found.edge_px, 4.0))),
            crowd,
            alone,
        ],
        axis=1,
    )
    columns = np.concatenate([logit(found.heat)[:, None], sight_columns(sights), own], axis=1)
    return PlaceFeatures(columns, np.asarray(best + 1, np.intp))


def sight_columns(sights: DieSights) -> FloatArray:
    """Of what the die net sees: `die`, `value`, `margin`, `agreement`, `seen` and `no_pips`, shape (N, 6)."""
    shares = sights.shares
    values = shares[:, :6]
    of_values = values / np.maximum(values.sum(axis=1, keepdims=True), 1e-9)
    ordered = np.sort(of_values, axis=1)
    return np.stack(
        [
            logit(1 - shares[:, NO_DIE]),
            logit(ordered[:, -1]),
            np.log(np.maximum(ordered[:, -1], _LEAST) / np.maximum(ordered[:, -2], _LEAST)),
            logit(sights.agreement),
            logit(sights.seen),
            logit(shares[:, NO_PIPS]),
        ],
        axis=1,
    )
