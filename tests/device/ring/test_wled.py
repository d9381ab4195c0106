import errno
import json
import os
import re
import threading
import time
import tty
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from device.errors import DeviceError
from device.game.lamps import Pattern, PatternParams
from device.ring.plan import RingDie, RingParams, RingPlan, RingView, Stretch, Wanted, plan_ring, white_plan
from device.ring.wled import ESPRESSIF, WledParams, WledRing, find_ports, open_port
from device.ring.wled_protocol import ASK, blink_speed, find_answer, is_shown, plan_messages
from tests.device.ring.wled_emulator import BOOT_NOISE, Wiring, WledEmulator, WledState

RING = RingParams(leds=60)
WHITE = ((255, 255, 255), 0)


class Rig:
    """A ring on a pseudo terminal and a separate clock that stands still unless it is moved."""

    def __init__(self, folder: Path) -> None:
        self.emulator = WledEmulator(folder / "usb-ring", RING.leds)
        self.faults: list[str | None] = []
        self.skipped_s = 0.0
        # Waiting for a pseudo terminal takes real time, so the clock is the real one, advanced by what tests skip.
        self.ring = WledRing(
            WledParams(port=str(folder / "usb-ring"), answer_s=1.0, retry_s=1.0),
            RING,
            on_fault=self.faults.append,
            clock=self.now_s,
            wait=lambda seconds: None,
        )

    def now_s(self) -> float:
        return time.monotonic() + self.skipped_s

    def skip(self, seconds: float) -> None:
        self.skipped_s += seconds


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    made.emulator.plug()
    yield made
    made.ring.close()
    made.emulator.unplug()


def pointing() -> RingPlan:
    dice = (RingDie((100.0, 0.0), Wanted.PICK), RingDie((-100.0, 0.0), Wanted.KEEP))
    return plan_ring(RingView("awaiting_push", dice=dice), RING)


def test_ring_comes_up_white_through_the_boot_noise(rig: Rig) -> None:
    assert rig.ring.turn() > 1.0
    assert rig.emulator.shines() == [WHITE] * 60
    assert rig.ring.fault is None


def test_pointing_reaches_the_leds_and_passes_into_white(rig: Rig) -> None:
    rig.ring.turn()
    rig.ring.show(pointing())
    assert rig.ring.disturbs_reading()
    assert 3.0 < rig.ring.turn() <= 4.0
    shines = rig.emulator.shines()
    assert {led for led, (rgb, speed) in enumerate(shines) if rgb == RING.pick_rgb and speed} != set()
    assert {led for led, (rgb, speed) in enumerate(shines) if rgb == RING.keep_rgb and not speed} != set()
    rig.skip(4.0)
    rig.ring.turn()
    assert rig.emulator.shines() == [WHITE] * 60
    assert rig.ring.disturbs_reading(), "pictures taken before are still on their way"
    rig.skip(0.2)
    assert not rig.ring.disturbs_reading()
    rig.ring.show(pointing())
    rig.ring.turn()
    assert rig.emulator.shines() == [WHITE] * 60, "the same plan again is no news"
    rig.ring.show(white_plan(RING))
    rig.ring.show(pointing())
    rig.ring.turn()
    assert rig.emulator.shines() != [WHITE] * 60


def test_ring_gives_way_to_white_before_its_time_and_stays_so(rig: Rig) -> None:
    rig.ring.turn()
    rig.ring.show(pointing())
    rig.ring.turn()
    rig.ring.give_way()
    assert rig.ring.disturbs_reading(), "it still points"
    rig.ring.turn()
    assert rig.emulator.shines() == [WHITE] * 60
    rig.ring.show(pointing())
    rig.ring.turn()
    assert rig.emulator.shines() == [WHITE] * 60, "the same plan again is no news"
    rig.ring.show(plan_ring(RingView("fault"), RING))
    rig.ring.give_way()
    rig.ring.turn()
    assert rig.emulator.shines() != [WHITE] * 60, "a fault stays"


def test_nothing_is_streamed(rig: Rig) -> None:
    rig.ring.turn()
    reported = len(rig.emulator.messages)
    for _ in range(50):
        rig.ring.show(white_plan(RING))
        rig.ring.turn()
    assert len(rig.emulator.messages) == reported


