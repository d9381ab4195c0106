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
    """A state that needs no scoring.

    Attributes:
        state: The next state.
        commands: What the loop does before it is announced.
    """

    state: Playing
    commands: tuple[Command, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreFirst:
    """Score dice before any push, or say why they cannot be scored.

    Attributes:
        table: What holds.
        layout: The dice; with typed dice there may be none.
        number: The roll these dice were scored as before; None for a new roll.
        exploding: The earlier throws of an exploding die of this roll.
        corrected: What a person said of these dice just now, for the log.
        before: Dice without a result that lay there; they stay as they were while no more is known of them than then.
        only_result: Those dice are being taken out: only a result is news.
        table_after: What holds once there is a result, where that is another table.
    """

    table: Table
    layout: Layout
    number: int | None = None
    exploding: ExplodingDie | None = None
    corrected: CorrectedDie | None = None
    before: Unclear | None = None
    only_result: bool = False
    table_after: Table | None = None


@dataclass(frozen=True, slots=True)
class Rescore:
    """Score the dice of a first result once more, by what the table has agreed on since.

    Attributes:
        result: The result that lies there.
        table: What holds now.
        fits: By this table its dice must have a result, else `otherwise` holds; None: whatever comes of it.
        otherwise: Where it leads where they have none; None: what the table agreed on is refused.
    """

    result: Scored
    table: Table
    fits: Table | None = None
    otherwise: Reached | None = None


@dataclass(frozen=True, slots=True)
class ScorePush:
    """Score the dice that lie there after a throw of a push, or say what was played wrong.

    Attributes:
        push: The push, its dice followed up to these.
        layout: All dice in the tray.
        corrected: As in `ScoreFirst`.
    """

    push: AwaitingPush
    layout: Layout
    corrected: CorrectedDie | None = None


@dataclass(frozen=True, slots=True)
class RescorePush:
    """Score a push once more after a typed face was changed.

    Attributes:
        result: The result of the push.
        table: What holds now, with the typed dice as they are.
    """

    result: Resolved
    table: Table


@dataclass(frozen=True, slots=True)
class ScoreOverride:
    """Score the dice anew after a person said something of them.

    Attributes:
        state: What the tray was.
        layout: The dice with the person's word.
        corrected: The word, for the log.
    """

    state: Unclear | Scored | AwaitingPush | Resolved
    layout: Layout
    corrected: CorrectedDie


ScoringOrder: TypeAlias = ScoreFirst | Rescore | ScorePush | RescorePush | ScoreOverride
Transition: TypeAlias = Reached | ScoringOrder
