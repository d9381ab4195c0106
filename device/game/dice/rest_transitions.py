"""What dice that have come to rest mean in each state: a first result, a push, a half-played push, or nothing new."""

from dataclasses import replace
from typing import TypeAlias, TypeVar

from device.game.dice.role_mapping import picture_troubles
from device.game.dice.scoring import judge_first, judge_push, push_context
from device.game.state.die_history import DieHistory, Whereabouts
from device.game.state.effects import Command, Commit, LogRow, RowKind
from device.game.state.exploding_die import ExplodingDie, is_continued, pending_die, shows_same_others
from device.game.state.layout import Layout, is_same_spread, layout_of
from device.game.state.problems import ALREADY_PUSHED, THROWN_WITHOUT_PUSH, Trouble
from device.game.state.states import AwaitingPush, Empty, Playing, Resolved, Result, Rolling, Scored, Unclear
from device.game.state.table_state import Table
from device.texts.catalogue import say
from rules.system import find_system
from vision.types.sighting import Rest

PlayStep: TypeAlias = tuple[Playing, tuple[Command, ...]]
Still = TypeVar("Still", bound=Playing)


def standing_still(state: Still) -> Still:
    """The state with nothing moving over it."""
    if isinstance(state, Empty | Rolling) or not state.moving:
        return state
    return replace(state, moving=False)


def on_rest(state: Playing, rest: Rest) -> PlayStep:
    """Return the next state when everything lies still."""
    match state:
        case Empty() | Rolling():
            layout = layout_of(rest, None)
            if layout.dice and state.over is not None and is_same_spread(state.over, layout):
                return Empty(state.table, state.over), ()
            return _fresh_rest(state, layout, None)
        case Scored() | Resolved():
            return _rest_after_result(state, state, rest)
        case AwaitingPush():
            return _rest_in_push(state, layout_of(rest, state.after or state.first.layout))
        case Unclear(pushed=AwaitingPush() as push):
            return _rest_in_push(push, layout_of(rest, state.layout))
        case Unclear(unasked=Scored() | Resolved() as result):
            return _rest_after_result(result, state, rest)
        case Unclear():
            layout = layout_of(rest, state.layout)
            same = len(layout.dice) == len(state.layout.dice) and is_same_spread(state.layout, layout)
            if state.chain is not None and layout.dice:
                return _rest_in_chain(state, state.chain, layout, same=same)
            return _fresh_rest(state, layout, state.number if same else None)


def first_result(
    table: Table,
    layout: Layout,
    number: int | None = None,
    extra: tuple[LogRow, ...] = (),
    chain: ExplodingDie | None = None,
) -> PlayStep:
    """Score dice before any push, or say why not.

    Args:
        table: What holds.
        layout: The dice; with typed dice there may be none.
        number: The roll these dice were scored as before; None for a new roll.
        extra: Rows to write in the same transaction, before the result's own.
        chain: The earlier throws of an exploding die of this roll.
    """
    judged = judge_first(table, layout, chain)
    if judged.outcome is None:
        return Unclear(table, layout, judged.troubles, number=number, chain=chain), (Commit(extra),)
    scored = Scored(
        table=table if number is not None else replace(table, next_roll=table.next_roll + 1),
        number=table.next_roll if number is None else number,
        pool=table.pool,
        layout=layout,
        roll=judged.roll,
        outcome=judged.outcome,
        trail=DieHistory.start(layout),
        chain=chain,
    )
    kind = RowKind.CONTINUED if chain is not None else RowKind.SCORED if number is None else RowKind.REVISED
    return scored, (Commit((*extra, result_row(kind, scored))),)


