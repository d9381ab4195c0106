"""Consequences of a result for the sheet in use: computed by the rules, applied by a tap or automatically."""

from dataclasses import replace
from functools import reduce

from device.game import snapshot_model as seen
from device.game.dice.scoring import context_of
from device.game.state.campaign import MAX_CARRIED, Campaign, Carried, Carry
from device.game.state.exploding_die import pending_die
from device.game.state.names import name_key
from device.game.state.states import Empty, PlayedRoll, Resolved, Result, Rolling, Scored
from device.game.state.tray import Tray
from device.message import Text, message
from device.rule_messages import counter_name
from rules.errors import BadRequest
from rules.sheet import (
    MAX_MARKS,
    Consequence,
    Kind,
    Sheet,
    alternatives,
    apply_consequences,
    choices,
    decide,
    effective,
    mark,
    undo,
)
from rules.system import find_system


def consequences_of(campaign: Campaign, played: PlayedRoll) -> tuple[Consequence, ...]:
    """Return a result's consequences for a sheet; empty if there are none or it is not over yet.

    For a pushed roll they are those of the throws since the last applied ones; consequences of the whole roll count as
    the difference to what was applied.
    """
    if pending_die(played.result.outcome) is not None:
        return ()
    base = _carried_before(campaign, played.result)
    due: list[Consequence] = []
    whole: dict[tuple[Kind, str | None], Consequence] = {}
    stands: dict[tuple[Kind, str | None], int] = {}
    for throw in _throws(played):
        for item in _done_by(throw):
            if item.whole_roll:
                whole[item.kind, item.name] = item
            elif base is None or throw.result.pushes > base:
                due.append(item)
        if throw.result.pushes == base:
            stands = {key: item.by for key, item in whole.items()}
    due += [replace(item, by=item.by - stands.get(key, 0)) for key, item in whole.items()]
    return effective(due)


def roll_to_pay(tray: Tray) -> PlayedRoll | None:
    """Return the result whose consequences a sheet can take.

    It is the result in the tray. If its dice were taken out before a sheet has paid, it stays until the next throw.
    """
    match tray.dice:
        case Scored() | Resolved() as result:
            return tray.played(result)
        case Empty(left=PlayedRoll() as left) | Rolling(left=PlayedRoll() as left):
            campaign = tray.campaign
            if left.is_paid or left.system != tray.table.system or campaign.requests.is_hidden(left.result.number):
                return None
            return left if _payers(campaign, left.system) and consequences_of(campaign, left) else None
        case _:
            return None


def payer_of(campaign: Campaign, played: PlayedRoll) -> int | None:
    """Return the sheet that pays for a roll; None if only a person can tell.

    It is the sheet that the roll was prepared from, else that of its request, else the only one with its owner's name.
    """
    system, note, request = played.system, played.prepared, played.request
    known = [note.sheet] if note is not None and note.roll <= played.result.number else []
    known += [] if request is None else [request.sheet]
    found = next((one for one in known if campaign.playing(one, system) is not None), None)
    if found is not None or request is None or request.owner is None:
        return found
    owner = name_key(request.owner)
    named = [one.id for one in campaign.sheets if one.sheet.system == system and name_key(one.sheet.title) == owner]
    return named[0] if len(named) == 1 else None


def _payers(campaign: Campaign, system: str) -> list[int]:
    return [one.id for one in campaign.sheets if one.sheet.system == system]


def with_result(campaign: Campaign, played: PlayedRoll) -> Campaign:
    """Return the campaign after a new or corrected result, with consequences applied if that is automatic.

    The sheet of a prepared roll gets its marks once. Consequences applied before a correction are undone first, unless
    the sheet has changed since.
    """
    campaign = _with_marks(campaign, played.result)
    carried = campaign.carried_for(played.result.number, played.result.pushes)
    if carried is not None:
        if carried.undone or consequences_of(campaign, played) == carried.items:
            return campaign
        paid = next((one for one in campaign.sheets if one.id == carried.sheet), None)
        if paid is None or (carried.changed and not (paid.sheet.history and paid.sheet.history[-1].why == carried.why)):
            return campaign
        back = campaign.with_sheet(paid.id, undo(paid.sheet)) if carried.changed else campaign
        return carry(back, played, paid.id, carried.choice)
    if campaign.carry is not Carry.ALWAYS:
        return campaign
    alone = _payers(campaign, played.system)
    payer = payer_of(campaign, played) or (campaign.chosen if alone == [campaign.chosen] else None)
    items = consequences_of(campaign, played)
    if payer is None or not items or _unpaid(campaign, played, campaign.find(payer)):
        return campaign
    return campaign if any(choices(campaign.find(payer), items)) else carry(campaign, played, payer)


