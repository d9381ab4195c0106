"""Requested rolls at the table: whose turn it is and what follows. Pure."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from device.errors import BadInput
from device.game import snapshot_model as seen
from device.game.dice.role_mapping import class_playing, distinct_roles, end_roll, has_twins, roles_of
from device.game.state.effects import Commit, Refuse, ShownRoll
from device.game.state.linked_rolls import LinkedRolls, LinkKind
from device.game.state.prepared_roll import PreparedRoll
from device.game.state.roll_requests import MAX_HIDDEN, MAX_WAITING, RollRequest, RollRequests
from device.game.state.states import Empty, Resolved, Scored
from device.game.state.table_events import HiddenRollShown, LinkedRollsRequested, RollRequestDropped, RollRequested
from device.game.state.table_state import Pool, Table
from device.game.state.transition import Reached, Transition
from device.game.state.tray import Tray
from device.game.table.linked_rolls import linked_rolls_json
from device.game.table.preparing import prepare_again, prepare_roll, rules_answer, sheet_to_roll
from device.message import Message, Text, message, message_of, message_or, word
from device.standard_tray import MAX_DICE_IN_TRAY
from rules.asking import Hand
from rules.dice import Role
from rules.request import LEVEL_SIDES
from rules.system import Facts, JsonValue, find_system
from rules.tiles import Tile, TileKind


def on_requested(tray: Tray, event: RollRequested) -> Transition:
    """Queue a requested roll; it becomes current at once if nothing else comes first."""
    requests = tray.campaign.requests
    if len(requests.waiting) >= MAX_WAITING:
        return Reached(tray, (Refuse("too_many_asked", message("tray.refused.requests_enough", most=MAX_WAITING)),))
    if event.hidden and requests.hidden_count >= MAX_HIDDEN:
        return Reached(tray, (_too_many_hidden(),))
    roll = _roll_of(event, tray, aim=_set(event.aim, tray.table))
    if isinstance(roll, Refuse):
        return Reached(tray, (roll,))
    if roll.prepared is None and not roll.dice and not roll.aim and event.owner is None and event.label is None:
        return Reached(tray, (Refuse("bad_value", message("tray.refused.request_empty")),))
    return _waiting(tray, requests.added(roll))


def on_linked_requested(tray: Tray, event: LinkedRollsRequested) -> Transition:
    """Queue linked rolls, to be compared at the end."""
    requests = tray.campaign.requests
    if len(requests.waiting) + len(event.rolls) > MAX_WAITING:
        return Reached(tray, (Refuse("too_many_asked", message("tray.refused.requests_enough", most=MAX_WAITING)),))
    more_hidden = sum(one.hidden for one in event.rolls)
    if more_hidden and requests.hidden_count + more_hidden > MAX_HIDDEN:
        return Reached(tray, (_too_many_hidden(),))
    is_opposed = event.kind is LinkKind.OPPOSED
    if len(event.rolls) < 2 or (is_opposed and len(event.rolls) > 2):
        key = "tray.refused.two_sides" if is_opposed else "tray.refused.group_of_one"
        return Reached(tray, (Refuse("bad_value", message(key)),))
    if any(one.owner is None for one in event.rolls):
        return Reached(tray, (Refuse("bad_value", message("tray.refused.unnamed")),))
    table = tray.table
    system = find_system(table.system)
    rulings = table.rulings.get(table.system, {})
    aim = _set(event.aim, table)
    # If the rules add a group's rolls up, the target is the group's, not that of a single roll.
    is_shared = not is_opposed and system.pool_counts((0,), aim, rulings) is not None
    rolls = []
    for one in event.rolls:
        roll = _roll_of(replace(one, label=event.label), tray, aim={} if is_shared else aim)
        if isinstance(roll, Refuse):
            return Reached(tray, (roll,))
        rolls.append(roll)
    linked = LinkedRolls(0, event.kind, table.system, event.label, aim if is_shared else {})
    return _waiting(tray, requests.added_linked(linked, rolls))


def _too_many_hidden() -> Refuse:
    return Refuse("too_many_asked", message("tray.refused.hidden_enough", most=MAX_HIDDEN))


def on_shown(tray: Tray, event: HiddenRollShown) -> Transition:
    """Show a hidden roll, and those linked with it, on screens and in the log."""
    requests, numbers = tray.campaign.requests.shown(event.request_id)
    notes: dict[int, seen.Together] = {}
    for linked in requests.linked:
        last = max((member.roll or 0 for member in linked.members), default=0)
        if linked.is_done and not linked.is_hidden:
            notes[last] = linked_rolls_json(linked, tray.table.rulings.get(linked.system, {}), None)
    shown = tuple(ShownRoll(number, notes.pop(number, None)) for number in numbers)
    rest = tuple(ShownRoll(number, note, was_hidden=False) for number, note in notes.items())
    after = replace(tray, campaign=replace(tray.campaign, requests=requests))
    return Reached(after, (Commit((), (*shown, *rest)),))


def on_dropped(tray: Tray, event: RollRequestDropped) -> Transition:
    """Cancel a requested roll: a waiting one, or the current one before its dice are thrown."""
    requests = tray.campaign.requests
    if requests.current is None or requests.current.id != event.request_id:
        campaign = replace(tray.campaign, requests=requests.without(event.request_id))
        return Reached(replace(tray, campaign=campaign), (Commit(),))
    if not isinstance(tray.dice, Empty):
        return Reached(tray, (Refuse("roll_lies_there", message("tray.refused.request_lies")),))
    return Reached(end_roll(tray, tray.table.next_roll), (Commit(),))


def roll_requests_body(tray: Tray) -> seen.TurnsPart:
    """Return what a screen shows: current player, dice to pick up, next player, linked rolls so far."""
    table, requests, roll = tray.table, tray.campaign.requests, tray.roll_number
    current, is_before = requests.of_roll(roll), roll == table.next_roll
    declared = tuple((die.role, die.level) for die in table.typed if die.declared)
    waiting: list[seen.RollRequest] = [
        {**_named(one, table), "take": _hand(pool := Pool(one.hand[0]), one.hand[1], replace(table, pool=pool))}
        for one in requests.waiting
    ]
    turn = None if current is None else current.id
    return {
        "asked": None if current is None else {**_named(current, table), "roll": requests.for_roll},
        "take": _hand(table.pool, declared, table) if is_before else [],
        "asked_next": waiting,
        "measured": _measured(tray, current),
        "together": [linked_rolls_json(one, table.rulings.get(one.system, {}), turn) for one in requests.linked],
        "hidden": tray.has_hidden_result,
        "covered": tray.has_hidden_dice,
        "unshown": [
            {"id": one.id, "roll": one.roll, "owner": one.owner, "label": one.label} for one in requests.unshown
        ],
    }


def turn_text(owner: Text | None, thrower: Text | None, purpose: Text | None) -> Text:
    """Return who rolls and for what, as far as given, as in "Zo for Ann: Notice"."""
    who = message("tray.asked.for", thrower=thrower, owner=owner) if thrower and owner else owner or thrower or ""
    return message("page.turn.asked", owner=who, label=purpose) if who and purpose else who or purpose or ""


def aim_text(aim: Facts, system_id: str) -> Text | None:
    """Return a roll's target, as in "Threshold 3" or "Easier: +2 dice"; None if it has none."""
    known = find_system(system_id).aims
    named = [_aim_text(tile, value, system_id) for tile in known if (value := aim.get(tile.name)) is not None]
    if not named:
        return None
    text = named[0]
    for one in named[1:]:
        text = message("list.comma", first=text, second=one)
    return text


