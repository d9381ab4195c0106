"""What people are told, in no language: a text's key and values. `device.texts` makes the words where it leaves.

It needs the standard library alone, as the installer and the first boot do.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Message:
    key: str
    values: Mapping[str, object] = field(default_factory=dict, hash=False)
    # the text if no catalogue has the key, for names that people may make up
    otherwise: "Text | None" = field(default=None, compare=False)


Text: TypeAlias = str | Message
"""A message, or a name or sentence that is the same in every language."""


def message(key: str, /, **values: object) -> Message:
    return Message(key, values)


def message_or(otherwise: Text, key: str, /, **values: object) -> Message:
    """Return a message that is `otherwise` if no catalogue has the key, for names that people may make up."""
    return Message(key, values, otherwise)


def message_of(error: Exception) -> Text:
    """Return what an error says: the message that it was raised with, else its text."""
    return error.args[0] if error.args and isinstance(error.args[0], Message) else str(error)


def word(name: str) -> Message:
    """Return a word of the rules for people, as in `hidden_camp`."""
    return message_or(name.replace("_", " "), f"word.{word_key(name)}")


def word_key(name: str) -> str:
    """Return the part of a key for a word of the rules."""
    return name_key(name).lower()


def name_key(name: str) -> str:
    """Return the part of a key for a name in which capitals matter."""
    return re.sub(r"[^\w-]+", "_", name)


def text_from_json(stored: object) -> Text:
    """Return a stored text, shown as it was stored if the catalogue no longer has its key.

    Raises:
        ValueError: It is none.
    """
    match stored:
        case str():
            return stored
        case {"key": str(key), "values": dict(values), "text": str(text)}:
            return Message(key, {str(name): _read(value) for name, value in values.items()}, text)
        case _:
            raise ValueError("it is not a stored text")


def _read(value: object) -> object:
    if isinstance(value, list):
        return [_read(one) for one in value]
    return text_from_json(value) if isinstance(value, str | Mapping) else value