def _with_marks(campaign: Campaign, result: Result) -> Campaign:
    note = campaign.prepared
    if note is None or not note.marks or result.number < note.roll:
        return campaign
    sheet = next((filed.sheet for filed in campaign.sheets if filed.id == note.sheet), None)
    campaign = replace(campaign, prepared=replace(note, marks=()))
    if sheet is None or len(sheet.marks) + len(note.marks) > MAX_MARKS:
        return campaign
    marked = sheet
    for name in note.marks:
        marked = mark(marked, name, message("tray.sheet.tried", deed=name))
    return campaign if marked is sheet else campaign.with_sheet(note.sheet or 0, marked)


def carry(campaign: Campaign, played: PlayedRoll, sheet_id: int, choice: tuple[str, ...] = ()) -> Campaign:
    result, items = played.result, consequences_of(campaign, played)
    why = message(
        "tray.sheet.roll_push" if result.pushes else "tray.sheet.roll", number=result.number, push=result.pushes
    )
    sheet = campaign.find(sheet_id)
    applied = apply_consequences(sheet, decide(sheet, items, choice), why)
    note = Carried(
        result.number,
        result.pushes,
        sheet_id,
        why,
        items,
        applied.missed,
        changed=applied.sheet is not sheet,
        upto=_carried_before(campaign, result),
        choice=choice,
    )
    return _noted(campaign.with_sheet(sheet_id, applied.sheet), note)


def waive(campaign: Campaign, played: PlayedRoll) -> Campaign:
    """Note that no sheet takes a result's consequences."""
    result, items = played.result, consequences_of(campaign, played)
    upto = _carried_before(campaign, result)
    return _noted(campaign, Carried(result.number, result.pushes, None, "", items, upto=upto))


def _noted(campaign: Campaign, note: Carried) -> Campaign:
    last = campaign.carried
    earlier = campaign.carried_before
    if last is not None and not last.undone and (last.roll, last.pushes) != (note.roll, note.pushes):
        earlier = (*earlier, last)[-MAX_CARRIED:]
    return replace(campaign, carried=note, carried_before=earlier)


def consequences_to_json(campaign: Campaign, played: PlayedRoll) -> seen.Due | None:
    """Return the current result's consequences for a display; None if it has none."""
    items = consequences_of(campaign, played)
    noted = campaign.carried_for(played.result.number, played.result.pushes)
    if noted.sheet is None and not noted.undone if noted is not None else not items:
        return None
    payer = payer_of(campaign, played)
    taker = campaign.playing(payer, played.system)
    standing = noted is not None and not noted.undone
    sheet = next((filed.sheet for filed in campaign.sheets if noted is not None and filed.id == noted.sheet), None)
    may_pay = [payer] if payer is not None else _payers(campaign, played.system)
    effects = [] if standing or taker is None else _effects(taker, decide(taker, items, ()))
    offered = [] if standing else _choices(campaign, may_pay, items)
    if noted is None and may_pay and not effects and not offered:
        return None  # what it would take is used up already
    return {
        "items": [consequence_to_json(item) for item in items],
        "carried": standing,
        "sheet": None if noted is None else noted.sheet,
        "payer": payer,
        "effects": effects,
        "choices": offered,
        "can_undo": standing and sheet is not None and bool(sheet.history) and sheet.history[-1].why == noted.why
        if noted is not None
        else False,
        "missed": [consequence_text(item) for item in noted.missed] if noted is not None else [],
        "unpaid": [] if standing else _unpaid(campaign, played, taker),
    }


