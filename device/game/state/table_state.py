"""What a table has agreed on before a throw: rule system, declared pool, context."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated

from pydantic import Field, SkipValidation

from device.errors import BadInput
from device.game.state.campaign import Campaign
from device.game.state.manual_dice import Typed, declared_typed, for_next_roll
from device.game.state.prepared_roll import PreparedRoll
from device.standard_tray import MAX_DICE_AT_ONCE
from device.texts.catalogue import translate, word
from rules.dice import Role
from rules.request import show_value
from rules.system import Facts, JsonValue


@dataclass(frozen=True, slots=True)
class Pool:
    counts: tuple[tuple[Role, int], ...]

    @classmethod
    def from_counts(cls, counts: Mapping[str, int], allowed: tuple[Role, ...]) -> "Pool | None":
        known = {role.value: role for role in allowed}
        for name, count in counts.items():
            if name not in known:
                raise BadInput(translate("tray.refused.pool_role", name=word(name), known=[word(one) for one in known]))
            if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MAX_DICE_AT_ONCE:
                shown = {"name": word(name), "value": show_value(count), "most": MAX_DICE_AT_ONCE}
                raise BadInput(translate("tray.refused.pool_number", **shown))
        if not any(counts.values()):
            return None
        return cls(tuple((role, counts.get(role.value, 0)) for role in allowed))

    def count(self, role: Role) -> int:
        """Return how many dice of this role are declared; 0 if the pool does not name it."""
        return dict(self.counts).get(role, 0)

    @property
    def total(self) -> int:
        return sum(count for _, count in self.counts)

    def as_json(self) -> dict[str, JsonValue]:
        return {role.value: count for role, count in self.counts}


@dataclass(frozen=True, slots=True)
class TableDefaults:
    """The default pool and facts, from the settings or from the recording being played."""

    system: str
    pool: Pool | None = None
    context: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """What stays from one roll to the next.

    A pool and facts are declared for one roll and apply to later throws until Reset ends the roll. What was declared
    for the next roll in the meantime survives that Reset.
    """

    system: str
    pool: Pool | None = None
    context: Facts = field(default_factory=dict)
    colour_classes: tuple[str, ...] = ("base", "skill", "gear")
    colour_roles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    rulings: Mapping[str, Facts] = field(default_factory=dict)
    next_roll: int = 1
    typed: Typed = ()
    # kept in rows of its own, so that one changed sheet is one written row
    campaign: Annotated[Campaign, Field(exclude=True), SkipValidation] = field(default_factory=Campaign)
    usual: TableDefaults | None = None
    pool_for: int = 0  # number of the roll that the pool was declared for; 0 if for any
    # number of the roll that each fact of the context was set or removed for, by name; 0 if for any
    facts_for: Mapping[str, int] = field(default_factory=dict)

    @property
    def for_next_roll(self) -> "Table":
        """Return the table after a roll: manual dice must be entered again."""
        typed = for_next_roll(self.typed)
        return self if typed == self.typed else replace(self, typed=typed)

    def with_facts(self, changes: Facts, roll: int) -> "Table":
        """Return the table with facts of a roll merged in; a None value removes one."""
        context = {name: value for name, value in {**self.context, **changes}.items() if value is not None}
        return replace(self, context=context, facts_for={**self.facts_for, **dict.fromkeys(changes, roll)})

    def after_reset(self, roll: int) -> "Table":
        """Return the table after Reset: what was declared for the roll returns to the defaults.

        Args:
            roll: Number of the roll that ends. What was declared for a later one stays; if nothing was, the first
                waiting request becomes current.
        """
        usual = (
            self.usual if self.usual is not None and self.usual.system == self.system else TableDefaults(self.system)
        )
        later = {name for name, number in self.facts_for.items() if number > roll}
        facts = {name: value for name, value in usual.context.items() if name not in later}
        facts |= {name: value for name, value in self.context.items() if name in later}
        is_later = self.pool_for > roll
        note, asked = self.campaign.prepared, self.campaign.asked
        note = None if note is None or note.roll <= roll else note
        asked = asked if asked.for_roll > roll else asked.ended(self.next_roll)
        ended = replace(
            self,
            pool=self.pool if is_later else usual.pool,
            context=facts,
            facts_for={name: number for name, number in self.facts_for.items() if name in later},
            typed=for_next_roll(self.typed) if is_later else (),
            campaign=replace(self.campaign, prepared=note, asked=asked),
        )
        return ended.with_next_turn() if note is None and asked.current is None and asked.waiting else ended

    def with_next_turn(self) -> "Table":
        """Make the first waiting request current: declare its dice and its target."""
        first = self.campaign.asked.waiting[0]
        asked = self.campaign.asked.next_turn(self.next_roll)
        table = replace(self, campaign=replace(self.campaign, asked=asked))
        joined = tuple(die for die in self.typed if not die.declared)
        if (roll := first.to_prepare) is not None:
            return table.with_prepared(roll, joined)
        table = table.with_facts(first.context, self.next_roll) if first.context else table
        if not first.dice:
            return table
        typed = (*joined, *declared_typed(first.typed, beside=joined))
        return replace(table, pool=Pool(first.dice), pool_for=self.next_roll, typed=typed)

    def with_prepared(self, roll: PreparedRoll, entered: Typed = ()) -> "Table":
        """Declare a prepared roll for the next throw, next to manual dice that are entered already."""
        context = {name: value for name, value in roll.context.items() if value is not None}
        return replace(
            self,
            pool=Pool(roll.pool),
            typed=(*entered, *declared_typed(roll.typed, beside=entered)),
            context=context,
            campaign=replace(self.campaign, prepared=replace(roll, roll=self.next_roll)),
            pool_for=self.next_roll,
            facts_for=dict.fromkeys((*self.context, *context), self.next_roll),
        )
