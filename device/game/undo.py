"""Undo: which presses can be undone, their names, and the restored tray. Pure."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final

from device.game.state.campaign import Campaign, FiledSheet
from device.game.state.die_history import DieHistory
from device.game.state.effects import Command, Commit, ForgetDice, GivenRoll
from device.game.state.events import (
    DiceConfirmed,
    DiceCorrected,
    DieAdded,
    DieCorrected,
    DieDismissed,
    DieRestored,
    Event,
    PressUndone,
    PushPressed,
    ResetPressed,
    SystemChosen,
)
from device.game.state.known_dice import restored
from device.game.state.layout import Layout
from device.game.state.states import DiceState, Empty, Resolved, Rolling, Scored, Unscored, standing_still
from device.game.state.table_events import (
    ClockRemoved,
    ConsequencesWaived,
    ExtendedTestEnded,
    RolesChosen,
    RollGiven,
    RollPrepared,
    RollRequestDropped,
    RulingsChosen,
    SheetRemoved,
    TypedDieRemoved,
)
from device.game.state.tray import Tray
from device.message import Message, message

NOTHING_TO_UNDO: Final = "nothing_to_undo"

_NAMES: Final[Mapping[type[Event], str]] = {
    ResetPressed: "reset",
    PushPressed: "push",
    RollPrepared: "prepare",
    SystemChosen: "system",
    RulingsChosen: "rulings",
    RolesChosen: "rulings",
    DieCorrected: "correct",
    DiceCorrected: "correct",
    DieRestored: "correct",
    DieDismissed: "correct",
    DieAdded: "correct",
    DiceConfirmed: "correct",
    TypedDieRemoved: "correct",
    SheetRemoved: "sheet",
    ClockRemoved: "clock",
    RollRequestDropped: "asked",
    RollGiven: "given",
    ConsequencesWaived: "waived",
    ExtendedTestEnded: "test",
}
"""The action of each event that can be undone."""


def undoable(
    event: Event, before: Tray, after: Tray, commands: tuple[Command, ...]
) -> tuple[str, Message, PressUndone] | None:
    """Return an event's undo: its action, its name for people, and the event; None if it cannot be undone."""
    action = _NAMES.get(type(event))
    if action is None:
        return None
    was, now = replace(before, fault=None), replace(after, fault=None)
    if was == now:
        return None
    forgot = any(isinstance(command, ForgetDice) for command in commands)
    wrote = any(isinstance(command, Commit) and command.rows for command in commands)
    given = GivenRoll(event.roll, event.was) if isinstance(event, RollGiven) else None
    label = message(f"tray.undo.{action}", what=_what(event, was.campaign))
    return action, label, PressUndone(was, now, forgot=forgot, wrote=wrote, given=given)


def _what(event: Event, campaign: Campaign) -> str:
    match event:
        case SheetRemoved():
            return campaign.find(event.sheet_id).title
        case ClockRemoved():
            return campaign.clocks.find(event.clock_id).name
        case RollGiven():
            return str(event.roll)
        case _:
            return ""


def tray_undone(now: Tray, press: PressUndone) -> Tray | None:
    """Return the tray with a press undone; None if it is too late."""
    before, after = press.before, press.after
    campaign = _campaign_undone(now.campaign, before.campaign, after.campaign)
    changes = _put_back(now.table, before.table, after.table, but=("next_roll",))
    if campaign is None or changes is None:
        return None
    undone = replace(now, table=replace(now.table, **changes), campaign=campaign)
    if undone.table.system != now.table.system and not _stands(now, after):
        return None  # the dice that were thrown since are scored by the other rules
    is_same = standing_still(before.dice) == standing_still(after.dice)
    if is_same or not (_has_dice(before.dice) or _has_dice(after.dice)):
        return undone
    if not _stands(now, after):
        return None
    dice = before.dice
    if isinstance(dice, Unscored) and dice.number is None and isinstance(after.dice, Scored):
        # The log already has its number.
        dice = replace(dice, number=after.dice.number)
    return replace(undone, dice=_as_it_lies(restored(dice), now.dice) if press.forgot else dice)


def is_out(dice: DiceState) -> bool:
    """Return whether the tray was seen empty since a press ended the roll."""
    return isinstance(dice, Empty | Rolling) and dice.left is not None


def _has_dice(dice: DiceState) -> bool:
    return not isinstance(dice, Empty | Rolling)


def _stands(now: Tray, after: Tray) -> bool:
    """Return whether nothing has been thrown since a press."""
    if isinstance(after.dice, Empty):
        is_same = isinstance(now.dice, Empty) or (isinstance(now.dice, Rolling) and not now.dice.is_thrown)
        return is_same and now.table.next_roll == after.table.next_roll
    return standing_still(now.dice) == standing_still(after.dice)


def _as_it_lies(dice: DiceState, now: DiceState) -> DiceState:
    if isinstance(dice, Scored | Resolved) and is_out(now):
        layout = dice.layout
        gone = DieHistory.start(layout).follow(layout, Layout((), layout.width_px, layout.height_px))
        dice = replace(dice, die_history=gone)
    if isinstance(now, Rolling) and not isinstance(dice, Empty | Rolling):
        dice = replace(dice, moving=True)
    return dice


def _campaign_undone(now: Campaign, before: Campaign, after: Campaign) -> Campaign | None:
    if before == after:
        return now
    sheets = _sheets_undone(now, before, after)
    changes = _put_back(now, before, after, but=("sheets", "next_sheet", "revision", "renamed"))
    if sheets is None or changes is None:
        return None
    renamed = now.renamed + (before.renamed != after.renamed)
    return replace(now, sheets=sheets, revision=now.revision + 1, renamed=renamed, **changes)


def _put_back(now: Any, before: Any, after: Any, but: tuple[str, ...]) -> dict[str, Any] | None:
    """Return the old values of the fields that a press changed; None if one has changed since."""
    names = [field.name for field in fields(before) if field.name not in but]
    changed = [name for name in names if getattr(before, name) != getattr(after, name)]
    if any(getattr(now, name) != getattr(after, name) for name in changed):
        return None
    return {name: getattr(before, name) for name in changed}


def _sheets_undone(now: Campaign, before: Campaign, after: Campaign) -> tuple[FiledSheet, ...] | None:
    was, left, here = ({one.id: one for one in campaign.sheets} for campaign in (before, after, now))
    changed = [one for one in was if was[one] != left.get(one)]
    if any(here.get(one) != left.get(one) for one in changed):
        return None
    return tuple(one for _, one in sorted({**here, **{one: was[one] for one in changed}}.items()))
