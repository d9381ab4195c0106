"""Corrections by a person: what a die shows, that something is not a die, that a die was missed, that all is right."""

from dataclasses import replace
from math import dist

from device.game.dice.role_mapping import camera_troubles, picture_troubles
from device.game.state.die_history import Whereabouts
from device.game.state.effects import Commit, CorrectedDie, CorrectionKind, Refuse
from device.game.state.events import DiceConfirmed, DieAdded, DieCorrected, DieDismissed, DieRestored, FacesForgotten
from device.game.state.known_dice import unread
from device.game.state.layout import SAME_PLACE_EDGES, Correction, Layout, LyingDie, added_die
from device.game.state.problems import MAYBE_MORE
from device.game.state.states import (
    AwaitingPush,
    Empty,
    Playing,
    Resolved,
    Rolling,
    Scored,
    Unclear,
    UnreadPush,
    Unscored,
    WithDice,
)
from device.game.state.table_state import Table
from device.game.state.transition import Reached, ScoreOverride, ScorePush, Transition
from device.standard_tray import MAX_DICE_IN_TRAY
from device.texts.catalogue import translate, word
from rules.dice import BLANK


def correct_die(state: Playing, event: DieCorrected | DieRestored) -> Transition:
    """Correct a die or undo its correction, and score again."""
    lying = _lying_dice(state)
    die = None if lying is None else lying.die(event.die_id)
    if isinstance(state, Empty | Rolling) or lying is None or die is None:
        return Reached(state, (_unknown(event.die_id),))
    if isinstance(event, DieRestored):
        if die.is_unseen:
            removed = CorrectedDie(die.id, None, CorrectionKind.REMOVED)
            return ScoreOverride(state, lying.without(die.id), removed)
        word = None
    else:
        sides = event.sides or die.sides
        refused = _refused_word(state.table, event.value, event.colour, sides)
        if refused is not None:
            return Reached(state, (refused,))
        word = _merged(die.correction, event, None if sides == die.reading.sides else sides)
    if word == die.correction:
        return Reached(state)
    return ScoreOverride(state, lying.with_correction(die.id, word), CorrectedDie(die.id, word))


def doubt_faces(state: Playing, event: FacesForgotten) -> Transition:
    """Doubt the dice that were read by deleted faces, unless a push is half played, and score again."""
    if isinstance(state, Empty | Rolling | AwaitingPush):
        return Reached(state)
    doubted = {die.id for die in state.layout.dice if (die.reading.colour, *_shown(die)) in event.faces}
    dice = tuple(replace(die, reading=unread(die.reading)) if die.id in doubted else die for die in state.layout.dice)
    layout = replace(state.layout, dice=dice)
    uncorrected = [die.id for die in dice if die.id in doubted and die.value is None]
    if uncorrected:
        return ScoreOverride(state, layout, CorrectedDie(uncorrected[0], None))
    return Reached(replace(state, layout=layout), (Commit(),) if doubted else ())


def _shown(die: LyingDie) -> tuple[int, int | None]:
    return die.reading.sides, None if die.reading.unread else die.reading.value


def _refused_word(table: Table, value: int | None, colour: str | None, sides: int) -> Refuse | None:
    """Return why no die with so many sides can show this value or colour class; None if one can."""
    if colour is not None and colour not in table.colour_classes:
        classes = [word(one) for one in table.colour_classes]
        return Refuse("unknown_colour", translate("tray.refused.colour", colour=word(colour), classes=classes))
    if value is not None and not (1 <= value <= sides or (value == BLANK and sides == 6)):
        return Refuse("bad_value", translate("tray.refused.face", die=f"d{sides}", value=value, sides=sides))
    return None


def _lying_dice(state: Playing) -> Layout | None:
    """Return the dice that can be corrected; None if there are none."""
    match state:
        case Empty() | Rolling():
            return None
        case AwaitingPush():
            return state.after or state.first.layout
        case _:
            return state.layout


def _merged(before: Correction | None, event: DieCorrected, sides: int | None) -> Correction | None:
    stays = before is not None and event.value is None and event.sides is None
    value = before.value if before is not None and stays else event.value
    colour = event.colour if event.colour is not None or before is None else before.colour
    return None if (value, colour, sides) == (None, None, None) else Correction(value, colour, sides)


def settle_doubt(state: Playing, event: DieDismissed | DieAdded | DiceConfirmed) -> Transition:
    """Confirm what is in doubt, and score again."""
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
    """Return whether one tap settles all doubts: about the picture, a throw, or a single manual die."""
    if isinstance(state, AwaitingPush):
        return bool(state.unsure)
    if isinstance(state, Scored | Resolved):
        return bool(camera_troubles(state.layout))
    if _is_asked_for_more(state):
        return True
    return (
        isinstance(state, Unclear)
        and bool(state.layout.dice)
        and bool(picture_troubles(state.layout))
        and _unread_die(state.layout) is None
    )


def _is_asked_for_more(state: Playing) -> bool:
    return isinstance(state, Unclear) and {trouble.code for trouble in state.troubles} == {MAYBE_MORE}


def _dismissed(state: Playing, die_id: int) -> Transition:
    layout = _lying_dice(state)
    die = None if layout is None else layout.die(die_id)
    if isinstance(state, Empty | Rolling) or layout is None or die is None:
        if layout is not None and layout.ignored_die(die_id) is not None:
            return Reached(state)
        return Reached(state, (_unknown(die_id),))
    if die.is_unseen:
        return ScoreOverride(state, layout.without(die_id), CorrectedDie(die_id, None, CorrectionKind.REMOVED))
    word = CorrectedDie(die_id, None, CorrectionKind.NO_DIE, die.reading)
    return ScoreOverride(state, layout.without(die_id), word)


