"""A roll is given to another player, in the tray or in the history, with what it cost. Pure."""

from dataclasses import replace

from device.game.state.campaign import Campaign, Carried
from device.game.state.effects import Commit, GivenRoll, Refuse
from device.game.state.states import Empty, Playing, Resolved, Rolling, Scored, roll_lying
from device.game.state.table_events import RollGiven
from device.game.state.table_state import Table
from device.game.state.transition import Reached, Transition
from device.texts.catalogue import translate
from rules.sheet import apply_consequences, withdraw


def on_given(state: Playing, event: RollGiven) -> Transition:
    """Give a roll to another player. What a sheet has paid for it is taken back and goes to the other's sheet."""
    table = state.table
    lying = roll_lying(state)
    if not 1 <= event.roll <= max(lying, table.next_roll - 1):
        return Reached(state, (Refuse("unknown_roll", translate("tray.refused.no_roll", roll=event.roll)),))
    sheet = None if event.sheet is None else table.campaign.find(event.sheet)
    paid = _payments(table.campaign, event.roll)
    systems = {one.sheet.system for one in table.campaign.sheets if one.id in {note.sheet for note in paid}}
    systems |= {table.system} if event.roll == lying else set()
    if sheet is not None and not systems <= {sheet.system}:
        return Reached(state, (Refuse("wrong_system", translate("tray.refused.other_rules")),))
    campaign = _with_costs_moved(table.campaign, event.roll, event.sheet)
    campaign = replace(campaign, renamed=campaign.renamed + (event.roll < table.next_roll))
    after = replace(state, table=_given(replace(table, campaign=campaign), event, is_open=event.roll == lying))
    if isinstance(after, Empty | Rolling) and isinstance(after.left, Scored | Resolved):
        left = after.left
        if left.number == event.roll:
            after = replace(after, left=replace(left, table=_given(left.table, event, is_open=True)))
    return Reached(after, (Commit(given=GivenRoll(event.roll, event.owner)),))


def _given(table: Table, event: RollGiven, *, is_open: bool) -> Table:
    campaign = table.campaign
    asked = campaign.asked.given(event.roll, event.owner, event.sheet, is_open=is_open)
    note = campaign.prepared
    if note is not None and note.roll <= event.roll and (is_open or asked.of_roll(event.roll) is not None):
        note = replace(note, sheet=event.sheet)
    return replace(table, campaign=replace(campaign, asked=asked, prepared=note))


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
            why = translate("tray.sheet.given_away", number=note.roll)
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
