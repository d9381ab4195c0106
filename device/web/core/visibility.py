"""Who may see hidden results: nobody, but for requests that the application knows to be the game master's."""

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from functools import partial

from fastapi import Request

from device.game.redaction import redact_odds
from device.game.snapshot import Snapshot
from device.storage.log_rows import Row, redacted_row
from rules.system import JsonValue

_sees_hidden: ContextVar[Callable[[], bool]] = ContextVar("sees_hidden", default=lambda: False)

Visibility = Callable[[Request], bool]
"""Whether who sends a request may see what is hidden."""


def set_viewer(may_see: Visibility) -> Callable[[Request], Awaitable[None]]:
    """Return the app-wide dependency that records whether the caller may see hidden rolls."""

    # Of a coroutine and not of a function: what a thread notes, the answer would not know of.
    async def look(request: Request) -> None:
        # Asked again for each snapshot of a stream: a phone may cease to be the game master's while one is open.
        _sees_hidden.set(partial(may_see, request))

    return look


def sees_hidden() -> bool:
    """Return whether the request that is being answered may see what is hidden."""
    return _sees_hidden.get()()


def visible_body(snapshot: Snapshot) -> Mapping[str, JsonValue]:
    return snapshot.whole if sees_hidden() else snapshot.body


def visible_row(row: Row) -> Row:
    return row if sees_hidden() else redacted_row(row)


def visible_odds(odds: Mapping[str, JsonValue], snapshot: Snapshot) -> dict[str, JsonValue]:
    hides = snapshot.body.get("hidden") is True and not sees_hidden()
    return redact_odds(odds) if hides else dict(odds)


def is_redacted(snapshot: Snapshot) -> bool:
    """Return whether this request may not see a picture of the tray now."""
    return snapshot.body.get("covered") is True and not sees_hidden()
