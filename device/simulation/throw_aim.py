"""Start and direction of a throw: over the left or the right wall, past dice in the tray."""

import math
from dataclasses import dataclass

import numpy as np

from vision.types.frame import FloatArray


@dataclass(frozen=True, slots=True)
class AimParams:
    # number of aims that the hand considers before it throws past dice in the tray; without any it takes the first
    looks: int = 12
    berth_mm: float = 45.0
    # Speed of a throw past dice in the tray, as a share of a free throw's. At 0.8 and 12 aims ten of thirty throws of
    # four dice past four turned one of those over; at 1.0 and one aim twenty-two did.
    gentle: float = 0.8
    scatter_rad: float = 0.14


@dataclass(frozen=True, slots=True)
class Aim:
    side: float
    hand_y_mm: float
    heading_rad: float
    haste: float

    @property
    def forward(self) -> FloatArray:
        return np.array([-self.side * math.cos(self.heading_rad), math.sin(self.heading_rad), 0.0])


def aim_past(lying_mm: FloatArray, half_mm: tuple[float, float], chance: np.random.Generator, params: AimParams) -> Aim:
    """Choose a path into the tray.

    Args:
        lying_mm: Places of dice in the tray, shape (N, 2); N may be 0.
    """
    ways = []
    for _ in range(params.looks if len(lying_mm) else 1):
        # From the left or the right, as two people at a table do, aimed at the centre with a little scatter.
        side = 1.0 if chance.random() < 0.5 else -1.0
        hand_y = float(chance.uniform(-0.35, 0.35)) * half_mm[1]
        heading = float(chance.normal(0.0, params.scatter_rad)) - 0.4 * hand_y / half_mm[1]
        haste = float(chance.uniform(0.88, 1.12)) * (params.gentle if len(lying_mm) else 1.0)
        ways.append(Aim(side, hand_y, heading, haste))
    return min(ways, key=lambda way: _crowd(way, lying_mm, half_mm, params))


def _crowd(way: Aim, lying_mm: FloatArray, half_mm: tuple[float, float], params: AimParams) -> float:
    if not len(lying_mm):
        return 0.0
    start = np.array([way.side * half_mm[0], way.hand_y_mm])
    offset = lying_mm - start
    forward = way.forward[:2]
    aside = np.abs(offset[:, 0] * forward[1] - offset[:, 1] * forward[0])
    return float(np.sum(0.5 ** ((aside / params.berth_mm) ** 2)))
