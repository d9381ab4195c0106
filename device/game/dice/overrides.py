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
    DiceState,
    Empty,
    Resolved,
    Rolling,
    Scored,
    Unclear,
    UnreadPush,
    Unscored,
    WithDice,
    lying_dice,
)
from device.game.state.table_state import Table
from device.game.state.transition import Reached, ScoreOverride, ScorePush, Transition
from device.game.state.tray import Tray
from device.message import message, word
from device.standard_tray import MAX_DICE_IN_TRAY
from rules.dice import BLANK


def correct_die(tray: Tray, event: DieCorrected | DieRestored) -> Transition:
    """Correct a die or undo its correction, and score again."""
    dice = tray.dice
    lying = _lying_dice(dice)
    die = None if lying is None else lying.die(event.die_id)
    if isinstance(dice, Empty | Rolling) or lying is None or die is None:
        return Reached(tray, (_unknown(event.die_id),))
    if isinstance(event, DieRestored):
        if die.is_unseen:
            removed = CorrectedDie(die.id, None, CorrectionKind.REMOVED)
            return ScoreOverride(tray, dice, lying.without(die.id), removed)
        word = None
    else:
        sides = event.sides or die.sides
        refused = _refused_word(tray.table, event.value, event.colour, sides)
        if refused is not None:
            return Reached(tray, (refused,))
        word = _merged(die.correction, event, None if sides == die.reading.sides else sides)
    if word == die.correction:
        return Reached(tray)
    return ScoreOverride(tray, dice, lying.with_correction(die.id, word), CorrectedDie(die.id, word))


def doubt_faces(tray: Tray, event: FacesForgotten) -> Transition:
    """Doubt the dice that were read by deleted faces, unless a push is half played, and score again."""
    lying = tray.dice
    if isinstance(lying, Empty | Rolling | AwaitingPush):
        return Reached(tray)
    doubted = {die.id for die in lying.layout.dice if (die.reading.colour, *_shown(die)) in event.faces}
    dice = tuple(replace(die, reading=unread(die.reading)) if die.id in doubted else die for die in lying.layout.dice)
    layout = replace(lying.layout, dice=dice)
    uncorrected = [die.id for die in dice if die.id in doubted and die.value is None]
    if uncorrected:
        return ScoreOverride(tray, lying, layout, CorrectedDie(uncorrected[0], None))
    return Reached(replace(tray, dice=replace(lying, layout=layout)), (Commit(),) if doubted else ())


def _shown(die: LyingDie) -> tuple[int, int | None]:
    return die.reading.sides, None if die.reading.unread else die.reading.value


def _refused_word(table: Table, value: int | None, colour: str | None, sides: int) -> Refuse | None:
    """Return why no die with so many sides can show this value or colour class; None if one can."""
    if colour is not None and colour not in table.colour_classes:
        classes = [word(one) for one in table.colour_classes]
        return Refuse("unknown_colour", message("tray.refused.colour", colour=word(colour), classes=classes))
    if value is not None and not (1 <= value <= sides or (value == BLANK and sides == 6)):
        return Refuse("bad_value", message("tray.refused.face", die=f"d{sides}", value=value, sides=sides))
    return None


def _lying_dice(dice: DiceState) -> Layout | None:
    """Return the dice that can be corrected; None if there are none."""
    return None if isinstance(dice, Empty | Rolling) else lying_dice(dice)


def _merged(before: Correction | None, event: DieCorrected, sides: int | None) -> Correction | None:
    stays = before is not None and event.value is None and event.sides is None
    value = before.value if before is not None and stays else event.value
    colour = event.colour if event.colour is not None or before is None else before.colour
    return None if (value, colour, sides) == (None, None, None) else Correction(value, colour, sides)


def settle_doubt(tray: Tray, event: DieDismissed | DieAdded | DiceConfirmed) -> Transition:
    """Confirm what is in doubt, and score again."""
    match event:
        case DieDismissed(ignored=True):
            return _dismissed(tray, event.die_id)
        case DieDismissed():
            return _taken_back(tray, event.die_id)
        case DieAdded():
            return _added(tray, event)
        case DiceConfirmed():
            return _confirmed(tray)


def may_confirm(dice: DiceState) -> bool:
    """Return whether one tap settles all doubts: about the picture, a throw, or a single manual die."""
    match dice:
        case AwaitingPush():
            return bool(dice.unsure)
        case Scored() | Resolved():
            return bool(camera_troubles(dice.layout))
        case Empty() | Rolling():
            return False
        case _:
            is_unsure = bool(dice.layout.dice) and bool(picture_troubles(dice.layout))
            return _may_be_more(dice) or (is_unsure and _unread_die(dice.layout) is None)


def _may_be_more(dice: DiceState) -> bool:
    return isinstance(dice, Unclear) and {trouble.code for trouble in dice.troubles} == {MAYBE_MORE}


def _dismissed(tray: Tray, die_id: int) -> Transition:
    dice = tray.dice
    layout = _lying_dice(dice)
    die = None if layout is None else layout.die(die_id)
    if isinstance(dice, Empty | Rolling) or layout is None or die is None:
        if layout is not None and layout.ignored_die(die_id) is not None:
            return Reached(tray)
        return Reached(tray, (_unknown(die_id),))
    if die.is_unseen:
        return ScoreOverride(tray, dice, layout.without(die_id), CorrectedDie(die_id, None, CorrectionKind.REMOVED))
    word = CorrectedDie(die_id, None, CorrectionKind.NO_DIE, die.reading)
    return ScoreOverride(tray, dice, layout.without(die_id), word)


