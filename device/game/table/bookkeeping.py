"""Update the table after every step: campaign, extended test, sheet, and whose roll it is. Pure."""

from collections.abc import Mapping
from dataclasses import replace

from device.body import Body
from device.game.dice.role_mapping import end_roll
from device.game.state.effects import Command, Commit, LogRow, RollNotes
from device.game.state.states import Empty, Resolved, Rolling, Scored
from device.game.state.transition import Reached
from device.game.state.tray import Tray
from device.game.table import extended_tests, sheet_effects
from device.game.table.linked_rolls import linked_rolls_json, settled
from device.game.table.roll_requests import with_waiting_prepared
from rules.system import find_system


def update_campaign(before: Tray, reached: Reached) -> Reached:
    noted = _with_result_noted(reached.tray)
    after = _with_comparisons(noted)
    commands = tuple(_with_owners(command, after) for command in reached.commands)
    if after.campaign.requests.waiting:
        after = with_waiting_prepared(before, after)
    after = _with_turns(before, after)
    has_commit = any(isinstance(command, Commit) for command in commands)
    return Reached(after, commands if after is noted or has_commit else (*commands, Commit()))


def _with_result_noted(tray: Tray) -> Tray:
    """Add the current result to the extended test, and to the sheet if that is automatic."""
    campaign = tray.campaign
    is_noted = campaign.running_test is not None or campaign.sheets or campaign.prepared is not None
    if not is_noted or not isinstance(tray.dice, Scored | Resolved) or tray.has_hidden_result:
        return tray
    if campaign.running_test is not None:
        campaign = replace(
            campaign, running_test=extended_tests.with_result(campaign.running_test, tray.dice, tray.table)
        )
    campaign = sheet_effects.with_result(campaign, tray.played(tray.dice))
    return tray if campaign == tray.campaign else replace(tray, campaign=campaign)


def _with_comparisons(tray: Tray) -> Tray:
    if not tray.campaign.requests.linked:
        return tray
    requests = settled(tray.campaign.requests, tray)
    return (
        tray
        if requests == tray.campaign.requests
        else replace(tray, campaign=replace(tray.campaign, requests=requests))
    )


def _with_owners(command: Command, tray: Tray) -> Command:
    if not isinstance(command, Commit):
        return command
    return replace(command, rows=tuple(_with_owner(row, tray) for row in command.rows))


def _with_owner(row: LogRow, tray: Tray) -> LogRow:
    requests = tray.campaign.requests
    one = requests.of_roll(row.roll_number)
    if one is None:
        return row
    met: bool | None = None
    by: int | None = None
    if row.outcome is not None and one.aim:
        met, by = row.outcome.success, find_system(row.system).margin(row.outcome.facts, row.context)
    linked = next((each for each in requests.linked if each.id == one.linked), None)
    compared: Mapping[str, object] | None = None
    if linked is not None and linked.is_done:
        rulings = tray.table.rulings.get(linked.system, {})
        compared = {**linked_rolls_json(linked, rulings, None), "hidden": linked.is_hidden}
    about: Body = {
        "id": one.id,
        "thrower": one.thrower,
        "aim": dict(one.aim),
        "met": met,
        "by": by,
        "together": compared,
    }
    return replace(row, notes=RollNotes(owner=one.owner, label=one.label), request=about, hidden=one.hidden)


def _with_turns(before: Tray, after: Tray) -> Tray:
    """Make the next request current when the scored dice of the current one are taken out."""
    was = before.dice
    is_cleared = isinstance(after.dice, Empty) and not isinstance(was, Empty)
    # If an earlier roll's dice are removed for a throw in progress, its dice may already be declared.
    if not is_cleared or (isinstance(was, Rolling) and was.is_thrown and was.over is not None):
        return after
    requests = after.campaign.requests
    is_over = requests.current is not None and requests.for_roll < after.table.next_roll
    is_free = requests.current is None and bool(requests.waiting)
    if not is_over and not is_free:
        return after
    return _with_comparisons(end_roll(after, after.table.next_roll - 1))
