"""Names of people as one name each, however they are typed: Unicode NFKC and PRECIS (RFC 8266), by a library. Pure."""

import re
import unicodedata
from functools import lru_cache

from precis_i18n import get_profile

_KEPT = get_profile("NicknameCasePreserved")
_COMPARED = get_profile("NicknameCaseMapped")
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""What is drawn as nothing and is no format character."""


@lru_cache(maxsize=4096)
def tidy_name(name: str) -> str:
    """Return a name as it is kept: composed, without what nobody sees."""
    seen = "".join(letter for letter in _UNSEEN.sub("", name) if unicodedata.category(letter) != "Cf")
    try:
        return str(_KEPT.enforce(seen))
    except UnicodeEncodeError:
        raise ValueError("that is not a name: use letters, digits and visible signs") from None


@lru_cache(maxsize=4096)
def name_key(name: str) -> str:
    """Return what is the same of all names that look alike, capitals aside."""
    try:
        return str(_COMPARED.enforce(tidy_name(name))).casefold()
    except ValueError:
        return name.casefold()


def told_name(name: str | None) -> str | None:
    """Return a name out of an older log, tidied where it can be."""
    try:
        return None if name is None else tidy_name(name)
    except ValueError:
        return name


def ascii_digits(text: str) -> str:
    return "".join(str(unicodedata.decimal(letter, letter)) for letter in text)
