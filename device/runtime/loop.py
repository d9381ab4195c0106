"""The loop: one queue and one thread that owns the tray's state. All others post events and read snapshots."""

import asyncio
import logging
import queue
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from device.backoff import Backoff
from device.errors import DeviceError, PushTrayError
from device.game.lamps import LightPlan
from device.game.machine import step
from device.game.snapshot import Fingerprint, Snapshot, TrayMetadata, fingerprints, take_snapshot
from device.game.snapshot_model import Undo
from device.game.state.effects import Commit, ForgetDice, GivenRoll, LogRow, RecallDice, Refuse, ShownRoll
from device.game.state.events import CameraConnected, DiceSettled, Event, PressUndone, UndoPressed
from device.game.state.tray import Fault, Tray
from device.game.undo import NOTHING_TO_UNDO, tray_undone, undoable
from device.message import Message, Text, message_of
from device.runtime.part import Part
from device.texts.catalogue import translate
from vision.types.reading import DieReading

_log = logging.getLogger(__name__)
_CLAIM_LOOK_S = 0.02

Answered = TypeVar("Answered")
Listener = Callable[[Snapshot], None]

STOPPING_TEXT = translate("tray.refused.stopping")
STALE = "stale"
STALE_TEXT = translate("tray.refused.stale")


class RollStore(Protocol):
    """Stores results before they are announced."""

    def write(
        self,
        rows: tuple[LogRow, ...],
        tray: Tray,
        shown: tuple[ShownRoll, ...] = (),
        given: GivenRoll | None = None,
    ) -> None:
        """Write rows and tray to disk, all or nothing; reveal shown rolls, and give a roll to another player."""
        ...


class RecallsDice(Protocol):
    """Restores the die ids of a watch."""

    def __call__(self, lying: Mapping[int, DieReading], gone: Mapping[int, DieReading], *, report_again: bool) -> int:
        """Restore the ids of dice in the tray and of dice that have left; `report_again` even if nothing moves.

        Returns:
            The number of the newest frame: frames up to it were read without these ids.
        """
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    accepted: bool
    snapshot: Snapshot
    # Why it was refused, a code of the contract such as `already_pushed` or `not_simulated`; None if it was accepted.
    # On the web `unknown_die` and `unknown_system` become 404, `unknown_role` 422; every other reason becomes 409.
    reason: str | None = None
    text: Text | None = None  # why it was refused, in plain words with the cure; None if the page has its own text


def random_first_version() -> int:
    """Return a first version far from those of other runs, and far below the largest exact number of JavaScript."""
    return secrets.randbelow(2**31) * 2**20 + 1


class LoopBusy(Exception):
    """The loop did not answer in time. The request was cancelled and will not be carried out. A 503 on the web."""


MAX_UNDO_S: Final = 300.0
"""How long a press can be undone while its button has the focus, in seconds."""


@dataclass(frozen=True, slots=True)
class LoopParams:
    # longest time that a caller waits for the loop, in seconds; longer than any step, shorter than a person's patience
    answer_s: float = 2.0
    # longest time that restoring a log waits for the loop, in seconds: a slow card takes long over a large log
    replace_s: float = 30.0
    retry_first_s: float = 0.5  # pause before a failed write is retried; doubles each time
    max_retry_s: float = 4.0  # longest pause before a failed write is retried, in seconds
    pulse_s: float = 1.0


