"""What an event leads to: a tray, or dice to score first. `dice/results.py` completes it."""

from dataclasses import dataclass
from typing import TypeAlias

from device.game.state.effects import Command, CorrectedDie
from device.game.state.exploding_die import ExplodingDie
from device.game.state.layout import Layout
from device.game.state.states import AwaitingPush, Resolved, Scored, Unscored, WithDice
from device.game.state.table_state import Table
from device.game.state.tray import Tray


@dataclass(frozen=True, slots=True)
class Reached:
    tray: Tray
    commands: tuple[Command, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreFirst:
    """Score dice before any push, by the tray's table."""

    tray: Tray
    layout: Layout
    number: int | None = None
    exploding: ExplodingDie | None = None
    corrected: CorrectedDie | None = None
    before: Unscored | None = None
    only_result: bool = False
    table_after: Table | None = None  # the table once there is a result; None if it stays


@dataclass(frozen=True, slots=True)
class Rescore:
    """Score the dice of a first result again after the table has changed."""

    before: Tray
    result: Scored
    tray: Tray  # the tray with the changed table
    # table by which the dice must have a result, else `otherwise` applies; None if any result will do
    fits: Table | None = None
    # next step if the dice have no result by `fits`; None to refuse the change
    otherwise: Reached | None = None


@dataclass(frozen=True, slots=True)
class ScorePush:
    """Score the dice after a throw of a push, or find what was played wrong."""

    tray: Tray
    push: AwaitingPush
    layout: Layout
    corrected: CorrectedDie | None = None


@dataclass(frozen=True, slots=True)
class RescorePush:
    """Score a push again after the face of a manual die was changed."""

    tray: Tray
    result: Resolved


@dataclass(frozen=True, slots=True)
class ScoreOverride:
    """Score the dice again after a correction."""

    tray: Tray
    dice: WithDice
    layout: Layout
    corrected: CorrectedDie


ScoringOrder: TypeAlias = ScoreFirst | Rescore | ScorePush | RescorePush | ScoreOverride
Transition: TypeAlias = Reached | ScoringOrder
