"""Whose roll is next: what a table does with the rolls that somebody asked for. Pure."""

from collections.abc import Mapping
from dataclasses import replace

from device.errors import BadInput
from device.game.dice.rest_transitions import PlayStep
from device.game.dice.role_mapping import distinct_roles, merge_roles, role_of
from device.game.state.asked_rolls import MOST_WAITING, AskedRoll
from device.game.state.effects import Command, Commit, Refuse
from device.game.state.states import Empty, Playing, Rolling, roll_lying
from device.game.state.table_events import AskedRollDropped, RollAsked
from device.game.state.table_state import Pool, Table
from device.standard_tray import MOST_DICE_IN_TRAY
from device.texts.catalogue import say
from rules.dice import Role
from rules.system import JsonValue, find_system


def on_asked(state: Playing, event: RollAsked) -> PlayStep:
    """Let a roll wait for its turn, which comes at once where nothing else is to be rolled first."""
    table = state.table
    asked = table.campaign.asked
    if len(asked.waiting) >= MOST_WAITING:
        return state, (Refuse("too_many_asked", say("tray.refused.asked_enough", most=MOST_WAITING)),)
    try:
        pool = Pool.from_counts(_by_name(event.dice), distinct_roles(find_system(table.system), table))
    except BadInput as error:
        return state, (Refuse("unknown_role", str(error)),)
    if pool is None and event.owner is None and event.label is None:
        return state, (Refuse("bad_value", say("tray.refused.asked_nothing")),)
    if pool is not None and pool.total > MOST_DICE_IN_TRAY:
        return state, (Refuse("bad_value", say("tray.refused.asked_dice", most=MOST_DICE_IN_TRAY)),)
    added = asked.added(event.owner, event.label, () if pool is None else pool.counts)
    table = replace(table, campaign=replace(table.campaign, asked=added))
    if isinstance(state, Empty) and asked.current is None and table.campaign.prepared is None:
        table = table.with_next_turn()
    return replace(state, table=table), (Commit(),)


def on_dropped(state: Playing, event: AskedRollDropped) -> PlayStep:
    """Take an asked roll back: one that waits, or the one whose turn it is before its dice are thrown.

    Raises:
        NoSuchAskedRoll: There is none of that id.
    """
    table = state.table
    asked = table.campaign.asked
    if asked.current is None or asked.current.id != event.asked_id:
        campaign = replace(table.campaign, asked=asked.without(event.asked_id))
        return replace(state, table=replace(table, campaign=campaign)), (Commit(),)
    if not isinstance(state, Empty):
        return state, (Refuse("roll_lies_there", say("tray.refused.asked_lies")),)
    return replace(state, table=_ended(table, table.next_roll)), (Commit(),)


def with_turns(before: Playing, after: Playing, commands: tuple[Command, ...]) -> PlayStep:
    """Write in each row whose roll it is, and let the next asked roll have its turn when the dice of one are taken out.

    Reset ends a roll too (`Table.after_reset`). Dice that were scored and taken out are over without it.
    """
    commands = tuple(_owned(command, after.table) for command in commands)
    is_cleared = isinstance(after, Empty) and not isinstance(before, Empty)
    # Over dice of a roll that is over already, a throw is on its way that may have its dice declared.
    if not is_cleared or (isinstance(before, Rolling) and before.over is not None):
        return after, commands
    asked = after.table.campaign.asked
    is_over = asked.current is not None and asked.for_roll < after.table.next_roll
    is_free = asked.current is None and bool(asked.waiting)
    if not is_over and not is_free:
        return after, commands
    after = replace(after, table=_ended(after.table, after.table.next_roll - 1))
    has_commit = any(isinstance(command, Commit) for command in commands)
    return after, commands if has_commit else (*commands, Commit())


def asked_body(state: Playing) -> dict[str, JsonValue]:
    """What a screen shows: whose roll it is, which dice to take, and who is next."""
    table = state.table
    asked = table.campaign.asked
    current = asked.of_roll(roll_lying(state))
    is_before = roll_lying(state) == table.next_roll
    return {
        "asked": None if current is None else {**_named(current), "roll": asked.for_roll},
        "take": _hand(table.pool, table) if is_before else [],
        "asked_next": [
            {**_named(one), "take": _hand(Pool(one.dice), replace(table, pool=Pool(one.dice)))} for one in asked.waiting
        ],
    }


def _by_name(dice: Mapping[Role, int]) -> dict[str, int]:
    return {role.value: count for role, count in dice.items()}


def _ended(table: Table, roll: int) -> Table:
    table = table.after_reset(roll)
    if table.pool is None:
        return table
    return replace(table, pool=merge_roles(table.pool, find_system(table.system), table))


def _owned(command: Command, table: Table) -> Command:
    """The command with the owner of each row's roll."""
    if not isinstance(command, Commit):
        return command
    asked = table.campaign.asked
    rows = tuple(
        row if (one := asked.of_roll(row.roll_number)) is None else replace(row, owner=one.owner, label=one.label)
        for row in command.rows
    )
    return Commit(rows)


def _named(asked: AskedRoll) -> dict[str, JsonValue]:
    return {"id": asked.id, "owner": asked.owner, "label": asked.label}


def _hand(pool: Pool | None, table: Table) -> list[JsonValue]:
    """Dice to take, by role; with the colour class that plays it, where just one does."""
    system = find_system(table.system)
    played = {label: role_of(label, system, table) for label in table.colour_classes}
    hand: list[JsonValue] = []
    for role, count in () if pool is None else pool.counts:
        classes = [label for label, plays in played.items() if plays is role]
        if count:
            colour = classes[0] if len(classes) == 1 else None
            hand.append({"role": role.value, "colour": colour, "count": count})
    return hand
