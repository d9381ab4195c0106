"""How tests say what a value is where its type leaves it open."""

from collections.abc import Mapping
from typing import Any, TypeVar

from rules.facts import JsonValue

T = TypeVar("T")


def parts_of(body: Mapping[str, JsonValue]) -> Mapping[str, Any]:
    """The same JSON, for looking into: what its parts hold is for the test to say."""
    return body


def there(found: T | None) -> T:
    """What was found; the test fails where there is nothing."""
    assert found is not None
    return found


def a(kind: type[T], thing: object) -> T:
    """The same thing, which must be of this kind."""
    assert isinstance(thing, kind), thing
    return thing
