"""Bodies of requests for rolls, with their bounds."""

from typing import Annotated

from pydantic import Field

from device.game.state.bounds import DiceCount, Id, Level, Line, Number, PlayerName, RoleName, Word
from device.game.state.linked_rolls import LinkKind
from device.game.state.roll_requests import MAX_WAITING
from device.game.state.table_events import Aim, Tiles
from device.web.core.bodies import Body
from rules.system import JsonValue


class PrepareRequest(Body):
    """A roll prepared from the tiles of `GET /api/tiles`.

    Without `sheet` the sheet in use applies, with null none. `declare` false only computes it. Without `owner` and
    `label` it is the current player's roll.
    """

    tiles: Tiles
    sheet: Id | None = None
    declare: bool = True
    owner: Annotated[PlayerName | None, Field(description="name of the player who rolls")] = None
    label: Annotated[Line | None, Field(description="what it is for, as in Strength + Fight")] = None


class RollOfOne(Body):
    """The roll of one member of linked rolls."""

    owner: Annotated[PlayerName, Field(description="name of the player who rolls")]
    thrower: Annotated[PlayerName | None, Field(description="who throws for the owner")] = None
    dice: Annotated[dict[RoleName, DiceCount], Field(max_length=20, description="what to take, by role")] = {}
    levels: Annotated[dict[Level, DiceCount], Field(max_length=20, description="step dice, by level")] = {}
    hidden: Annotated[bool | None, Field(description="null: as all of them")] = None
    tiles: Tiles = {}
    sheet: Annotated[Id | None, Field(description="sheet that the tiles name and that pays for the roll")] = None


class LinkedRollsRequest(Body):
    """Linked rolls: `opposed`, of two with the acting side first, or a `group`."""

    kind: Annotated[LinkKind, Field(strict=False)]
    rolls: Annotated[list[RollOfOne], Field(min_length=1, max_length=MAX_WAITING)]
    label: Annotated[Line | None, Field(description="what they are for")] = None
    aim: Aim = {}
    hidden: Annotated[bool, Field(description="hide their results until they are shown")] = False


AskValue = bool | Number | Annotated[str, Field(max_length=80)] | Annotated[list[Number], Field(max_length=60)] | None


class QuestionRequest(Body):
    """A question to the rules apart from a roll, as in `GET /api/tiles`; values from the sheet are filled in."""

    op: Word
    context: Annotated[dict[Word, AskValue], Field(max_length=40)] = {}
    sheet: Id | None = None
    carry: Annotated[bool, Field(description="carry the consequences over to the sheet")] = False

    def facts(self) -> dict[str, JsonValue]:
        return {name: [*value] if isinstance(value, list) else value for name, value in self.context.items()}
