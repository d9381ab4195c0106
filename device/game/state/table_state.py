"""What a table has agreed on before a throw: rule system, declared pool, context."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from device.errors import BadInput
from device.game.state.manual_dice import Typed, for_next_roll
from device.message import message, word
from device.standard_tray import MAX_DICE_AT_ONCE
from rules.dice import Role
from rules.request import show_value
from rules.system import Facts


@dataclass(frozen=True, slots=True)
class Pool:
    counts: tuple[tuple[Role, int], ...]

    @classmethod
    def from_counts(cls, counts: Mapping[str, int], allowed: tuple[Role, ...]) -> "Pool | None":
        known = {role.value: role for role in allowed}
        for name, count in counts.items():
            if name not in known:
                raise BadInput(message("tray.refused.pool_role", name=word(name), known=[word(one) for one in known]))
            if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MAX_DICE_AT_ONCE:
                shown = {"name": word(name), "value": show_value(count), "most": MAX_DICE_AT_ONCE}
                raise BadInput(message("tray.refused.pool_number", **shown))
        if not any(counts.values()):
            return None
        return cls(tuple((role, counts.get(role.value, 0)) for role in allowed))

    def count(self, role: Role) -> int:
        """Return how many dice of this role are declared; 0 if the pool does not name it."""
        return dict(self.counts).get(role, 0)

    @property
    def total(self) -> int:
        return sum(count for _, count in self.counts)

    def as_json(self) -> dict[str, int]:
        return {role.value: count for role, count in self.counts}


@dataclass(frozen=True, slots=True)
class TableDefaults:
    """The default pool and facts, from the settings or from the recording being played."""

    system: str
    pool: Pool | None = None
    context: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Terms:
    """What a throw counts by besides its pool; the table may have declared something else since."""

    context: Facts = field(default_factory=dict)
    rulings: Facts = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    typed: Typed = ()


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

    @property
    def terms(self) -> Terms:
        system = self.system
        return Terms(self.context, self.rulings.get(system, {}), self.colour_roles.get(system, {}), self.typed)

    def by(self, terms: Terms, pool: Pool | None) -> "Table":
        """Return the table that a throw is scored by which counts by these terms."""
        return replace(
            self,
            pool=pool,
            context=terms.context,
            rulings={**self.rulings, self.system: terms.rulings},
            colour_roles={**self.colour_roles, self.system: terms.roles},
            typed=terms.typed,
        )
