"""Prints how a tray serves its display under attack by strangers: `strangers.py [--seconds 10] [--rolls 3000]`.

A tray with a long log listens on every address. Strangers have their own addresses (127.0.1.1 and on, through the
tray's address on its network): 16 on every path, 200 screens, 1,100 silent connections, slow headers and bodies,
streams and downloads that are never read, a guess at the PIN per connection. At the same time a process with the
display's secret requests the state, changes the context, and waits for the change on its own stream.
"""

import argparse
import asyncio
import http.client
import itertools
import json
import multiprocessing
import statistics
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from device.game.state.events import DiceSettled, ResetPressed
from device.storage.display_secret import display_secret
from device.storage.log_file import FILE_NAME
from device.web.core.access import DISPLAY_COOKIE
from tests.device.archive.conftest import Evening
from tests.device.conftest import Dice
from tests.device.running_tray import RunningTray, running
from tests.event_loop import run_coroutine

HOST = "192.0.2.2"
"""An address without a name: the tray treats each as local, but none as its own machine."""


class Crowd:
    """Strangers and the responses to them."""

    def __init__(self, port: int, paths: list[str]) -> None:
        self._port = port
        self.paths = paths
        self.answers: Counter[str] = Counter()
        self._numbers = itertools.count(1)

    def address(self) -> str:
        number = next(self._numbers)
        return f"127.0.{1 + number // 250}.{1 + number % 250}"

    def head(self, path: str, method: str = "GET", more: str = "") -> bytes:
        return f"{method} {path} HTTP/1.1\r\nHost: {HOST}:{self._port}\r\n{more}\r\n".encode()

    async def connect(self, address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self._port, local_addr=(address, 0))

    async def ask(self, address: str, request: bytes) -> None:
        """Send one request and read its response to the end."""
        reader, writer = await self.connect(address)
        try:
            writer.write(request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
            answer = await reader.read(12)
            self.answers[answer[9:12].decode() or "closed"] += 1
            while await reader.read(65_536):
                pass
        finally:
            writer.close()

    async def stays(self, address: str, sent: bytes, drip: bytes = b"", *, reads: bool = False) -> None:
        """Keep a connection for as long as the tray lets it; it may send slowly, and read or not."""
        _, writer = (reader, _) = await self.connect(address)
        try:
            writer.write(sent)
            if drip:
                while not writer.is_closing():
                    writer.write(drip)
                    await writer.drain()
                    await asyncio.sleep(1.0)
            if reads:
                self.answers[(await reader.read(12))[9:12].decode() or "closed"] += 1
            while await reader.read(65_536) if reads else not reader.at_eof():
                await asyncio.sleep(0.5)
        finally:
            writer.close()
        self.answers["given up"] += 1

    async def for_ever(self, act: Callable[[], Awaitable[None]]) -> None:
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                await act()
            await asyncio.sleep(0)


Attack = Callable[[Crowd], Iterator[Callable[[], Awaitable[None]]]]


def nobody(_crowd: Crowd) -> Iterator[Callable[[], Awaitable[None]]]:
    yield from ()


def every_path(crowd: Crowd) -> Iterator[Callable[[], Awaitable[None]]]:
    for first in range(16):
        address, paths = crowd.address(), itertools.cycle(crowd.paths[first:] + crowd.paths[:first])
        yield lambda address=address, paths=paths: crowd.ask(address, crowd.head(next(paths)))  # type: ignore[misc]


def dear_paths(crowd: Crowd) -> Iterator[Callable[[], Awaitable[None]]]:
    for number in range(45):
        address, path = crowd.address(), ("/api/statistics", f"/api/statistics?text=a{number}")[number % 2]
        yield lambda address=address, path=path: crowd.ask(address, crowd.head(path))  # type: ignore[misc]


def screens(crowd: Crowd) -> Iterator[Callable[[], Awaitable[None]]]:
    for number in range(200):
        address = crowd.address() if number % 2 else "127.0.0.1"
        sent = crowd.head("/api/events")
        sent = sent if number % 2 else sent.replace(HOST.encode(), b"localhost")
        yield lambda address=address, sent=sent: crowd.stays(address, sent, reads=True)  # type: ignore[misc]


def silent(crowd: Crowd) -> Iterator[Callable[[], Awaitable[None]]]:
    addresses = [crowd.address() for _ in range(10)]
    for number in range(1100):
        yield lambda address=addresses[number % 10]: crowd.stays(address, b"")  # type: ignore[misc]


def slow(crowd: Crowd) -> Iterator[Callable[[], Awaitable[None]]]:
    body = crowd.head("/api/push", "POST", "Content-Type: application/json\r\nContent-Length: 9000\r\n")
    for number in range(200):
        sent = body if number % 2 else crowd.head("/api/state")[:-2]
        address = crowd.address()
        yield lambda address=address, sent=sent: crowd.stays(address, sent, b"x")  # type: ignore[misc]


def greedy(crowd: Crowd) -> Iterator[Callable[[], Awaitable[None]]]:
    for path in ("/api/events", "/api/rolls.csv", "/api/club/events", "/api/story.csv"):
        address = crowd.address()
        for _ in range(64):
            yield lambda address=address, path=path: crowd.stays(address, crowd.head(path))  # type: ignore[misc]


def guessers(crowd: Crowd) -> Iterator[Callable[[], Awaitable[None]]]:
    more = "Content-Type: application/json\r\nContent-Length: 16\r\n"
    guess = crowd.head("/api/phones/pair", "POST", more) + b'{"pin":"000000"}'
    for _ in range(16):
        address = crowd.address()
        yield lambda address=address: crowd.ask(address, guess)  # type: ignore[misc]


ATTACKS: dict[str, Attack] = {
    "alone": nobody,
    "16 on every path": every_path,
    "45 on statistics": dear_paths,
    "200 screens": screens,
    "1,100 silent": silent,
    "200 that drip": slow,
    "256 that read nothing": greedy,
    "16 that guess PINs": guessers,
    "alone again": nobody,
}


async def attack(crowd: Crowd, how: Attack, seconds: float) -> None:
    tasks = [asyncio.ensure_future(crowd.for_ever(act)) for act in how(crowd)]
    await asyncio.sleep(seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def watch(port: int, secret: str, stop: Event, told: Any) -> None:
    """Act as the display: measure the seconds until a state, and until a change is on the stream."""
    headers = {"cookie": f"{DISPLAY_COOKIE}={secret}", "host": "127.0.0.1", "content-type": "application/json"}
    states, changes, failed = [], [], 0
    number = 0
    while not stop.is_set():
        number += 1
        try:
            began_s = time.perf_counter()
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
                connection.request("GET", "/api/state", headers=headers)
                connection.getresponse().read()
            states.append(time.perf_counter() - began_s)
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as stream:
                stream.request("GET", "/api/events", headers=headers)
                lines = stream.getresponse()
                if lines.status != 200:
                    raise ConnectionError("no stream")
                lines.readline()
                wanted, began_s = f'"attribute":{1 + number % 9}'.encode(), time.perf_counter()
                with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
                    facts = json.dumps({"facts": {"attribute": 1 + number % 9}})
                    connection.request("PATCH", "/api/context", facts, headers)
                    if connection.getresponse().status != 200:
                        raise ConnectionError("not changed")
                while wanted not in lines.readline():
                    pass
                changes.append(time.perf_counter() - began_s)
        except (OSError, http.client.HTTPException):
            failed += 1
        stop.wait(0.05)
    told.put((states, changes, failed))


def fill(folder: Path, rolls: int) -> None:
    """Write a log of a year's length."""
    evening = Evening(folder / FILE_NAME)
    for number in range(1, rolls + 1):
        shown = enumerate(("base", "skill", "gear"))
        dice = [Dice.die(3 * number + k, colour, 1 + (number + k) % 6) for k, colour in shown]
        evening.play(DiceSettled(Dice.rest(*dice)), ResetPressed())
    evening.history.close()


def spread(seconds: list[float]) -> str:
    if not seconds:
        return "   none"
    ordered = sorted(seconds)
    worst = (statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))], ordered[-1])
    return " ".join(f"{1000 * one:6.0f}" for one in worst)


