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
from device.game.state.table_state import Pool
from device.game.state.transition import Reached, ScoreFirst, ScorePush, Transition
from device.game.state.tray import Tray
from device.message import message
from rules.system import find_system
from vision.types.sighting import Rest


def on_rest(tray: Tray, rest: Rest, *, shown: bool = False) -> Transition:
    if shown and not isinstance(tray.dice, AwaitingPush | UnreadPush):
        return _shown(tray, layout_of(rest, None))
    match tray.dice:
        case Empty() | Rolling() as dice:
            return _lying_still(tray, dice, rest) or _fresh_rest(tray, dice, layout_of(rest, None), None)
        case Scored() | Resolved() as result:
            return _rest_after_result(tray, result, layout_of(rest, result.layout))
        case AwaitingPush() as push:
            return _rest_in_push(tray, push, layout_of(rest, push.lying))
        case UnreadPush(push=push, layout=before):
            return _rest_in_push(tray, push, layout_of(rest, before))
        case ThrownWithoutPush(result=result, layout=before):
            return _rest_after_result(tray, result, layout_of(rest, before))
        case Unscored() as dice:
            layout = layout_of(rest, dice.layout)
            same = len(layout.dice) == len(dice.layout.dice) and is_same_spread(dice.layout, layout)
            if dice.exploding is not None and layout.dice:
                return _rest_while_exploding(tray, dice, dice.exploding, layout, same=same)
            return _fresh_rest(tray, dice, layout, dice.number if same else None)


def _shown(tray: Tray, layout: Layout) -> Reached:
    """Take dice that are shown to the tray for those of a roll that is over; what lay there before is over, too."""
    after = replace(tray, dice=Empty(layout if layout.dice else None))
    if isinstance(tray.dice, Empty | Rolling):
        return Reached(after)
    is_result = isinstance(tray.dice, Scored | Resolved | ThrownWithoutPush)
    return Reached(replace(after, table=tray.table.for_next_roll) if is_result else after, (Commit(),))


def _lying_still(tray: Tray, dice: Empty | Rolling, rest: Rest) -> Reached | None:
    """Keep old dice from counting as a new roll, after a finished roll or one that the tray lost sight of."""
    layout = layout_of(rest, None)
    if not layout.dice or (isinstance(dice, Rolling) and dice.has_moved):
        return None
    over, left = dice.over, dice.left
    if over is not None and is_same_spread(over, layout):
        return Reached(replace(tray, dice=Empty(over)))
    if over is not None and over.dice and all(die.moved is False for die in layout.dice):
        # The same dice, seen elsewhere by a camera that was moved.
        return Reached(replace(tray, dice=Empty(replace(over, dice=layout.dice))))
    if isinstance(left, PlayedRoll):
        before = left.result.layout
        is_there = lies_again(before, layout_of(rest, before)) or is_seen_in_part(before, layout)
        is_same = is_there and left.system == tray.table.system
        return Reached(replace(tray, dice=left.result), (Commit(),)) if is_same else None
    if left is not None and left.restored and len(layout.dice) == len(left.dice) and is_same_spread(left, layout):
        return Reached(replace(tray, dice=Empty(left)))
    return None


def _fresh_rest(tray: Tray, before: Empty | Rolling | Unscored, layout: Layout, number: int | None) -> Transition:
    unscored = before if isinstance(before, Unscored) else None
    if layout.dice:
        cleared = unscored is not None and _is_being_cleared(tray.table.pool, unscored, layout)
        return ScoreFirst(tray, layout, number, before=unscored, only_result=cleared)
    if unscored is not None and not unscored.layout.dice and tray.table.typed:
        return Reached(tray)
    left = None
    if not isinstance(before, Unscored) and not (isinstance(before, Rolling) and before.is_thrown):
        left = before.left or before.over
    after = replace(tray, dice=Empty(troubles=picture_troubles(layout), left=left))
    return Reached(after, () if unscored is None else (Commit(),))


def _is_being_cleared(pool: Pool | None, before: Unscored, layout: Layout) -> bool:
    """Return whether dice that could not be scored are being taken out, which changes nothing until all are out."""
    too_many = pool is not None and len(before.layout.dice) > pool.total
    fewer = len(layout.dice) < len(before.layout.dice)
    return fewer and not too_many and is_same_spread(before.layout, layout)