def test_unplugged_in_the_middle_of_a_message_and_plugged_in_again(rig: Rig) -> None:
    rig.ring.turn()
    rig.emulator.unplug_after(150)
    rig.ring.show(pointing())
    rig.ring.turn()
    assert rig.ring.fault is not None
    assert "check its plug" in rig.ring.fault
    assert rig.emulator.shines() == [((0, 0, 0), 0)] * 60
    rig.skip(1.0)
    rig.ring.turn()  # still out: the port is missing
    rig.emulator.plug()
    assert rig.ring.turn() > 1.0, "the pause has grown to two seconds"
    rig.skip(2.0)
    rig.ring.turn()
    assert rig.ring.fault is None
    assert any(rgb == RING.pick_rgb for rgb, _ in rig.emulator.shines()), "the newest plan, not white"
    assert rig.faults[-1] is None
    assert all(reported is None or "check its plug" in reported for reported in rig.faults)


def test_power_failure_between_plans_is_noticed_by_the_next_check(rig: Rig) -> None:
    rig.ring.turn()
    rig.emulator.unplug()
    rig.skip(11.0)
    rig.ring.turn()
    assert rig.ring.fault is not None


def test_somebody_else_changed_the_light(rig: Rig) -> None:
    rig.ring.turn()
    rig.emulator.state.apply({"bri": 3, "seg": {"id": 0, "col": [[1, 2, 3]]}})
    rig.skip(11.0)
    rig.ring.turn()
    rig.ring.turn()
    assert rig.emulator.shines() == [WHITE] * 60
    assert rig.emulator.state.brightness == RING.brightness


def test_bytes_lost_on_the_way_are_sent_again(rig: Rig) -> None:
    rig.ring.turn()
    rig.emulator.lose(130)
    rig.ring.show(plan_ring(RingView("fault"), RING))
    rig.ring.turn()
    assert rig.ring.fault is None
    assert {rgb for rgb, _ in rig.emulator.shines()} == {RING.fault_rgb}


def test_ring_that_says_nothing(rig: Rig) -> None:
    rig.emulator.mute(True)
    rig.ring.turn()
    assert rig.ring.fault is not None
    assert "does not answer" in rig.ring.fault
    rig.emulator.mute(False)
    rig.skip(2.0)
    rig.ring.turn()
    assert rig.ring.fault is None


def test_wrong_number_of_leds_is_reported(tmp_path: Path) -> None:
    emulator = WledEmulator(tmp_path / "ring", 30)
    emulator.plug()
    ring = WledRing(WledParams(port=str(tmp_path / "ring")), RING)
    ring.turn()
    ring.close()
    emulator.unplug()
    assert ring.fault is not None
    assert "30 LEDs" in ring.fault


def test_pauses_between_tries_grow_to_their_limit(tmp_path: Path) -> None:
    now_s = 0.0
    ring = WledRing(WledParams(port=str(tmp_path / "nothing")), RING, clock=lambda: now_s)
    pauses = []
    for _ in range(8):
        pause_s = ring.turn()
        assert ring.turn() == pause_s, "nothing is tried before its time"
        pauses.append(pause_s)
        now_s += pause_s
    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0, 10.0]


def test_thread_keeps_the_newest_plan_and_ends(rig: Rig) -> None:
    rig.ring.start()
    for view in (RingView("empty"), RingView("awaiting_push"), RingView("fault")):
        rig.ring.show(plan_ring(view, RING))
    for _ in range(500):
        if {rgb for rgb, _ in rig.emulator.shines()} == {RING.fault_rgb}:
            break
        threading.Event().wait(0.01)
    else:
        pytest.fail("the newest plan never came")
    rig.ring.close()
    assert not any(thread.name == "ring" for thread in threading.enumerate())


def lined_serial(emulator: WledEmulator) -> type[Any]:
    """pyserial's own port, whose lines reach the emulator in the order in which the kernel and pyserial set them."""
    import serial

    class LinedSerial(serial.Serial):  # type: ignore[misc]  # pyserial carries no types
        def open(self) -> None:
            emulator.set_lines(dtr=True, rts=True)  # the kernel does it on every open
            super().open()

        def _update_dtr_state(self) -> None:
            emulator.set_lines(dtr=self._dtr_state, rts=True)

        def _update_rts_state(self) -> None:
            emulator.set_lines(dtr=self._dtr_state, rts=self._rts_state)

    return LinedSerial