def _taken_back(tray: Tray, die_id: int) -> Transition:
    dice = tray.dice
    layout = dice.over if isinstance(dice, Empty) else _lying_dice(dice)
    if isinstance(dice, Rolling) or layout is None or layout.ignored_die(die_id) is None:
        lies = layout is not None and not isinstance(dice, Empty) and layout.die(die_id) is not None
        return Reached(tray, () if lies else (_unknown(die_id),))
    word = CorrectedDie(die_id, None, CorrectionKind.A_DIE)
    return ScoreOverride(tray, _with_dice(dice, layout), layout.with_ignored(die_id), word)


def _added(tray: Tray, event: DieAdded) -> Transition:
    dice = tray.dice
    refused = _refused_word(tray.table, event.value, event.colour, event.sides)
    if refused is not None:
        return Reached(tray, (refused,))
    layout = _pointed_at(dice, event)
    if isinstance(dice, Rolling) or layout is None:
        return Reached(tray, (Refuse("rolling", message("tray.refused.still_move")),))
    refused = _refused_place(layout, event)
    if refused is not None:
        return Reached(tray, (refused,))
    word = Correction(event.value, event.colour, None if event.sides == 6 else event.sides)
    push = dice.push if isinstance(dice, UnreadPush) else dice
    known = [die.id for die in push.first.layout.dice] if isinstance(push, AwaitingPush) else []
    die = added_die(layout, event.center_px, word, known)
    corrected = CorrectedDie(die.id, word, CorrectionKind.ADDED)
    after = layout.with_added(die)
    if isinstance(dice, AwaitingPush) and dice.after is None and dice.die_history.only(Whereabouts.GONE):
        # Dice are in the hand, or back but not seen yet: this is one of those that came back.
        return ScorePush(tray, dice, after, corrected)
    return ScoreOverride(tray, _with_dice(dice, after), after, corrected)


def _with_dice(dice: Empty | WithDice, layout: Layout) -> WithDice:
    """Return the dice to correct; a tray that seemed empty has dice in it after all."""
    return Unscored(layout, ()) if isinstance(dice, Empty) else dice


def _refused_place(layout: Layout, event: DieAdded) -> Refuse | None:
    """Return why no die can lie there; None if one can."""
    x, y = event.center_px
    if not (0 <= x < layout.width_px and 0 <= y < layout.height_px):
        size = f"{layout.width_px} x {layout.height_px}"
        return Refuse("outside_picture", message("tray.refused.outside", x=f"{x:g}", y=f"{y:g}", size=size))
    if len(layout.dice) >= MAX_DICE_IN_TRAY:
        return Refuse("too_many_dice", message("tray.refused.too_many", most=MAX_DICE_IN_TRAY))
    there = next((die for die in layout.dice if _covers(die, event)), None)
    return None if there is None else Refuse("die_there", message("tray.refused.die_there", die=there.id))


def _pointed_at(dice: DiceState, event: DieAdded) -> Layout | None:
    match dice:
        case Rolling():
            return None
        case Empty(over=over):
            ignored = () if over is None or over.dice else over.ignored
            return Layout((), event.width_px, event.height_px, ignored=ignored)
        case AwaitingPush(after=None):
            layout, gone = dice.first.layout, dice.die_history.only(Whereabouts.GONE)
            return replace(layout, dice=tuple(die for die in layout.dice if die.id not in gone))
        case _:
            lying = lying_dice(dice)
            # A roll that was typed in has no picture: then the point refers to the one on the page.
            return lying if lying.width_px else replace(lying, width_px=event.width_px, height_px=event.height_px)


def _covers(die: LyingDie, event: DieAdded) -> bool:
    return dist(die.reading.center_px, event.center_px) <= SAME_PLACE_EDGES * max(die.edge_px, 1.0)


def _confirmed(tray: Tray) -> Transition:
    dice = tray.dice
    if isinstance(dice, AwaitingPush) and dice.after is not None and dice.unsure:
        push = replace(dice, die_history=dice.die_history.with_thrown(dice.unsure))
        return ScorePush(tray, push, dice.after, CorrectedDie(None, None, CorrectionKind.THROWN))
    layout = _lying_dice(dice)
    word = CorrectedDie(None, None, CorrectionKind.CONFIRMED)
    if isinstance(dice, Empty | Rolling) or layout is None or not (layout.dice or _may_be_more(dice)):
        return Reached(tray, (Refuse("nothing_to_confirm", message("tray.refused.none_to_confirm")),))
    if not _may_be_more(dice):
        unread = _unread_die(layout)
        if unread is not None:
            return Reached(tray, (Refuse("die_unread", message("tray.refused.die_unread", die=unread)),))
        if not picture_troubles(layout) and not camera_troubles(layout):
            return Reached(tray)
    return ScoreOverride(tray, dice, replace(layout, confirmed=True), word)


def _unread_die(layout: Layout) -> int | None:
    """Return the id of the first die without a known value or colour; None if there is none."""
    return next((face.id for face in layout.faces if face.value is None or face.colour is None), None)


def _unknown(die_id: int) -> Refuse:
    return Refuse("unknown_die", message("tray.refused.no_die", die=die_id))
