"""The tray as one value: its dice, what the table has declared, what it keeps, and what does not work."""

from dataclasses import dataclass, field, replace

from device.game.snapshot_model import StateName
from device.game.state.campaign import Campaign
from device.game.state.layout import Layout
from device.game.state.manual_dice import Typed, declared_typed, for_next_roll
from device.game.state.prepared_roll import PreparedRoll
from device.game.state.states import (
    STATE_NAMES,
    AwaitingPush,
    DiceState,
    Empty,
    PlayedRoll,
    Resolved,
    Rolling,
    Scored,
    ThrownWithoutPush,
    UnreadPush,
    Unscored,
)
from device.game.state.table_state import Pool, Table, TableDefaults

FAULT_PARTS = ("camera", "profile", "history")
"""A part that the tray needs."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A required part does not answer or does not fit the others."""

    text: str
    retry_in_s: float
    part: str = "camera"


@dataclass(frozen=True, slots=True)
class Tray:
    dice: DiceState
    table: Table
    campaign: Campaign = field(default_factory=Campaign)
    fault: Fault | None = None

    @property
    def state_name(self) -> StateName:
        return STATE_NAMES[type(self.dice)] if self.fault is None else "fault"

    @property
    def roll_number(self) -> int:
        """The number of the current roll, or of the next to be scored."""
        match self.dice:
            case Scored(number=number) | Resolved(number=number):
                return number
            case AwaitingPush() as push:
                return push.first.number
            case UnreadPush(push=push):
                return push.first.number
            case ThrownWithoutPush(result=result):
                return result.number
            case Unscored(number=int() as number):
                return number
            case _:
                return self.table.next_roll

    @property
    def has_hidden_result(self) -> bool:
        """Whether the result of the current or next roll is hidden."""
        return self.campaign.requests.is_hidden(self.roll_number)

    @property
    def has_hidden_dice(self) -> bool:
        """Whether a picture would show hidden dice, which may be there even after Reset."""
        if self.has_hidden_result:
            return True
        lies_over = isinstance(self.dice, Empty | Rolling) and isinstance(self.dice.over, Layout)
        return lies_over and self.campaign.requests.is_hidden(self.table.next_roll - 1)

    def played(self, result: Scored | Resolved) -> PlayedRoll:
        """Return a result with everything that its consequences depend on."""
        campaign = self.campaign
        carried = campaign.carried_for(result.number, result.pushes)
        is_paid = carried is not None and not carried.undone
        request = campaign.requests.of_roll(result.number)
        return PlayedRoll(result, self.table.system, self.table.context, campaign.prepared, request, is_paid)

    def after_reset(self, roll: int) -> "Tray":
        """Return the tray after Reset: what was declared for the roll returns to the defaults.

        Args:
            roll: Number of the roll that ends. What was declared for a later one stays; if nothing was, the first
                waiting request becomes current.
        """
        table = self.table
        usual = table.usual
        if usual is None or usual.system != table.system:
            usual = TableDefaults(table.system)
        later = {name for name, number in table.facts_for.items() if number > roll}
        facts = {name: value for name, value in usual.context.items() if name not in later}
        facts |= {name: value for name, value in table.context.items() if name in later}
        is_later = table.pool_for > roll
        note, requests = self.campaign.prepared, self.campaign.requests
        note = None if note is None or note.roll <= roll else note
        requests = requests if requests.for_roll > roll else requests.ended(table.next_roll)
        ended = replace(
            self,
            table=replace(
                table,
                pool=table.pool if is_later else usual.pool,
                context=facts,
                facts_for={name: number for name, number in table.facts_for.items() if name in later},
                typed=for_next_roll(table.typed) if is_later else (),
            ),
            campaign=replace(self.campaign, prepared=note, requests=requests),
        )
        return ended.with_next_turn() if note is None and requests.current is None and requests.waiting else ended

    def with_next_turn(self) -> "Tray":
        """Make the first waiting request current: declare its dice and its target."""
        first, number = self.campaign.requests.waiting[0], self.table.next_roll
        turned = replace(self, campaign=replace(self.campaign, requests=self.campaign.requests.next_turn(number)))
        joined = tuple(die for die in self.table.typed if not die.declared)
        if (roll := first.to_prepare) is not None:
            return turned.with_prepared(roll, joined)
        table = self.table.with_facts(first.context, number) if first.context else self.table
        if first.dice:
            typed = (*joined, *declared_typed(first.typed, earlier=joined))
            table = replace(table, pool=Pool(first.dice), pool_for=number, typed=typed)
        return replace(turned, table=table)

    def with_prepared(self, roll: PreparedRoll, entered: Typed = ()) -> "Tray":
        """Declare a prepared roll for the next throw, next to manual dice that are entered already."""
        context = {name: value for name, value in roll.context.items() if value is not None}
        number = self.table.next_roll
        table = replace(
            self.table,
            pool=Pool(roll.pool),
            typed=(*entered, *declared_typed(roll.typed, earlier=entered)),
            context=context,
            pool_for=number,
            facts_for=dict.fromkeys((*self.table.context, *context), number),
        )
        return replace(self, table=table, campaign=replace(self.campaign, prepared=replace(roll, roll=number)))
