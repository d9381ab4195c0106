"""The simulated tray's section of the settings."""

from typing import Annotated

from pydantic import Field

from device.section import OneOf, section
from vision.tray.profile import SHAPES


@section
class SimulationSettings:
    """The simulated tray.

    Attributes:
        seed: Repeats the same evening of throws. Without it every throw is new.
        fps: Frames a second.
        look: Number of another floor and other lamps. Default: blue felt in a wooden frame.
        shape: Shape of the floor.
    """

    seed: Annotated[int | None, Field(ge=0)] = None
    fps: Annotated[int, Field(ge=1, le=60)] = 15
    look: Annotated[int | None, Field(ge=0)] = None
    shape: Annotated[str, OneOf(SHAPES)] = "rectangle"


UNLESS_SET = SimulationSettings()
"""The default simulated tray."""
