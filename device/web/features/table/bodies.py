"""Bodies of requests about dice, with their bounds."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from device.game.state.bounds import LAST_ID, ColourClass, Face, FaceOrBlank, Id, Sides
from device.game.throw_orders import HandAction
from device.standard_tray import MAX_DICE_AT_ONCE, MAX_DICE_IN_TRAY
from device.web.core.bodies import Body, VersionedBody
from rules.dice import BLANK, Role

Count = Annotated[int, Field(strict=True, ge=0, le=MAX_DICE_AT_ONCE)]


class HeldUndo(Body):
    """What can be undone: `undo` of the state."""

    id: Id


class PoolRequest(Body):
    """Number of dice of each role to be thrown; an empty object removes the declaration."""

    base: Count | None = None
    skill: Count | None = None
    gear: Count | None = None
    negative: Count | None = None
    plain: Count | None = None
    ammo: Count | None = None
    wild: Count | None = None
    grit: Count | None = None

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        total = sum(self.counts().values())
        if total > MAX_DICE_IN_TRAY:
            raise ValueError(f"{total} dice are more than a tray holds: declare at most {MAX_DICE_IN_TRAY}")
        return self

    def counts(self) -> dict[str, int]:
        named = {role.value: getattr(self, role.value) for role in Role}
        return {role: count for role, count in named.items() if count is not None}


class ThrowRequest(PoolRequest, VersionedBody):
    """A throw by the simulated hand. Without dice: those of an awaited push, else the declared pool.

    `{"hand": "mends"}` does what the state's `mend` describes.
    """

    seed: Annotated[int, Field(strict=True, ge=0, le=LAST_ID, description="same seed, same throw")] | None = None
    hand: Annotated[HandAction, Field(strict=False, description="a rule of the push to break; or `mends`")] = (
        HandAction.RIGHT
    )

    @model_validator(mode="after")
    def _throwable(self) -> Self:
        counts = self.counts()
        total = sum(counts.values())
        if counts and not 1 <= total <= MAX_DICE_AT_ONCE:
            raise ValueError(f"{total} dice cannot be thrown: throw 1 to {MAX_DICE_AT_ONCE}")
        if counts and self.hand is HandAction.MENDS:
            raise ValueError("the hand that mends gets from the tray which dice to throw: leave the counts out")
        return self


class Correction(VersionedBody):
    """A correction of a die: value, colour class, number of sides; or that it is not a die (`ignored`)."""

    value: Face | None = None
    face: Annotated[Literal["blank"] | None, Field(description="instead of a value, on a six-sided die")] = None
    colour: ColourClass | None = None
    sides: Sides | None = None
    ignored: Annotated[bool, Field(description="true: no die lies there; false: one does after all")] | None = None

    @model_validator(mode="after")
    def _require_a_change(self) -> Self:
        shows = (self.shown, self.colour, self.sides) != (None, None, None)
        if not shows and self.ignored is None:
            raise ValueError("the correction is empty: give value, colour, sides, or ignored")
        if shows and self.ignored is not None:
            raise ValueError("what is no die shows nothing: give ignored alone, or value, colour and sides")
        return self

    @property
    def shown(self) -> int | None:
        """The value; `BLANK` for a blank face."""
        return self.value if self.face is None else BLANK


class DieCorrection(Body):
    """A correction of one of several dice."""

    id: Id
    value: FaceOrBlank
    colour: ColourClass


class Corrections(VersionedBody):
    """Corrections of several dice, each with value and colour class."""

    dice: Annotated[list[DieCorrection], Field(min_length=1, max_length=MAX_DICE_IN_TRAY)]

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        ids = [die.id for die in self.dice]
        twice = next((one for one in ids if ids.count(one) > 1), None)
        if twice is not None:
            raise ValueError(f"die {twice} is named twice: name each die once")
        return self
