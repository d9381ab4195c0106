"""One fixed tray's calibration: what its user measured once, so that every reading after starts from it."""

from dataclasses import dataclass

from vision.floor import Floor


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """One tray under one camera.

    Attributes:
        width_px: Of the pictures it was made from; pictures of the same shape and another size are scaled.
        height_px: Likewise.
        floor: Where the floor is in them.
        palette_lab: Class label and the L*a*b* of its dice as this camera sees them.
        edge_px: Edge of a die's top face in the middle of the floor.
    """

    width_px: int
    height_px: int
    floor: Floor
    palette_lab: tuple[tuple[str, tuple[float, float, float]], ...]
    edge_px: float
