"""What an event leads to: a state, or dice that the rules are asked about first. `dice/results.py` completes it."""

from dataclasses import dataclass
from typing import TypeAlias

from device.game.state.effects import Command, CorrectedDie
from device.game.state.exploding_die import ExplodingDie
from device.game.state.layout import Layout
from device.game.state.states import AwaitingPush, Playing, Resolved, Scored, Unclear
from device.game.state.table_state import Table


@dataclass(frozen=True, slots=True)
class Reached:
    state: Playing
    commands: tuple[Command, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreFirst:
    """Score dice before any push, or say why they cannot be scored."""

    table: Table
    layout: Layout
    number: int | None = None
    exploding: ExplodingDie | None = None
    corrected: CorrectedDie | None = None
    before: Unclear | None = None
    only_result: bool = False
    table_after: Table | None = None  # state of the table once there is a result; None where it stays `table`


@dataclass(frozen=True, slots=True)
class Rescore:
    """Score the dice of a first result once more, by what the table has agreed on since."""

    result: Scored
    table: Table
    # table by which the dice must have a result, else `otherwise` applies; None where any result will do
    fits: Table | None = None
    # next step where the dice have no result by `fits`; None where what the table agreed on is then refused
    otherwise: Reached | None = None


@dataclass(frozen=True, slots=True)
class ScorePush:
    """Score the dice that lie there after a throw of a push, or say what was played wrong."""

    push: AwaitingPush
    layout: Layout
    corrected: CorrectedDie | None = None


@dataclass(frozen=True, slots=True)
class RescorePush:
    """Score a push once more after a typed face was changed."""

    result: Resolved
    table: Table


@dataclass(frozen=True, slots=True)
class ScoreOverride:
    """Score the dice again after a person said something of them."""

    state: Unclear | Scored | AwaitingPush | Resolved
    layout: Layout
    corrected: CorrectedDie


ScoringOrder: TypeAlias = ScoreFirst | Rescore | ScorePush | RescorePush | ScoreOverride
Transition: TypeAlias = Reached | ScoringOrder