@pytest.mark.parametrize(
    ("wiring", "vendor"), [(Wiring.AUTO_RESET, 0x10C4), (Wiring.DIRECT, 0x1A86), (Wiring.NATIVE, ESPRESSIF)]
)
def test_ring_comes_up_behind_a_serial_chip_and_on_its_own_usb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wiring: Wiring, vendor: int
) -> None:
    import serial

    emulator = WledEmulator(tmp_path / "ring", RING.leds, wiring=wiring)
    emulator.plug()
    monkeypatch.setattr(serial, "Serial", lined_serial(emulator))
    monkeypatch.setattr("device.ring.wled.usb_vendor", lambda path: vendor)
    ring = WledRing(WledParams(port=str(tmp_path / "ring"), answer_s=1.0), RING, wait=lambda seconds: None)
    ring.turn()
    assert ring.fault is None
    assert emulator.shines() == [WHITE] * RING.leds
    ring.close()
    emulator.unplug()


@pytest.mark.parametrize(
    ("wiring", "lines", "listens"),
    [
        (Wiring.NATIVE, [(True, True)], True),
        (Wiring.NATIVE, [(True, True), (False, True), (False, False)], False),
        (Wiring.NATIVE, [(False, True), (True, True), (True, False), (False, False), (True, True)], False),
        (Wiring.AUTO_RESET, [(True, True)], True),
        (Wiring.AUTO_RESET, [(True, True), (False, True)], False),
        (Wiring.AUTO_RESET, [(True, True), (False, True), (False, False)], True),
        (Wiring.AUTO_RESET, [(False, True), (True, False)], False),
        (Wiring.DIRECT, [(True, True)], False),
        (Wiring.DIRECT, [(True, True), (True, False)], False),
        (Wiring.DIRECT, [(True, True), (False, True), (False, False)], True),
    ],
)
def test_emulators_lines_do_what_the_boards_do(
    tmp_path: Path, wiring: Wiring, lines: list[tuple[bool, bool]], listens: bool
) -> None:
    emulator = WledEmulator(tmp_path / "ring", wiring=wiring)
    for dtr, rts in lines:
        emulator.set_lines(dtr=dtr, rts=rts)
    assert emulator.listens is listens


def test_light_changes_at_once_whatever_fade_wled_is_set_to(tmp_path: Path) -> None:
    # The emulator's clock stands still, so a fade does not start.
    emulator = WledEmulator(tmp_path / "ring", RING.leds, clock=lambda: 5.0)
    emulator.plug()
    ring = WledRing(WledParams(port=str(tmp_path / "ring")), RING, wait=lambda seconds: None)
    ring.turn()
    assert emulator.shines() == [WHITE] * RING.leds
    ring.show(pointing())
    ring.turn()
    assert any(rgb == RING.pick_rgb for rgb, _ in emulator.shines())
    ring.close()
    emulator.unplug()


def test_emulator_fades_as_wled_does_where_a_message_says_nothing_of_it() -> None:
    now_s = 0.0
    state = WledState(1, clock=lambda: now_s)
    state.apply({"seg": {"id": 0, "col": [[0, 0, 0]]}, "tt": 0})
    assert state.shines() == [((0, 0, 0), 0)]
    state.apply({"seg": {"id": 0, "col": [[200, 100, 0]]}})
    assert state.shines() == [((0, 0, 0), 0)]
    now_s = 0.35
    assert state.shines() == [((100, 50, 0), 0)]
    now_s = 0.7
    assert state.shines() == [((200, 100, 0), 0)]
    state.apply({"bri": 7})
    assert state.shines() == [((200, 100, 0), 0)]


def test_ring_says_how_it_lights_the_tray_for_reading(tmp_path: Path) -> None:
    emulator = WledEmulator(tmp_path / "ring", RING.leds)
    emulator.plug()
    ring = WledRing(WledParams(port=str(tmp_path / "ring")), RING, wait=lambda seconds: None)
    assert ring.reading_light() is None, "it may show WLED's own orange"
    ring.turn()
    assert ring.reading_light() == "255,255,255 at 160"
    ring.show(pointing())
    ring.turn()
    assert ring.reading_light() is None
    emulator.unplug()
    ring.show(white_plan(RING))
    ring.turn()
    assert ring.reading_light() is None
    ring.close()


