"""Narrowing of types in tests whose values are known better than their types."""

from collections.abc import Mapping
from typing import Any, TypeVar

from device.texts.catalogue import ENGLISH, in_language

T = TypeVar("T")


def parts_of(body: Mapping[str, object]) -> Mapping[str, Any]:
    """Return the same JSON with parts of any type."""
    return body


def english(value: Any) -> Any:
    """Return a text or a JSON value of the game with its messages in English."""
    return in_language(value, ENGLISH)


def there(found: T | None) -> T:
    """Return what was found; the test fails if there is nothing."""
    assert found is not None
    return found


def a(kind: type[T], thing: object) -> T:
    """Return the same object, which must be of this kind."""
    assert isinstance(thing, kind), thing
    return thing
