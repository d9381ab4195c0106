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

    def ask(self, address: str, path: str = "/api/rolls") -> "asyncio.Task[None]":
        async def receive() -> Message:
            raise AssertionError

        async def send(_message: Message) -> None:
            return None

        return asyncio.ensure_future(self._turns(scope(address, path), receive, send))


async def quiet() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def test_guests_are_answered_one_at_a_time_each_address_in_its_turn() -> None:
    async def play() -> None:
        app = App()
        asked = [app.ask(address) for address in ("a", "a", "a", "b", "c", "b")]
        await quiet()
        assert app.begun == ["a"]
        app.go_on()
        await asyncio.gather(*asked)
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
        asked = [app.ask("a"), app.ask("b")]
        while app.begun != ["a", "b"]:
            await asyncio.sleep(0.01)
        app.go_on()
        await asyncio.gather(*asked)

    run_coroutine(play())


@pytest.mark.parametrize(
    ("params", "waits"),
    [(TurnParams(0.0, of_address=2), 2), (TurnParams(0.0, waiting=3), 3), (TurnParams(0.0, wait_s=0.01), 0)],
)
def test_who_would_wait_too_long_is_refused(params: TurnParams, waits: int) -> None:
    async def play() -> None:
        app = App(params)
        first = app.ask("a")
        asked = [app.ask("b") for _ in range(5)]
        await asyncio.sleep(0.05)
        refused = [one for one in asked if one.done()]
        assert len(refused) == 5 - waits
        assert {type(one.exception()) for one in refused} == {Refused}
        for task in (first, *asked):
            task.cancel()
        await asyncio.gather(first, *asked, return_exceptions=True)
        app.go_on()
        await app.ask("c")  # the turn is free again

    run_coroutine(play())


@pytest.mark.parametrize(("kind", "are_counted"), [(b"text/csv", True), (b"text/event-stream; charset=utf-8", False)])
def test_answers_that_are_read_slowly_are_few_at_once(kind: bytes, are_counted: bool) -> None:
    async def play() -> None:
        app = App(TurnParams(rest=0.0, unfinished=3), kind)
        app.may_answer.set()
        slow = [app.ask(str(number)) for number in range(3)]
        await quiet()
        last = app.ask("b")
        await quiet()
        assert (last.done() and isinstance(last.exception(), Refused)) is are_counted
        app.may_end.set()
        await asyncio.gather(*slow, last, return_exceptions=True)
        await app.ask("c")

    run_coroutine(play())


def test_a_guest_who_leaves_while_waiting_holds_up_nobody() -> None:
    async def play() -> None:
        app = App()
        asked = [app.ask("a"), app.ask("b"), app.ask("c")]
        await quiet()
        asked[1].cancel()
        app.go_on()
        await asyncio.gather(asked[0], asked[2])
        assert app.begun == ["a", "c"]

    run_coroutine(play())
