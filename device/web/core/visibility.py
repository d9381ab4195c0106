"""Who may see hidden results: only requests of the game master."""

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from functools import partial

from fastapi import Request

from device.body import Body, BodyValue
from device.game.redaction import redact_odds
from device.game.snapshot import Snapshot
from device.storage.log_rows import Row, redacted_row

_sees_hidden: ContextVar[Callable[[], bool]] = ContextVar("sees_hidden", default=lambda: False)

Visibility = Callable[[Request], bool]
"""Whether the caller may see hidden results."""


def set_viewer(may_see: Visibility) -> Callable[[Request], Awaitable[None]]:
    """Return the app-wide dependency that records whether the caller may see hidden rolls."""

    # A coroutine, since a context variable set on a worker thread would be lost.
    async def look(request: Request) -> None:
        # Evaluated for each snapshot of a stream: a phone may lose the game master's role while it is open.
        _sees_hidden.set(partial(may_see, request))

    return look


def sees_hidden() -> bool:
    """Return whether the current request may see hidden results."""
    return _sees_hidden.get()()


def visible_body(snapshot: Snapshot) -> Mapping[str, BodyValue]:
    return snapshot.whole if sees_hidden() else snapshot.body


def visible_row(row: Row) -> Row:
    return row if sees_hidden() else redacted_row(row)


def visible_odds(odds: Mapping[str, BodyValue], snapshot: Snapshot) -> Body:
    hides = snapshot.body.get("hidden") is True and not sees_hidden()
    return redact_odds(odds) if hides else dict(odds)


def is_redacted(snapshot: Snapshot) -> bool:
    """Return whether the tray's picture is withheld from this request now."""
    return snapshot.body.get("covered") is True and not sees_hidden()
