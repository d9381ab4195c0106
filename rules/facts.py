"""JSON as the rules speak it: what requests, contexts and answers are made of."""

from collections.abc import Mapping
from typing import TypeAlias

JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None
Facts: TypeAlias = Mapping[str, JsonValue]
