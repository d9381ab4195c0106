"""Snapshots to every page as server-sent events; a page that does not read holds up nobody."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass

from device.game.snapshot import Snapshot
from device.web.core.language import localized
from device.web.core.places import Place
from device.web.core.tray import TrayService
from device.web.core.visibility import sees_hidden, visible_body
from rules.system import JsonValue


@dataclass(frozen=True, slots=True)
class StreamParams:
    # Pause after which a beat is sent, in seconds: keeps proxies from closing an idle stream, finds out that a client
    # has gone, and lets a page know that what it shows still holds. A page that has missed three says so: within 15 s,
    # for a connection may fall silent without breaking.
    heartbeat_s: float = 4.0
    retry_ms: int = 1000
    # number of tenths of a second for which a picture is looked for before the answer is that there is none
    first_picture_tries: int = 80


def to_text(snapshot: Snapshot) -> str:
    """Pack a snapshot, as far as the caller may see it, as strict JSON on one line."""
    return _pack(visible_body(snapshot))


def state_text(snapshot: Snapshot) -> str:
    return f"id: {snapshot.version}\ndata: {to_text(snapshot)}\n\n"


def beat_text(heartbeat_s: float, *, as_event: bool) -> str:
    """Make a beat: a comment, or an event that a script can see, its id the pause to the next one.

    An event has a line of data, which readers that know no names of events would take for a state.
    """
    return f"event: beat\nid: {heartbeat_s}\ndata:\n\n" if as_event else ": beat\n\n"


def _pack(body: Mapping[str, JsonValue]) -> str:
    return json.dumps(localized(body), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Mailbox:
    """A place for one snapshot, filled from any thread, emptied on the event loop: newer replaces older."""

    def __init__(self, arrived: asyncio.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._arrived = arrived
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None

    def put(self, snapshot: Snapshot) -> None:
        """Leave a snapshot; returns at once, whatever the reader does."""
        with self._lock:
            if self._snapshot is not None and self._snapshot.version > snapshot.version:
                return
            self._snapshot = snapshot
        try:
            self._loop.call_soon_threadsafe(self._arrived.set)
        except RuntimeError:
            # The event loop is closed: the web has stopped and nobody reads this box any more.
            return

    async def take(self, timeout_s: float) -> Snapshot | None:
        """Wait for a snapshot; None where none came in time or somebody woke us."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._arrived.wait()
        except TimeoutError:
            return None
        self._arrived.clear()
        with self._lock:
            snapshot, self._snapshot = self._snapshot, None
        return snapshot


async def state_events(
    port: TrayService, place: Place, params: StreamParams, *, beats: bool = False
) -> AsyncIterator[str]:
    """Yield the text of one client's stream until its place is over: the newest snapshot, changes, beats."""
    mailbox = Mailbox(place.news)
    # A task of its own: a client that goes away while it runs must not leave a subscription nobody ends.
    subscribing = asyncio.ensure_future(asyncio.to_thread(port.subscribe, mailbox.put))
    try:
        await asyncio.shield(subscribing)
        yield f"retry: {params.retry_ms}\n\n"
        shown, may_see = -1, sees_hidden()
        snapshot: Snapshot | None = port.snapshot()
        while not place.is_over:
            if snapshot is None:
                if sees_hidden() != may_see:
                    return  # The client opens another stream, which begins with what it may see now.
                yield beat_text(params.heartbeat_s, as_event=beats)
            elif snapshot.version > shown:
                shown = snapshot.version
                yield state_text(snapshot)
            snapshot = await mailbox.take(params.heartbeat_s)
    finally:
        subscribing.add_done_callback(_unsubscribe)


def _unsubscribe(subscribing: asyncio.Future[Callable[[], None]]) -> None:
    if not subscribing.cancelled() and subscribing.exception() is None:
        subscribing.result()()
