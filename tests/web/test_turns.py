"""Turns of guests: one at a time, each address in its turn, and never in the way of others."""

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from device.web.core.guard import Refused
from device.web.core.turns import GuestTurns, TurnParams
from tests.event_loop import run_coroutine

HASTE = TurnParams(rest=0.0)


def scope(address: str, path: str = "/api/rolls") -> Scope:
    return {"type": "http", "method": "GET", "path": path, "client": (address, 1), "headers": []}


class App:
    """An application whose responses begin and end when a test lets them."""

    def __init__(self, params: TurnParams = HASTE, kind: bytes = b"application/json") -> None:
        self.begun: list[str] = []
        self.may_answer, self.may_end = asyncio.Event(), asyncio.Event()
        self._kind = kind
        self._turns = GuestTurns(self._respond, lambda one: one["client"][0] != "phone", params)

    async def _respond(self, one: Scope, _receive: Receive, send: Send) -> None:
        self.begun.append(one["client"][0])
        await self.may_answer.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", self._kind)]})
        await self.may_end.wait()
        await send({"type": "http.response.body", "body": b""})

    def go_on(self) -> None:
        self.may_answer.set()
        self.may_end.set()

    def ask(
        self, address: str, path: str = "/api/rolls", has_left: asyncio.Event | None = None
    ) -> "asyncio.Task[None]":
        async def receive() -> Message:
            await (has_left or asyncio.Event()).wait()
            return {"type": "http.disconnect"}

        async def send(_message: Message) -> None:
            return None

        return asyncio.ensure_future(self._turns(scope(address, path), receive, send))


async def quiet() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def test_guests_are_answered_one_at_a_time_each_address_in_its_turn() -> None:
    async def play() -> None:
        app = App()
        tasks = [app.ask(address) for address in ("a", "a", "a", "b", "c", "b")]
        await quiet()
        assert app.begun == ["a"]
        app.go_on()
        await asyncio.gather(*tasks)
        assert app.begun == ["a", "a", "b", "c", "a", "b"]

    run_coroutine(play())


@pytest.mark.parametrize(("address", "path"), [("phone", "/api/rolls"), ("b", "/static/x.js"), ("b", "/api/events")])
def test_others_and_what_has_limits_of_its_own_never_wait(address: str, path: str) -> None:
    async def play() -> None:
        app = App()
        guest = app.ask("a")
        await quiet()
        other = app.ask(address, path)
        await quiet()
        assert app.begun == ["a", address]
        app.go_on()
        await asyncio.gather(guest, other)

    run_coroutine(play())


def test_a_request_that_takes_long_passes_its_turn_on() -> None:
    async def play() -> None:
        app = App(TurnParams(rest=0.0, longest_s=0.01))
        tasks = [app.ask("a"), app.ask("b")]
        while app.begun != ["a", "b"]:
            await asyncio.sleep(0.01)
        app.go_on()
        await asyncio.gather(*tasks)

    run_coroutine(play())


@pytest.mark.parametrize(
    ("params", "waits"),
    [(TurnParams(0.0, of_address=2), 2), (TurnParams(0.0, waiting=3), 3), (TurnParams(0.0, wait_s=0.01), 0)],
)
def test_who_would_wait_too_long_is_refused(params: TurnParams, waits: int) -> None:
    async def play() -> None:
        app = App(params)
        first = app.ask("a")
        tasks = [app.ask("b") for _ in range(5)]
        await asyncio.sleep(0.05)
        refused = [one for one in tasks if one.done()]
        assert len(refused) == 5 - waits
        assert {type(one.exception()) for one in refused} == {Refused}
        for task in (first, *tasks):
            task.cancel()
        await asyncio.gather(first, *tasks, return_exceptions=True)
        app.go_on()
        await app.ask("c")  # the turn is free again

    run_coroutine(play())


SLOW = TurnParams(rest=0.0, unfinished=3, unfinished_of_address=2, most_unfinished=5)


@pytest.mark.parametrize(
    ("slow", "next_one", "is_refused"),
    [
        ("aab", "b", True),  # has one, and there are enough
        ("aab", "c", False),  # the first of an address
        ("aa", "a", True),
        ("abcde", "f", True),
    ],
)
@pytest.mark.parametrize(("kind", "are_counted"), [(b"text/csv", True), (b"text/event-stream; charset=utf-8", False)])
def test_answers_that_are_read_slowly_are_few_at_once_and_shut_no_address_out(
    kind: bytes, slow: str, next_one: str, *, are_counted: bool, is_refused: bool
) -> None:
    async def play() -> None:
        app = App(SLOW, kind)
        app.may_answer.set()
        read = [app.ask(address) for address in slow]
        await quiet()
        last = app.ask(next_one)
        await quiet()
        assert (last.done() and isinstance(last.exception(), Refused)) is (are_counted and is_refused)
        app.may_end.set()
        await asyncio.gather(*read, last, return_exceptions=True)
        await app.ask(next_one)

    run_coroutine(play())


def test_of_those_who_wait_no_more_begin_than_may_be_under_way() -> None:
    async def play() -> None:
        app = App(SLOW)
        tasks = [app.ask("a") for _ in range(4)]
        await quiet()
        app.may_answer.set()
        await quiet()
        assert app.begun == ["a", "a"]
        app.may_end.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        await app.ask("b")

    run_coroutine(play())


def test_a_guest_who_leaves_while_waiting_delays_no_one() -> None:
    async def play() -> None:
        app, left = App(TurnParams(rest=0.0, of_address=1)), asyncio.Event()
        first, gone = app.ask("a"), app.ask("b", has_left=left)
        await quiet()
        left.set()
        await quiet()
        assert isinstance(gone.exception(), Refused)
        tasks = [app.ask("b"), app.ask("c")]
        await quiet()
        tasks[0].cancel()
        app.go_on()
        await asyncio.gather(first, tasks[1])
        assert app.begun == ["a", "c"]

    run_coroutine(play())
