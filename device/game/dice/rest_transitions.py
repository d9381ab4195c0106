"""What dice at rest mean in each state: a first result, a push, a half-played push, or nothing new."""

from dataclasses import replace

from device.game.dice.role_mapping import picture_troubles
from device.game.state.die_history import DieHistory, Whereabouts
from device.game.state.effects import Commit
from device.game.state.exploding_die import ExplodingDie, is_continued, pending_die, shows_same_others
from device.game.state.layout import Layout, is_same_spread, is_seen_in_part, layout_of, lies_again
from device.game.state.problems import ALREADY_PUSHED, THROWN_WITHOUT_PUSH, Issue
from device.game.state.states import (
    AwaitingPush,
    Empty,
    Playing,
    Resolved,
    Rolling,
    Scored,
    ThrownWithoutPush,
    Unclear,
    UnreadPush,
    Unscored,
    standing_still,
)
from device.game.state.transition import Reached, ScoreFirst, ScorePush, Transition
from device.texts.catalogue import translate
from rules.system import find_system
from vision.types.sighting import Rest


def on_rest(state: Playing, rest: Rest) -> Transition:
    state = standing_still(state)
    match state:
        case Empty() | Rolling():
            return _lying_still(state, rest) or _fresh_rest(state, layout_of(rest, None), None)
        case Scored() | Resolved():
            return _rest_after_result(state, state, rest)
        case AwaitingPush():
            return _rest_in_push(state, layout_of(rest, state.after or state.first.layout))
        case UnreadPush(pushed=push):
            return _rest_in_push(push, layout_of(rest, state.layout))
        case ThrownWithoutPush(unasked=result):
            return _rest_after_result(result, state, rest)
        case Unscored():
            layout = layout_of(rest, state.layout)
            same = len(layout.dice) == len(state.layout.dice) and is_same_spread(state.layout, layout)
            if state.exploding is not None and layout.dice:
                return _rest_while_exploding(state, state.exploding, layout, same=same)
            return _fresh_rest(state, layout, state.number if same else None)


def _lying_still(state: Empty | Rolling, rest: Rest) -> Reached | None:
    """Keep old dice from counting as a new roll, after a finished roll or one that the tray lost sight of."""
    layout = layout_of(rest, None)
    if not layout.dice or (isinstance(state, Rolling) and state.has_moved):
        return None
    if state.over is not None and is_same_spread(state.over, layout):
        return Reached(Empty(state.table, state.over))
    if state.over is not None and state.over.dice and all(die.moved is False for die in layout.dice):
        # The same dice, seen elsewhere by a camera that was moved.
        return Reached(Empty(state.table, replace(state.over, dice=layout.dice)))
    left = state.left
    if isinstance(left, Scored | Resolved):
        is_there = lies_again(left.layout, layout_of(rest, left.layout)) or is_seen_in_part(left.layout, layout)
        if left.table.system == state.table.system and is_there:
            return Reached(replace(left, table=state.table), (Commit(),))
        return None
    if left is not None and left.restored and len(layout.dice) == len(left.dice) and is_same_spread(left, layout):
        return Reached(Empty(state.table, left))
    return None


def _fresh_rest(before: Empty | Rolling | Unscored, layout: Layout, number: int | None) -> Transition:
    unclear = before if isinstance(before, Unscored) else None
    if layout.dice:
        cleared = unclear is not None and _is_being_cleared(unclear, layout)
        return ScoreFirst(before.table, layout, number, before=unclear, only_result=cleared)
    if unclear is not None and not unclear.layout.dice and unclear.table.typed:
        return Reached(unclear)
    left = None
    if not isinstance(before, Unscored) and not (isinstance(before, Rolling) and before.is_thrown):
        left = before.left or before.over
    after = Empty(before.table, troubles=picture_troubles(layout), left=left)
    return Reached(after, () if unclear is None else (Commit(),))


def _is_being_cleared(before: Unscored, layout: Layout) -> bool:
    """Return whether dice that could not be scored are being taken out, which changes nothing until all are out."""
    pool = before.table.pool
    too_many = pool is not None and len(before.layout.dice) > pool.total
    fewer = len(layout.dice) < len(before.layout.dice)
    return fewer and not too_many and is_same_spread(before.layout, layout)


