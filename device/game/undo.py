"""Undo: which presses can be undone, their names, and the restored state. Pure."""

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
from device.game.state.states import (
    AwaitingPush,
    Empty,
    Playing,
    Resolved,
    Rolling,
    Scored,
    State,
    Unclear,
    Unscored,
    standing_still,
    without_fault,
)
from device.game.state.table_events import (
    AskedRollDropped,
    ClockRemoved,
    ConsequencesWaived,
    ExtendedTestEnded,
    RolesChosen,
    RollGiven,
    RollPrepared,
    RulingsChosen,
    SheetRemoved,
    TypedDieRemoved,
)
from device.game.state.table_state import Table
from device.texts.catalogue import translate

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
    AskedRollDropped: "asked",
    RollGiven: "given",
    ConsequencesWaived: "waived",
    ExtendedTestEnded: "test",
}
"""The action of each event that can be undone."""


def undoable(
    event: Event, before: State, after: State, commands: tuple[Command, ...]
) -> tuple[str, str, PressUndone] | None:
    """Return an event's undo: its action, its name for people, and the event; None if it cannot be undone."""
    action = _NAMES.get(type(event))
    if action is None:
        return None
    was, now = without_fault(before), without_fault(after)
    if was == now:
        return None
    forgot = any(isinstance(command, ForgetDice) for command in commands)
    wrote = any(isinstance(command, Commit) and command.rows for command in commands)
    given = GivenRoll(event.roll, event.was) if isinstance(event, RollGiven) else None
    label = translate(f"tray.undo.{action}", what=_what(event, was.table.campaign))
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


def state_undone(now: Playing, press: PressUndone) -> Playing | None:
    """Return the state with a press undone; None if it is too late."""
    before, after = press.before, press.after
    table = _table_undone(now.table, before.table, after.table)
    if table is None:
        return None
    if _dice(before) == _dice(after) or not (_has_dice(before) or _has_dice(after)):
        return replace(now, table=table)
    if not _stands(now, after):
        return None
    if isinstance(before, Unscored) and before.number is None and isinstance(after, Scored):
        # The log already has its number.
        before = replace(before, number=after.number)
    state = replace(restored(before) if press.forgot else before, table=table)
    return _as_it_lies(state, now) if press.forgot else state


def is_out(state: Playing) -> bool:
    """Return whether the tray was seen empty since a press ended the roll."""
    return isinstance(state, Empty | Rolling) and state.left is not None


def _has_dice(state: Playing) -> bool:
    return not isinstance(state, Empty | Rolling)


def _dice(state: Playing) -> Playing:
    return replace(standing_still(state), table=_NO_TABLE)


_NO_TABLE: Final = Table("")


def _stands(now: Playing, after: Playing) -> bool:
    """Return whether nothing has been thrown since a press."""
    if isinstance(after, Empty):
        is_same = isinstance(now, Empty) or (isinstance(now, Rolling) and not now.is_thrown)
        return is_same and now.table.next_roll == after.table.next_roll
    return _dice(now) == _dice(after)


def _as_it_lies(state: Playing, now: Playing) -> Playing:
    if isinstance(state, Scored | Resolved) and is_out(now):
        layout = state.layout
        gone = DieHistory.start(layout).follow(layout, Layout((), layout.width_px, layout.height_px))
        state = replace(state, die_history=gone)
    if isinstance(now, Rolling) and isinstance(state, Scored | Resolved | Unclear | AwaitingPush):
        state = replace(state, moving=True)
    return state


def _table_undone(now: Table, before: Table, after: Table) -> Table | None:
    campaign = _campaign_undone(now.campaign, before.campaign, after.campaign)
    changes = _put_back(now, before, after, but=("campaign", "next_roll"))
    return None if campaign is None or changes is None else replace(now, campaign=campaign, **changes)


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
