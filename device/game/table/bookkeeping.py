"""What the table keeps of every step, whatever it was: its campaign, its test and sheet, and whose roll it is. Pure."""

from dataclasses import replace

from device.game.dice.role_mapping import end_roll
from device.game.state.effects import Command, Commit
from device.game.state.states import Empty, Playing, Resolved, Rolling, Scored
from device.game.state.table_state import Table
from device.game.state.transition import Reached
from device.game.table import extended_tests, sheet_effects


def keep_books(before: Playing, reached: Reached, *, is_of_table: bool) -> Reached:
    """Bring what the table keeps up to date.

    Args:
        before: The state before the event.
        reached: Where the event led.
        is_of_table: The event changed what the table has agreed on. What happens to dice takes none of that back, as
            falling back on an earlier result would.
    """
    after = reached.state if is_of_table else _with_campaign_of(before.table, reached.state)
    after = _with_result_noted(after)
    commands = tuple(_with_owners(command, after.table) for command in reached.commands)
    return _with_turns(before, after, commands)


def _with_campaign_of(before: Table, after: Playing) -> Playing:
    table = after.table
    if table.campaign is before.campaign:
        return after
    kept = replace(table, campaign=before.campaign, rulings=before.rulings, colour_roles=before.colour_roles)
    return replace(after, table=kept)


def _with_result_noted(state: Playing) -> Playing:
    """Let a result that lies there count in the test that is under way, and reach the sheet where it does by itself."""
    if not isinstance(state, Scored | Resolved):
        return state
    campaign = state.table.campaign
    if campaign.running_test is not None:
        campaign = replace(campaign, running_test=extended_tests.with_result(campaign.running_test, state))
    campaign = sheet_effects.with_result(campaign, state)
    return state if campaign == state.table.campaign else replace(state, table=replace(state.table, campaign=campaign))


def _with_owners(command: Command, table: Table) -> Command:
    """The command with the owner of each row's roll."""
    asked = table.campaign.asked
    if not isinstance(command, Commit) or asked.current is None:
        return command
    rows = tuple(
        row if (one := asked.of_roll(row.roll_number)) is None else replace(row, owner=one.owner, label=one.label)
        for row in command.rows
    )
    return Commit(rows)


def _with_turns(before: Playing, after: Playing, commands: tuple[Command, ...]) -> Reached:
    """Let the next asked roll have its turn when the dice of one are taken out.

    Reset ends a roll too (`Table.after_reset`). Dice that were scored and taken out are over without it.
    """
    is_cleared = isinstance(after, Empty) and not isinstance(before, Empty)
    # Over dice of a roll that is over already, a throw is on its way that may have its dice declared.
    if not is_cleared or (isinstance(before, Rolling) and before.over is not None):
        return Reached(after, commands)
    asked = after.table.campaign.asked
    is_over = asked.current is not None and asked.for_roll < after.table.next_roll
    is_free = asked.current is None and bool(asked.waiting)
    if not is_over and not is_free:
        return Reached(after, commands)
    after = replace(after, table=end_roll(after.table, after.table.next_roll - 1))
    has_commit = any(isinstance(command, Commit) for command in commands)
    return Reached(after, commands if has_commit else (*commands, Commit()))