def _taken_back(state: Playing, die_id: int) -> Transition:
    layout = state.over if isinstance(state, Empty) else _lying_dice(state)
    if isinstance(state, Rolling) or layout is None or layout.ignored_die(die_id) is None:
        lies = layout is not None and not isinstance(state, Empty) and layout.die(die_id) is not None
        return Reached(state, () if lies else (_unknown(die_id),))
    return _overridden(state, layout, layout.with_ignored(die_id), CorrectedDie(die_id, None, CorrectionKind.A_DIE))


def _added(state: Playing, event: DieAdded) -> Transition:
    refused = _refused_word(state.table, event.value, event.colour, event.sides)
    if refused is not None:
        return Reached(state, (refused,))
    layout = _pointed_at(state, event)
    if isinstance(state, Rolling) or layout is None:
        return Reached(state, (Refuse("rolling", translate("tray.refused.still_move")),))
    refused = _refused_place(layout, event)
    if refused is not None:
        return Reached(state, (refused,))
    word = Correction(event.value, event.colour, None if event.sides == 6 else event.sides)
    push = state.pushed if isinstance(state, UnreadPush) else state
    known = [die.id for die in push.first.layout.dice] if isinstance(push, AwaitingPush) else []
    die = added_die(layout, event.center_px, word, known)
    corrected = CorrectedDie(die.id, word, CorrectionKind.ADDED)
    after = layout.with_added(die)
    if isinstance(state, AwaitingPush) and state.after is None and state.die_history.only(Whereabouts.GONE):
        # Dice are in the hand, or back but not seen yet: this is one of those that came back.
        return ScorePush(state, after, corrected)
    return _overridden(state, after, after, corrected)


def _overridden(
    state: Empty | WithDice,
    before: Layout,
    after: Layout,
    word: CorrectedDie,
) -> Transition:
    """Score corrected dice; a tray that seemed empty now has dice in it."""
    lying = Unscored(state.table, before, ()) if isinstance(state, Empty) else state
    return ScoreOverride(lying, after, word)


def _refused_place(layout: Layout, event: DieAdded) -> Refuse | None:
    """Return why no die can lie there; None if one can."""
    x, y = event.center_px
    if not (0 <= x < layout.width_px and 0 <= y < layout.height_px):
        size = f"{layout.width_px} x {layout.height_px}"
        return Refuse("outside_picture", translate("tray.refused.outside", x=f"{x:g}", y=f"{y:g}", size=size))
    if len(layout.dice) >= MAX_DICE_IN_TRAY:
        return Refuse("too_many_dice", translate("tray.refused.too_many", most=MAX_DICE_IN_TRAY))
    there = next((die for die in layout.dice if _covers(die, event)), None)
    return None if there is None else Refuse("die_there", translate("tray.refused.die_there", die=there.id))


def _pointed_at(state: Playing, event: DieAdded) -> Layout | None:
    match state:
        case Rolling():
            return None
        case Empty():
            ignored = () if state.over is None or state.over.dice else state.over.ignored
            return Layout((), event.width_px, event.height_px, ignored=ignored)
        case AwaitingPush(after=None):
            layout, gone = state.first.layout, state.die_history.only(Whereabouts.GONE)
            return replace(layout, dice=tuple(die for die in layout.dice if die.id not in gone))
        case _:
            lying = _lying_dice(state)
            if lying is None or lying.width_px:
                return lying
            # The roll was typed in, so it has no picture: the point refers to the one on the page.
            return replace(lying, width_px=event.width_px, height_px=event.height_px)


def _covers(die: LyingDie, event: DieAdded) -> bool:
    return dist(die.reading.center_px, event.center_px) <= SAME_PLACE_EDGES * max(die.edge_px, 1.0)


def _confirmed(state: Playing) -> Transition:
    if isinstance(state, AwaitingPush) and state.after is not None and state.unsure:
        push = replace(state, die_history=state.die_history.with_thrown(state.unsure))
        return ScorePush(push, state.after, CorrectedDie(None, None, CorrectionKind.THROWN))
    layout = _lying_dice(state)
    if isinstance(state, Unclear) and _is_asked_for_more(state):
        word = CorrectedDie(None, None, CorrectionKind.CONFIRMED)
        return ScoreOverride(state, replace(state.layout, confirmed=True), word)
    if isinstance(state, Empty | Rolling) or layout is None or not layout.dice:
        return Reached(state, (Refuse("nothing_to_confirm", translate("tray.refused.none_to_confirm")),))
    unread = _unread_die(layout)
    if unread is not None:
        return Reached(state, (Refuse("die_unread", translate("tray.refused.die_unread", die=unread)),))
    if not picture_troubles(layout) and not camera_troubles(layout):
        return Reached(state)
    word = CorrectedDie(None, None, CorrectionKind.CONFIRMED)
    return ScoreOverride(state, replace(layout, confirmed=True), word)


def _unread_die(layout: Layout) -> int | None:
    """Return the id of the first die without a known value or colour; None if there is none."""
    return next((face.id for face in layout.faces if face.value is None or face.colour is None), None)


def _unknown(die_id: int) -> Refuse:
    return Refuse("unknown_die", translate("tray.refused.no_die", die=die_id))