def _aim_text(tile: Tile, value: JsonValue, system_id: str) -> Message:
    title = message(f"rules.{system_id}.tiles.{tile.name}")
    if tile.kind is TileKind.FLAG:
        return title
    shown = word(value) if isinstance(value, str) else _signed(value, tile.low)
    text = message("tray.asked.aim", name=title, value=shown)
    if not isinstance(value, int) or not value:
        return text
    return message_or(
        text, f"rules.{system_id}.aims.{tile.name}.{'easier' if value > 0 else 'harder'}", count=abs(value)
    )


def _signed(value: JsonValue, low: int) -> str:
    """Return a number, with a sign if it may be negative; the minus is as wide as a plus."""
    if low >= 0 or not isinstance(value, int):
        return str(value)
    return f"{value:+d}".replace("-", "\N{MINUS SIGN}")


def _measured(tray: Tray, current: RollRequest | None) -> seen.Measured | None:
    """Return how far the current roll met its target; None if it has none or is not over."""
    if current is None or not current.aim or not isinstance(tray.dice, Scored | Resolved):
        return None
    outcome, table = tray.dice.outcome, tray.table
    by = find_system(table.system).margin(outcome.facts, table.context)
    return (
        None if outcome.success is None else {"met": outcome.success, "by": by, "text": met_text(outcome.success, by)}
    )


def met_text(met: bool, by: int | None) -> Message:
    """Return whether a roll met its target, and by how much; None if the rules know no margin."""
    if by is None:
        return message("tray.asked.made" if met else "tray.asked.missed")
    if by == 0:
        return message("tray.asked.just" if met else "tray.asked.not_quite")
    return message("tray.asked.made_by" if met else "tray.asked.missed_by", by=abs(by))


def _set(aim: Facts, table: Table) -> Facts:
    """Return a target without default values."""
    usual = {tile.name: tile.default for tile in find_system(table.system).aims}
    return {name: value for name, value in aim.items() if value is not None and value != usual.get(name)}


