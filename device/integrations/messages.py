"""The messages about results for other programs. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from device.body import face_word
from device.game.snapshot import outcome_json
from device.game.state.effects import LogRow
from device.integrations.outbox import Body
from device.message import Text, message_or, word_key
from device.texts.catalogue import LazyText, in_language, translate, word
from rules.dice import Role, face_name

FORMAT: Final = "pushtray-message/1"
TEST: Final = "test"
"""The kind of a test message."""
_ROLES: Final = [role.value for role in Role]


@dataclass(frozen=True, slots=True)
class Sender:
    id: str
    name: str
    language: str

    @property
    def body(self) -> Body:
        return {"id": self.id, "name": self.name}


def roll_message(row: LogRow, at: datetime, message_id: str, sender: Sender) -> Body | None:
    """Return the message about a result that was just written, at `at` in UTC; None if the row has none."""
    if row.outcome is None:
        return None
    shown = {
        "kind": row.kind.value,
        "system": row.system,
        "roll": row.roll_number,
        **row.notes._asdict(),
        "dice": [
            {"id": die.id, "role": die.role.value, "value": die.value, "face": face_name(die.value), "sides": die.sides}
            for die in row.roll
        ],
        "outcome": outcome_json(row.outcome),
    }
    return shown_message(shown, at, message_id, sender)


def shown_message(row: Mapping[str, Any], at: datetime, message_id: str, sender: Sender) -> Body | None:
    """Return the message about a row of the log, written or shown at `at` in UTC; None if it has no result."""
    if row["outcome"] is None:
        return None
    # In the order of rules and pages, not as they lay.
    dice = sorted(row["dice"], key=lambda die: _ROLES.index(die["role"]))
    body: Body = {
        **_head(at, message_id, row["kind"], sender),
        **{key: row[key] for key in ("system", "roll", "owner", "label")},
        "dice": [
            {"id": str(die["id"]), "role": die["role"], "value": die["value"], **other_facts(die)} for die in dice
        ],
        "outcome": dict(row["outcome"]),
        "text": _line(row, dice),
    }
    localized: Body = in_language(body, sender.language)
    return localized


def trial_message(at: datetime, message_id: str, sender: Sender) -> Body:
    body: Body = {**_head(at, message_id, TEST, sender), "text": translate("tray.message.test", name=sender.name)}
    localized: Body = in_language(body, sender.language)
    return localized


def _head(at: datetime, message_id: str, kind: str, sender: Sender) -> Body:
    return {
        "format": FORMAT,
        "id": message_id,
        "kind": kind,
        "time": at.isoformat(timespec="milliseconds"),
        "tray": sender.body,
    }


def _line(row: Mapping[str, Any], dice: list[Any]) -> LazyText:
    headline, owner, label = row["outcome"]["headline"], row["owner"], row["label"]
    named = headline["word"]
    result = translate(
        "tray.message.result",
        value=headline["value"],
        word=message_or(named, f"page.counts.{word_key(named)}"),
        dice=_dice_words(dice),
    )
    how = translate(f"tray.message.{row['kind']}", result=result)
    if owner and label:
        return translate("tray.message.owner_and_label", owner=owner, label=label, how=how)
    if owner or label:
        return translate("tray.message.owner_or_label", who=owner or label, how=how)
    return how


def other_facts(die: Mapping[str, Any]) -> Body:
    """Return the name of a face that shows no number, and the number of sides of a die that has not six."""
    face: Body = {"face": die["face"]} if die.get("face") is not None else {}
    return face | ({"sides": die["sides"]} if die.get("sides", 6) != 6 else {})


def _dice_words(dice: list[Any]) -> list[LazyText]:
    """Return the dice by role, the highest of each first: `base 8 (d8) 6 1`, `gear 2`; normal dice have no label."""
    by_role: dict[str, Text] = {}
    for die in sorted(dice, key=lambda die: (_ROLES.index(die["role"]), -die["value"])):
        sides = die.get("sides", 6)
        value = face_word(die["value"]) if sides == 6 else f"{die['value']} (d{sides})"
        before = by_role.get(die["role"])
        by_role[die["role"]] = (
            value if before is None else translate("tray.message.and_die", before=before, value=value)
        )
    return [
        translate(
            "tray.message.normal" if role == Role.PLAIN.value else "tray.message.of_role",
            role=word(role),
            values=values,
        )
        for role, values in by_role.items()
    ]
