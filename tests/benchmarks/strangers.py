"""Prints how a tray serves its own people under attack by strangers.

    python -m tests.benchmarks.strangers [--seconds 10] [--rolls 3000] [--routes [PART ...]]

A tray with a long log listens on every address. Strangers have their own addresses (127.0.1.1 and on, through the
tray's address on its network): 16 on every path, 200 screens, 1,100 silent connections, slow headers and bodies,
streams and downloads that are never read, a guess at the PIN per connection. With --routes each read route of
/openapi.json (or those with a PART in their path) is attacked separately, in three ways: 60 requests at once from one
address, half of them with words that were never searched before; 320 connections of 8 addresses that read 2 kB/s; as
many that never end their request or never read the answer. At the same time the display throws the same dice
repeatedly and waits for the result on its stream, and state, health, history, story and evenings are requested as
display, as a paired phone and as the game master's phone. Strangers, who would be other machines, run at low priority.
"""

import argparse
import asyncio
import http.client
import itertools
import json
import multiprocessing
import os
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial
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
from tests.narrowing import there

HOST = "192.0.2.2"
"""An address without a name: the tray treats each as local, but none as its own machine."""
PATHS = ("/api/state", "/api/health", "/api/rolls?limit=50", "/api/story", "/api/evenings")
PHONES = {"phone": "127.0.0.2", "game master": "127.0.0.3"}
THROW = {"base": 3, "skill": 2, "seed": 7}
PATIENCE_S = 60.0
_ESTABLISHED = 1  # state of a connection (Linux, tcp_states.h)

Act = Callable[[], Awaitable[None]]


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

    async def connect(self, address: str, buffer_bytes: int) -> socket.socket:
        client = socket.socket()
        try:
            client.setblocking(False)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
            client.bind((address, 0))
            await asyncio.get_running_loop().sock_connect(client, ("127.0.0.1", self._port))
        except BaseException:
            client.close()
            raise
        return client

    async def ask(self, address: str, requests: Iterator[bytes]) -> None:
        """Send one request and read its response to the end."""
        loop = asyncio.get_running_loop()
        with closing(await self.connect(address, 65_536)) as client:
            request = next(requests).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)
            await loop.sock_sendall(client, request)
            self.count(await loop.sock_recv(client, 12))
            while await loop.sock_recv(client, 65_536):
                pass

    async def stay(self, address: str, sent: bytes, drip: bytes = b"", *, reads: bool = False) -> None:
        """Keep a connection for as long as the tray lets it; it may send slowly, and read 2 kB/s or nothing."""
        loop = asyncio.get_running_loop()
        with closing(await self.connect(address, 4096)) as client:
            await loop.sock_sendall(client, sent)
            if reads:
                self.count(await loop.sock_recv(client, 12))
            while client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO) & 0xFF == _ESTABLISHED:
                await asyncio.sleep(0.5)
                if drip:
                    await loop.sock_sendall(client, drip)
                if reads and not await loop.sock_recv(client, 1000):
                    break
        self.answers["given up"] += 1

    def count(self, head: bytes) -> None:
        self.answers[head[9:12].decode() or "closed"] += 1

    async def attack(self, how: "Attack", stop: Event) -> None:
        async def repeat(act: Act) -> None:
            while True:
                with suppress(OSError):
                    await act()
                await asyncio.sleep(0)

        tasks = [asyncio.ensure_future(repeat(act)) for act in how(self)]
        while not stop.is_set():
            await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


Attack = Callable[[Crowd], Iterator[Act]]


def no_attack(_crowd: Crowd) -> Iterator[Act]:
    yield from ()


def every_path(crowd: Crowd) -> Iterator[Act]:
    for first in range(16):
        paths = itertools.cycle(crowd.paths[first:] + crowd.paths[:first])
        yield partial(crowd.ask, crowd.address(), map(crowd.head, paths))


def dear_paths(crowd: Crowd) -> Iterator[Act]:
    for number in range(45):
        path = ("/api/statistics", f"/api/statistics?text=a{number}")[number % 2]
        yield partial(crowd.ask, crowd.address(), itertools.repeat(crowd.head(path)))