def rescored(state: Scored, table: Table) -> PlayStep:
    """Score the dice that lie there once more, by what the table has agreed on since."""
    pool = table.pool if table.system != state.table.system or table.pool != state.table.pool else state.pool
    chain = state.chain if table.system == state.table.system else None
    judged = judge_first(replace(table, pool=pool), state.layout, chain)
    if judged.outcome is None:
        return Unclear(table, state.layout, judged.troubles, number=state.number, chain=chain), (Commit(),)
    scored = replace(state, table=table, pool=pool, roll=judged.roll, outcome=judged.outcome, chain=chain)
    changed = (scored.roll, scored.outcome, table.system) != (state.roll, state.outcome, state.table.system)
    return scored, (Commit((result_row(RowKind.REVISED, scored),) if changed else ()),)


def judge_thrown(push: AwaitingPush, layout: Layout, extra: tuple[LogRow, ...] = ()) -> PlayStep:
    """Score the dice that lie there after a throw of a push, or say what was played wrong.

    Args:
        push: The push, its trail followed up to these dice.
        layout: All dice in the tray.
        extra: Rows to write in the same transaction, before the result's own.
    """
    # A die that only a person has seen, and that must go, is believed to be in the hand: nobody saw it stay.
    layout = layout.without_unseen([int(die_id) for die_id in push.first.outcome.must_reroll])
    push = replace(push, after=layout, troubles=())
    judged = judge_push(push, layout)
    if judged.outcome is None:
        if judged.is_unreadable:
            return Unclear(push.table, layout, judged.troubles, pushed=push), (Commit(extra),)
        return replace(push, troubles=judged.troubles), (Commit(extra),)
    first = push.first
    resolved = Resolved(
        table=push.table,
        number=first.number,
        pool=first.pool,
        layout=layout,
        roll=judged.roll,
        outcome=judged.outcome,
        trail=DieHistory.start(layout),
        pushes=first.pushes + 1,
        push=push,
    )
    return resolved, (Commit((*extra, result_row(RowKind.PUSHED, resolved))),)


def result_row(kind: RowKind, result: Result) -> LogRow:
    """The history's row of a result."""
    context = push_context(result.push) if isinstance(result, Resolved) else result.table.context
    return LogRow(
        kind=kind,
        roll_number=result.number,
        system=result.table.system,
        pool=result.pool,
        context=context,
        layout=result.layout,
        roll=result.roll,
        outcome=result.outcome,
    )


def _fresh_rest(before: Empty | Rolling | Unclear, layout: Layout, number: int | None) -> PlayStep:
    if not layout.dice:
        if isinstance(before, Unclear) and not before.layout.dice and before.table.typed:
            return before, ()
        after = Empty(before.table, troubles=picture_troubles(layout))
        return after, (Commit(),) if isinstance(before, Unclear) else ()
    after_dice, commands = first_result(before.table, layout, number)
    if after_dice == before or _is_being_cleared(before, layout, after_dice):
        return before, ()
    return after_dice, commands


def _is_being_cleared(before: Empty | Rolling | Unclear, layout: Layout, after: Playing) -> bool:
    """Whether dice that could not be scored are being taken out: that is no news, until they are all out.

    It is news where there were too many of them.
    """
    if not isinstance(before, Unclear) or not isinstance(after, Unclear):
        return False
    pool = before.table.pool
    too_many = pool is not None and len(before.layout.dice) > pool.total
    fewer = len(layout.dice) < len(before.layout.dice)
    return fewer and not too_many and is_same_spread(before.layout, layout)


