"""Why another program refused a message, in its own words: one short line, without the secrets of its address."""

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any, Final
from urllib.parse import unquote

_MAX: Final = 200
_MAX_DEPTH: Final = 8
_KEYS: Final = frozenset({"message", "msg", "error", "errors", "_errors", "detail", "description", "title", "reason"})
"""Where programs put it: Discord, Slack, Matrix, Telegram, FastAPI, RFC 9457."""
_TITLE: Final = re.compile(r"<title[^>]*>([^<]*)", re.IGNORECASE)
_SHORTEST: Final = 4
_WORD: Final = re.compile(rf"[\w-]{{{_SHORTEST},}}")
_PUBLIC: Final = frozenset({"api", "hook", "hooks", "services", "webhook", "webhooks"})
"""Parts of addresses that everyone may read."""


def reason_of(body: bytes, *secrets: str) -> str:
    """Return the reason in a response; empty if it has none.

    Args:
        secrets: What must not be shown, also in part, such as an address with a key.
    """
    text = body.decode("utf-8", "replace").strip()
    try:
        found = list(_texts(json.loads(text), _MAX_DEPTH)) or [text]
    except (ValueError, RecursionError):
        title = _TITLE.search(text)
        found = [unescape(title[1])] if title else [] if text.startswith("<") else [text]
    joined = "; ".join(dict.fromkeys(found))
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in joined).split())
    shown = _without(line, " ".join((*secrets, *map(unquote, secrets))))
    return shown if len(shown) <= _MAX else f"{shown[: _MAX - 1]}…"


def _texts(body: Any, depth: int) -> Iterator[str]:
    if isinstance(body, str):
        yield body
    elif isinstance(body, list) and depth:
        for one in body:
            yield from _texts(one, depth - 1)
    elif isinstance(body, dict) and depth:
        for key, value in body.items():
            if key in _KEYS or isinstance(value, dict):
                yield from _texts(value, depth - 1)


def _without(line: str, secrets: str) -> str:
    """Replace each secret, and each word that is part of one."""
    parts = re.split(r"[/?&=\s]+", secrets.lower())
    hidden = [part for part in parts if len(part) >= _SHORTEST and part not in _PUBLIC]
    for part in sorted(hidden, key=len, reverse=True):
        line = re.sub(re.escape(part), "…", line, flags=re.IGNORECASE)
    return _WORD.sub(lambda word: "…" if any(word[0].lower() in part for part in hidden) else word[0], line)
