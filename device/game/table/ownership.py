"""A roll is given to another player, in the tray or in the history, with what it cost. Pure."""

from dataclasses import replace

from device.game.state.campaign import Campaign, Carried
from device.game.state.effects import Commit, GivenRoll, Refuse
from device.game.state.prepared_roll import PreparedRoll
from device.game.state.roll_requests import RollRequest
from device.game.state.states import Empty, PlayedRoll, Rolling
from device.game.state.table_events import RollGiven
from device.game.state.transition import Reached, Transition
from device.game.state.tray import Tray
from device.message import message
from rules.sheet import apply_consequences, withdraw


def on_given(tray: Tray, event: RollGiven) -> Transition:
    """Give a roll to another player. What a sheet has paid for it is taken back and goes to the other's sheet."""
    table, campaign, lying = tray.table, tray.campaign, tray.roll_number
    if not 1 <= event.roll <= max(lying, table.next_roll - 1):
        return Reached(tray, (Refuse("unknown_roll", message("tray.refused.no_roll", roll=event.roll)),))
    sheet = None if event.sheet is None else campaign.find(event.sheet)
    paid = _payments(campaign, event.roll)
    systems = {one.sheet.system for one in campaign.sheets if one.id in {note.sheet for note in paid}}
    systems |= {table.system} if event.roll == lying else set()
    if sheet is not None and not systems <= {sheet.system}:
        return Reached(tray, (Refuse("wrong_system", message("tray.refused.other_rules")),))
    campaign = _with_costs_moved(campaign, event.roll, event.sheet)
    is_open = event.roll == lying
    requests = campaign.requests.given(event.roll, event.owner, event.sheet, is_open=is_open)
    note = campaign.prepared
    if note is not None and (is_open or requests.of_roll(event.roll) is not None):
        note = _note_given(note, event)
    renamed = campaign.renamed + (event.roll < table.next_roll)
    dice = tray.dice
    if isinstance(dice, Empty | Rolling) and isinstance(dice.left, PlayedRoll):
        dice = replace(dice, left=_played_given(dice.left, event))
    campaign = replace(campaign, requests=requests, prepared=note, renamed=renamed)
    return Reached(replace(tray, dice=dice, campaign=campaign), (Commit(given=GivenRoll(event.roll, event.owner)),))


def _played_given(played: PlayedRoll, event: RollGiven) -> PlayedRoll:
    """Return a roll whose dice were taken out; the one that was given is now another player's."""
    if played.result.number != event.roll:
        return played
    request = replace(played.request or RollRequest(0), owner=event.owner, sheet=event.sheet)
    return replace(played, request=request, prepared=played.prepared and _note_given(played.prepared, event))


def _note_given(note: PreparedRoll, event: RollGiven) -> PreparedRoll:
    return replace(note, sheet=event.sheet) if note.roll <= event.roll else note


def _payments(campaign: Campaign, roll: int) -> list[Carried]:
    notes = (*campaign.carried_before, *(() if campaign.carried is None else (campaign.carried,)))
    return [one for one in notes if one.roll == roll and not one.undone]


def _with_costs_moved(campaign: Campaign, roll: int, sheet_id: int | None) -> Campaign:
    """Take back what sheets have paid for a roll; another sheet pays it, or it is due again."""
    moved: dict[Carried, Carried | None] = {}
    for note in _payments(campaign, roll):
        if note.sheet == sheet_id and sheet_id is not None:
            continue
        moved[note] = None
        paid = next((one for one in campaign.sheets if one.id == note.sheet), None)
        if paid is not None and note.changed:
            why = message("tray.sheet.given_away", number=note.roll)
            campaign = campaign.with_sheet(paid.id, withdraw(paid.sheet, note.why, why))
        if sheet_id is not None and note.sheet is not None:
            sheet = campaign.find(sheet_id)
            applied = apply_consequences(sheet, note.items, note.why)
            moved[note] = replace(note, sheet=sheet_id, missed=applied.missed, changed=applied.sheet is not sheet)
            campaign = campaign.with_sheet(sheet_id, applied.sheet)
    earlier = (moved.get(one, one) for one in campaign.carried_before)
    carried = campaign.carried
    return replace(
        campaign,
        carried=None if carried is None else moved.get(carried, carried),
        carried_before=tuple(one for one in earlier if one is not None),
    )