def screens(crowd: Crowd) -> Iterator[Act]:
    sent = crowd.head("/api/events")
    for _ in range(100):
        yield partial(crowd.stay, crowd.address(), sent, reads=True)
        yield partial(crowd.stay, "127.0.0.1", sent.replace(HOST.encode(), b"localhost"), reads=True)


def silent(crowd: Crowd) -> Iterator[Act]:
    addresses = [crowd.address() for _ in range(10)]
    for address in addresses * 110:
        yield partial(crowd.stay, address, b"")


def slow(crowd: Crowd) -> Iterator[Act]:
    body = crowd.head("/api/push", "POST", "Content-Type: application/json\r\nContent-Length: 9000\r\n")
    for sent in (body, crowd.head("/api/state")[:-2]) * 100:
        yield partial(crowd.stay, crowd.address(), sent, b"x")


def greedy(crowd: Crowd) -> Iterator[Act]:
    for path in ("/api/events", "/api/rolls.csv", "/api/club/events", "/api/story.csv"):
        address = crowd.address()
        for _ in range(64):
            yield partial(crowd.stay, address, crowd.head(path))


def guessers(crowd: Crowd) -> Iterator[Act]:
    more = "Content-Type: application/json\r\nContent-Length: 16\r\n"
    guess = crowd.head("/api/phones/pair", "POST", more) + b'{"pin":"000000"}'
    for _ in range(16):
        yield partial(crowd.ask, crowd.address(), itertools.repeat(guess))


ATTACKS: dict[str, Attack] = {
    "alone": no_attack,
    "16 on every path": every_path,
    "45 on statistics": dear_paths,
    "200 screens": screens,
    "1,100 silent": silent,
    "200 that drip": slow,
    "256 that read nothing": greedy,
    "16 that guess PINs": guessers,
    "alone again": no_attack,
}


def questions(path: str, parameters: list[Any]) -> Iterator[str]:
    """Yield requests of a route: the largest answer, then in turn it and a new one."""
    for name in ("row", "die_id", "sheet_id", "value"):
        path = path.replace(f"{{{name}}}", "1")
    path = path.replace("{colour}", "base").replace("{name}", "own")
    words = [one["name"] for one in parameters if one["in"] == "query" and one["name"] in ("owner", "player", "text")]
    largest = [f"limit={one['schema']['maximum']}" for one in parameters if one["name"] == "limit"]
    largest += [f"{one['name']}=Ada" for one in parameters if one["in"] == "query" and one.get("required")]
    for number in itertools.count():
        new = [f"{words[-1]}=w{number}"] if words and number % 2 else []
        query = "&".join([*largest, *new])
        yield f"{path}?{query}" if query else path


def at_once(paths: Callable[[], Iterator[str]], crowd: Crowd) -> Iterator[Act]:
    address, requests = crowd.address(), map(crowd.head, paths())
    for _ in range(60):
        yield partial(crowd.ask, address, requests)


def slowly(paths: Callable[[], Iterator[str]], crowd: Crowd) -> Iterator[Act]:
    sent = crowd.head(next(paths()))
    for address in [crowd.address() for _ in range(8)] * 40:
        yield partial(crowd.stay, address, sent, reads=True)


def half_open(paths: Callable[[], Iterator[str]], crowd: Crowd) -> Iterator[Act]:
    sent = crowd.head(next(paths()))
    for address in [crowd.address() for _ in range(8)] * 20:
        yield partial(crowd.stay, address, sent[:-2])
        yield partial(crowd.stay, address, sent)


def _server(tray: RunningTray) -> tuple[str, int]:
    return "127.0.0.1", int(tray.url.rstrip("/,").rpartition(":")[2])


