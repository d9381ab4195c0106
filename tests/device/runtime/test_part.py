"""The list of parts: started in order, stopped side by side, closed in reverse."""

import socket
import threading
from collections.abc import Callable
from functools import partial

import pytest

from device.config.settings import Settings
from device.runtime.part import Part, PartList


class Recorded(Part):
    """Reports its calls."""

    def __init__(self, name: str, calls: list[str], stop: Callable[[], object] = bool) -> None:
        self.live = {"display.language": lambda _: calls.append(f"{name} takes")} if name != "b" else {}
        self.for_pages = (name,)
        self._name, self._calls, self._stop = name, calls, stop

    def start(self) -> None:
        self._calls.append(f"{self._name} starts")

    def stop(self) -> None:
        self._stop()

    def close(self) -> None:
        self._calls.append(f"{self._name} closes")


@pytest.fixture
def calls() -> list[str]:
    return []


def test_parts_start_in_order_stop_side_by_side_and_close_in_reverse(calls: list[str]) -> None:
    parts, all_stop = PartList(), threading.Barrier(3)
    for name in "abc":
        parts.add(Recorded(name, calls, partial(all_stop.wait, 10)))
    assert parts.for_pages == ["a", "b", "c"]
    parts.start()
    parts.stop()
    assert not all_stop.broken, "each stopped while the others did"
    parts.stop()
    assert calls == ["a starts", "b starts", "c starts", "c closes", "b closes", "a closes"]


def test_a_part_that_hangs_does_not_keep_the_others_open(calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.runtime.part.STOP_S", 0.05)
    parts, over = PartList(), threading.Event()
    parts.add(Recorded("a", calls, over.wait))
    parts.stop()
    assert calls == ["a closes"]
    over.set()


def test_a_live_setting_is_taken_up_by_each_part_that_uses_it(calls: list[str]) -> None:
    parts = PartList()
    for name in "abc":
        parts.add(Recorded(name, calls))
    assert parts.is_live("display.language")
    assert not parts.is_live("web.port")
    parts.apply("display.language", Settings())
    parts.apply("web.port", Settings())
    assert calls == ["a takes", "c takes"]


def test_a_wait_ends_with_the_part_that_needs_another_process_and_its_reason_outlasts_the_stop() -> None:
    class Broken(Part):
        hang = None

        def check(self) -> None:
            self.hang = "it hangs"

    parts, looks = PartList(), list[str | None]()
    parts.add(Broken())
    parts.wait(threading.Event(), lambda: looks.append(parts.hang))
    assert looks == ["it hangs"]
    parts.stop()
    assert parts.hang == "it hangs"


def test_what_was_made_is_stopped_where_another_part_cannot_be_made(calls: list[str]) -> None:
    parts, taken = PartList(), socket.socket()
    parts.add(Recorded("a", calls))
    with pytest.raises(ValueError, match="no more"), parts.stopped_on_error(taken):
        raise ValueError("no more")
    assert (calls, taken.fileno()) == (["a closes"], -1)