def _rest_after_result(result: Scored | Resolved, state: Playing, rest: Rest) -> Transition:
    """Handle dice at rest after a result: the same, fewer, a new roll, or a push without a press."""
    held = state.layout if isinstance(state, Unclear) else result.layout
    layout = layout_of(rest, held)
    result = replace(result, layout=result.layout.seen_in(layout))
    if is_seen_in_part(result.layout, layout) or (layout.problems and len(layout.dice) < len(result.layout.dice)):
        return _kept(replace(result, table=state.table), state)
    is_there = lies_again(result.layout, layout)
    die_history = DieHistory.start(layout) if is_there else result.die_history.follow(result.layout, layout)
    again = pending_die(result.outcome) if isinstance(result, Scored) else None
    if again is not None and isinstance(result, Scored) and not isinstance(state, Unclear):
        continued = _continued(result, again, layout, die_history)
        if continued is not None:
            return continued
    if not result.layout.dice:
        return _rest_with_typed(result, state, layout)
    if not layout.dice:
        if {*result.die_history.only(Whereabouts.GONE)} == {die.id for die in result.layout.dice}:
            # An undo restored it while its dice were out: it stays until others are thrown.
            return _kept(replace(result, table=state.table), state)
        result = replace(standing_still(result), die_history=DieHistory.start(result.layout))
        return Reached(Empty(state.table.for_next_roll, left=result), (Commit(),))
    if any(die.contradicted for die in layout.dice):
        return ScoreFirst(state.table, layout, result.number if isinstance(result, Scored) else None)
    if not die_history.has_throw:
        kept = replace(result, table=state.table, die_history=die_history)
        # Nudged dice are drawn at their new places; the result stays.
        if not die_history.only(Whereabouts.GONE) and result.layout.faces == layout.faces:
            kept = replace(kept, layout=result.layout.after_nudge(layout), die_history=DieHistory.start(layout))
        return _kept(kept, state)
    thrown = die_history.only(Whereabouts.THROWN)
    if not thrown or not die_history.only(Whereabouts.LYING):
        return ScoreFirst(state.table.for_next_roll, layout)
    dice = (*thrown, *die_history.added)
    if result.outcome.push.eligible:
        text = translate("tray.problem.thrown_without_push")
        trouble = Issue(THROWN_WITHOUT_PUSH, text, dice)
    else:
        has_push = find_system(state.table.system).has_push
        text = translate("tray.problem.thrown_again") if has_push else translate("tray.problem.thrown_again_in_part")
        trouble = Issue(ALREADY_PUSHED if result.pushes else result.outcome.push.reason.value, text, dice)
    return _kept(
        ThrownWithoutPush(
            state.table, layout, (trouble,), unasked=replace(result, table=state.table, die_history=die_history)
        ),
        state,
    )


def _continued(result: Scored, again: int, layout: Layout, die_history: DieHistory) -> Transition | None:
    """Continue with an exploding die; None if that is over and something else was thrown."""
    die = result.layout.die(again)
    if die is not None and die.value is not None and is_continued(again, result.layout, layout, die_history):
        earlier = (*(result.exploding.earlier if result.exploding is not None else ()), die.value)
        exploding = ExplodingDie(again, earlier)
        return ScoreFirst(result.table_at_roll, layout, result.number, exploding, table_after=result.table)
    if layout.dice or die_history.only(Whereabouts.GONE) != tuple(die.id for die in result.layout.dice):
        return None
    # The only die was picked up to be thrown again: the roll is not over.
    return _kept(replace(result, die_history=die_history), result)


def _rest_while_exploding(state: Unscored, exploding: ExplodingDie, layout: Layout, *, same: bool) -> Transition:
    """Handle a rethrown die that could not be read: it may be laid flat or thrown once more."""
    goes_on = same or (
        len(layout.dice) == len(state.layout.dice) and shows_same_others(exploding.die_id, state.layout, layout)
    )
    if not goes_on:
        fewer = len(layout.dice) < len(state.layout.dice)
        return Reached(state) if fewer else _fresh_rest(state, layout, None)
    return ScoreFirst(state.table, layout, state.number, exploding, before=state)


def _rest_with_typed(result: Scored | Resolved, state: Playing, layout: Layout) -> Transition:
    """Handle a rest after a fully typed roll: no dice change nothing, dice join it or start a new one."""
    if not layout.dice:
        return _kept(replace(result, table=state.table), state)
    if isinstance(result, Scored):
        return ScoreFirst(state.table, layout, result.number)
    return ScoreFirst(state.table.for_next_roll, layout)


def _rest_in_push(push: AwaitingPush, layout: Layout) -> Transition:
    """Handle dice at rest during a push: still being picked up, played wrong, unclear, or done."""
    push = replace(push, first=replace(push.first, layout=push.first.layout.seen_in(layout)))
    is_there = push.after is None and lies_again(push.first.layout, layout)
    die_history = DieHistory.start(layout) if is_there else push.die_history.follow(push.first.layout, layout)
    followed = replace(push, die_history=die_history)
    # A throw that returned every die to about its place and face looks like a nudge, so ask.
    may_be_thrown = push.to_throw <= {*die_history.only(Whereabouts.SHIFTED)}
    return ScorePush(followed, layout) if die_history.has_throw or may_be_thrown else _kept(followed, push)


def _kept(after: Playing, before: Playing) -> Reached:
    """Return a state without a new result; write it only if it has changed."""
    return Reached(after, () if after == before else (Commit(),))
