"""Normalise names of people by Unicode NFKC and PRECIS (RFC 8266). Pure."""

import re
import unicodedata
from functools import lru_cache

from precis_i18n import get_profile

_KEPT = get_profile("NicknameCasePreserved")
_COMPARED = get_profile("NicknameCaseMapped")
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Characters that are invisible but are not format characters."""


@lru_cache(maxsize=4096)
def tidy_name(name: str) -> str:
    """Return a name as it is stored: composed, without invisible characters."""
    seen = "".join(letter for letter in _UNSEEN.sub("", name) if unicodedata.category(letter) != "Cf")
    try:
        return str(_KEPT.enforce(seen))
    except UnicodeEncodeError:
        raise ValueError("that is not a name: use letters, digits and visible signs") from None


@lru_cache(maxsize=4096)
def name_key(name: str) -> str:
    """Return a key that is equal for names that look alike, ignoring case."""
    try:
        return str(_COMPARED.enforce(tidy_name(name))).casefold()
    except ValueError:
        return name.casefold()


def told_name(name: str | None) -> str | None:
    """Return a name from an older log, normalised if possible."""
    try:
        return None if name is None else tidy_name(name)
    except ValueError:
        return name


def digits_of(text: str) -> str:
    """Return the decimal digits of a text, of any script, as ASCII, without all else."""
    return "".join(str(digit) for letter in text if (digit := unicodedata.decimal(letter, None)) is not None)
