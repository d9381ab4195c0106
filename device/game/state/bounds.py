"""Bounded types of requests: events use them, and the web validates requests by them."""

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, GetPydanticSchema, StringConstraints

from device.game.state.names import tidy_name
from device.standard_tray import MAX_DICE_AT_ONCE
from rules.dice import BLANK, Role
from vision.types.frame import MAX_SIDE_PX
from vision.types.reading import PointPx

LAST_ID: Final = 2**53 - 1
"""The largest number that a page holds exactly."""

NOT_REQUESTED: Final = "the tray itself fills it in: no part of a request"
"""Marks a field of an event that requests do not have."""

_Pixel = Annotated[float, Field(strict=True, ge=0, le=MAX_SIDE_PX, allow_inf_nan=False)]
_PixelPair = Annotated[list[_Pixel], Field(min_length=2, max_length=2), AfterValidator(tuple)]

Place = Annotated[PointPx, GetPydanticSchema(lambda _type, schema_of: schema_of(_PixelPair))]
"""A point in the picture; a list in JSON."""
ColourClass = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]
Face = Annotated[int, Field(strict=True, ge=1, le=12)]
FaceOrBlank = Annotated[int, Field(strict=True, ge=BLANK, le=12)]
Sides = Literal[6, 8, 10, 12]
TypedFace = Annotated[int, Field(strict=True, ge=1, le=100)]
Level = Annotated[str, Field(pattern=r"^[A-Z]$")]
RoleName = Annotated[Role, Field(strict=False)]
SystemId = Annotated[str, Field(min_length=1, max_length=40)]
Name = Annotated[str, Field(min_length=1, max_length=80)]
Line = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")
]
"""A text that fits on one line of a small display."""
PlayerName = Annotated[Line, AfterValidator(tidy_name), Field(max_length=40)]
"""The name of a player; names that look alike are one name."""
DiceCount = Annotated[int, Field(strict=True, ge=0, le=MAX_DICE_AT_ONCE)]
Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Id = Annotated[int, Field(strict=True, ge=1, le=LAST_ID)]
PathId = Annotated[int, AfterValidator(lambda number: number if 0 < number <= LAST_ID else 0)]
"""A number from a path; one above all ids matches nothing."""
Number = Annotated[int, Field(strict=True, ge=-1_000_000, le=1_000_000)]
Choice = bool | Number | Annotated[str, Field(max_length=80)] | None
FactName = Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")]
Fact = bool | Annotated[int, Field(ge=-1000, le=1000)] | Annotated[str, Field(max_length=40)] | None
