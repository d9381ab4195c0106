"""The settings that a table may change on the page `/settings`: one list, the rest from the models.

Kind, bounds, words and default of a key are taken from the validation of `Settings`. Other settings are for the builder
of the tray (pins, timing of the ring's port), or are chosen on the display (rules, rulings, roles).
"""

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args, get_origin

from pydantic import SecretStr

from device.camera.registry import KINDS, camera_kind
from device.config.messages import bare, bounds_of, keys_of, words_of
from device.config.settings import Settings
from device.errors import BadInput
from device.integrations.sections import SECTIONS
from device.message import message_or
from device.texts.catalogue import languages, localizable, translate, word
from vision.colour.classes import COLOUR_NAMES

Value: TypeAlias = bool | int | float | str | list[str]
"""A value of a key."""

_LONGEST = 200
_LONGEST_SECRET = 2000
_MAX = 20
_ABOVE = 0.01
"""Distance of the nearest valid number from an exclusive bound."""


@dataclass(frozen=True, slots=True)
class Listed:
    key: str  # key with its sections, as in `ring.shape.leds`
    group: str
    camera: str = ""
    suggested: tuple[str, ...] = ()


LISTED = (
    Listed("display.language", "pages"),
    Listed("display.idle_min", "pages"),
    Listed("display.undo_s", "pages"),
    Listed("display.remember", "pages"),
    Listed("web.host", "network", suggested=("127.0.0.1", "0.0.0.0")),  # noqa: S104 - a choice, never the default
    Listed("web.port", "network"),
    Listed("web.names", "network"),
    Listed("web.origins", "network"),
    Listed("tray.camera", "camera", suggested=tuple(name for kind in KINDS for name in kind.suggested)),
    *(Listed(f"{kind.section}.{name}", kind.group, kind.id) for kind in KINDS for name in kind.keys),
    Listed("panel.pins", "lamps"),
    Listed("panel.wiring.brightness", "lamps"),
    Listed("ring.kind", "ring"),
    Listed("ring.port.port", "ring"),
    *(
        Listed(f"ring.shape.{name}", "ring")
        for name in ("leds", "shape", "clockwise", "brightness", "dim", "point_s", "cheer_s")
    ),
    Listed("log.level", "log"),
)
"""The settings on the page `/settings`, in its order; the colours of the dice come before them."""

SERVICES = tuple(Listed(f"{name}.{one.name}", name) for name, kind in SECTIONS.items() for one in fields(kind))
"""The settings on the page `/integrations`."""

_COLOURS = "colours"


class Kind(StrEnum):
    WORD = "word"
    SWITCH = "switch"
    WHOLE = "whole"
    NUMBER = "number"
    TEXT = "text"
    TEXTS = "texts"
    SECRET = "secret"  # noqa: S105 - goes in and never comes out


class BadSetting(BadInput):
    def __init__(self, text: str, nearest: Value | None = None) -> None:
        super().__init__(text)
        self.nearest = nearest


