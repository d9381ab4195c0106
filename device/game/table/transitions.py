"""The part of the state table that is not about dice: rulings, roles, sheets, clocks, tests, manual dice.

Pure. Manual dice change the roll (manual_dice.py); everything else changes the campaign, and the roll only if the
rules that score it have changed. bookkeeping.py has what every step does to the campaign.
"""

from dataclasses import replace

from device.game.dice.role_mapping import merge_roles
from device.game.state.campaign import MAX_SHEETS, Campaign, NoSuchSheet, RunningTest, overlay
from device.game.state.effects import Commit, ForgetDice, Refuse
from device.game.state.exploding_die import pending_die
from device.game.state.roll_requests import NoSuchRollRequest, RollRequest
from device.game.state.states import AwaitingPush, Empty, PlayedRoll, Rolling, Scored, UnreadPush, Unscored
from device.game.state.table_events import (
    CarryChosen,
    ClockAdded,
    ClockRemoved,
    ClockTicked,
    ClockUndone,
    ConsequencesApplied,
    ConsequencesCarried,
    ConsequencesWaived,
    ExtendedTestBegun,
    ExtendedTestEnded,
    HiddenRollShown,
    LinkedRollsRequested,
    ManualDieEntered,
    RolesChosen,
    RollGiven,
    RollPrepared,
    RollRequestDropped,
    RollRequested,
    RulingsChosen,
    SheetAdded,
    SheetChosen,
    SheetEdited,
    SheetRemoved,
    SheetRested,
    SheetUndone,
    TableEvent,
    TypedDieChanged,
    TypedDieRemoved,
)
from device.game.state.table_state import Table
from device.game.state.transition import Reached, Rescore, ScoreFirst, Transition
from device.game.state.tray import Tray
from device.game.table import extended_tests, sheet_effects
from device.game.table.manual_dice import on_typed
from device.game.table.ownership import on_given
from device.game.table.roll_requests import on_dropped, on_linked_requested, on_requested, on_shown
from device.message import message, message_of, word
from device.rule_messages import extended_test_title, refusal_text
from rules.clocks import add_clock, remove_clock, tick, undo_tick
from rules.dice import Role
from rules.errors import BadRequest, RulesError
from rules.rulings import check_choice, resolve_rulings
from rules.sheet import apply_consequences, restore, undo
from rules.sheet_edit import edit_sheet
from rules.system import JsonValue, RuleSystem, Ruling, find_system, systems
from rules.tiles import TileKind


def step_table(tray: Tray, event: TableEvent) -> Transition:
    try:
        match event:
            case ManualDieEntered() | TypedDieChanged() | TypedDieRemoved():
                return on_typed(tray, event)
            case RulingsChosen():
                return _on_rulings(tray, event)
            case RolesChosen():
                return _on_roles(tray, event)
            case RollPrepared():
                return _on_prepared(tray, event)
            case ConsequencesCarried():
                return _on_carried(tray, event)
            case ConsequencesWaived():
                return _on_waived(tray)
            case RollGiven():
                return on_given(tray, event)
            case RollRequested():
                return on_requested(tray, event)
            case LinkedRollsRequested():
                return on_linked_requested(tray, event)
            case HiddenRollShown():
                return on_shown(tray, event)
            case RollRequestDropped():
                return on_dropped(tray, event)
            case _:
                campaign = _campaign_after(tray, event)
    except NoSuchSheet as error:
        return Reached(tray, (Refuse("unknown_sheet", message_of(error)),))
    except NoSuchRollRequest as error:
        return Reached(tray, (Refuse("unknown_asked", message_of(error)),))
    except RulesError as error:
        return Reached(tray, (Refuse("bad_value", refusal_text(error, find_system(tray.table.system))),))
    if isinstance(campaign, Refuse):
        return Reached(tray, (campaign,))
    if campaign == tray.campaign:
        return Reached(tray)
    return Reached(replace(tray, campaign=campaign), (Commit(),))


