"""A section of the settings: a frozen dataclass validated by pydantic.

Each part of the tray declares its own section next to its code; device/config combines them and reports errors in one
line. Ranges are in the fields' types (`Annotated[int, Field(ge=5, le=60)]`), where messages and the command `settings`
find them. Conditions between two keys are checked in `__post_init__`, whose ValueError begins with the key's name.
"""

import dataclasses
from typing import Annotated, Any, TypeAlias, TypeVar, cast, dataclass_transform

from pydantic import ConfigDict, Field, GetCoreSchemaHandler
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic_core import CoreSchema, core_schema

Declared = TypeVar("Declared")

Positive: TypeAlias = Annotated[float, Field(gt=0.0)]
"""A time or a rate above 0."""

_CONFIG = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
"""Unknown keys are errors; true is not a number, and neither is "80"."""


@dataclasses.dataclass(frozen=True, slots=True)
class OneOf:
    """Marks a text as one of several words that are in a tuple instead of a `Literal`."""

    words: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.literal_schema(list(self.words))


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field, Field))
def section(kind: type[Declared]) -> type[Declared]:
    """Make a class a section of the settings.

    Returns:
        The class as a frozen dataclass with slots. Making one, also by `replace`, raises pydantic's ValidationError, a
        ValueError, if a value is invalid.
    """
    return cast("type[Declared]", pydantic_dataclass(frozen=True, slots=True, config=_CONFIG)(kind))
