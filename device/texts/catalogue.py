"""The catalogues: a JSON file for each language, found by its name. Adding a language is adding a file.

A catalogue is a tree of texts. The key of a text is the path to it, as in `page.state.empty`. In a text, `{name}`
stands for a value. A text that depends on a number has two forms, `one` and `other`, and the number is called `count`;
which numbers take `one` stands under `language.one`. Values that are lists are joined by `list.last`. That is all: the
scripts of the pages read the same files by the same rules (`web/ui/lib/texts.js`).
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from device.errors import PushTrayError

FOLDER: Final = Path(__file__).with_name("languages")
ENGLISH: Final = "en"
"""The language of the HTTP interface where nobody asks for another, and of what a catalogue lacks."""

PAGE_TOPICS: Final = ("language", "list", "page", "word", "dice")
"""Topics that scripts of the pages read."""

FORMS: Final = frozenset({"one", "other"})
_PLACE = re.compile(r"\{(\w+)\}")
_FILE_NAME = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*")

Text: TypeAlias = str | Mapping[str, str]
"""A text, or its forms by `one` and `other`."""


class BadCatalogue(PushTrayError, ValueError):
    """A catalogue's file cannot be used."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    language: str
    name: str
    ones: frozenset[int]
    texts: Mapping[str, Text]

    def render(self, key: str, values: Mapping[str, object]) -> str | None:
        """Return the text of a key with its values put in; None where this catalogue lacks it."""
        text = self.texts.get(key)
        if text is None:
            return None
        if not isinstance(text, str):
            text = text["one" if values.get("count") in self.ones else "other"]

        def put(match: re.Match[str]) -> str:
            name = match[1]
            return self.shown(values[name]) if name in values else match[0]

        return _PLACE.sub(put, text)

    def shown(self, value: object) -> str:
        """Return a value as it stands in a text: a text in this language, a list joined, anything else as it is."""
        if isinstance(value, LazyText):
            return value.within(self)
        if isinstance(value, list | tuple):
            parts = [self.shown(part) for part in value]
            if len(parts) < 2:
                return "".join(parts)
            joined = self.render("list.last", {"all": ", ".join(parts[:-1]), "last": parts[-1]})
            return joined or ", ".join(parts)
        return str(value)


class LazyText(str):
    """A text of the catalogue with its values. It reads as its English, and can be said in any other language.

    Being a `str`, it goes through states, answers and files like one. What cuts or joins it gets plain English.
    """

    __slots__ = ("key", "values")

    key: str
    values: Mapping[str, object]

    def __new__(cls, key: str, values: Mapping[str, object]) -> "LazyText":
        text = catalogue(ENGLISH).render(key, values)
        if text is None:
            raise KeyError(key)
        said = super().__new__(cls, text)
        said.key = key
        said.values = values
        return said

    def __str__(self) -> str:
        """Itself, so that an error whose message it is gives it back whole."""
        return self

    def within(self, other: Catalogue) -> str:
        """Return the text in another language, in English where that one lacks it."""
        return other.render(self.key, self.values) or super().__str__()


def say(key: str, /, **values: object) -> LazyText:
    return LazyText(key, values)


def translate_or(other: str, key: str, /, **values: object) -> str:
    """Return a text of the catalogue, or another where it has none of that key: for words that people may make up."""
    return LazyText(key, values) if key in catalogue(ENGLISH).texts else other


def word(name: str) -> str:
    """Return a word of the rules for people, as in `hidden_camp`; as it is where the catalogue lacks it."""
    return translate_or(name.replace("_", " "), f"word.{word_key(name)}")


def word_key(name: str) -> str:
    """Return the part of a key that stands for a word of the rules."""
    return name_key(name).lower()


def name_key(name: str) -> str:
    """Return the part of a key that stands for a name which is distinguished from another by its capitals."""
    return re.sub(r"[^\w-]+", "_", name)


def in_language(value: Any, language: str) -> Any:
    """Return a JSON value with each text of the catalogue in a language; everything else stays as it is."""
    if language == ENGLISH:
        return value
    return _translated(value, catalogue(language))


def _translated(value: Any, known: Catalogue) -> Any:
    if isinstance(value, LazyText):
        return value.within(known)
    if isinstance(value, Mapping):
        return {key: _translated(one, known) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_translated(one, known) for one in value]
    return value


def languages() -> Mapping[str, str]:
    """Return every language that has a file: its code and its name in itself, English first, then by code."""
    return _names(FOLDER)


def catalogue(language: str) -> Catalogue:
    return _catalogue_in(FOLDER, language)


@cache
def _names(folder: Path) -> Mapping[str, str]:
    codes = sorted((path.stem for path in folder.glob("*.json")), key=lambda code: (code != ENGLISH, code))
    return {code: _catalogue_in(folder, code).name for code in codes}


@cache
def _catalogue_in(folder: Path, language: str) -> Catalogue:
    path = folder / f"{language}.json"
    if not _FILE_NAME.fullmatch(language) or not path.is_file():
        known = ", ".join(sorted(file.stem for file in folder.glob("*.json")))
        raise BadCatalogue(f"language {language[:20]!r} is unknown: give one of {known}")
    return read_catalogue(language, json.loads(path.read_text(encoding="utf-8")))


def read_catalogue(language: str, tree: Mapping[str, Any]) -> Catalogue:
    head = tree.get("language")
    if not isinstance(head, Mapping) or not isinstance(head.get("name"), str) or not isinstance(head.get("one"), list):
        raise BadCatalogue(f'{language}.json has no head: begin with "language": {{"name": "...", "one": [1]}}')
    texts = dict(_flat({topic: part for topic, part in tree.items() if topic != "language"}, ""))
    return Catalogue(language, head["name"], frozenset(head["one"]), texts)


def _flat(tree: Mapping[str, Any], path: str) -> list[tuple[str, Text]]:
    found: list[tuple[str, Text]] = []
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
    """Return what the scripts of the pages get: their texts by key, in English where the language lacks one."""
    known = catalogue(language)
    texts = {**catalogue(ENGLISH).texts, **known.texts}
    shown = {key: text for key, text in texts.items() if key.split(".", 1)[0] in PAGE_TOPICS}
    return {"language": language, "one": sorted(known.ones), "texts": shown}


def placeholders(text: Text) -> frozenset[str]:
    """Return the names of the places in a text, in any of its forms."""
    forms = (text,) if isinstance(text, str) else tuple(text.values())
    return frozenset(name for form in forms for name in _PLACE.findall(form))