def opened_table(table: Table, campaign: Campaign) -> tuple[Table, Campaign]:
    """Return a table of the settings with the choices of the stored campaign, which override them, and that campaign.

    Rulings and roles that no longer exist, as after an update, fall back to the settings.
    """
    rulings = {
        system.id: {
            ruling.name: value
            for ruling in system.rulings
            if (value := campaign.rulings.get(system.id, {}).get(ruling.name)) is not None and _allows(ruling, value)
        }
        for system in systems()
        if system.id in campaign.rulings
    }
    known = {role.value for role in Role}
    roles: dict[str, dict[str, str]] = {
        system_id: {label: role for label, role in own.items() if label in table.colour_classes and role in known}
        for system_id, own in campaign.roles.items()
    }
    colour_roles = {
        system_id: {**table.colour_roles.get(system_id, {}), **roles.get(system_id, {})}
        for system_id in {**table.colour_roles, **roles}
    }
    in_force = replace(table, rulings=overlay(table.rulings, rulings), colour_roles=colour_roles)
    return in_force, replace(campaign, rulings=rulings, roles=roles)


def _allows(ruling: Ruling, value: JsonValue) -> bool:
    try:
        check_choice(ruling, value)
    except BadRequest:
        return False
    return True


def _campaign_after(tray: Tray, event: TableEvent) -> Campaign | Refuse:
    campaign = tray.campaign
    match event:
        case SheetAdded():
            if len(campaign.sheets) >= MAX_SHEETS:
                return Refuse("too_many_sheets", message("tray.refused.sheets", most=MAX_SHEETS))
            return campaign.filed(event.sheet)
        case SheetEdited():
            sheet = edit_sheet(
                campaign.find(event.sheet_id),
                title=event.title,
                counters=tuple((one.kind, one.name, one.now, one.most) for one in event.counters),
                added=event.added,
                removed=event.removed,
                renamed=event.renamed,
                order=event.order,
                marks=event.marks,
                why=message("tray.sheet.edited"),
            )
            return campaign.with_sheet(event.sheet_id, sheet)
        case SheetRemoved():
            return campaign.without_sheet(event.sheet_id)
        case SheetChosen():
            if event.sheet is not None:
                campaign.find(event.sheet)
            return replace(campaign, chosen=event.sheet, revision=campaign.revision + (event.sheet != campaign.chosen))
        case CarryChosen():
            revision = campaign.revision + (event.carry != campaign.carry)
            return replace(campaign, carry=event.carry, carry_chosen=True, revision=revision)
        case ConsequencesApplied():
            applied = apply_consequences(campaign.find(event.sheet_id), event.consequences, event.why)
            return campaign.with_sheet(event.sheet_id, applied.sheet)
        case SheetUndone():
            return _undone(campaign, event.sheet_id)
        case SheetRested():
            sheet = campaign.find(event.sheet_id)
            rests = find_system(sheet.system).rests
            if event.rest not in rests:
                known = [word(rest) for rest in rests] or message("tray.refused.no_rests")
                return Refuse("bad_value", message("tray.refused.rest", rest=word(event.rest[:20]), known=known))
            return campaign.with_sheet(
                event.sheet_id, restore(sheet, rests[event.rest], message("tray.sheet.rest", rest=word(event.rest)))
            )
        case ClockAdded():
            clocks = add_clock(
                campaign.clocks,
                event.name,
                event.segments,
                filled=event.filled,
                linked_to=event.linked_to,
                opposed_to=event.opposed_to,
            )
            return replace(campaign, clocks=clocks)
        case ClockTicked():
            clocks = tick(campaign.clocks, event.clock_id, event.ticks, carries=_overflow_carries(tray.table))
            return replace(campaign, clocks=clocks)
        case ClockUndone():
            if not campaign.clocks.history:
                return Refuse("nothing_to_undo", message("tray.refused.no_tick"))
            return replace(campaign, clocks=undo_tick(campaign.clocks))
        case ClockRemoved():
            return replace(campaign, clocks=remove_clock(campaign.clocks, event.clock_id))
        case ExtendedTestBegun():
            return _begun(tray, event)
        case ExtendedTestEnded():
            return replace(campaign, running_test=None)
        case _:
            raise TypeError(f"{type(event).__name__} changes more than the campaign")


