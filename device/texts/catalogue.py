"""The catalogues: a folder of JSON files per language, found by its name. To add a language, add a folder.

A catalogue is a tree of texts, joined from the trees of its files. The key of a text is its path, as in
`page.state.empty`. `{name}` in a text is replaced by a value. A text that depends on a number has two forms, `one` and
`other`, and the number is called `count`; `language.one` defines which numbers take `one`. Lists are joined by
`list.last`. That is all: the pages' scripts read the same files by the same rules (`web/ui/lib/texts.js`).
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from device.errors import PushTrayError
from device.message import Message, Text, message_of
from device.message import word as word_message

FOLDER: Final = Path(__file__).with_name("languages")
ENGLISH: Final = "en"
"""The default language of the HTTP interface, and the fallback for texts missing in another catalogue."""

PAGE_TOPICS: Final = ("language", "list", "page", "word", "dice")
"""Topics that scripts of the pages read."""

FORMS: Final = frozenset({"one", "other"})
_PLAIN: Final = frozenset((bool, int, float, str, type(None)))
"""What has no language: most of a snapshot, which is walked for each change and page."""
_PLACE = re.compile(r"\{(\w+)\}")
_FOLDER_NAME = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*")

Template: TypeAlias = str | Mapping[str, str]
"""A text with its places, or its forms by `one` and `other`."""


class BadCatalogue(PushTrayError, ValueError):
    """A catalogue's file cannot be used."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    language: str
    name: str
    ones: frozenset[int]
    texts: Mapping[str, Template]

    def render(self, key: str, values: Mapping[str, object]) -> str | None:
        """Return the text of a key with its values filled in; None if this catalogue lacks it."""
        text = self.texts.get(key)
        if text is None:
            return None
        if not isinstance(text, str):
            text = text["one" if values.get("count") in self.ones else "other"]

        def put(match: re.Match[str]) -> str:
            name = match[1]
            return self.shown(values[name]) if name in values else match[0]

        return _PLACE.sub(put, text)

    def words(self, message: Message) -> str:
        """Return the text of a message, in English if this catalogue lacks its key."""
        text = self.render(message.key, message.values)
        if text is None:
            text = catalogue(ENGLISH).render(message.key, message.values)
        if text is None and message.otherwise is not None:
            return self.shown(message.otherwise)
        if text is None:
            raise KeyError(message.key)
        return text

    def shown(self, value: object) -> str:
        """Return a value as it appears in a text: a text in this language, a list joined, anything else unchanged."""
        if isinstance(value, Message | LazyText):
            return self.words(value if isinstance(value, Message) else value.message)
        if isinstance(value, list | tuple):
            parts = [self.shown(part) for part in value]
            if len(parts) < 2:
                return "".join(parts)
            joined = self.render("list.last", {"all": ", ".join(parts[:-1]), "last": parts[-1]})
            return joined or ", ".join(parts)
        return str(value)


class LazyText(str):
    """A message as a `str` in English that can be rendered in any other language, for what leaves the game.

    Answers and files treat it as a `str`. Slicing or joining it gives plain English.
    """

    __slots__ = ("message",)

    message: Message

    def __new__(cls, message: Message) -> "LazyText":
        text = super().__new__(cls, catalogue(ENGLISH).words(message))
        text.message = message
        return text

    def __str__(self) -> str:
        """Return itself, so that an error with this message keeps it as a lazy text."""
        return self

    @property
    def key(self) -> str:
        return self.message.key


def translate(key: str, /, **values: object) -> LazyText:
    return LazyText(Message(key, values))


def localizable(text: Text) -> str:
    """Return a text of the game as a `str` that can still be rendered in any language."""
    return LazyText(text) if isinstance(text, Message) else text


def error_text(error: Exception) -> str:
    """Return what an error says."""
    return localizable(message_of(error))


def word(name: str) -> str:
    """Return a word of the rules for people, as in `hidden_camp`."""
    return LazyText(word_message(name))


