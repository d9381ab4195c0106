"""What settles a doubt that is about no single face: no die there, a die that the camera missed, all dice are right."""

from dataclasses import replace
from math import dist

from device.game.dice.corrections import lying_dice, refused_word, row_in_push, take_word
from device.game.dice.rest_transitions import PlayStep, judge_thrown
from device.game.dice.role_mapping import picture_troubles
from device.game.state.die_history import Whereabouts
from device.game.state.effects import CorrectedDie, Refuse, Word
from device.game.state.events import DiceConfirmed, DieAdded, DieDismissed
from device.game.state.layout import SAME_PLACE_EDGES, Correction, Layout, LyingDie, added_die
from device.game.state.states import AwaitingPush, Empty, Playing, Rolling, Unclear

MOST_DICE = 40
"""More dice than that do not lie in a tray; as many may be declared."""


def settle_doubt(state: Playing, event: DieDismissed | DieAdded | DiceConfirmed) -> PlayStep:
    """Take a person's word; the outcome follows at once."""
    match event:
        case DieDismissed(ignored=True):
            return _dismissed(state, event.die_id)
        case DieDismissed():
            return _taken_back(state, event.die_id)
        case DieAdded():
            return _added(state, event)
        case DiceConfirmed():
            return _confirmed(state)


def may_confirm(state: Playing) -> bool:
    """Whether one word settles all that is in doubt: every die has value and colour, and only the picture is bad."""
    return isinstance(state, Unclear) and _is_all_read(state.layout) and bool(picture_troubles(state.layout))


def _dismissed(state: Playing, die_id: int) -> PlayStep:
    layout = lying_dice(state)
    die = None if layout is None else layout.die(die_id)
    if layout is None or die is None:
        if layout is not None and layout.ignored_die(die_id) is not None:
            return state, ()
        return state, (_unknown(die_id),)
    if die.is_unseen:
        return take_word(state, layout.without(die_id), CorrectedDie(die_id, None, Word.REMOVED))
    return take_word(state, layout.without(die_id), CorrectedDie(die_id, None, Word.NO_DIE, die.reading))


def _taken_back(state: Playing, die_id: int) -> PlayStep:
    layout = state.over if isinstance(state, Empty) else lying_dice(state)
    if layout is None or layout.ignored_die(die_id) is None:
        lies = layout is not None and not isinstance(state, Empty) and layout.die(die_id) is not None
        return state, (() if lies else (_unknown(die_id),))
    word = CorrectedDie(die_id, None, Word.A_DIE)
    if isinstance(state, Empty):
        return take_word(Unclear(state.table, layout, ()), layout.with_ignored(die_id), word)
    return take_word(state, layout.with_ignored(die_id), word)


def _added(state: Playing, event: DieAdded) -> PlayStep:
    refused = refused_word(state.table, event.value, event.colour)
    if refused is not None:
        return state, (refused,)
    layout = _pointed_at(state, event)
    if layout is None:
        text = "Dice still move: wait until they lie still, then point at the one that is missing."
        return state, (Refuse("rolling", text),)
    x, y = event.center_px
    if not (0 <= x < layout.width_px and 0 <= y < layout.height_px):
        size = f"{layout.width_px} x {layout.height_px}"
        return state, (Refuse("outside_picture", f"({x:g}, {y:g}) lies outside the picture of {size}: tap inside it."),)
    if len(layout.dice) >= MOST_DICE:
        return state, (Refuse("too_many_dice", f"{MOST_DICE} dice lie there already: take one out first."),)
    there = next((die for die in layout.dice if _covers(die, event)), None)
    if there is not None:
        return state, (Refuse("die_there", f"Die {there.id} is known to lie there: correct that one."),)
    word = Correction(event.value, event.colour)
    push = state.pushed if isinstance(state, Unclear) else state
    known = [die.id for die in push.first.layout.dice] if isinstance(push, AwaitingPush) else []
    die = added_die(layout, event.center_px, word, known)
    return _judged(state, layout.with_added(die), CorrectedDie(die.id, word, Word.ADDED))


def _judged(state: Playing, layout: Layout, word: CorrectedDie) -> PlayStep:
    match state:
        case Empty():
            return take_word(Unclear(state.table, layout, ()), layout, word)
        case AwaitingPush(after=None) if state.trail.only(Whereabouts.GONE):
            # Dice are in the hand, or back already and not seen: this is one of those that came back.
            return judge_thrown(state, layout, (row_in_push(state, layout, word),))
        case _:
            return take_word(state, layout, word)


def _pointed_at(state: Playing, event: DieAdded) -> Layout | None:
    match state:
        case Rolling():
            return None
        case Empty():
            ignored = () if state.over is None or state.over.dice else state.over.ignored
            return Layout((), event.width_px, event.height_px, ignored=ignored)
        case AwaitingPush(after=None):
            layout, gone = state.first.layout, state.trail.only(Whereabouts.GONE)
            return replace(layout, dice=tuple(die for die in layout.dice if die.id not in gone))
        case _:
            lying = lying_dice(state)
            if lying is None or lying.width_px:
                return lying
            # The roll was typed in, without a picture: the point lies in the one that the page shows.
            return replace(lying, width_px=event.width_px, height_px=event.height_px)


def _covers(die: LyingDie, event: DieAdded) -> bool:
    return dist(die.reading.center_px, event.center_px) <= SAME_PLACE_EDGES * max(die.edge_px, 1.0)


def _confirmed(state: Playing) -> PlayStep:
    layout = lying_dice(state)
    if layout is None or not layout.dice:
        return state, (Refuse("nothing_to_confirm", "No dice lie there that could be confirmed."),)
    if not _is_all_read(layout):
        unread = next(die for die in layout.dice if die.value is None or die.colour is None)
        text = f"Die {unread.id} has no value or no colour yet: tap it and say which."
        return state, (Refuse("die_unread", text),)
    if layout.confirmed or not picture_troubles(layout):
        return state, ()
    return take_word(state, replace(layout, confirmed=True), CorrectedDie(None, None, Word.CONFIRMED))


def _is_all_read(layout: Layout) -> bool:
    return bool(layout.dice) and all(die.value is not None and die.colour is not None for die in layout.dice)


def _unknown(die_id: int) -> Refuse:
    return Refuse("unknown_die", f"No die {die_id} lies in the tray: reload the page.")