@dataclass(frozen=True, slots=True)
class TableSetting:
    listed: Listed
    kind: Kind
    words: tuple[str | int, ...]
    low: float | None
    high: float | None
    is_open: bool
    usual: Value | None

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(self.listed.key.split("."))

    @property
    def title(self) -> str:
        if self.path[0] in SECTIONS:
            return translate(f"integrations.{self.path[0]}.field.{self.path[1]}")
        if self.path[0] == _COLOURS:
            return translate("settings.colour.title", name=word(self.path[1]))
        return translate(f"settings.key.{self._name}.title")

    @property
    def help(self) -> str:
        """The line that describes the key in its model; a service's keys have none."""
        if self.path[0] in SECTIONS:
            return ""
        if self.path[0] == _COLOURS:
            return translate("settings.colour.help")
        return translate(f"settings.key.{self._name}.help")

    @property
    def _name(self) -> str:
        return "_".join(self.path)

    def title_of(self, choice: str | int) -> str:
        if self.path[0] == _COLOURS:
            return word(str(choice))
        if self.listed.key == "display.language":
            return languages()[str(choice)]
        return localizable(message_or(str(choice), f"settings.word.{choice}"))

    def value_in(self, settings: Settings) -> Value | None:
        """Return its value in validated settings; None if it is not set."""
        at: Any = settings
        for name in self.path:
            at = at.get(name) if isinstance(at, Mapping) else getattr(at, name)
        return plain(at)

    def checked(self, value: object) -> Value:
        match self.kind:
            case Kind.WORD:
                return self._word(value)
            case Kind.SWITCH:
                if isinstance(value, bool):
                    return value
                raise BadSetting(translate("settings.wrong.switch"))
            case Kind.WHOLE | Kind.NUMBER:
                return self._number(value)
            case Kind.TEXT | Kind.SECRET:
                return _line(value, _LONGEST_SECRET if self.kind is Kind.SECRET else _LONGEST)
            case Kind.TEXTS:
                if isinstance(value, Sequence) and not isinstance(value, str) and len(value) <= _MAX:
                    return [_line(one) for one in value]
                raise BadSetting(translate("settings.wrong.text"))

    def _word(self, value: object) -> Value:
        if value in self.words and not isinstance(value, bool):
            return next(one for one in self.words if one == value)
        titles = {str(one): one for one in self.words}
        close = difflib.get_close_matches(str(value)[:_LONGEST].lower(), list(titles), n=1, cutoff=0.6)
        if close:
            near = titles[close[0]]
            text = translate("settings.wrong.near_word", value=shown(value), near=self.title_of(near))
            raise BadSetting(text, near)
        raise BadSetting(translate("settings.wrong.word", words=[self.title_of(one) for one in self.words]))

    def _number(self, value: object) -> int | float:
        is_whole = self.kind is Kind.WHOLE
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise BadSetting(translate(f"settings.wrong.{self.kind.value}", value=shown(value)))
        if is_whole and not isinstance(value, int):
            near = self._nearest(round(value))
            raise BadSetting(translate("settings.wrong.whole", value=shown(value)), near)
        near = self._nearest(value)
        if near != value:
            raise BadSetting(self._range(value), near)
        return value if is_whole else float(value)

    def _nearest(self, value: int | float) -> int | float:
        if self.low is not None and (value < self.low or (self.is_open and value == self.low)):
            value = self.low + _ABOVE if self.is_open else self.low
        if self.high is not None and value > self.high:
            value = self.high
        return round(value) if self.kind is Kind.WHOLE else value

    def _range(self, value: int | float) -> str:
        low, high = (None if limit is None else f"{limit:g}" for limit in (self.low, self.high))
        if high is None:
            return translate("settings.wrong.above" if self.is_open else "settings.wrong.from", value=value, low=low)
        if self.is_open:
            return translate("settings.wrong.above_to", value=value, low=low, high=high)
        return translate("settings.wrong.between", value=value, low=low, high=high)


def table_settings(settings: Settings) -> tuple[TableSetting, ...]:
    """Return every key that this tray's table may change, in the page's order."""
    camera = camera_kind(settings.tray.camera).id
    colours = tuple(Listed(f"{_COLOURS}.{label}", "dice") for label in settings.colours)
    return tuple(_described(one) for one in (*colours, *LISTED, *SERVICES) if one.camera in ("", camera))


def plain(value: Any) -> Value | None:
    if value is None or value == "":
        return None
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} is not a value that a table may set")


def shown(value: object) -> str:
    return repr(value)[:60]


def _described(listed: Listed) -> TableSetting:
    hint, usual = _hint_and_usual(listed.key)
    if listed.key.startswith(f"{_COLOURS}."):
        return TableSetting(listed, Kind.WORD, tuple(COLOUR_NAMES), None, None, is_open=False, usual=usual)
    words, bounds = _choices(hint), bounds_of(hint)
    low = bounds.get("ge", bounds.get("gt"))
    return TableSetting(listed, _kind(hint, words), words, low, bounds.get("le"), is_open="gt" in bounds, usual=usual)


def _hint_and_usual(key: str) -> tuple[Any, Value | None]:
    hint: Any = Settings
    usual: Any = Settings()
    for name in key.split("."):
        hint = keys_of(hint).get(name)
        usual = usual.get(name) if isinstance(usual, Mapping) else getattr(usual, name)
    if is_dataclass(usual):
        raise TypeError(f"{key} is a section, not a key")
    return hint, plain(usual)


def _choices(hint: Any) -> tuple[str | int, ...]:
    words: tuple[str | int, ...] = tuple(words_of(hint))
    kind = bare(hint)
    numbers = get_args(kind) if get_origin(kind) is Literal else ()
    return words or tuple(one for one in numbers if isinstance(one, int))


def _kind(hint: Any, words: tuple[str | int, ...]) -> Kind:
    kind = bare(hint)
    if words:
        return Kind.WORD
    if get_origin(kind) is tuple:
        return Kind.TEXTS
    kinds = {bool: Kind.SWITCH, int: Kind.WHOLE, float: Kind.NUMBER, SecretStr: Kind.SECRET}
    return kinds.get(kind, Kind.TEXT)


def _line(value: object, longest: int = _LONGEST) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > longest or not value.isprintable():
        raise BadSetting(translate("settings.wrong.text"))
    return value.strip()
