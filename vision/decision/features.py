"""Named numbers about a place, which the decision weighs."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.classification.die_net import NO_DIE, NO_PIPS, DieSights
from vision.detection.found import Found
from vision.geometry.neighbours import squared_distances
from vision.types.frame import FloatArray

ANYWHERE = (
    "heat", "die", "value", "margin", "agreement", "seen", "no_pips", "smaller", "larger", "coarse", "crowd", "alone",
)  # fmt: skip
"""Features of a place in any picture; `vision/README.md` defines each."""
IN_TRAY = (
    *(name for name in ANYWHERE if name != "coarse"), "flat", "leaning", "stacked", "departs", "departs_far",
    "departs_oddly", "inside", "known_smaller", "known_larger",
)  # fmt: skip
"""Features of a place in a tray."""
STANDING = frozenset({"flat", "leaning", "stacked", "departs", "departs_far", "departs_oddly"})
"""Those that describe a die's stance."""
_LEAST = 1e-5


def logit(share: FloatArray) -> FloatArray:
    """Return the log odds of shares, kept within 11.5 in either direction."""
    kept = np.clip(share, _LEAST, 1 - _LEAST)
    odds: FloatArray = np.log(kept / (1 - kept))
    return odds


@dataclass(frozen=True, slots=True, eq=False)
class InTray:
    """The tray's facts about N places."""

    stances: FloatArray  # shape (N, 3), shares of lying flat, leaning and lying on another die
    lean_edges: FloatArray  # shape (N, 2), from the centre of each top to that of its bottom, in edges
    departs: FloatArray  # shape (N,), how far each lean differs from that of a flat die there, in edges
    inside: FloatArray  # shape (N,), how far inside the floor's outline each lies, in edges; negative outside
    known_edge_px: float | None  # edge of the tray's own dice in pixels, or None without a profile

    def columns(self, edge_px: FloatArray, is_sure: npt.NDArray[np.bool_]) -> dict[str, FloatArray]:
        """Return features by name.

        Args:
            edge_px: Shape (N,), edges of the places.
            is_sure: Shape (N,), which of them are surely dice.
        """
        usual = float(np.median(self.departs[is_sure])) if is_sure.any() else 0.0
        off = np.zeros(len(edge_px)) if self.known_edge_px is None else np.log(edge_px / self.known_edge_px)
        return {
            "flat": logit(self.stances[:, 0]),
            "leaning": logit(self.stances[:, 1]),
            "stacked": logit(self.stances[:, 2]),
            "departs": self.departs,
            "departs_far": np.maximum(0.0, self.departs - 0.08),
            "departs_oddly": np.log(np.maximum(self.departs, 0.005) / (usual + 0.02)),
            "inside": np.clip(self.inside, 0.0, 1.0),
            "known_smaller": np.maximum(0.0, -off),
            "known_larger": np.maximum(0.0, off),
        }


def place_features(found: Found, sights: DieSights, tray: InTray | None = None) -> dict[str, FloatArray]:
    """Return the features of places by name, each of shape (N,).

    Returns:
        `heat`, log odds of the detector's; `die`, of being one; `value`, of the likeliest value among the values;
        `margin`, the logarithm of its lead over the second; `agreement`, log odds of its least share in any look;
        `seen`, of the visible share of its top; `no_pips`, of showing none; `smaller` and `larger`, how far its edge is
        from the usual one of the picture's dice, as a logarithm; `coarse`, how few pixels its edge has; `crowd`, how
        near the nearest better place is; `alone`, whether there is no other likely die to compare it with. In a tray
        also the log odds of lying `flat`, `leaning` and `stacked`; how far its lean `departs` from a flat die's, in
        edges, how much more than the error of a measurement (`departs_far`), and compared with the picture's other dice
        (`departs_oddly`); how far `inside` the floor it lies, one edge at most; and how much it is `known_smaller` or
        `known_larger` than the profile's dice.
    """
    count = len(found)
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
    own = {
        "heat": logit(found.heat),
        "smaller": np.maximum(0.0, -off),
        "larger": np.maximum(0.0, off),
        "coarse": np.maximum(0.0, np.log(24.0 / np.maximum(found.edge_px, 4.0))),
        "crowd": np.maximum(0.0, 1.0 - away.min(axis=1, initial=np.inf)),
        "alone": alone,
    }
    by_tray = {} if tray is None else tray.columns(found.edge_px, belief > 0.5)
    return own | sight_columns(sights) | by_tray


def sight_columns(sights: DieSights) -> dict[str, FloatArray]:
    """Return the die net's features: `die`, `value`, `margin`, `agreement`, `seen` and `no_pips`, shape (N,) each."""
    shares = sights.shares
    values = shares[:, :6]
    ordered = np.sort(values / np.maximum(values.sum(axis=1, keepdims=True), 1e-9), axis=1)
    return {
        "die": logit(1 - shares[:, NO_DIE]),
        "value": logit(ordered[:, -1]),
        "margin": np.log(np.maximum(ordered[:, -1], _LEAST) / np.maximum(ordered[:, -2], _LEAST)),
        "agreement": logit(sights.agreement),
        "seen": logit(sights.seen),
        "no_pips": logit(shares[:, NO_PIPS]),
    }