def _undone(campaign: Campaign, sheet_id: int) -> Campaign | Refuse:
    sheet = campaign.find(sheet_id)
    if not sheet.history:
        return Refuse("nothing_to_undo", message("tray.refused.no_change"))
    carried, why = campaign.carried, sheet.history[-1].why
    if carried is not None and carried.sheet == sheet_id and carried.why == why:
        campaign = replace(campaign, carried=replace(carried, undone=True))
    earlier = tuple(one for one in campaign.carried_before if (one.sheet, one.why) != (sheet_id, why))
    return replace(campaign, carried_before=earlier).with_sheet(sheet_id, undo(sheet))


def _begun(tray: Tray, event: ExtendedTestBegun) -> Campaign | Refuse:
    table = tray.table
    system = find_system(table.system)
    kind = next((kind for kind in system.extended_tests if kind.op == event.op), None)
    if kind is None:
        tests = [extended_test_title(system.id, kind) for kind in system.extended_tests]
        known = tests or message("tray.refused.none")
        return Refuse("bad_value", message("tray.refused.no_test", op=word(event.op[:20]), known=known))
    known_names = tuple(tile.name for tile in kind.settings)
    for name in event.settings:
        if name not in known_names:
            return Refuse(
                "bad_value",
                message("tray.refused.no_setting", op=event.op, name=repr(name[:20]), known=", ".join(known_names)),
            )
    settings: dict[str, JsonValue] = {}
    for tile in kind.settings:
        given = event.settings.get(tile.name)
        value: JsonValue = tile.default if given is None else given
        if value is None:
            continue
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if tile.kind is TileKind.FLAG and not isinstance(value, bool):
            return _wrong(system, "flag", name=tile.name)
        if tile.kind is TileKind.NUMBER and not (is_number and tile.low <= int(str(value)) <= tile.high):
            return _wrong(system, "number", name=tile.name, value=str(value), low=tile.low, high=tile.high)
        settings[tile.name] = value
    begun = RunningTest(system.id, kind.op, settings, first_roll=table.next_roll)
    extended_tests.answer_test(begun, table.rulings.get(system.id, {}))
    return replace(tray.campaign, running_test=begun)


def _wrong(system: RuleSystem, kind: str, **values: JsonValue) -> Refuse:
    return Refuse("bad_value", refusal_text(BadRequest(kind, kind, **values), system))


def _overflow_carries(table: Table) -> bool:
    """Return whether ticks beyond a full clock carry over to the next, by the ruling of that name, if any."""
    system = find_system(table.system)
    return resolve_rulings(system.rulings, table.rulings.get(system.id, {})).get("clock_overflow") == "carry"


def _on_rulings(tray: Tray, event: RulingsChosen) -> Transition:
    system = _known(event.system)
    if isinstance(system, Refuse):
        return Reached(tray, (system,))
    chosen = tray.campaign.rulings
    defaults = {ruling.name: ruling.default for ruling in system.rulings}
    own: dict[str, JsonValue] = dict(chosen.get(system.id, {}))
    try:
        resolve_rulings(system.rulings, event.rulings)
    except BadRequest as error:
        return Reached(tray, (Refuse("bad_ruling", refusal_text(error, system)),))
    for name, value in event.rulings.items():
        own[name] = defaults[name] if value is None else value
    table = replace(tray.table, rulings=overlay(tray.table.rulings, {system.id: own}))
    campaign = replace(tray.campaign, rulings={**chosen, system.id: own})
    return _agreed(tray, system, replace(tray, table=table, campaign=campaign))


def _on_roles(tray: Tray, event: RolesChosen) -> Transition:
    system = _known(event.system)
    if isinstance(system, Refuse):
        return Reached(tray, (system,))
    table, chosen = tray.table, tray.campaign.roles
    allowed = {role.value for role in (*system.pool_roles, Role.PLAIN)}
    own = dict(chosen.get(system.id, {}))
    in_force = dict(table.colour_roles.get(system.id, {}))
    for label, role in event.roles.items():
        if label not in table.colour_classes:
            classes = [word(one) for one in table.colour_classes]
            text = message("tray.refused.colour_class", label=word(label[:40]), classes=classes)
            return Reached(tray, (Refuse("unknown_colour", text),))
        if role is None:
            own.pop(label, None)
            in_force.pop(label, None)
        elif isinstance(role, str) and role in allowed:
            own[label] = in_force[label] = role
        else:
            text = message(
                "tray.refused.count_as",
                label=word(label),
                role=word(str(role)[:40]),
                allowed=[word(one) for one in sorted(allowed)],
            )
            return Reached(tray, (Refuse("unknown_role", text),))
    table = replace(table, colour_roles={**table.colour_roles, system.id: in_force})
    if table.pool is not None and system.id == table.system:
        table = replace(table, pool=merge_roles(table.pool, system, table))
    campaign = replace(tray.campaign, roles={**chosen, system.id: own})
    return _agreed(tray, system, replace(tray, table=table, campaign=campaign))