def test_port_is_opened_for_this_program_alone_and_never_blocks_on_a_write(tmp_path: Path) -> None:
    emulator = WledEmulator(tmp_path / "ring")
    emulator.plug()
    port: Any = open_port(str(tmp_path / "ring"))
    assert (port.baudrate, port.exclusive) == (115200, True)
    assert port.write_timeout > 0
    with pytest.raises(OSError, match="lock"):
        open_port(str(tmp_path / "ring"))
    port.close()
    emulator.unplug()


@pytest.mark.parametrize(
    ("number", "cure"),
    [
        (errno.EACCES, "dialout"),
        (errno.EPERM, "dialout"),
        (errno.EBUSY, "stop it"),
        (errno.EAGAIN, "stop it"),
        (errno.EIO, "check its plug"),
        (errno.ENOENT, "check its plug"),
    ],
)
def test_port_that_does_not_open_has_the_cure_of_its_own_error(number: int, cure: str) -> None:
    import serial

    def refuse(path: str) -> Any:
        raise serial.SerialException(number, f"could not open port {path}")

    ring = WledRing(WledParams(port="/dev/ttyUSB0"), RING, port_factory=refuse)
    ring.turn()
    assert ring.fault is not None
    assert cure in ring.fault.rpartition(": ")[2]


def test_port_by_what_is_plugged_in(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="plug it in"):
        find_ports("auto", tmp_path / "nothing")
    one, two = tmp_path / "usb-one", tmp_path / "usb-two"
    one.touch()
    two.touch()
    assert find_ports("auto", tmp_path) == [str(one), str(two)]
    assert find_ports("/dev/ttyUSB3", tmp_path) == ["/dev/ttyUSB3"]


def test_the_link_of_a_ring_that_was_not_chosen_says_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.ring.wled.RULE_NAME", str(tmp_path / "pushtray-ring"))
    with pytest.raises(DeviceError, match=r"install\.py ring"):
        find_ports(str(tmp_path / "pushtray-ring"))


def test_an_adapter_with_another_chip_is_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vendors = {"usb-gps": 0x067B, "usb-modem": 0x12D1, "usb-ring": 0x10C4}
    for name in vendors:
        (tmp_path / name).touch()
    monkeypatch.setattr("device.ring.wled.usb_vendor", lambda path: vendors[Path(path).name])
    assert find_ports("auto", tmp_path) == [str(tmp_path / "usb-ring")]
    (tmp_path / "usb-ring").unlink()
    with pytest.raises(DeviceError, match="no adapter with a usual chip"):
        find_ports("auto", tmp_path)


class Stick:
    """A serial adapter that is not a ring: it records what it receives, and sends something of its own, or nothing."""

    def __init__(self, link: Path, says: bytes) -> None:
        self.heard = b""
        self._says = says
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        link.symlink_to(os.ttyname(self._slave))
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with suppress(OSError):
            while heard := os.read(self._master, 256):
                if heard == b"\x04":
                    return
                self.heard += heard
                os.write(self._master, self._says)

    def close(self) -> None:
        os.write(self._slave, b"\x04")
        self._thread.join()
        os.close(self._master)
        os.close(self._slave)


@pytest.fixture
def sticks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Stick, Stick]]:
    """Two adapters in place of the ring: one is mute, one sends something else."""
    monkeypatch.setattr("device.ring.wled.BY_ID", tmp_path)
    made = Stick(tmp_path / "usb-a-mute", b""), Stick(tmp_path / "usb-b-zigbee", b"\x1a\xc1\x02\x0b\n\x52\x7e\n")
    yield made
    for one in made:
        one.close()


def searching(skipped_s: list[float]) -> WledRing:
    return WledRing(
        WledParams(answer_s=0.3), RING, clock=lambda: time.monotonic() + sum(skipped_s),
        wait=lambda seconds: None,
    )  # fmt: skip


