"""What other programs are told of a result, and how Discord gets it. Pure."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from device.game.snapshot import outcome_json
from device.game.state.effects import LogRow
from device.integrations.outbox import Body
from device.texts.catalogue import Said, in_language, say, say_or, word, word_key
from rules.dice import Role, Roll
from rules.system import JsonValue

FORMAT: Final = "pushtray-message/1"
TEST: Final = "test"
"""The kind of a message that somebody sends to try whether it arrives."""
DISCORD_MOST: Final = 2000
"""Letters that Discord takes in one message."""
_ROLES: Final = tuple(Role)
_SUPPRESS_EMBEDS: Final = 4
"""Discord's flag for a message whose links show nothing of what they lead to."""
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~:@])")


@dataclass(frozen=True, slots=True)
class Sender:
    """Which tray tells, and how.

    Attributes:
        id: Its part of topics.
        name: What people call it.
        language: Of the text for people.
    """

    id: str
    name: str
    language: str


def roll_message(row: LogRow, at: datetime, message_id: str, sender: Sender) -> Body | None:
    """What is told of a row of the log.

    Args:
        row: The row.
        at: When it was written, in UTC.
        message_id: Its own word: who gets the same twice knows it by that.
        sender: Which tray tells.

    Returns:
        JSON for programs, with one line for people under `text`; None where the dice could not be scored.
    """
    if row.outcome is None:
        return None
    # As rules and pages name them, not as they happened to lie.
    roll = tuple(sorted(row.roll, key=lambda die: _ROLES.index(die.role)))
    dice: list[JsonValue] = [{"id": die.id, "role": die.role.value, "value": die.value} for die in roll]
    body: Body = {
        **_head(at, message_id, row.kind.value, sender),
        "system": row.system,
        "roll": row.roll_number,
        "owner": row.owner,
        "label": row.label,
        "dice": dice,
        "outcome": outcome_json(row.outcome),
        "text": _line(row, roll, row.outcome.headline),
    }
    spoken: Body = in_language(body, sender.language)
    return spoken


def trial_message(at: datetime, message_id: str, sender: Sender) -> Body:
    """A message that says of itself that it is a test."""
    body: Body = {**_head(at, message_id, TEST, sender), "text": say("tray.tell.test", name=sender.name)}
    spoken: Body = in_language(body, sender.language)
    return spoken


def discord_form(body: Body) -> Body:
    """A message as Discord takes it: plain text that mentions nobody, whatever players call themselves.

    Source: discord.com/developers, Execute Webhook and Allowed Mentions.
    """
    tray = body.get("tray")
    name = str(tray.get("name", "")) if isinstance(tray, dict) else ""
    text = f"{escaped(name)}: {escaped(str(body.get('text', '')))}" if name else escaped(str(body.get("text", "")))
    if len(text) > DISCORD_MOST:
        # A backslash at the cut would have nothing left to escape.
        text = text[: DISCORD_MOST - 1].rstrip("\\") + "…"
    return {"content": text, "allowed_mentions": {"parse": []}, "flags": _SUPPRESS_EMBEDS}


def escaped(text: str) -> str:
    """Text in which nothing is markup on Discord."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def _head(at: datetime, message_id: str, kind: str, sender: Sender) -> Body:
    return {
        "format": FORMAT,
        "id": message_id,
        "kind": kind,
        "time": at.isoformat(timespec="milliseconds"),
        "tray": {"id": sender.id, "name": sender.name},
    }


def _line(row: LogRow, roll: Roll, headline: tuple[int, str]) -> Said:
    """A result in one line for people."""
    value, named = headline
    result = say(
        "tray.tell.result",
        value=value,
        word=say_or(named, f"page.counts.{word_key(named)}"),
        dice=_dice_words(roll),
    )
    how = say(f"tray.tell.{row.kind.value}", result=result)
    if row.owner and row.label:
        return say("tray.tell.owner_and_label", owner=row.owner, label=row.label, how=how)
    if row.owner or row.label:
        return say("tray.tell.owner_or_label", who=row.owner or row.label, how=how)
    return how


def _dice_words(roll: Roll) -> list[Said]:
    """The dice by role, the highest of each first: `base 6 3 1`, `gear 2`."""
    by_role: dict[str, list[int]] = {}
    for die in roll:
        by_role.setdefault(die.role.value, []).append(die.value)
    return [
        say("tray.tell.of_role", role=word(role), values=" ".join(map(str, sorted(values, reverse=True))))
        for role, values in by_role.items()
    ]
