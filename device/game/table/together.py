"""Rolls that are compared: what each came to, one after another, and how they stand at the end. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from device.game.state.asked_rolls import AskedRoll, AskedRolls
from device.game.state.exploding_die import pending_die
from device.game.state.states import AwaitingPush, Empty, Playing, Resolved, Rolling, Scored
from device.game.state.together import Member, Together, TogetherKind
from device.texts.catalogue import Said, say, word
from rules.asking import compare_counts
from rules.system import Facts, JsonValue, find_system


@dataclass(frozen=True, slots=True)
class Standing:
    """How rolls that were compared came out.

    Attributes:
        result: `win`, `lose` or `draw`, of the first side; for a group `met`, `missed`, or `most` where only counts
            say.
        winner: Place of the member who won or has most; None for nobody, or the group as a whole.
        margin: Distance from what had to be reached; None where nothing had to be.
        total: Sum that a group reached together, where the rules add its rolls up.
        again: Whether the rules let both sides roll once more.
    """

    result: str
    winner: int | None = None
    margin: int | None = None
    total: int | None = None
    again: bool = False


def settled(asked: AskedRolls, state: Playing) -> AskedRolls:
    """The asked rolls with what the roll that lies there came to, and without those that nobody will roll any more.

    An opposed roll that lost a side is none any more: the other side's is a roll of its own. A group goes on without.
    """
    if not asked.together:
        return asked
    open_ids = {one.id for one in asked.waiting} | ({asked.current.id} if asked.current is not None else set())
    kept: list[Together] = []
    for before in asked.together:
        one = _rolled(before, asked, state)
        members = tuple(member for member in one.members if member.count is not None or member.asked in open_ids)
        least = 2 if one.kind is TogetherKind.OPPOSED else 1
        if len(members) >= least and not _is_past(one, asked, state):
            kept.append(replace(one, members=members))
    ids = {one.id for one in kept}

    def freed(roll: AskedRoll) -> AskedRoll:
        return roll if roll.together is None or roll.together in ids else replace(roll, together=None)

    current = None if asked.current is None else freed(asked.current)
    return replace(asked, current=current, waiting=tuple(freed(roll) for roll in asked.waiting), together=tuple(kept))


def standing_of(together: Together, rulings: Facts) -> Standing | None:
    """How rolls that belong together stand; None until everybody has rolled.

    By the rules of the system where it has some for this, else by what each roll counts.
    """
    counts = tuple(member.count for member in together.members if member.count is not None)
    if not together.is_done:
        return None
    if together.kind is TogetherKind.OPPOSED:
        return _opposed(together, counts[0], counts[1], rulings)
    return _group(together, counts, rulings)


def together_json(together: Together, rulings: Facts, turn: int | None) -> dict[str, JsonValue]:
    """Rolls that belong together, for a display and for the log.

    Args:
        together: The rolls.
        rulings: Of its system.
        turn: Id of the asked roll whose turn it is.
    """
    standing = standing_of(together, rulings)
    members: list[JsonValue] = [
        {
            "asked": member.asked,
            "owner": member.owner,
            "thrower": member.thrower,
            "hidden": member.hidden,
            "roll": member.roll,
            "count": member.count,
            "word": word(member.word) if member.word else "",
            "success": member.success,
            "turn": "now" if member.asked == turn else "rolled" if member.roll is not None else "waits",
        }
        for member in together.members
    ]
    body: dict[str, JsonValue] = {
        "id": together.id,
        "kind": together.kind.value,
        "label": together.label,
        "aim": dict(together.aim),
        "members": members,
        "done": standing is not None,
        "result": None if standing is None else standing.result,
        "winner": None if standing is None else standing.winner,
        "margin": None if standing is None else standing.margin,
        "total": None if standing is None else standing.total,
        "again": standing is not None and standing.again,
    }
    return {**body, "text": comparison_text(body)}


def comparison_text(together: Mapping[str, Any]) -> Said | None:
    """How rolls that were compared came out, in one sentence; None before everybody has rolled.

    Args:
        together: As `together_json` gives it; a log keeps it so, and this says it in any language.
    """
    if together["result"] is None:
        return None
    members = together["members"]
    names = [member["owner"] or say("tray.asked.somebody") for member in members]
    counts = [member["count"] for member in members]
    if together["kind"] == TogetherKind.OPPOSED:
        return _opposed_text(together, names, counts)
    total, margin = together.get("total"), together["margin"]
    if total is None:
        return _leader_text(members, names, counts)
    if margin is None:
        return say("tray.together.total", total=total)
    key = "short" if together["result"] == "missed" else "spare" if margin else "just"
    return say(f"tray.together.{key}", total=total, by=abs(margin))


def _opposed_text(together: Mapping[str, Any], names: list[str], counts: list[int]) -> Said:
    winner = together["winner"]
    if winner is None:
        text = "tray.together.again" if together.get("again") else "tray.together.level"
        return say(text, first=names[0], second=names[1], each=counts[0])
    values = {"winner": names[winner], "loser": names[1 - winner], "most": max(counts), "least": min(counts)}
    return say("tray.together.beats" if counts[0] != counts[1] else "tray.together.holds", **values)


def _leader_text(members: Iterable[Mapping[str, Any]], names: list[str], counts: list[int]) -> Said:
    most = max(counts)
    made = [member["success"] for member in members]
    values: dict[str, object] = {
        "leaders": [names[place] for place, count in enumerate(counts) if count == most],
        "most": most,
        "made": sum(1 for success in made if success),
        "count": len(made),
    }
    key = "leads" if counts.count(most) == 1 else "lead"
    return say(f"tray.together.{key if None in made else f'{key}_made'}", **values)


def covered(together: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The same for who must not see hidden results: who takes part and whose turn it is, as far as it is not shown."""
    listed = together["members"] if isinstance(together["members"], list) else []
    members = [member for member in listed if isinstance(member, dict)]
    if not any(member["hidden"] for member in members):
        return together
    nothing: dict[str, JsonValue] = {"count": None, "word": "", "success": None}
    shown: list[JsonValue] = [{**member, **nothing} if member["hidden"] else member for member in members]
    return {
        **together,
        "members": shown,
        "result": None,
        "winner": None,
        "margin": None,
        "total": None,
        "again": False,
        "text": None,
    }