def in_language(value: Any, language: str) -> Any:
    """Return a JSON value with each message and text of the catalogue in a language; everything else is unchanged."""
    return _translated(value, catalogue(language))


def _translated(value: Any, known: Catalogue) -> Any:
    if isinstance(value, Message | LazyText):
        return known.shown(value)
    if isinstance(value, Mapping):
        return {key: one if type(one) in _PLAIN else _translated(one, known) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [one if type(one) in _PLAIN else _translated(one, known) for one in value]
    return value


def languages() -> Mapping[str, str]:
    """Return every language with a file: its code and its own name, English first, then by code."""
    return _names(FOLDER)


def catalogue(language: str) -> Catalogue:
    return _catalogue_in(FOLDER, language)


@cache
def _names(folder: Path) -> Mapping[str, str]:
    codes = sorted({path.parent.name for path in files_of(folder)}, key=lambda code: (code != ENGLISH, code))
    return {code: _catalogue_in(folder, code).name for code in codes}


def files_of(folder: Path, language: str = "*") -> list[Path]:
    """Return the files of a language, or of all, in order."""
    return sorted(folder.glob(f"{language}/*.json"))


@cache
def _catalogue_in(folder: Path, language: str) -> Catalogue:
    return read_catalogue(language, tree_of(folder, language))


def tree_of(folder: Path, language: str) -> dict[str, Any]:
    """Return a language's texts, joined from its files.

    Raises:
        BadCatalogue: There is no such language, or a text stands in two files.
    """
    files = files_of(folder, language) if _FOLDER_NAME.fullmatch(language) else []
    if not files:
        known = ", ".join(sorted({path.parent.name for path in files_of(folder)}))
        raise BadCatalogue(f"language {language[:20]!r} is unknown: give one of {known}")
    tree: dict[str, Any] = {}
    for path in files:
        _join(tree, json.loads(path.read_text(encoding="utf-8")), f"{language}/{path.name}")
    return tree


def _join(tree: dict[str, Any], more: Mapping[str, Any], name: str) -> None:
    for key, part in more.items():
        if isinstance(part, Mapping) and isinstance(tree.get(key), dict):
            _join(tree[key], part, name)
        elif key in tree:
            raise BadCatalogue(f"{name} has {key} again: leave it in one file")
        else:
            tree[key] = part


def read_catalogue(language: str, tree: Mapping[str, Any]) -> Catalogue:
    head = tree.get("language")
    if not isinstance(head, Mapping) or not isinstance(head.get("name"), str) or not isinstance(head.get("one"), list):
        raise BadCatalogue(
            f'{language} has no head: begin language.json with "language": {{"name": "...", "one": [1]}}'
        )
    texts = dict(_flat({topic: part for topic, part in tree.items() if topic != "language"}, ""))
    return Catalogue(language, head["name"], frozenset(head["one"]), texts)


def _flat(tree: Mapping[str, Any], path: str) -> list[tuple[str, Template]]:
    found: list[tuple[str, Template]] = []
    for name, part in tree.items():
        key = f"{path}{name}"
        if isinstance(part, str):
            found.append((key, part))
        elif isinstance(part, Mapping) and set(part) == FORMS and all(isinstance(one, str) for one in part.values()):
            found.append((key, dict(part)))
        elif isinstance(part, Mapping):
            found += _flat(part, f"{key}.")
        else:
            raise BadCatalogue(f"{key} is {part!r}: write a text, or its forms one and other")
    return found


def page_texts(language: str) -> dict[str, Any]:
    """Return the texts by key for the scripts of the pages, in English where the language lacks one."""
    known = catalogue(language)
    texts = {**catalogue(ENGLISH).texts, **known.texts}
    shown = {key: text for key, text in texts.items() if key.split(".", 1)[0] in PAGE_TOPICS}
    return {"language": language, "one": sorted(known.ones), "texts": shown}


def placeholders(text: Template) -> frozenset[str]:
    """Return the names of the placeholders in a text, in any of its forms."""
    forms = (text,) if isinstance(text, str) else tuple(text.values())
    return frozenset(name for form in forms for name in _PLACE.findall(form))
