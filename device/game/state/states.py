"""The states of the dice: a union of frozen classes."""

from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from device.game.snapshot_model import StateName
from device.game.state.die_history import DieHistory, Whereabouts
from device.game.state.exploding_die import ExplodingDie
from device.game.state.layout import Layout
from device.game.state.prepared_roll import PreparedRoll
from device.game.state.problems import MAYBE_NOT_ROLLED, NOT_ROLLED, Issue
from device.game.state.roll_requests import RollRequest
from device.game.state.table_state import Pool, Terms
from rules.dice import Roll
from rules.system import Facts, Outcome


@dataclass(frozen=True, slots=True)
class Result:
    number: int
    pool: Pool | None
    layout: Layout
    roll: Roll
    outcome: Outcome
    die_history: DieHistory
    pushes: int = 0
    moving: bool = False
    exploding: ExplodingDie | None = None


@dataclass(frozen=True, slots=True)
class PlayedRoll:
    """A result with everything that its consequences depend on, whatever is declared for the next roll."""

    result: "Scored | Resolved"
    system: str
    context: Facts  # facts of its first throw; a push has terms of its own
    prepared: PreparedRoll | None = None
    request: RollRequest | None = None
    is_paid: bool = False  # whether a sheet had taken its consequences when its dice were taken out


@dataclass(frozen=True, slots=True)
class Empty:
    over: Layout | None = None
    troubles: tuple[Issue, ...] = ()
    # what lay there before the tray was seen empty, a result or just dice: if the same dice appear again, "empty" was a
    # mistake and they are not a new roll
    left: PlayedRoll | Layout | None = None


@dataclass(frozen=True, slots=True)
class Rolling:
    """Dice or a hand move over a tray without a result."""

    over: Layout | None = None
    # whether the simulated hand was told to throw: the tray being empty does not start the next player's turn yet
    is_thrown: bool = False
    # whether something moved since the simulated hand was told to throw: dice at rest were then thrown, even if they
    # lie exactly as before, as with the same seed
    has_moved: bool = False
    left: PlayedRoll | Layout | None = None


@dataclass(frozen=True, slots=True)
class Scored(Result):
    """The first result of a roll."""


@dataclass(frozen=True, slots=True)
class AwaitingPush:
    """Push was pressed; the marked dice must be picked up and thrown again."""

    first: "Scored | Resolved"
    terms: Terms  # of the table when Push was pressed
    die_history: DieHistory
    after: Layout | None = None
    troubles: tuple[Issue, ...] = ()
    moving: bool = False
    lifted: tuple[int, ...] = ()

    @property
    def lying(self) -> Layout:
        """The dice of the wrong push if there was one, else those of the result."""
        return self.after or self.first.layout

    @property
    def picked_up(self) -> tuple[int, ...]:
        """Ids of the dice that are in the hand, as far as is known."""
        gone = () if self.after is not None else self.die_history.only(Whereabouts.GONE)
        return tuple(dict.fromkeys((*gone, *self.lifted)))

    @property
    def to_throw(self) -> frozenset[int]:
        """Ids of the dice still to be thrown; after a wrong push those that its problems name."""
        wanted = frozenset(int(die_id) for die_id in self.first.outcome.must_reroll)
        named = {die_id for trouble in self.troubles for die_id in trouble.dice}
        return wanted & named if named else wanted

    @property
    def unsure(self) -> frozenset[int]:
        """Ids of the dice that may or may not have been thrown, if that is the only doubt."""
        named = frozenset(die_id for trouble in self.troubles for die_id in trouble.dice)
        is_only_doubt = {trouble.code for trouble in self.troubles} <= {NOT_ROLLED, MAYBE_NOT_ROLLED}
        return named if is_only_doubt and named <= self.die_history.unsure else frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved(Result):
    push: AwaitingPush
    terms: Terms  # that the push was scored by


@dataclass(frozen=True, slots=True)
class Unclear:
    """Dice at rest that cannot be scored."""

    layout: Layout
    troubles: tuple[Issue, ...]
    moving: bool = False


@dataclass(frozen=True, slots=True)
class Unscored(Unclear):
    """Dice of a first throw: not all read, not the declared ones, or the rules cannot score them."""

    number: int | None = None  # number of the roll, if these dice had a result before
    exploding: ExplodingDie | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadPush(Unclear):
    """Dice after a push, not all of them read."""

    push: AwaitingPush


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrownWithoutPush(Unclear):
    """Dice of a result, some of them thrown again although Push was not pressed."""

    result: Scored | Resolved


WithDice: TypeAlias = Unscored | UnreadPush | ThrownWithoutPush | Scored | AwaitingPush | Resolved
DiceState: TypeAlias = Empty | Rolling | WithDice
_Still = TypeVar("_Still", bound=DiceState)

STATE_NAMES: dict[type[DiceState], StateName] = {
    Empty: "empty",
    Rolling: "rolling",
    Unscored: "unclear",
    UnreadPush: "unclear",
    ThrownWithoutPush: "unclear",
    Scored: "scored",
    AwaitingPush: "awaiting_push",
    Resolved: "resolved",
}


def standing_still(state: _Still) -> _Still:
    if isinstance(state, AwaitingPush) and state.lifted:
        return replace(state, moving=False, lifted=())
    if isinstance(state, Empty | Rolling) or not state.moving:
        return state
    return replace(state, moving=False)


def lying_dice(dice: WithDice) -> Layout:
    return dice.lying if isinstance(dice, AwaitingPush) else dice.layout
