"""What stands in the pages' scripts as text: a small reader of JavaScript's strings and templates."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_SPACE = re.compile(r"\s+")
_NUMBER = re.compile(r"\d[\w.]*")
_BEFORE_VALUE = frozenset("(,=:[!&|?{};+-*%<>~^") | {"return", "typeof", "case", "=>"}
"""A slash after one of these begins a pattern; after anything else it divides."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A string, or what stands in a template between its places.

    Attributes:
        line: Where it begins, from 1.
        text: Its text; in a template each place is `{}`.
        before: The tokens before it, the nearest last.
    """

    line: int
    text: str
    before: tuple[str, ...]


def literals(source: str) -> Iterator[Literal]:
    """Every string and template of a script, in order; those inside a template's places follow it."""
    yield from _read(source, 1)


def _read(source: str, line: int) -> Iterator[Literal]:
    at, before = 0, ("", "", "", "")
    while at < len(source):
        rest = source[at]
        if space := _SPACE.match(source, at):
            line += space[0].count("\n")
            at = space.end()
        elif source.startswith("//", at):
            end = source.find("\n", at)
            at = len(source) if end < 0 else end
        elif source.startswith("/*", at):
            end = source.index("*/", at) + 2
            line += source.count("\n", at, end)
            at = end
        elif rest in "\"'":
            end = _end_of_quote(source, at)
            yield Literal(line, source[at + 1 : end], before)
            at, before = end + 1, (*before[1:], source[at : end + 1])
        elif rest == "`":
            end, text, places = _template(source, at)
            yield Literal(line, text, before)
            for start, inside in places:
                yield from _read(inside, line + source.count("\n", at, start))
            line += source.count("\n", at, end)
            at, before = end, (*before[1:], '""')
        elif rest == "/" and before[-1] in _BEFORE_VALUE:
            at, before = _end_of_pattern(source, at), (*before[1:], "//")
        else:
            token = _WORD.match(source, at) or _NUMBER.match(source, at)
            word = token[0] if token else "=>" if source.startswith("=>", at) else rest
            at, before = at + len(word), (*before[1:], word)


def _end_of_quote(source: str, at: int) -> int:
    end = at + 1
    while source[end] != source[at]:
        end += 2 if source[end] == "\\" else 1
    return end


def _end_of_pattern(source: str, at: int) -> int:
    end, in_class = at + 1, False
    while source[end] != "/" or in_class:
        if source[end] == "\\":
            end += 1
        elif source[end] in "[]":
            in_class = source[end] == "["
        end += 1
    return end + 1


def _template(source: str, at: int) -> tuple[int, str, list[tuple[int, str]]]:
    """Where a template ends, its text, and what stands in its places."""
    end, text, places = at + 1, "", []
    while source[end] != "`":
        if source[end] == "\\":
            text += source[end + 1]
            end += 2
        elif source.startswith("${", end):
            close = _end_of_place(source, end + 2)
            places.append((end + 2, source[end + 2 : close]))
            text += "{}"
            end = close + 1
        else:
            text += source[end]
            end += 1
    return end + 1, text, places


def _end_of_place(source: str, at: int) -> int:
    depth = 0
    while source[at] != "}" or depth:
        if source[at] in "\"'":
            at = _end_of_quote(source, at)
        elif source[at] == "`":
            at = _template(source, at)[0] - 1
        elif source[at] in "{}":
            depth += 1 if source[at] == "{" else -1
        at += 1
    return at