class _Claim:
    """Who has a request: its caller, who may give it up, or the loop, which carries it out.

    The loop lets go of it while it waits for the disk.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._is_taken = False
        self.is_given_up = False

    def take(self) -> bool:
        """Take the request for the loop; return False if it was given up."""
        with self._changed:
            self._is_taken = not self.is_given_up
            return self._is_taken

    def release(self) -> None:
        with self._changed:
            self._is_taken = False
            self._changed.notify_all()

    def give_up(self, answer: "Future[Any]", *, waits: bool) -> bool:
        """Give the request up unless it is answered by then.

        Args:
            waits: Whether to wait until the loop does not have it.

        Returns:
            Whether the request is given up or answered: not while the loop has it.
        """
        with self._changed:
            if waits:
                self._changed.wait_for(lambda: not self._is_taken)
            if not self._is_taken:
                self.is_given_up = not answer.done()
            return not self._is_taken


@dataclass(frozen=True, slots=True)
class _Request:
    event: "Event | Offer"
    seen: int | None = None
    by: int | None = None  # the phone that sends it; None: the display or a button
    answer: "Future[Answer]" = field(default_factory=Future)
    claim: _Claim = field(default_factory=_Claim)


@dataclass(frozen=True, slots=True)
class Offer:
    """An action that can be undone for a while."""

    action: str
    label: Message
    take_back: PressUndone | Callable[[], object]  # a function is called on a thread of its own
    by: int | None = None  # the phone that did it; None: the display or a button


@dataclass(frozen=True, slots=True)
class _Standing:
    id: int
    offer: Offer
    began_s: float
    until_s: float

    def as_json(self) -> Undo:
        return {"id": self.id, "action": self.offer.action, "label": self.offer.label, "by": self.offer.by}


@dataclass(frozen=True, slots=True)
class _Work:
    do: Callable[[], object]
    answer: "Future[Any]" = field(default_factory=Future)
    claim: _Claim = field(default_factory=_Claim)


@dataclass(frozen=True, slots=True)
class _Undone:
    """The end of an undo on its own thread, and what went wrong."""

    request: _Request
    offer: Offer
    error: Exception | None


_Item: TypeAlias = Event | _Request | _Work | _Undone | partial[None]


def _nothing(*_: object) -> None:
    pass


def _wait(wait_s: float, answer: "Future[Answered]", claim: _Claim) -> Answered:
    """Wait for the loop; give the request up if it takes too long."""
    with suppress(FutureTimeout):
        return answer.result(timeout=wait_s)
    claim.give_up(answer, waits=True)
    return _late_result(answer, claim)


async def _wait_async(wait_s: float, answer: "Future[Answered]", claim: _Claim) -> Answered:
    """The same on an event loop."""
    with suppress(TimeoutError):
        return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(answer)), wait_s)
    while not claim.give_up(answer, waits=False):
        await asyncio.sleep(_CLAIM_LOOK_S)
    return _late_result(answer, claim)


def _late_result(answer: "Future[Answered]", claim: _Claim) -> Answered:
    # The loop may have carried it out since: then it counts, with this answer.
    if claim.is_given_up:
        raise LoopBusy(translate("web.busy"))
    return answer.result()


class TrayLoop(Part):
    """Takes one event after another, steps the tray, writes, then announces.

    A result that cannot be written is not announced: the tray shows a fault and retries until the disk is back.
    """

    def __init__(
        self,
        tray: Tray,
        history: RollStore,
        metadata: TrayMetadata,
        *,
        forget: Callable[[], None],
        recall: RecallsDice = lambda *_, **__: -1,
        now_s: Callable[[], float] = time.monotonic,
        show: Callable[[Tray, LightPlan], None],
        pulse: Callable[[], None] = _nothing,
        on_idle: Callable[[], object] = _nothing,
        on_written: Callable[[Commit], object] = _nothing,
        on_change: Callable[[Offer, bool], object] = _nothing,
        params: LoopParams | None = None,
        first_version: int = 1,
    ) -> None:
        """Prepare a loop; `start` runs it.

        Args:
            forget: Resets the watch's die ids; must return at once.
            recall: Restores the watch's die ids; must return at once, with the number of the newest frame: frames up to
                it were read without these ids.
            show: Sets lamps and ring; must return at once.
            pulse: Called at least every `LoopParams.pulse_s`, as the loop's heartbeat.
            on_idle: Called when nothing has happened for that long; must return soon.
            on_written: Receives what was written once it is on disk; must return at once.
            on_change: Receives each action that can be undone, and once more, with True, when it was undone.
            first_version: Of the first snapshot. A version that no earlier run has used keeps presses meant for an
                earlier run from counting in this one.
        """
        self._tray = tray
        self._history = history
        self._metadata = metadata
        self._forget = forget
        self._recall = recall
        self._now_s = now_s
        self._show = show
        self._pulse = pulse
        self._on_idle = on_idle
        self._on_written = on_written
        self._on_change = on_change
        self._params = params or LoopParams()
        self._queue: queue.SimpleQueue[_Item | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._listeners: dict[int, Listener] = {}
        self._next_listener = 0
        self._undo: _Standing | None = None
        self._offers = 0
        self._recalled: tuple[RecallDice, int] | None = None
        self._version = first_version - 1
        nothing: Any = {}
        self._newest = Snapshot(self._version, nothing, nothing)
        self._fingerprints: tuple[Fingerprint, Fingerprint] = ((), ())
        self._pressed_since = self._thrown_since = self._log_revision = first_version
        self._thread = threading.Thread(target=self._run, name="loop", daemon=True)
        self._announce(tray)

    @property
    def newest(self) -> Snapshot:
        """The newest snapshot. Any thread."""
        return self._newest

    @property
    def tray(self) -> Tray:
        """The tray now; frozen, so any thread may read it."""
        return self._tray

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive() and not self._stopping.is_set()

    @property
    def hang(self) -> str | None:
        is_broken = self._thread.ident is not None and not self._thread.is_alive() and not self._stopping.is_set()
        return "the tray's main loop failed: see the error above" if is_broken else None

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Finish the current event and take no more. Safe to call twice."""
        self._stopping.set()
        self._queue.put(None)
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=2.0)

    def post(self, event: Event) -> None:
        """Queue an event; returns at once. Any thread."""
        self._queue.put(event)

    def ask(self, event: Event, seen: int | None = None) -> Answer:
        """Send a request to the loop and wait for its answer. Any thread but the loop's own.

        Returns:
            The outcome; refused with `stopping` at once if the program is ending, with `stale` if state, dice or roll
            have changed since that snapshot.
        """
        if self._stopping.is_set():
            return self._refused_at_end()
        request = _Request(event, seen)
        self._queue.put(request)
        return _wait(self._params.answer_s, request.answer, request.claim)

    async def request(self, event: Event, seen: int | None = None, by: int | None = None) -> Answer:
        """The same as `ask` on an event loop, for a phone or the display (None)."""
        if self._stopping.is_set():
            return self._refused_at_end()
        request = _Request(event, seen, by)
        self._queue.put(request)
        return await _wait_async(self._params.answer_s, request.answer, request.claim)

    def report(self, event: Event | Offer) -> Answer:
        """Report what has happened, or an action to be undoable, and wait. Any thread but the loop's own.

        Returns:
            The outcome. If the loop does not get to it in time, it is accepted with the current snapshot, since what
            has happened cannot be cancelled. Refused with `stopping` at once if the program is ending.
        """
        if self._stopping.is_set():
            return self._refused_at_end()
        request = _Request(event)
        self._queue.put(request)
        try:
            return request.answer.result(timeout=self._params.answer_s)
        except FutureTimeout:
            return Answer(accepted=True, snapshot=self._newest)

    def run(self, work: Callable[[], Answered], wait_s: float | None = None) -> Answered:
        """Do short work on the loop's thread between two events, such as a write to the log; raise what it raises.

        Any thread but the loop's own.
        """
        if self._stopping.is_set():
            raise LoopBusy(STOPPING_TEXT)
        wanted = _Work(work)
        self._queue.put(wanted)
        done: Answered = _wait(self._params.answer_s if wait_s is None else wait_s, wanted.answer, wanted.claim)
        return done

    def replace(self, make: Callable[[], Tray]) -> None:
        """Continue from another tray, such as that of a restored log. Any thread but the loop's own.

        Args:
            make: Returns it, on the loop's thread, while nothing is written. What it raises is raised here, and
                the tray continues unchanged.
        """
        self.run(lambda: self._continue_from(make()), self._params.replace_s)

    def is_throw_stale(self, seen: int) -> bool:
        """Return whether the dice have changed since that snapshot; a hand over no dice does not count."""
        return not self._thrown_since <= seen <= self._newest.version

    def hold_undo(self, undo_id: int) -> None:
        """Keep an action undoable for as long again, while someone has its button in hand. Any thread."""
        self._queue.put(partial(self._hold_undo, undo_id))

    def update_metadata(self, metadata: TrayMetadata) -> None:
        """Show other metadata on every screen, such as a new calibration; returns at once. Any thread."""
        self._queue.put(partial(self._take_metadata, metadata))

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every later snapshot, from the loop's thread."""
        with self._lock:
            number = self._next_listener
            self._next_listener += 1
            self._listeners[number] = listener

        def end() -> None:
            with self._lock:
                self._listeners.pop(number, None)

        return end

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._pulse()
            left_s = self._undo_left_s()
            try:
                item = self._queue.get(timeout=min(self._params.pulse_s, left_s))
            except queue.Empty:
                if left_s >= self._params.pulse_s:
                    self._on_idle()
                continue
            if item is None:
                continue
            match item:
                case _Request() | _Work():
                    if item.claim.take():
                        self._carry_out(item)
                case _Undone():
                    self._end_undo(item)
                case partial():
                    item()
                case _:
                    self._handle(item)
        self._refuse_rest()

    def _undo_left_s(self) -> float:
        """Return how long the newest press can still be undone; remove an expired one."""
        if self._undo is None:
            return self._params.pulse_s
        left_s = self._undo.until_s - self._now_s()
        if left_s <= 0.0:
            self._undo = None
            self._announce(self._tray)
            return self._params.pulse_s
        return left_s

    def _take_metadata(self, metadata: TrayMetadata) -> None:
        self._metadata = metadata
        self._announce(self._tray)

    def _hold_undo(self, undo_id: int) -> None:
        held = self._undo
        if held is not None and held.id == undo_id and self._now_s() < held.until_s:
            until_s = min(self._now_s() + self._metadata.undo_s, held.began_s + MAX_UNDO_S)
            self._undo = replace(held, until_s=max(held.until_s, until_s))

    def _stand(self, offer: Offer) -> None:
        self._offers += 1
        now_s = self._now_s()
        self._undo = _Standing(self._offers, offer, now_s, now_s + self._metadata.undo_s)
        self._note(offer, undone=False)

    def _note(self, offer: Offer, *, undone: bool) -> None:
        self._on_change(offer, undone)
        self._log_revision += 1

    def _carry_out(self, request: _Request | _Work) -> None:
        is_over = True
        try:
            if isinstance(request, _Work):
                self._do(request)
            elif (answer := self._answer(request)) is None:
                is_over = False
            elif not request.claim.is_given_up:
                request.answer.set_result(answer)
        finally:
            if is_over:
                request.claim.release()

    def _do(self, work: _Work) -> None:
        try:
            done = work.do()
        except Exception as error:  # noqa: BLE001 - passed to the waiting caller
            work.answer.set_exception(error)
        else:
            self._log_revision += 1
            self._announce(self._tray)
            work.answer.set_result(done)

    def _continue_from(self, tray: Tray) -> None:
        self._forget()
        self._undo = self._recalled = None
        self._tray = replace(tray, fault=self._tray.fault)
        self._announce(self._tray)

    def _refuse_rest(self) -> None:
        """Refuse queued requests at the end, so that their callers do not wait."""
        while True:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return
            if isinstance(item, _Undone):
                self._end_undo(item)
            if isinstance(item, _Request):
                item.answer.set_result(self._refused_at_end())
            if isinstance(item, _Work):
                item.answer.set_exception(LoopBusy(STOPPING_TEXT))

    def _refused_at_end(self) -> Answer:
        return Answer(accepted=False, snapshot=self._newest, reason="stopping", text=STOPPING_TEXT)

    def _answer(self, request: _Request) -> Answer | None:
        """Carry a request out; None if its answer comes later."""
        if request.seen is not None and not self._pressed_since <= request.seen <= self._newest.version:
            return Answer(accepted=False, snapshot=self._newest, reason=STALE, text=STALE_TEXT)
        if isinstance(request.event, UndoPressed) and self._undo is not None and self._undo.id == request.event.id:
            return self._take_back(request, self._undo.offer)
        if isinstance(request.event, Offer):
            self._stand(request.event)
            self._announce(self._tray)
            return Answer(accepted=True, snapshot=self._newest)
        return self._handle(request.event, request.claim, request.by)

    def _take_back(self, request: _Request, offer: Offer) -> Answer | None:
        take_back = offer.take_back
        if isinstance(take_back, PressUndone):
            answer = self._handle(take_back, request.claim)
            if answer.accepted:
                self._note(offer, undone=True)
                self._announce(self._tray)
                answer = replace(answer, snapshot=self._newest)
            return answer

        def undo() -> None:
            error: Exception | None = None
            try:
                take_back()
            except Exception as raised:  # noqa: BLE001 - raised on the loop's thread, unless it refuses the undo
                error = raised
            self._queue.put(_Undone(request, offer, error))

        self._undo = None
        self._announce(self._tray)
        threading.Thread(target=undo, name="undo", daemon=True).start()
        return None

    def _end_undo(self, undone: _Undone) -> None:
        request, error = undone.request, undone.error
        try:
            if error is None:
                self._note(undone.offer, undone=True)
                self._announce(self._tray)
                request.answer.set_result(Answer(accepted=True, snapshot=self._newest))
            elif isinstance(error, PushTrayError | LoopBusy):
                text = message_of(error)
                request.answer.set_result(Answer(False, self._newest, NOTHING_TO_UNDO, text))
            else:
                raise error
        finally:
            request.claim.release()

    def _handle(self, event: Event, claim: _Claim | None = None, by: int | None = None) -> Answer:
        if not self._is_seen_right(event):
            return Answer(accepted=True, snapshot=self._newest)
        before, stood, logged = self._tray, self._undo, self._log_revision
        after, commands = step(before, event)
        refusal = None
        for command in commands:
            match command:
                case Commit():
                    if not self._write(command, after, claim):
                        return self._refused_at_end()
                case ForgetDice():
                    self._recalled = None
                    self._forget()
                case RecallDice():
                    self._recalled = (
                        command,
                        self._recall(command.lying, command.gone, report_again=bool(command.lying)),
                    )
                case Refuse():
                    refusal = command
        self._tray = after
        self._offer_undo(undoable(event, before, after, commands) if refusal is None else None, by)
        if refusal is None and isinstance(event, PressUndone):
            self._undo = None
        if after.state_name != before.state_name:
            _log.debug("%s: from %s to %s", type(event).__name__, before.state_name, after.state_name)
        if after != before or self._undo is not stood or self._log_revision != logged:
            self._announce(after)
        if refusal is not None:
            return Answer(accepted=False, snapshot=self._newest, reason=refusal.reason, text=refusal.text)
        return Answer(accepted=True, snapshot=self._newest)

    def _is_seen_right(self, event: Event) -> bool:
        """Return whether an event was seen by a watch with the right die ids; if not, restore the ids again."""
        if isinstance(event, CameraConnected):
            # A reopened camera may restart its frame numbers.
            self._recalled = None
        if self._recalled is None or not isinstance(event, DiceSettled) or event.rest.sequence > self._recalled[1]:
            return True
        command, _ = self._recalled
        self._recalled = command, self._recall(command.lying, command.gone, report_again=bool(event.rest.dice))
        return False

    def _offer_undo(self, found: tuple[str, Message, PressUndone] | None, by: int | None) -> None:
        """Offer to undo a press; withdraw an earlier offer that can no longer be undone."""
        if found is not None:
            self._stand(Offer(*found, by=by))
        elif self._undo is not None:
            press = self._undo.offer.take_back
            if isinstance(press, PressUndone) and tray_undone(self._tray, press) is None:
                self._undo = None

    def _write(self, commit: Commit, after: Tray, claim: _Claim | None) -> bool:
        """Write, however long it takes.

        Returns:
            Whether it is written. False if the program stops before the disk is back, or if the request was cancelled
            meanwhile; then only the unchanged state is written once the disk is back, so that the fault is shown as
            long as it lasts.
        """
        pauses = Backoff(self._params.retry_first_s, self._params.max_retry_s)
        while True:
            is_given_up = claim is not None and claim.is_given_up
            try:
                if is_given_up:
                    self._history.write((), self._tray)
                else:
                    self._history.write(commit.rows, after, commit.shown, commit.given)
            except DeviceError as error:
                self._announce(replace(self._tray, fault=Fault(str(error), pauses.pause_s, "history")))
            else:
                if is_given_up:
                    self._announce(self._tray)
                else:
                    if commit != Commit():
                        self._log_revision += 1
                    self._on_written(commit)
                return not is_given_up
            self._pulse()
            if self._wait_for_disk(pauses.pause_s, claim):
                return False
            pauses.grow()

    def _wait_for_disk(self, pause_s: float, claim: _Claim | None) -> bool:
        """Pause before the next try; return True if the program is stopping. The request can be cancelled meanwhile."""
        if claim is None:
            return self._stopping.wait(pause_s)
        claim.release()
        try:
            return self._stopping.wait(pause_s)
        finally:
            claim.take()

    def _announce(self, tray: Tray) -> None:
        version = self._version + 1
        undo = None if self._undo is None else self._undo.as_json()
        newest = take_snapshot(version, tray, self._metadata, undo, self._log_revision)
        body, before = newest.whole, self._newest.whole
        # The change may be invisible on screens, but the lamps may depend on it.
        is_news = body != {**before, "version": version}
        if is_news:
            (pressed_before, thrown_before), (pressed, thrown) = self._fingerprints, fingerprints(body)
            self._fingerprints = pressed, thrown
            if pressed != pressed_before:
                self._pressed_since = version
            if thrown != thrown_before:
                self._thrown_since = version
            self._version, self._newest = version, newest
        self._show(tray, newest.lights)
        if not is_news:
            return
        with self._lock:
            listeners = tuple(self._listeners.values())
        for listener in listeners:
            listener(self._newest)