def test_the_ring_is_found_among_adapters_of_its_chip_and_the_others_get_one_question(
    tmp_path: Path, sticks: tuple[Stick, Stick]
) -> None:
    emulator = WledEmulator(tmp_path / "usb-c-ring", RING.leds)
    emulator.plug()
    skipped_s: list[float] = []
    ring = searching(skipped_s)
    ring.turn()
    assert ring.fault is None
    assert emulator.shines() == [WHITE] * RING.leds
    ring.show(pointing())
    ring.turn()
    assert [one.heard for one in sticks] == [ASK, ASK]
    emulator.unplug()
    for _ in range(2):
        skipped_s.append(60.0)
        ring.turn()
    assert "usb-a-mute says nothing; " in str(ring.fault)
    for _ in range(5):
        skipped_s.append(60.0)
        ring.turn()
    assert "usb-a-mute is no ring; " in str(ring.fault)
    assert "usb-b-zigbee is no ring" in str(ring.fault)
    assert [one.heard for one in sticks] == [3 * ASK, ASK], "a printer prints no more than that"
    emulator.plug()
    skipped_s.append(60.0)
    ring.turn()
    assert ring.fault is None
    ring.close()


def test_two_rings_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.ring.wled.BY_ID", tmp_path)
    emulators = [WledEmulator(tmp_path / name, RING.leds) for name in ("usb-lamp", "usb-ring")]
    for one in emulators:
        one.plug()
    ring = searching([])
    ring.turn()
    assert ring.fault is not None
    assert re.search(r"WLED answers at \S+usb-lamp and at \S+usb-ring: set ring.port.port to", ring.fault)
    assert [one.messages for one in emulators] == [[{"v": True}]] * 2
    ring.close()
    for one in emulators:
        one.unplug()


def test_messages_are_short_and_take_old_segments_away() -> None:
    messages = plan_messages(pointing(), PatternParams(), 6)
    assert all(len(message) < 200 for message in messages)
    reported = [json.loads(message) for message in messages]
    assert reported[0]["bri"] == 160
    assert [one["seg"]["id"] for one in reported[1:]] == [0, 1, 2, 3, 4, 5]
    assert [one["seg"].get("stop") for one in reported[4:]] == [0, 0, 0]
    assert not any("v" in one for one in reported)


@pytest.mark.parametrize("rate_hz", [0.5, 0.7, 1.0, 2.8, 3.0])
def test_blinks_keep_the_rate_that_lamps_have(rate_hz: float) -> None:
    period_ms = (255 - blink_speed(rate_hz)) * 20 + 48
    assert 1000.0 / period_ms == pytest.approx(rate_hz, rel=0.05)


def test_slow_and_fast_differ_threefold_on_the_ring_too() -> None:
    slow, fast = (
        json.loads(plan_messages(RingPlan((Stretch(0, 60, (9, 9, 9), pattern),), 9), PatternParams(), 1)[1])["seg"][
            "sx"
        ]
        for pattern in (Pattern.SLOW, Pattern.FAST)
    )
    assert ((255 - slow) * 20 + 48) / ((255 - fast) * 20 + 48) > 3.0


def test_answer_is_found_in_noise_and_in_pieces() -> None:
    whole = BOOT_NOISE + b'{"state":{"on":true},"info":{}}\r\n{"state":{"on":fal'
    answer, rest = find_answer(whole)
    assert answer == {"state": {"on": True}, "info": {}}
    answer, rest = find_answer(rest + b"se}}\n")
    assert answer == {"state": {"on": False}}
    assert rest == b""
    assert find_answer(b'{"error":3}\n{"state":7}\n{"state":{broken\n')[0] is None
    assert len(find_answer(b"x" * 10**6)[1]) <= 65536


@pytest.mark.parametrize(
    "change",
    [{"on": False}, {"bri": 1}, {"seg": None}, {"seg": []}, {"seg": [{"id": 0, "start": 0, "stop": 59}]}, {"seg": [7]}],
)
def test_answer_that_says_otherwise_is_not_shown(change: dict[str, Any]) -> None:
    emulator_state = {"on": True, "bri": 160, "seg": [{"id": 0, "start": 0, "stop": 60, "fx": 0, "col": [[255] * 4]}]}
    assert is_shown({"state": emulator_state}, white_plan(RING))
    assert not is_shown({"state": emulator_state | change}, white_plan(RING))
