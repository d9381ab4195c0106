"""Simulated trays of a club, many in one process: each has its own connection to the broker, like a real one."""

import json
import selectors
import threading
from types import TracebackType
from typing import Self

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from device.integrations.topics import OFFLINE, ONLINE, Topics

LOOK_S = 0.02


class Publishers:
    """Trays that connect, publish their state, and roll. One thread serves all connections."""

    def __init__(self, port: int, base: str, count: int) -> None:
        self._topics = [Topics(base, f"tray-{number:03}") for number in range(count)]
        self._clients = [self._connected(port, topics) for topics in self._topics]
        self._rolled = 0
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._selector = selectors.DefaultSelector()
        for client in self._clients:
            self._selector.register(client.socket(), selectors.EVENT_READ, client)  # type: ignore[arg-type]
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def last_ids(self) -> set[str]:
        """Return the id of each tray's last result."""
        return {f"{topics.tray}-{self._rolled - 1}" for topics in self._topics}

    def roll(self, times: int) -> int:
        """Publish some results of each tray, one after the other.

        Returns:
            The number of messages.
        """
        for _ in range(times):
            for client, topics in zip(self._clients, self._topics, strict=True):
                roll = self._roll(topics.tray)
                with self._lock:
                    client.publish(topics.roll, roll, 1)
                    client.publish(topics.last_roll, roll, 1, retain=True)
            self._rolled += 1
        return 2 * times * len(self._clients)

    def __enter__(self) -> Self:
        self._thread.start()
        for client, topics in zip(self._clients, self._topics, strict=True):
            state = {"tray": {"id": topics.tray, "name": topics.tray}, "state": "scored", "system_title": "Push pool"}
            with self._lock:
                client.publish(topics.availability, ONLINE, 1, retain=True)
                client.publish(topics.state, json.dumps(state), retain=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stopping.set()
        self._thread.join()
        self._selector.close()
        for client, topics in zip(self._clients, self._topics, strict=True):
            client.publish(topics.availability, OFFLINE, 0, retain=True)
            while client.want_write():
                client.loop_write()
            client.disconnect()

    def _roll(self, tray: str) -> str:
        dice = [{"id": str(number), "role": "base", "value": 1 + (number + self._rolled) % 6} for number in range(8)]
        return json.dumps(
            {
                "id": f"{tray}-{self._rolled}",
                "kind": "scored",
                "time": "2026-01-31T19:30:05.125+00:00",
                "tray": {"id": tray, "name": tray},
                "owner": "Mira",
                "label": "Fight",
                "dice": dice,
                "outcome": {"headline": {"value": 2, "word": "successes"}, "success": True},
            }
        )

    def _connected(self, port: int, topics: Topics) -> Client:
        client = Client(CallbackAPIVersion.VERSION2, client_id=topics.tray)
        client.will_set(topics.availability, OFFLINE, 1, retain=True)
        client.connect("127.0.0.1", port)
        while not client.is_connected():
            client.loop_read()
        return client

    def _serve(self) -> None:
        while not self._stopping.is_set():
            for key, _ in self._selector.select(LOOK_S):
                with self._lock:
                    key.data.loop_read()
            with self._lock:
                for client in self._clients:
                    while client.want_write():
                        client.loop_write()