@dataclass(frozen=True)
class Withstood:
    """The results of one attack.

    Attributes:
        states: Seconds that the display waited for each state.
        changes: Seconds until each change was on its stream.
        failed: Number of times that the display was refused or cut off.
        answers: Number of responses to strangers, by status.
    """

    states: list[float]
    changes: list[float]
    failed: int
    answers: Counter[str]


def attacked(tray: RunningTray, folder: Path, seconds: float) -> Iterator[tuple[str, Withstood]]:
    """Run every crowd in turn."""
    url = tray.url.rstrip(",")
    port = int(url.rstrip("/").rpartition(":")[2])
    with urllib.request.urlopen(f"{url}openapi.json", timeout=30) as answer:
        paths = [path for path, ways in json.load(answer)["paths"].items() if "get" in ways and "{" not in path]
    for name, how in ATTACKS.items():
        crowd = Crowd(port, [path for path in paths if not path.endswith("events")])
        stop = multiprocessing.Event()
        told: multiprocessing.Queue[Any] = multiprocessing.Queue()
        display = multiprocessing.Process(target=watch, args=(port, display_secret(folder), stop, told))
        display.start()
        run_coroutine(attack(crowd, how, seconds))
        stop.set()
        states, changes, failed = told.get(timeout=120)
        yield name, Withstood(states, changes, failed, crowd.answers)
        display.join()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each attack")
    parser.add_argument("--rolls", type=int, default=3000, help="in the log")
    words = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        fill(folder, words.rolls)
        with running(folder, "--host", "0.0.0.0") as tray:
            print(f"{words.rolls} rolls, {words.seconds:g} s each; ms: median, 95 %, longest")
            print(f"{'':24}{'state':>20} {'change on the stream':>22}  failed  answers to strangers")
            worst = 0.0
            for name, one in attacked(tray, folder, words.seconds):
                worst = max(worst, *one.states) if one.states else float("inf")
                answers = ", ".join(f"{code} {count}" for code, count in sorted(one.answers.items()))
                print(f"{name:24}{spread(one.states)} {spread(one.changes):>22} {one.failed:7}  {answers}", flush=True)
            tray.process.terminate()
            logged = (tray.process.stderr.read() if tray.process.stderr else "").splitlines()
    print(f"longest state {1000 * worst:.0f} ms; {len(logged)} lines in the log")
    return 0


if __name__ == "__main__":
    sys.exit(main())
