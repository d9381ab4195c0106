"""Snapshots for every page as server-sent events; a slow page does not block others."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass

from device.game.snapshot import Snapshot
from device.web.core.language import localized
from device.web.core.places import Place
from device.web.core.rights import Identity
from device.web.core.tray import TrayService
from device.web.core.visibility import visible_body


@dataclass(frozen=True, slots=True)
class StreamParams:
    # Pause before a heartbeat, in seconds: keeps proxies from closing an idle stream, detects lost clients, and
    # confirms to a page that it is current. A page reports a lost connection after three missed heartbeats, within
    # 15 s.
    heartbeat_s: float = 4.0
    retry_ms: int = 1000
    # number of tenths of a second to wait for a picture before answering that there is none
    first_picture_tries: int = 80


def to_text(snapshot: Snapshot, viewer: Identity) -> str:
    """Return a snapshot, redacted for a viewer, as strict JSON on one line."""
    return _pack(visible_body(snapshot, viewer))


def state_text(snapshot: Snapshot, viewer: Identity) -> str:
    return f"id: {snapshot.version}\ndata: {to_text(snapshot, viewer)}\n\n"


def beat_text(heartbeat_s: float, *, as_event: bool) -> str:
    """Return a heartbeat: a comment, or an event visible to scripts, with the pause to the next one as id.

    An event needs a line of data, which clients that ignore event names would take for a state.
    """
    return f"event: beat\nid: {heartbeat_s}\ndata:\n\n" if as_event else ": beat\n\n"


def _pack(body: Mapping[str, object]) -> str:
    return json.dumps(localized(body), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Mailbox:
    """Holds the newest snapshot: filled from any thread, read on the event loop."""

    def __init__(self, arrived: asyncio.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._arrived = arrived
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None

    def put(self, snapshot: Snapshot) -> None:
        """Put a snapshot. Does not block."""
        with self._lock:
            if self._snapshot is not None and self._snapshot.version > snapshot.version:
                return
            self._snapshot = snapshot
        try:
            self._loop.call_soon_threadsafe(self._arrived.set)
        except RuntimeError:
            # The event loop is closed: the web has stopped.
            return

    async def take(self, timeout_s: float) -> Snapshot | None:
        """Wait for a snapshot; None after the timeout or a wake-up."""
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
    port: TrayService, place: Place, params: StreamParams, identify: Callable[[], Identity], *, beats: bool = False
) -> AsyncIterator[str]:
    """Yield one client's stream until its place is released: the newest snapshot, changes, heartbeats."""
    mailbox = Mailbox(place.news)
    # A separate task, so that a client that goes away meanwhile does not leak a subscription.
    subscribing = asyncio.ensure_future(asyncio.to_thread(port.subscribe, mailbox.put))
    try:
        await asyncio.shield(subscribing)
        yield f"retry: {params.retry_ms}\n\n"
        shown, may_see = -1, identify().may_see_hidden
        snapshot: Snapshot | None = port.snapshot()
        while not place.is_over:
            if snapshot is None:
                # A phone may lose the game master's role while its stream is open.
                if identify().may_see_hidden != may_see:
                    return  # The client opens another stream, which starts with what it may see now.
                yield beat_text(params.heartbeat_s, as_event=beats)
            elif snapshot.version > shown:
                shown = snapshot.version
                yield state_text(snapshot, identify())
            snapshot = await mailbox.take(params.heartbeat_s)
    finally:
        subscribing.add_done_callback(_unsubscribe)


def _unsubscribe(subscribing: asyncio.Future[Callable[[], None]]) -> None:
    if not subscribing.cancelled() and subscribing.exception() is None:
        subscribing.result()()
