"""Texts as they are stored: by key and values, in no language, so that a later run shows them in any."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from pydantic import PlainSerializer, PlainValidator

from device.texts.catalogue import LazyText, translate_or
from rules.facts import JsonValue


def text_to_json(text: str) -> JsonValue:
    """Return a text to store; one of the catalogue has its English as well, for a program that lacks its key."""
    if not isinstance(text, LazyText):
        return text
    return {"key": text.key, "values": {name: _stored(value) for name, value in text.values.items()}, "text": text[:]}


def text_from_json(stored: object) -> str:
    """Return a stored text.

    Raises:
        ValueError: It is none.
    """
    match stored:
        case str():
            return stored
        case {"key": str(key), "values": dict(values), "text": str(text)}:
            return translate_or(text, key, **{str(name): _read(value) for name, value in values.items()})
        case _:
            raise ValueError("it is not a stored text")


StoredText: TypeAlias = Annotated[str, PlainSerializer(text_to_json), PlainValidator(text_from_json)]


def _stored(value: object) -> JsonValue:
    if isinstance(value, list | tuple):
        return [_stored(one) for one in value]
    if isinstance(value, str):
        return text_to_json(value)
    return value if isinstance(value, int | float) else str(value)


def _read(value: object) -> object:
    if isinstance(value, list):
        return [_read(one) for one in value]
    return text_from_json(value) if isinstance(value, str | Mapping) else value
