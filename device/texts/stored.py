"""Texts as they are stored: by key and values, in no language, so that a later run shows them in any."""

from collections.abc import Mapping
from typing import Any, Final

from device.message import Message, Text
from device.texts.catalogue import ENGLISH, catalogue, in_language
from rules.facts import JsonValue


def text_to_json(text: Text) -> JsonValue:
    """Return a text to store; one of the catalogue has its English as well, for a program that lacks its key."""
    if not isinstance(text, Message):
        return text
    if text.otherwise is not None and text.key not in catalogue(ENGLISH).texts:
        return text_to_json(text.otherwise)
    values = {name: _stored(value) for name, value in text.values.items()}
    return {"key": text.key, "values": values, "text": in_language(text, ENGLISH)}


STORING: Final[Mapping[str, Any]] = {"store": text_to_json}
"""The serialization context of `StoredText`."""


def _stored(value: object) -> JsonValue:
    if isinstance(value, list | tuple):
        return [_stored(one) for one in value]
    if isinstance(value, str | Message):
        return text_to_json(value)
    return value if isinstance(value, int | float) else str(value)