def _known(system_id: str) -> RuleSystem | Refuse:
    try:
        return find_system(system_id)
    except BadRequest as error:
        return Refuse("unknown_system", str(error))


def _agreed(tray: Tray, system: RuleSystem, after: Tray) -> Transition:
    """Score the current dice by the new choices; a push in progress is finished first."""
    if after == tray:
        return Reached(tray)
    if system.id != tray.table.system:
        return Reached(after, (Commit(),))
    match tray.dice:
        case AwaitingPush() | UnreadPush():
            return Reached(tray, (Refuse("push_awaited", message("tray.refused.push_awaited_change")),))
        case Unscored() as dice:
            return ScoreFirst(after, dice.layout, dice.number, dice.exploding)
        case Scored() as dice:
            return Rescore(tray, dice, after)
        case _:
            return Reached(after, (Commit(),))


def _on_prepared(tray: Tray, event: RollPrepared) -> Transition:
    """Declare a prepared roll. This ends the current result; dice without a result may belong to it."""
    dice, table, requests = tray.dice, tray.table, tray.campaign.requests
    if isinstance(dice, Scored) and pending_die(dice.outcome) is not None:
        return Reached(tray, (Refuse("roll_goes_on", message("tray.refused.goes_on")),))
    if event.owner is not None or event.label is not None:
        prepared = tray.campaign.prepared
        counts = () if table.pool is None or prepared is not None else table.pool.counts
        first = RollRequest(0, event.owner, event.label, sheet=event.roll.sheet)
        requests = requests.taken_by(first, table.next_roll, counts, prepared)
    after = replace(tray, campaign=replace(tray.campaign, requests=requests)).with_prepared(event.roll)
    match dice:
        case AwaitingPush() | UnreadPush():
            return Reached(tray, (Refuse("push_awaited", message("tray.refused.push_awaited_prepare")),))
        case Empty() | Rolling():
            return Reached(after, (Commit(),))
        case Unscored(number=None):
            return ScoreFirst(after, dice.layout)
        case _:
            return Reached(replace(after, dice=Empty(dice.layout)), (Commit(), ForgetDice()))


def _on_carried(tray: Tray, event: ConsequencesCarried) -> Transition:
    sheet = tray.campaign.find(event.sheet_id)
    roll = _due(tray)
    if isinstance(roll, Refuse):
        return Reached(tray, (roll,))
    if sheet.system != tray.table.system:
        return Reached(tray, (Refuse("wrong_system", message("tray.refused.other_rules")),))
    campaign = sheet_effects.carry(tray.campaign, roll, event.sheet_id, event.choice)
    return Reached(replace(tray, campaign=campaign), (Commit(),))


def _on_waived(tray: Tray) -> Transition:
    roll = _due(tray)
    if isinstance(roll, Refuse):
        return Reached(tray, (roll,))
    return Reached(replace(tray, campaign=sheet_effects.waive(tray.campaign, roll)), (Commit(),))


def _due(tray: Tray) -> PlayedRoll | Refuse:
    """Return the roll whose consequences no sheet has taken yet, or why there is none."""
    if tray.has_hidden_result:
        return Refuse("hidden", message("tray.refused.hidden"))
    roll = sheet_effects.roll_to_pay(tray)
    if roll is None or not sheet_effects.consequences_of(tray.campaign, roll):
        return Refuse("nothing_to_carry", message("tray.refused.nothing_to_carry"))
    carried = tray.campaign.carried_for(roll.result.number, roll.result.pushes)
    if carried is not None and not carried.undone:
        return Refuse("already_carried", message("tray.refused.carried"))
    return roll
