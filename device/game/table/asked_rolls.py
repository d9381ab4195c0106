"""Whose roll is next: what a table does with the rolls that somebody asked for. Pure."""

from collections.abc import Mapping
from dataclasses import replace

from device.errors import BadInput
from device.game.dice.role_mapping import distinct_roles, end_roll, roles_of
from device.game.state.asked_rolls import MOST_WAITING, AskedRoll
from device.game.state.effects import Commit, Refuse
from device.game.state.states import Empty, Playing, roll_lying
from device.game.state.table_events import AskedRollDropped, RollAsked
from device.game.state.table_state import Pool, Table
from device.game.state.transition import Reached, Transition
from device.standard_tray import MOST_DICE_IN_TRAY
from device.texts.catalogue import say
from rules.dice import Role
from rules.system import JsonValue, find_system


def on_asked(state: Playing, event: RollAsked) -> Transition:
    """Let a roll wait for its turn, which comes at once where nothing else is to be rolled first."""
    table = state.table
    asked = table.campaign.asked
    if len(asked.waiting) >= MOST_WAITING:
        return Reached(state, (Refuse("too_many_asked", say("tray.refused.asked_enough", most=MOST_WAITING)),))
    try:
        pool = Pool.from_counts(_by_name(event.dice), distinct_roles(find_system(table.system), table))
    except BadInput as error:
        return Reached(state, (Refuse("unknown_role", str(error)),))
    if pool is None and event.owner is None and event.label is None:
        return Reached(state, (Refuse("bad_value", say("tray.refused.asked_nothing")),))
    if pool is not None and pool.total > MOST_DICE_IN_TRAY:
        return Reached(state, (Refuse("bad_value", say("tray.refused.asked_dice", most=MOST_DICE_IN_TRAY)),))
    added = asked.added(event.owner, event.label, () if pool is None else pool.counts)
    table = replace(table, campaign=replace(table.campaign, asked=added))
    if isinstance(state, Empty) and asked.current is None and table.campaign.prepared is None:
        table = table.with_next_turn()
    return Reached(replace(state, table=table), (Commit(),))


def on_dropped(state: Playing, event: AskedRollDropped) -> Transition:
    """Take an asked roll back: one that waits, or the one whose turn it is before its dice are thrown.

    Raises:
        NoSuchAskedRoll: There is none of that id.
    """
    table = state.table
    asked = table.campaign.asked
    if asked.current is None or asked.current.id != event.asked_id:
        campaign = replace(table.campaign, asked=asked.without(event.asked_id))
        return Reached(replace(state, table=replace(table, campaign=campaign)), (Commit(),))
    if not isinstance(state, Empty):
        return Reached(state, (Refuse("roll_lies_there", say("tray.refused.asked_lies")),))
    return Reached(replace(state, table=end_roll(table, table.next_roll)), (Commit(),))


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


def _named(asked: AskedRoll) -> dict[str, JsonValue]:
    return {"id": asked.id, "owner": asked.owner, "label": asked.label}


def _hand(pool: Pool | None, table: Table) -> list[JsonValue]:
    """Dice to take, by role; with the colour class that plays it, where just one does."""
    if pool is None:
        return []
    played = roles_of(table)
    hand: list[JsonValue] = []
    for role, count in pool.counts:
        classes = [label for label, plays in played.items() if plays is role]
        if count:
            colour = classes[0] if len(classes) == 1 else None
            hand.append({"role": role.value, "colour": colour, "count": count})
    return hand
