"""Update the table after every step: campaign, extended test, sheet, and whose roll it is. Pure."""

from dataclasses import replace

from device.game.dice.role_mapping import end_roll
from device.game.state.effects import Command, Commit, LogRow, RollNotes
from device.game.state.states import Empty, Playing, Resolved, Rolling, Scored, has_hidden_result
from device.game.state.table_state import Table
from device.game.state.transition import Reached
from device.game.table import extended_tests, sheet_effects
from device.game.table.asked_rolls import with_waiting_prepared
from device.game.table.linked_rolls import linked_rolls_json, settled
from rules.system import Facts, JsonValue, find_system


def update_campaign(before: Playing, reached: Reached, *, is_of_table: bool) -> Reached:
    """Update what the table keeps.

    Args:
        is_of_table: The event changed the table's own choices, which events of dice must not undo, as falling back on
            an earlier result would.
    """
    after = reached.state if is_of_table else _with_campaign_of(before.table, reached.state)
    noted = _with_result_noted(after)
    after = _with_comparisons(noted)
    commands = tuple(_with_owners(command, after.table) for command in reached.commands)
    after = with_waiting_prepared(before.table, after)
    after = _with_turns(before, after)
    has_commit = any(isinstance(command, Commit) for command in commands)
    return Reached(after, commands if after is noted or has_commit else (*commands, Commit()))


def _with_campaign_of(before: Table, after: Playing) -> Playing:
    table = after.table
    if table.campaign is before.campaign:
        return after
    kept = replace(table, campaign=before.campaign, rulings=before.rulings, colour_roles=before.colour_roles)
    return replace(after, table=kept)


def _with_result_noted(state: Playing) -> Playing:
    """Add the current result to the extended test, and to the sheet if that is automatic."""
    if not isinstance(state, Scored | Resolved) or has_hidden_result(state):
        return state
    campaign = state.table.campaign
    if campaign.running_test is not None:
        campaign = replace(campaign, running_test=extended_tests.with_result(campaign.running_test, state))
    campaign = sheet_effects.with_result(campaign, state)
    return state if campaign == state.table.campaign else replace(state, table=replace(state.table, campaign=campaign))


def _with_comparisons(state: Playing) -> Playing:
    campaign = state.table.campaign
    asked = settled(campaign.asked, state)
    if asked == campaign.asked:
        return state
    return replace(state, table=replace(state.table, campaign=replace(campaign, asked=asked)))


def _with_owners(command: Command, table: Table) -> Command:
    if not isinstance(command, Commit):
        return command
    return replace(command, rows=tuple(_with_owner(row, table) for row in command.rows))


def _with_owner(row: LogRow, table: Table) -> LogRow:
    asked = table.campaign.asked
    one = asked.of_roll(row.roll_number)
    if one is None:
        return row
    met: bool | None = None
    by: int | None = None
    if row.outcome is not None and one.aim:
        met, by = row.outcome.success, find_system(row.system).margin(row.outcome.facts, row.context)
    linked = next((each for each in asked.linked if each.id == one.linked), None)
    compared: JsonValue = None
    if linked is not None and linked.is_done:
        rulings = table.rulings.get(linked.system, {})
        compared = {**linked_rolls_json(linked, rulings, None), "hidden": linked.is_hidden}
    about: Facts = {
        "id": one.id,
        "thrower": one.thrower,
        "aim": dict(one.aim),
        "met": met,
        "by": by,
        "together": compared,
    }
    return replace(row, notes=RollNotes(owner=one.owner, label=one.label), asked=about, hidden=one.hidden)


def _with_turns(before: Playing, after: Playing) -> Playing:
    """Make the next request current when the scored dice of the current one are taken out."""
    is_cleared = isinstance(after, Empty) and not isinstance(before, Empty)
    # If an earlier roll's dice are removed for a throw in progress, its dice may already be declared.
    if not is_cleared or (isinstance(before, Rolling) and before.is_thrown and before.over is not None):
        return after
    asked = after.table.campaign.asked
    is_over = asked.current is not None and asked.for_roll < after.table.next_roll
    is_free = asked.current is None and bool(asked.waiting)
    if not is_over and not is_free:
        return after
    return _with_comparisons(replace(after, table=end_roll(after.table, after.table.next_roll - 1)))