def _rest_after_result(result: Scored | Resolved, state: Playing, rest: Rest) -> PlayStep:
    """Dice lie still after a result without a push: the same, fewer, a new roll, or a push that nobody pressed."""
    held = state.layout if isinstance(state, Unclear) else result.layout
    layout = layout_of(rest, held)
    if layout.problems and len(layout.dice) < len(result.layout.dice):
        kept = replace(result, table=state.table)
        return kept, () if kept == state else (Commit(),)
    trail = result.trail.follow(result.layout, layout)
    again = pending_die(result.outcome) if isinstance(result, Scored) else None
    if again is not None and isinstance(result, Scored) and not isinstance(state, Unclear):
        continued = _continued(result, again, layout, trail)
        if continued is not None:
            return continued
    if not result.layout.dice:
        return _rest_beside_typed(result, state, layout)
    if not layout.dice:
        return Empty(state.table.for_next_roll), (Commit(),)
    if any(die.contradicted for die in layout.dice):
        return first_result(state.table, layout)
    if not trail.has_throw:
        kept = replace(result, table=state.table, trail=trail)
        if not trail.only(Whereabouts.GONE) and _shows_the_same(result.layout, layout):
            kept = replace(kept, layout=layout, trail=DieHistory.start(layout))
        return kept, () if kept == state else (Commit(),)
    thrown = trail.only(Whereabouts.THROWN)
    if not thrown or not trail.only(Whereabouts.LYING):
        return first_result(state.table.for_next_roll, layout)
    dice = (*thrown, *trail.added)
    if result.outcome.push.eligible:
        text = say("tray.problem.thrown_without_push")
        trouble = Trouble(THROWN_WITHOUT_PUSH, text, dice)
    else:
        has_push = find_system(state.table.system).has_push
        text = say("tray.problem.thrown_again") if has_push else say("tray.problem.thrown_again_in_part")
        trouble = Trouble(ALREADY_PUSHED if result.pushes else result.outcome.push.reason.value, text, dice)
    unclear = Unclear(state.table, layout, (trouble,), unasked=replace(result, table=state.table, trail=trail))
    return unclear, () if unclear == state else (Commit(),)


def _continued(result: Scored, again: int, layout: Layout, trail: DieHistory) -> PlayStep | None:
    """Dice lie still while one is to be thrown again; None where that is over and something else was thrown."""
    die = result.layout.die(again)
    if die is not None and die.value is not None and is_continued(again, result.layout, layout, trail):
        earlier = (*(result.chain.earlier if result.chain is not None else ()), die.value)
        after, commands = first_result(result.rolled_at, layout, result.number, chain=ExplodingDie(again, earlier))
        return (replace(after, table=result.table) if isinstance(after, Scored) else after), commands
    if layout.dice or trail.only(Whereabouts.GONE) != tuple(die.id for die in result.layout.dice):
        return None
    # The only die was picked up, to be thrown again: the roll is not over.
    kept = replace(result, trail=trail)
    return kept, () if kept == result else (Commit(),)


def _rest_in_chain(state: Unclear, chain: ExplodingDie, layout: Layout, *, same: bool) -> PlayStep:
    """Dice lie still after a die was thrown again and could not be read: it may be laid flat or thrown once more."""
    goes_on = same or (
        len(layout.dice) == len(state.layout.dice) and shows_same_others(chain.die_id, state.layout, layout)
    )
    if not goes_on:
        fewer = len(layout.dice) < len(state.layout.dice)
        return (state, ()) if fewer else _fresh_rest(state, layout, None)
    after, commands = first_result(state.table, layout, state.number, chain=chain)
    return (state, ()) if after == state else (after, commands)


def _rest_beside_typed(result: Scored | Resolved, state: Playing, layout: Layout) -> PlayStep:
    """The tray comes to rest beside a roll that was typed in whole: no dice change nothing, dice join or begin anew."""
    if not layout.dice:
        kept = replace(result, table=state.table)
        return kept, () if kept == state else (Commit(),)
    if isinstance(result, Scored):
        return first_result(state.table, layout, result.number)
    return first_result(state.table.for_next_roll, layout)


def _rest_in_push(push: AwaitingPush, layout: Layout) -> PlayStep:
    """Dice lie still while a push is awaited: still being picked up, played wrong, unclear, or done."""
    trail = push.trail.follow(push.first.layout, layout)
    followed = replace(push, trail=trail)
    if trail.has_throw:
        return judge_thrown(followed, layout)
    return followed, () if followed == push else (Commit(),)


def _shows_the_same(before: Layout, now: Layout) -> bool:
    """Nudged dice are drawn where they lie now, but a result never changes by that."""
    return [(die.id, die.value, die.colour) for die in before.dice] == [(d.id, d.value, d.colour) for d in now.dice]