def read_routes(tray: RunningTray) -> Mapping[str, list[Any]]:
    """Return each documented path that can be read, and the pages with stories, with their parameters."""
    with closing(http.client.HTTPConnection(*_server(tray), timeout=PATIENCE_S)) as connection:
        connection.request("GET", "/openapi.json")
        paths = json.load(connection.getresponse())["paths"]
    documented = {path: ways["get"].get("parameters", []) for path, ways in paths.items() if "get" in ways}
    return documented | {"/story": [], "/history": []}


def attacks_on(routes: Mapping[str, list[Any]]) -> dict[str, Attack]:
    """Return three attacks on each route, and after every fourth none."""
    ways = {"60 at once": at_once, "320 slow": slowly, "320 half-open": half_open}
    found: dict[str, Attack] = {}
    for number, (path, parameters) in enumerate(routes.items()):
        if number % 4 == 0:
            found[f"alone {number // 4 + 1}"] = no_attack
        for name, way in ways.items():
            found[f"{name} {path}"] = partial(way, partial(questions, path, parameters))
    return found


class Person:
    """One of the tray's own people.

    Attributes:
        waited: Seconds until each answer.
        failed: Number of requests that were not answered, by path and status.
    """

    def __init__(self, server: tuple[str, int], address: str, host: str, cookie: str = "") -> None:
        self._server, self._address = server, address
        self._headers = {"host": f"{host}:{server[1]}", "content-type": "application/json", "cookie": cookie}
        self.waited: list[float] = []
        self.failed: Counter[str] = Counter()

    @contextmanager
    def open(self, method: str, path: str, body: object = None) -> Iterator[http.client.HTTPResponse]:
        own = (self._address, 0)
        with closing(http.client.HTTPConnection(*self._server, PATIENCE_S / 2, own)) as connection:
            connection.request(method, path, None if body is None else json.dumps(body), self._headers)
            yield connection.getresponse()

    def pair(self, pin: str) -> None:
        with self.open("POST", "/api/phones/pair", {"pin": pin}) as answer:
            assert answer.status == 201, answer.read()
            self._headers["cookie"] = there(answer.getheader("set-cookie")).partition(";")[0]

    def ask(self, path: str) -> None:
        """Request a path, or throw."""
        began_s = time.perf_counter()
        try:
            refusal = self._throw() if path == "throw" else self._read(path)
        except (OSError, http.client.HTTPException) as error:
            refusal = type(error).__name__
        if refusal is None:
            self.waited.append(time.perf_counter() - began_s)
        else:
            self.failed[f"{path} {refusal}"] += 1

    def _read(self, path: str) -> str | None:
        with self.open("GET", path) as answer:
            answer.read()
            return None if answer.status == 200 else str(answer.status)

    def _throw(self) -> str | None:
        """Throw, and wait for the result on the stream."""
        until_s = time.monotonic() + PATIENCE_S
        with self.open("GET", "/api/events") as stream, self.open("POST", "/api/throw", THROW) as done:
            answer = json.load(done)
            if done.status != 200:
                return str(answer["reason"])
            while time.monotonic() < until_s and (line := stream.readline()):
                if line.startswith(b"data: "):
                    state = json.loads(line[6:])
                    if state["version"] > answer["version"] and state["roll"] not in (None, answer["roll"]):
                        return None
        return "no result"


