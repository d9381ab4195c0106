"""Linked rolls: each one's result, and the comparison at the end. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from device.game import snapshot_model as seen
from device.game.state.exploding_die import pending_die
from device.game.state.linked_rolls import LinkedRolls, LinkKind, Member
from device.game.state.roll_requests import RollRequest, RollRequests
from device.game.state.states import AwaitingPush, DiceState, Empty, Resolved, Rolling, Scored
from device.game.state.tray import Tray
from device.message import Message, Text, message, word
from rules.asking import compare_counts
from rules.system import Facts, find_system


@dataclass(frozen=True, slots=True)
class Standing:
    # `win`, `lose` or `draw` of the first side; for a group `met`, `missed`, or `most` if only counts are compared
    result: str
    winner: int | None = None
    margin: int | None = None
    total: int | None = None
    again: bool = False


def settled(requests: RollRequests, tray: Tray) -> RollRequests:
    """Return the requested rolls with the current roll's result, without those that will not be rolled.

    An opposed roll that lost a side becomes an ordinary roll. A group goes on without the missing member.
    """
    open_ids = {one.id for one in requests.waiting} | ({requests.current.id} if requests.current is not None else set())
    kept: list[LinkedRolls] = []
    for before in requests.linked:
        one = _rolled(before, requests, tray)
        members = tuple(member for member in one.members if member.count is not None or member.request_id in open_ids)
        least = 2 if one.kind is LinkKind.OPPOSED else 1
        if len(members) >= least and not _is_past(one, requests, tray.dice):
            kept.append(replace(one, members=members))
    ids = {one.id for one in kept}

    def freed(roll: RollRequest) -> RollRequest:
        return roll if roll.linked is None or roll.linked in ids else replace(roll, linked=None)

    current = None if requests.current is None else freed(requests.current)
    return replace(
        requests, current=current, waiting=tuple(freed(roll) for roll in requests.waiting), linked=tuple(kept)
    )


def standing_of(linked: LinkedRolls, rulings: Facts) -> Standing | None:
    """Return the standing of linked rolls; None until everybody has rolled."""
    counts = tuple(member.count for member in linked.members if member.count is not None)
    if not linked.is_done:
        return None
    if linked.kind is LinkKind.OPPOSED:
        return _opposed(linked, counts[0], counts[1], rulings)
    return _group(linked, counts, rulings)


def linked_rolls_json(linked: LinkedRolls, rulings: Facts, turn: int | None) -> seen.Together:
    standing = standing_of(linked, rulings)
    members: list[seen.Member] = [
        {
            "asked": member.request_id,
            "owner": member.owner,
            "thrower": member.thrower,
            "hidden": member.hidden,
            "roll": member.roll,
            "count": member.count,
            "word": word(member.word) if member.word else "",
            "success": member.success,
            "turn": "now" if member.request_id == turn else "rolled" if member.roll is not None else "waits",
        }
        for member in linked.members
    ]
    body: seen.Together = {
        "id": linked.id,
        "kind": linked.kind.value,
        "label": linked.label,
        "aim": dict(linked.aim),
        "members": members,
        "done": standing is not None,
        "result": None if standing is None else standing.result,
        "winner": None if standing is None else standing.winner,
        "margin": None if standing is None else standing.margin,
        "total": None if standing is None else standing.total,
        "again": standing is not None and standing.again,
        "text": None,
    }
    return {**body, "text": comparison_text(body)}


def comparison_text(linked: Mapping[str, Any]) -> Message | None:
    """Return the result of linked rolls in one sentence; None until everybody has rolled."""
    if linked["result"] is None:
        return None
    members = linked["members"]
    names = [member["owner"] or message("tray.asked.somebody") for member in members]
    counts = [member["count"] for member in members]
    if linked["kind"] == LinkKind.OPPOSED:
        return _opposed_text(linked, names, counts)
    total, margin = linked.get("total"), linked["margin"]
    if total is None:
        return _leader_text(members, names, counts)
    if margin is None:
        return message("tray.linked.total", total=total)
    key = "short" if linked["result"] == "missed" else "spare" if margin else "just"
    return message(f"tray.linked.{key}", total=total, by=abs(margin))


def _opposed_text(linked: Mapping[str, Any], names: list[Text], counts: list[int]) -> Message:
    winner = linked["winner"]
    if winner is None:
        text = "tray.linked.again" if linked.get("again") else "tray.linked.level"
        return message(text, first=names[0], second=names[1], each=counts[0])
    values = {"winner": names[winner], "loser": names[1 - winner], "most": max(counts), "least": min(counts)}
    return message("tray.linked.beats" if counts[0] != counts[1] else "tray.linked.holds", **values)


def _leader_text(members: Iterable[Mapping[str, Any]], names: list[Text], counts: list[int]) -> Message:
    most = max(counts)
    made = [member["success"] for member in members]
    values: dict[str, object] = {
        "leaders": [names[place] for place, count in enumerate(counts) if count == most],
        "most": most,
        "made": sum(1 for success in made if success),
        "count": len(made),
    }
    key = "leads" if counts.count(most) == 1 else "lead"
    return message(f"tray.linked.{key if None in made else f'{key}_made'}", **values)


def _rolled(linked: LinkedRolls, requests: RollRequests, tray: Tray) -> LinkedRolls:
    current = requests.current
    if current is None or all(member.request_id != current.id for member in linked.members):
        return linked
    dice = tray.dice.first if isinstance(tray.dice, AwaitingPush) else tray.dice
    result = dice if isinstance(dice, Scored | Resolved) else None
    is_its = result is not None and result.number == requests.for_roll and pending_die(result.outcome) is None
    outcome = result.outcome if result is not None and is_its else None
    if isinstance(dice, Empty | Rolling) and requests.for_roll < tray.table.next_roll:
        return linked  # its dice were taken out: the result counts

    def now(member: Member) -> Member:
        if member.request_id != current.id:
            return member
        if outcome is None:
            return replace(member, hidden=current.hidden, roll=None, count=None, word="", success=None)
        count, counted = outcome.headline
        return replace(
            member, hidden=current.hidden, roll=requests.for_roll, count=count, word=counted, success=outcome.success
        )

    return replace(linked, members=tuple(now(member) for member in linked.members))


def _is_past(linked: LinkedRolls, requests: RollRequests, dice: DiceState) -> bool:
    """Return whether it is over and done: another roll is current or in the tray."""
    current = None if requests.current is None else requests.current.id
    ids = {member.request_id for member in linked.members}
    if not linked.is_done or current in ids:
        return False
    if linked.is_hidden:
        return not ids & {one.id for one in requests.unshown}
    return current is not None or not isinstance(dice, Empty | Rolling)


def _opposed(linked: LinkedRolls, first: int, second: int, rulings: Facts) -> Standing:
    compared = find_system(linked.system).compare(first, second, rulings) or compare_counts(first, second)
    if compared.result == "draw":
        return Standing("draw", margin=0, again=compared.again)
    return Standing(compared.result, 0 if compared.result == "win" else 1, compared.margin)


def _group(linked: LinkedRolls, counts: tuple[int, ...], rulings: Facts) -> Standing:
    pooled = find_system(linked.system).pool_counts(counts, linked.aim, rulings)
    if pooled is not None:
        if pooled.met is None or pooled.margin is None:
            return Standing("most", total=pooled.total)
        return Standing("met" if pooled.met else "missed", margin=pooled.margin, total=pooled.total)
    most = max(counts)
    if counts.count(most) > 1:
        return Standing("most", margin=0)
    return Standing("most", counts.index(most), most - max((count for count in counts if count < most), default=most))
