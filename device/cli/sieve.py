"""A sieve for text that leaves the machine: only the program's own words, short numbers and times pass."""

import errno
import importlib.metadata
import ipaddress
import os
import re
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
_PACKAGES: Final = ("device", "vision", "rules")
_WORD: Final = re.compile(r"[^\W\d_]+")
_DOTTED: Final = re.compile(r"[\w-]+(?:\.[\w-]+)+")
_PIECE: Final = re.compile(r"\b\d{3}[ -]\d{3}\b|\w[\w+.-]*://[^\s\"'`)>]+|[^\s\"'`()<>\[\]{},;=|]+")
_SYSTEM_PATH: Final = re.compile(r"/(dev|sys|proc|api)/.*|/[\w-]*")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?([+-]\d\d:?\d\d|Z)?)?|\d\d:\d\d(:\d\d)?")
_NUMBER: Final = re.compile(r"[-+±~]?\d{1,5}(\.\d{1,6})?([x/:-]\d{1,5}(\.\d{1,6})?)*([a-zA-Zµ°%]{0,4})")
"""A number with its unit, sizes and ranges among them."""
_ADDRESS: Final = re.compile(r"\w[\w+.-]*://\S*|\S+@\S+|\[?[0-9A-Fa-f:.]*:[0-9A-Fa-f:.%]*\]?(:\d+)?")
_OWN_ADDRESSES: Final = re.compile(r"(https?://)?(127\.0\.0\.1|0\.0\.0\.0|localhost|\[?::1?\]?)(:\d{1,5})?/?")


class Kind(StrEnum):
    """What is replaced, in the words of the archive's list of contents."""

    PLAYER = "names of players and sheets"
    EVENING = "names of evenings"
    HOST = "addresses and hosts"
    FOLDER = "folders"
    NUMBER = "numbers of more than five digits, such as PINs"
    WORD = "words and keys that are not the program's own"


def own_words() -> frozenset[str]:
    """Return the words and dotted names of the program's sources and texts, the system's errors and package names.

    Casefolded.
    """
    sources = [path for name in _PACKAGES for kind in ("*.py", "*.json") for path in (ROOT / name).rglob(kind)]
    texts = [path.read_text(encoding="utf-8") for path in sources]
    texts += [f"{name} {os.strerror(number)}" for number, name in errno.errorcode.items()]
    texts += [path.name for path in sources]
    texts += [one.name for one in importlib.metadata.distributions()]
    return frozenset(word.casefold() for text in texts for word in (*_WORD.findall(text), *_DOTTED.findall(text)))


class Sieve:
    """Replaces everything in a text that is not known to be harmless by its kind; equal things get equal tokens."""

    def __init__(self, names: Mapping[Kind, Iterable[str]], words: frozenset[str] | None = None) -> None:
        """Set what is replaced first, however common its words are.

        Args:
            words: The words that pass, casefolded; the program's own if None.
        """
        self._words = own_words() if words is None else words
        self._tokens: dict[tuple[Kind, str], str] = {}
        known = {name.casefold(): kind for kind, some in names.items() for name in some if name.strip()}
        # Longest first, so that no part of a name remains.
        ordered = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
        self._names = re.compile(rf"(?<!\w)(?:{ordered})(?!\w)", re.IGNORECASE) if known else None
        self._kind_of: Callable[[str], Kind] = lambda name: known.get(name.casefold(), Kind.PLAYER)

    @property
    def kinds(self) -> list[Kind]:
        """The kinds that were replaced so far."""
        found = {kind for kind, _ in self._tokens}
        return [kind for kind in Kind if kind in found]

    def __call__(self, text: str) -> str:
        if self._names is None:
            return _PIECE.sub(self._sifted, text)
        # Names first; what is between them is sifted piece by piece.
        parts, at = [], 0
        for found in self._names.finditer(text):
            parts += [
                _PIECE.sub(self._sifted, text[at : found.start()]),
                self._token(self._kind_of(found[0]), found[0]),
            ]
            at = found.end()
        return "".join([*parts, _PIECE.sub(self._sifted, text[at:])])

    def _sifted(self, found: re.Match[str]) -> str:
        piece = found[0].rstrip(".:!?")
        return self._passed(piece) + found[0][len(piece) :]

    def _passed(self, piece: str) -> str:
        if _TIME.fullmatch(piece) or _OWN_ADDRESSES.fullmatch(piece) or self._is_own(piece):
            return piece
        if _is_address(piece):
            return self._token(Kind.HOST, piece)
        if "/" in piece:
            folder, _, name = piece.rpartition("/")
            kept = name if not name or self._is_own(name) else self._token(Kind.WORD, name)
            return f"{self._token(Kind.FOLDER, folder)}/{kept}"
        if re.fullmatch(r"[\d.:+-]+", piece):
            return self._token(Kind.NUMBER, piece)
        return self._token(Kind.HOST if re.search(r"[^\W\d]\.\w|\d\.[^\W\d]", piece) else Kind.WORD, piece)

    def _is_own(self, piece: str) -> bool:
        """Return whether a piece is made of own words and short numbers alone, as `/dev/video0`, `ring.port`, `d6`."""
        if _is_address(piece) or (piece.startswith(("/", "~")) and not _SYSTEM_PATH.fullmatch(piece)):
            return False
        if (number := _NUMBER.fullmatch(piece)) and piece.count("-") < 2:
            return all(word.casefold() in self._words for word in _WORD.findall(number[4]) if len(word) > 1)
        if any(name.casefold() not in self._words for name in _DOTTED.findall(piece) if _WORD.search(name)):
            return False
        is_short = sum(map(str.isdigit, piece)) <= 5
        return is_short and all(word.casefold() in self._words for word in _WORD.findall(piece) if len(word) > 1)

    def _token(self, kind: Kind, text: str) -> str:
        number = sum(known is kind for known, _ in self._tokens) + 1
        return self._tokens.setdefault((kind, text.casefold()), f"<{kind.name.lower()}-{number}>")


def _is_address(piece: str) -> bool:
    if _ADDRESS.fullmatch(piece) and not _TIME.fullmatch(piece) and not _NUMBER.fullmatch(piece):
        return True
    try:
        ipaddress.ip_address(piece.strip("[]").partition("%")[0].rpartition(":")[0] if piece.count(":") == 1 else piece)
    except ValueError:
        return False
    return True