def _play(people: dict[str, Person], seconds: float) -> None:
    """Let everybody act for so long; who has begun something is waited for."""
    until_s = time.monotonic() + seconds

    def act(name: str, person: Person) -> None:
        for path in itertools.cycle(("throw",) if name == "throw" else PATHS):
            person.ask(path)
            if time.monotonic() > until_s:
                return
            time.sleep(0.1)

    threads = [threading.Thread(target=act, args=one) for one in people.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _run_crowd(crowd: Crowd, how: Attack, stop: Event, told: Any) -> None:
    os.nice(10)
    run_coroutine(crowd.attack(how, stop))
    told.put(crowd.answers)


def attacked(
    tray: RunningTray, folder: Path, seconds: float, attacks: Mapping[str, Attack]
) -> Iterator[tuple[str, dict[str, Person], Counter[str]]]:
    """Run every crowd in turn: its name, the tray's own people, the number of answers to strangers by status."""
    server = _server(tray)
    cookie = f"{DISPLAY_COOKIE}={display_secret(folder)}"
    people = {name: Person(server, "127.0.0.1", "127.0.0.1", cookie) for name in ("throw", "display")}
    people |= {name: Person(server, address, HOST) for name, address in PHONES.items()}
    with people["display"].open("GET", "/api/phones") as answer:
        pins = json.load(answer)["pins"]
    people["phone"].pair(pins["player"])
    people["game master"].pair(pins["game_master"])
    paths = [path for path in read_routes(tray) if "{" not in path and not path.endswith("events")]
    for name, how in attacks.items():
        for person in people.values():
            person.waited, person.failed = [], Counter()
        stop = multiprocessing.Event()
        told: multiprocessing.Queue[Counter[str]] = multiprocessing.Queue()
        own = Crowd(server[1], paths), how, stop, told
        strangers = multiprocessing.Process(target=_run_crowd, args=own, daemon=True)
        strangers.start()
        _play(people, seconds)
        stop.set()
        yield name, people, told.get(timeout=PATIENCE_S)
        strangers.join()


def fill(folder: Path, rolls: int) -> None:
    """Write a log of a year's length."""
    evening = Evening(folder / FILE_NAME)
    for number in range(1, rolls + 1):
        shown = enumerate(("base", "skill", "gear"))
        dice = [Dice.die(3 * number + k, colour, 1 + (number + k) % 6) for k, colour in shown]
        evening.play(DiceSettled(Dice.rest(*dice)), ResetPressed())
    evening.history.close()


def memory_mb(tray: RunningTray) -> float:
    status = Path(f"/proc/{tray.process.pid}/status").read_text()
    return int(status.partition("RssAnon:")[2].split()[0]) * 1024 / 1e6


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each attack")
    parser.add_argument("--rolls", type=int, default=3000, help="in the log")
    parser.add_argument("--routes", nargs="*", metavar="PART", help="attack each read route separately")
    words = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        fill(folder, words.rolls)
        with running(folder, "--host", "0.0.0.0") as tray:
            attacks: Mapping[str, Attack] = ATTACKS
            if words.routes is not None:
                routes = read_routes(tray).items()
                parts = words.routes or [""]
                attacks = attacks_on({path: more for path, more in routes if any(part in path for part in parts)})
            print(f"{words.rolls} rolls, {words.seconds:g} s each; seconds: median, longest; x: of alone")
            heads = ("throw to result", *(f"{who:>13}" for who in ("display", *PHONES)))
            print(f"{'':44}{heads[0]:>13}  {'x':>4}{''.join(heads[1:])}{'MB':>6}  answers to strangers", flush=True)
            alone_s = worst = 0.0
            lacked = Counter[str]()
            for name, people, answers in attacked(tray, folder, words.seconds, attacks):
                throw_s = statistics.median(people["throw"].waited or [float("inf")])
                alone_s = throw_s if attacks[name] is no_attack else alone_s
                worst = max(worst, throw_s / alone_s)
                columns = [f"{_spread(person.waited):>13}" for person in people.values()]
                columns.insert(1, f"{throw_s / alone_s:6.2f}")
                shown = ", ".join(f"{code} {count}" for code, count in sorted(answers.items()))
                print(f"{name:44}{''.join(columns)}{memory_mb(tray):6.0f}  {shown}", flush=True)
                for who, person in people.items():
                    lacked[who] += person.failed.total()
                    for what, count in person.failed.items():
                        print(f"{'':8}not answered: {who}: {what}, {count} times", flush=True)
            tray.process.terminate()
            logged = (tray.process.stderr.read() if tray.process.stderr else "").splitlines()
    print(f"longest throw x {worst:.2f} of alone; not answered: {dict(lacked)}; {len(logged)} lines in the log")
    return 0


def _spread(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):.2f} {max(seconds):6.2f}" if seconds else "none"


if __name__ == "__main__":
    sys.exit(main())