def _rolled(together: Together, asked: AskedRolls, state: Playing) -> Together:
    """With what the roll that lies there counts, or without it where it was withdrawn."""
    current = asked.current
    if current is None or all(member.asked != current.id for member in together.members):
        return together
    result = state.first if isinstance(state, AwaitingPush) else state if isinstance(state, Scored | Resolved) else None
    is_its = result is not None and result.number == asked.for_roll and pending_die(result.outcome) is None
    outcome = result.outcome if result is not None and is_its else None

    def now(member: Member) -> Member:
        if member.asked != current.id:
            return member
        if outcome is None:
            return replace(member, hidden=current.hidden, roll=None, count=None, word="", success=None)
        count, counted = outcome.headline
        return replace(
            member, hidden=current.hidden, roll=asked.for_roll, count=count, word=counted, success=outcome.success
        )

    return replace(together, members=tuple(now(member) for member in together.members))


def _is_past(together: Together, asked: AskedRolls, state: Playing) -> bool:
    """Whether it need not be shown any longer: something else has its turn, or lies there."""
    current = None if asked.current is None else asked.current.id
    ids = {member.asked for member in together.members}
    if not together.is_done or current in ids:
        return False
    if together.is_hidden:
        return not ids & {one.id for one in asked.unshown}
    return current is not None or not isinstance(state, Empty | Rolling)


def _opposed(together: Together, first: int, second: int, rulings: Facts) -> Standing:
    compared = find_system(together.system).compare(first, second, rulings) or compare_counts(first, second)
    if compared.result == "draw":
        return Standing("draw", margin=0, again=compared.again)
    return Standing(compared.result, 0 if compared.result == "win" else 1, compared.margin)


def _group(together: Together, counts: tuple[int, ...], rulings: Facts) -> Standing:
    pooled = find_system(together.system).pool_together(counts, together.aim, rulings)
    if pooled is not None:
        if pooled.met is None or pooled.margin is None:
            return Standing("most", total=pooled.total)
        return Standing("met" if pooled.met else "missed", margin=pooled.margin, total=pooled.total)
    most = max(counts)
    if counts.count(most) > 1:
        return Standing("most", margin=0)
    return Standing("most", counts.index(most), most - max((count for count in counts if count < most), default=most))
