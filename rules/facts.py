"""JSON types of requests, contexts and answers."""

from collections.abc import Mapping
from typing import TypeAlias

from typing_extensions import TypeAliasType

JsonValue = TypeAliasType("JsonValue", "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None")
Facts: TypeAlias = Mapping[str, JsonValue]