def _roll_of(event: RollRequested, tray: Tray, aim: Facts) -> RollRequest | Refuse:
    """Return the requested roll with the dice adjusted by its target, or why it cannot be requested."""
    table = tray.table
    system = find_system(table.system)
    roles = distinct_roles(system, table)
    try:
        pool = Pool.from_counts(_by_name(event.dice), roles)
    except BadInput as error:
        return Refuse("unknown_role", message_of(error))
    for level in event.levels:
        if level not in system.typed_levels:
            known = ", ".join(system.typed_levels) or message("tray.refused.no_levels")
            return Refuse("bad_value", message("tray.refused.level", level=level, known=known))
    typed = tuple((roles[0], level) for level in sorted(event.levels) for _ in range(event.levels[level]))
    if pool is None and typed:
        pool = Pool(tuple((role, 0) for role in roles))
    prepared = _prepared(event, tray, aim)
    if isinstance(prepared, Refuse):
        return prepared
    hand = Hand(() if pool is None else pool.counts, typed)
    aimed = system.aim(aim, hand, table.rulings.get(table.system, {}))
    dice = Pool(aimed.hand.pool)
    if pool is not None:
        dice = Pool(
            tuple((role, dice.count(role)) for role in dict.fromkeys((*roles, *(one for one, _ in dice.counts))))
        )
    if has_twins(dice, table):
        return Refuse("bad_value", message("tray.refused.twins"))
    if dice.total + len(aimed.hand.typed) > MAX_DICE_IN_TRAY:
        return Refuse("bad_value", message("tray.refused.request_dice", most=MAX_DICE_IN_TRAY))
    is_named = prepared is None or (+Counter(dict(dice.counts)), sorted(aimed.hand.typed)) != (
        +Counter(dict(prepared.pool)),
        sorted(prepared.typed),
    )
    return RollRequest(
        0,
        event.owner,
        event.label,
        dice.counts if is_named else (),
        aimed.hand.typed if is_named else (),
        event.thrower,
        aim,
        {} if prepared is not None else aimed.context,
        event.hidden,
        sheet=event.sheet,
        prepared=prepared,
    )


def _prepared(event: RollRequested, tray: Tray, aim: Facts) -> PreparedRoll | Refuse | None:
    """Return the roll of the request's tiles; None if there are none."""
    sheet = sheet_to_roll(tray, event.sheet)
    if isinstance(sheet, Refuse) or not event.tiles:
        return sheet if isinstance(sheet, Refuse) else None
    tiles = {**event.tiles, **aim}
    answer = rules_answer(tray, tiles, event.sheet)
    return answer if isinstance(answer, Refuse) else prepare_roll(tray.table.system, tiles, event.sheet, answer)


def with_waiting_prepared(before: Tray, after: Tray) -> Tray:
    """Prepare the waiting rolls again if their sheets or the rules of the table have changed."""
    was, table, campaign = before.table, after.table, after.campaign
    is_same = campaign.sheets is before.campaign.sheets and table.rulings == was.rulings
    if is_same and table.colour_roles == was.colour_roles:
        return after
    requests = campaign.requests
    waiting = tuple(
        one if one.prepared is None else replace(one, prepared=prepare_again(after, one.prepared))
        for one in requests.waiting
    )
    if waiting == requests.waiting:
        return after
    return replace(after, campaign=replace(campaign, requests=replace(requests, waiting=waiting)))


def _waiting(tray: Tray, requests: RollRequests) -> Transition:
    """Return the tray with more waiting rolls; the first is made current if nothing else comes first."""
    after = replace(tray, campaign=replace(tray.campaign, requests=requests))
    if isinstance(tray.dice, Empty) and requests.current is None and tray.campaign.prepared is None:
        after = after.with_next_turn()
    return Reached(after, (Commit(),))


def _by_name(dice: Mapping[Role, int]) -> dict[str, int]:
    return {role.value: count for role, count in dice.items()}


def _named(request: RollRequest, table: Table) -> seen.RollRequest:
    return {
        "id": request.id,
        "owner": request.owner,
        "label": request.label,
        "thrower": request.thrower,
        "text": turn_text(request.owner, request.thrower, request.label) or message("page.turn.somebody"),
        "aim": dict(request.aim),
        "aim_text": aim_text(request.aim, table.system),
        "hidden": request.hidden,
        "together": request.linked,
    }


def _hand(pool: Pool | None, levels: tuple[tuple[Role, str], ...], table: Table) -> list[seen.Taken]:
    """Return the dice to pick up by role, with its only colour class, if any. Step dice by their sides."""
    played = roles_of(table)
    hand: list[seen.Taken] = []
    for role, count in () if pool is None else pool.counts:
        if count:
            hand.append({"role": role.value, "colour": class_playing(role, played), "count": count})
    for role, level in dict.fromkeys(levels):
        sides = LEVEL_SIDES[level]
        hand.append({"role": role.value, "colour": None, "count": levels.count((role, level)), "sides": sides})
    return hand
