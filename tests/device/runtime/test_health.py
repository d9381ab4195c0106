import json
import os
import socket
import threading
from pathlib import Path

import pytest

from device.runtime.health import Health, HealthParams, ServiceManager, ServiceWatchdog


class Clock:
    def __init__(self) -> None:
        self.now_s = 50.0

    def __call__(self) -> float:
        return self.now_s


class Heard:
    def __init__(self, watchdog_s: float | None = None) -> None:
        self.watchdog_s = watchdog_s
        self.facts: list[dict[str, str]] = []

    def notify(self, **facts: str) -> None:
        self.facts.append(facts)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def health(clock: Clock) -> Health:
    return Health(HealthParams({"loop": 5.0, "camera": 30.0}), clock)


def test_fresh_tray_is_neither_ready_nor_stuck(health: Health) -> None:
    assert not health.is_ready()
    assert health.silent_threads() == ()
    assert health.report()["ok"] is False


def test_threads_that_come_round_and_a_frame_make_it_well(health: Health, clock: Clock) -> None:
    health.heartbeat("loop")
    health.heartbeat("camera")
    health.frame_came()
    clock.now_s += 1.0
    report = health.report()
    assert report == json.loads(json.dumps(report))
    assert report["ok"] is True
    assert report["frame_age_s"] == 1.0
    assert report["uptime_s"] == 1.0
    assert report["threads"] == {"loop": {"age_s": 1.0, "ok": True}, "camera": {"age_s": 1.0, "ok": True}}


def test_stuck_thread_is_named(health: Health, clock: Clock) -> None:
    health.heartbeat("loop")
    health.heartbeat("camera")
    clock.now_s += 10.0
    health.heartbeat("camera")
    assert health.silent_threads() == ("loop",)
    clock.now_s += 40.0
    assert health.silent_threads() == ("loop", "camera")


def test_thread_that_never_came_round_is_stuck_in_the_end(health: Health, clock: Clock) -> None:
    clock.now_s += 31.0
    assert health.silent_threads() == ("loop", "camera")


def test_thread_that_has_done_its_work_is_not_stuck(health: Health, clock: Clock) -> None:
    health.heartbeat("loop")
    health.heartbeat("camera")
    health.end("camera")
    clock.now_s += 40.0
    health.heartbeat("loop")
    assert health.silent_threads() == ()


def test_unplugged_camera_is_a_fault_but_not_stuck(health: Health, clock: Clock) -> None:
    health.heartbeat("loop")
    health.heartbeat("camera")
    health.frame_came()
    for _ in range(20):
        clock.now_s += 4.0
        health.heartbeat("loop")
        health.heartbeat("camera")
    health.report_fault("camera", "camera usb:0 was disconnected: check its plug")
    assert health.silent_threads() == ()
    report = health.report()
    assert report["ok"] is False
    assert report["faults"] == {"camera": "camera usb:0 was disconnected: check its plug"}
    health.frame_came()
    health.report_fault("camera", None)
    health.report_fault("camera", None)
    assert health.report()["ok"] is True


def test_watchdog_reports_ready_once_is_fed_and_starves(
    health: Health, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    heard = Heard(10.0)
    watchdog = ServiceWatchdog(health, heard)
    watchdog.look()
    health.heartbeat("loop")
    watchdog.look()
    health.heartbeat("camera")
    watchdog.look()
    watchdog.look()
    clock.now_s += 6.0
    watchdog.look()
    watchdog.look()
    health.heartbeat("loop")
    watchdog.look()
    watchdog.stop()
    watchdog.stop()
    fed = {"WATCHDOG": "1"}
    ready = {"READY": "1", "STATUS": "watching the tray"}
    assert heard.facts == [fed, fed, ready, fed, fed, {"STATUS": "stuck: loop"}, fed, {"STOPPING": "1"}]
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [("ERROR", "stuck: loop")]


def test_watchman_without_a_watchdog_feeds_nothing(health: Health) -> None:
    heard = Heard()
    health.heartbeat("loop")
    health.heartbeat("camera")
    watchdog = ServiceWatchdog(health, heard)
    watchdog.look()
    watchdog.look()
    assert heard.facts == [{"READY": "1", "STATUS": "watching the tray"}]


@pytest.mark.parametrize("abstract", [False, True])
def test_manager_hears_datagrams(tmp_path: Path, abstract: bool) -> None:
    name = f"\0pushtray-test-{os.getpid()}" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as service:
        service.bind(name)
        service.settimeout(5.0)
        manager = ServiceManager({"NOTIFY_SOCKET": name.replace("\0", "@"), "WATCHDOG_USEC": "20000000"})
        manager.notify(READY="1", STATUS="x")
        assert service.recv(100) == b"READY=1\nSTATUS=x"
    assert manager.watchdog_s == 20.0
    manager.notify(WATCHDOG="1")  # the manager is gone: nothing happens


def test_thread_reports_and_ends(tmp_path: Path) -> None:
    name = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as service:
        service.bind(name)
        service.settimeout(5.0)
        manager = ServiceManager({"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "100000", "WATCHDOG_PID": str(os.getpid())})
        health = Health()
        health.heartbeat("loop")
        health.heartbeat("camera")
        watchdog = ServiceWatchdog(health, manager)
        watchdog.start()
        assert service.recv(100).startswith(b"READY=1")
        assert service.recv(100) == b"WATCHDOG=1"
        watchdog.stop()
        rest = [service.recv(100)]
        while rest[-1] == b"WATCHDOG=1":
            rest.append(service.recv(100))
        assert rest[-1] == b"STOPPING=1"
    assert not any(thread.name == "watchdog" for thread in threading.enumerate())


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"WATCHDOG_USEC": ""},
        {"WATCHDOG_USEC": "x"},
        {"WATCHDOG_USEC": "0"},
        {"WATCHDOG_USEC": "5", "WATCHDOG_PID": "1"},
    ],
)
def test_started_by_hand_it_has_no_watchdog(environment: dict[str, str]) -> None:
    manager = ServiceManager(environment)
    assert manager.watchdog_s is None
    manager.notify(READY="1")