def _rest_after_result(tray: Tray, result: Scored | Resolved, layout: Layout) -> Transition:
    """Handle dice at rest after a result: the same, fewer, a new roll, or a push without a press."""
    result = replace(result, layout=result.layout.seen_in(layout))
    if is_seen_in_part(result.layout, layout) or (layout.problems and len(layout.dice) < len(result.layout.dice)):
        return _kept(tray, result)
    is_there = lies_again(result.layout, layout)
    die_history = DieHistory.start(layout) if is_there else result.die_history.follow(result.layout, layout)
    again = pending_die(result.outcome) if isinstance(result, Scored) else None
    if again is not None and isinstance(result, Scored) and isinstance(tray.dice, Scored):
        continued = _continued(tray, result, again, layout, die_history)
        if continued is not None:
            return continued
    if not result.layout.dice:
        return _rest_with_typed(tray, result, layout)
    if not layout.dice:
        if {*result.die_history.only(Whereabouts.GONE)} == {die.id for die in result.layout.dice}:
            # An undo restored it while its dice were out: it stays until others are thrown.
            return _kept(tray, result)
        result = replace(result, moving=False, die_history=DieHistory.start(result.layout))
        after = replace(tray, dice=Empty(left=tray.played(result)), table=tray.table.for_next_roll)
        return Reached(after, (Commit(),))
    if any(die.contradicted for die in layout.dice):
        return ScoreFirst(tray, layout, result.number if isinstance(result, Scored) else None)
    if not die_history.has_throw:
        kept = replace(result, die_history=die_history)
        # Nudged dice are drawn at their new places; the result stays.
        if not die_history.only(Whereabouts.GONE) and result.layout.faces == layout.faces:
            kept = replace(kept, layout=result.layout.after_nudge(layout), die_history=DieHistory.start(layout))
        return _kept(tray, kept)
    thrown = die_history.only(Whereabouts.THROWN)
    if not thrown or not die_history.only(Whereabouts.LYING):
        return ScoreFirst(replace(tray, table=tray.table.for_next_roll), layout)
    dice = (*thrown, *die_history.added)
    if result.outcome.push.eligible:
        text = message("tray.problem.thrown_without_push")
        trouble = Issue(THROWN_WITHOUT_PUSH, text, dice)
    else:
        has_push = find_system(tray.table.system).has_push
        text = message("tray.problem.thrown_again") if has_push else message("tray.problem.thrown_again_in_part")
        trouble = Issue(ALREADY_PUSHED if result.pushes else result.outcome.push.reason.value, text, dice)
    return _kept(tray, ThrownWithoutPush(layout, (trouble,), result=replace(result, die_history=die_history)))


def _continued(tray: Tray, result: Scored, again: int, layout: Layout, die_history: DieHistory) -> Transition | None:
    """Continue with an exploding die; None if that is over and something else was thrown."""
    die = result.layout.die(again)
    if die is not None and die.value is not None and is_continued(again, result.layout, layout, die_history):
        earlier = (*(result.exploding.earlier if result.exploding is not None else ()), die.value)
        rolled = replace(tray, table=replace(tray.table, pool=result.pool))
        return ScoreFirst(rolled, layout, result.number, ExplodingDie(again, earlier), table_after=tray.table)
    if layout.dice or die_history.only(Whereabouts.GONE) != tuple(die.id for die in result.layout.dice):
        return None
    # The only die was picked up to be thrown again: the roll is not over.
    return _kept(tray, replace(result, die_history=die_history))


def _rest_while_exploding(
    tray: Tray, before: Unscored, exploding: ExplodingDie, layout: Layout, *, same: bool
) -> Transition:
    """Handle a rethrown die that could not be read: it may be laid flat or thrown once more."""
    goes_on = same or (
        len(layout.dice) == len(before.layout.dice) and shows_same_others(exploding.die_id, before.layout, layout)
    )
    if not goes_on:
        fewer = len(layout.dice) < len(before.layout.dice)
        return Reached(tray) if fewer else _fresh_rest(tray, before, layout, None)
    return ScoreFirst(tray, layout, before.number, exploding, before=before)


def _rest_with_typed(tray: Tray, result: Scored | Resolved, layout: Layout) -> Transition:
    """Handle a rest after a fully typed roll: no dice change nothing, dice join it or start a new one."""
    if not layout.dice:
        return _kept(tray, result)
    if isinstance(result, Scored):
        return ScoreFirst(tray, layout, result.number)
    return ScoreFirst(replace(tray, table=tray.table.for_next_roll), layout)


def _rest_in_push(tray: Tray, push: AwaitingPush, layout: Layout) -> Transition:
    """Handle dice at rest during a push: still being picked up, played wrong, unclear, or done."""
    push = replace(push, first=replace(push.first, layout=push.first.layout.seen_in(layout)))
    is_there = push.after is None and lies_again(push.first.layout, layout)
    die_history = DieHistory.start(layout) if is_there else push.die_history.follow(push.first.layout, layout)
    followed = replace(push, die_history=die_history)
    # A throw that returned every die to about its place and face looks like a nudge, so ask.
    may_be_thrown = push.to_throw <= {*die_history.only(Whereabouts.SHIFTED)}
    return ScorePush(tray, followed, layout) if die_history.has_throw or may_be_thrown else _kept(tray, followed)


def _kept(tray: Tray, dice: DiceState) -> Reached:
    """Return dice without a new result; write them only if they have changed."""
    return Reached(replace(tray, dice=dice), () if dice == tray.dice else (Commit(),))
