"""What leaves the tray as JSON, and what is stored of it, while its texts have no language."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeAlias

from pydantic import PlainSerializer, PlainValidator, SerializationInfo
from typing_extensions import TypeAliasType

from device.message import Message, Text, text_from_json, word
from rules.dice import BLANK
from rules.facts import JsonValue

BodyValue = TypeAliasType(
    "BodyValue", "bool | int | float | str | Message | Sequence[BodyValue] | Mapping[str, object] | None"
)
"""A JSON value in which messages still have no language; typed objects such as those of a snapshot are values, too."""
Body: TypeAlias = dict[str, BodyValue]


def dicts(value: object) -> list[dict[str, Any]]:
    """Return the objects of a JSON list; none if it is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def face_word(value: JsonValue) -> Text:
    """Return what a face shows, as text: its number, that it is blank, or `?` if it is unknown."""
    return "?" if value is None else word("blank") if value == BLANK else str(value)


def _store(text: Text, info: SerializationInfo) -> JsonValue:
    stored: JsonValue = (info.context or {})["store"](text)
    return stored


StoredText: TypeAlias = Annotated[Text, PlainSerializer(_store), PlainValidator(text_from_json)]
"""A text of a stored value; the serializer's context has the function `store` that makes JSON of it."""
