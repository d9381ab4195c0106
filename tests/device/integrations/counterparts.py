"""Real counterparts on loopback: an HTTP server that answers as told, and Mosquitto."""

import json
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from tests.narrowing import there

PATIENCE_S = 20.0


@dataclass(frozen=True)
class Posted:
    """A request that the server received."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Told:
    """How to answer: at once or once `hangs` is set. `drips` sends a header one letter at a time, `endless` a body."""

    status: int = 204
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    hangs: threading.Event | None = None
    drips: bool = False
    endless: bool = False


class HttpCounterpart:
    """An HTTP server. It sends the given answers one after the other, and 204 when there are none left."""

    def __init__(self) -> None:
        self.got: Queue[Posted] = Queue()
        self._published: Queue[Told] = Queue()
        counterpart = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                counterpart.got.put(Posted(self.path, dict(self.headers.items()), body))
                counterpart._answer(self)

            def log_message(self, *_: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/hook?key=hidden"

    def tell(self, *answers: Told) -> None:
        for answer in answers:
            self._published.put(answer)

    def next(self) -> Posted:
        return self.got.get(timeout=PATIENCE_S)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        reported = Told() if self._published.empty() else self._published.get()
        if reported.hangs is not None:
            reported.hangs.wait(PATIENCE_S)
        with suppress(OSError):
            if reported.drips:
                handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                while not threading.Event().wait(0.02):
                    handler.wfile.write(b".")
            handler.send_response(reported.status)
            for name, value in reported.headers.items():
                handler.send_header(name, value)
            if not reported.endless:
                handler.send_header("Content-Length", str(len(reported.body)))
            handler.end_headers()
            handler.wfile.write(reported.body)
            while reported.endless and not threading.Event().wait(0.02):
                handler.wfile.write(b".")


@contextmanager
def silent_server() -> Iterator[int]:
    """A port that accepts connections and never sends anything: a broker or a server that hangs."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def path_of(program: str, package: str = "mosquitto") -> str:
    """Return a program's path; without it tests that need it are skipped, and fail in CI."""
    path = shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if path is None:
        cure = f"no {program} on the PATH: apt install {package}"
        if os.environ.get("CI"):
            pytest.fail(cure)
        pytest.skip(cure)
    return path


class Broker:
    """Debian's Mosquitto on a free port of loopback, storing nothing on the disk."""

    def __init__(self, folder: Path, *lines: str, port: int | None = None) -> None:
        self._path = path_of("mosquitto")
        self.folder = folder
        self._lines = lines
        self.port = port or 0
        self._process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        for _ in range(10):
            port = self.port or _free_port()
            config = self.folder / "mosquitto.conf"
            config.write_text(
                "\n".join(
                    [f"listener {port} 127.0.0.1", "persistence false", "user root", "log_dest stderr", *self._lines]
                )
                + "\n"
            )
            process = subprocess.Popen(
                [self._path, "-c", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
            ready = threading.Event()
            self._reading = threading.Thread(target=_read, args=(process, ready), daemon=True)
            self._reading.start()
            while process.poll() is None and not ready.wait(0.02):
                continue
            if ready.is_set():
                self.port, self._process = port, process
                return
            self._reading.join()
        raise AssertionError("mosquitto did not start")

    def stop(self) -> None:
        """Stop like a broker that is switched off."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
            self._reading.join()


def _read(process: subprocess.Popen[str], ready: threading.Event) -> None:
    """Read a broker's log until it ends, and note when it listens."""
    with there(process.stderr) as lines:
        for line in lines:
            if "running" in line:
                ready.set()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


OPEN = "allow_anonymous true"


class Listener:
    """A client of the broker that receives and publishes messages."""

    def __init__(self, port: int, *topics: str, arrange: Callable[[Client], None] | None = None) -> None:
        self.heard: Queue[MQTTMessage] = Queue()
        self._client = Client(CallbackAPIVersion.VERSION2)
        if arrange is not None:
            arrange(self._client)
        ready = threading.Event()
        self._client.on_message = lambda _client, _data, message: self.heard.put(message)
        self._client.on_subscribe = lambda *_: ready.set()
        self._client.on_connect = lambda client, *_: client.subscribe([(topic, 1) for topic in topics])
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()
        assert ready.wait(PATIENCE_S)

    def next(self, topic: str, is_so: Callable[[MQTTMessage], bool] = lambda _: True) -> MQTTMessage:
        """Return the next message on a matching topic, skipping others."""
        while True:
            message = self.heard.get(timeout=PATIENCE_S)
            if message.topic == topic and is_so(message):
                return message

    def translate(self, topic: str, payload: str, *, retain: bool = False) -> None:
        self._client.publish(topic, payload, 1, retain=retain).wait_for_publish(PATIENCE_S)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()
        # They refer to this object, which refers to the client: it would be left to the garbage collector, its sockets
        # open.
        self._client.on_message = self._client.on_subscribe = self._client.on_connect = None
