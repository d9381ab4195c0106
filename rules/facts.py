"""JSON types of requests, contexts and answers."""

from collections.abc import Mapping
from typing import TypeAlias

JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None
Facts: TypeAlias = Mapping[str, JsonValue]