def _choices(campaign: Campaign, may_pay: list[int], items: tuple[Consequence, ...]) -> list[seen.Choice]:
    """Return what can be tapped: the sheets that may pay, and on the one that does what the rules leave open."""
    offered: list[seen.Choice] = []
    for sheet_id in may_pay:
        sheet = campaign.find(sheet_id)
        ways = choices(sheet, items)
        if len(ways) > 1 and len(may_pay) > 1:
            offered.append({"sheet": sheet_id, "choice": None, "text": sheet.title})
            continue
        for way in ways:
            if costs := _effects(sheet, decide(sheet, items, way)):
                text = message("tray.sheet.takes", costs=costs, sheet=sheet.title)
                offered.append({"sheet": sheet_id, "choice": list(way), "text": text})
    return offered


def consequence_to_json(item: Consequence) -> seen.Change:
    return {
        "kind": item.kind.value,
        "name": item.name,
        "by": item.by,
        "to": item.to,
        "most_to": item.most_to,
        "text": consequence_text(item),
    }


def consequence_text(item: Consequence) -> Text:
    if item.either:
        return reduce(
            lambda first, second: message("list.either", first=first, second=second), map(consequence_text, item.either)
        )
    name = message(f"page.kind.{item.kind.value}") if item.name is None else counter_name(item.name)
    by = f"{item.by:+d}".replace("-", "\N{MINUS SIGN}")
    text = message("tray.sheet.by", name=name, by=by) if item.by else name
    if item.to is not None:
        text = message("tray.sheet.becomes", name=name, value=item.to)
    return text if item.most_to is None else message("tray.sheet.most", text=text, most=item.most_to)


def _effects(sheet: Sheet, items: tuple[Consequence, ...]) -> list[Text]:
    """Return what consequences do to a sheet, as in "Strength 3 → 2", a text for each counter that changes."""
    before = sheet
    effects: dict[str, Text] = {}
    for item in items:
        if len(alternatives(sheet, item)) > 1:
            continue  # a person chooses
        sheet = apply_consequences(sheet, (item,), "").sheet
        was, now = (one.find(item.kind, item.name) for one in (before, sheet))
        if was is None or now is None:
            effects[item.place] = message("tray.sheet.not_on_it", text=consequence_text(item))
        elif was.now != now.now:
            values = {"name": counter_name(was.name), "before": was.now, "after": now.now}
            effects[f"{was.kind.value}/{was.name}"] = message("tray.sheet.change", **values)
    return list(effects.values())


def _unpaid(campaign: Campaign, played: PlayedRoll, sheet: Sheet | None) -> list[Text]:
    """Return what a sheet lacks for the price of a roll, as in "grit: 2 are due and 1 is left"."""
    if sheet is None or _carried_before(campaign, played.result) is not None:
        return []
    short: list[Text] = []
    for item in _price(played):
        counter = sheet.find(item.kind, item.name)
        left = 0 if counter is None else counter.now - counter.least
        if counter is not None and item.by < -left:
            short.append(message("tray.sheet.due", name=counter_name(counter.name), due=-item.by, left=left))
    return short


def _throws(played: PlayedRoll) -> tuple[PlayedRoll, ...]:
    """Return the roll after each of its throws."""
    push = played.result.push if isinstance(played.result, Resolved) else None
    if push is None:
        return (played,)
    return (*_throws(replace(played, result=push.first, context=push.terms.context)), played)


def _done_by(throw: PlayedRoll) -> tuple[Consequence, ...]:
    """Return the consequences of one throw; the first includes the price of the preparation."""
    facts = context_of(throw.result, throw.system, throw.context)
    try:
        items = find_system(throw.system).consequences(throw.result.outcome.facts, facts)
    except BadRequest:
        # Facts set by hand may name something that no sheet has: then nothing can be applied.
        items = ()
    return items if throw.result.pushes else (*_price(throw), *items)


def _price(played: PlayedRoll) -> tuple[Consequence, ...]:
    return () if played.prepared is None else played.prepared.price_of(played.result.number)


def _carried_before(campaign: Campaign, result: Result) -> int | None:
    """Return the number of pushes at which this roll's consequences were last applied; None if never."""
    note = campaign.carried
    if note is None or note.roll != result.number or note.pushes > result.pushes:
        return None
    return note.upto if note.undone or note.pushes == result.pushes else note.pushes
