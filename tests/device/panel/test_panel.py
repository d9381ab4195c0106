import importlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from device.config.settings import read_settings
from device.errors import BadInput, DeviceError
from device.game.lamps import LAMP_NAMES, LampView, plan_lights
from device.panel.panel import Panel, PanelParams
from device.panel.pins import open_pins

ROOT = Path(__file__).resolve().parents[3]


class Rig:
    """A panel on mock pins, a clock moved by hand, and a log of its events."""

    def __init__(self, params: PanelParams | None = None) -> None:
        self.params = params or PanelParams()
        self.factory = open_pins("mock")
        self.reported: list[str | None] = []
        self.now_s = 100.0
        self.panel = Panel(
            self.params,
            lambda: self.factory,
            lambda button: self.reported.append(button.name),
            on_calibrate=lambda: self.reported.append("calibrate"),
            on_shutdown=lambda: self.reported.append("shutdown"),
            on_fault=self.reported.append,
            clock=lambda: self.now_s,
        )
        self.run(0.1)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / self.params.tick_s)):
            self.now_s += self.params.tick_s
            self.panel.tick()

    def press(self, pin: int, seconds: float) -> None:
        self.factory.pin(pin).drive_low()
        self.run(seconds)
        self.factory.pin(pin).drive_high()
        self.run(0.1)

    def levels(self) -> dict[str, float]:
        return {name: self.factory.pin(self.params.lamp_pin(name)).state for name in LAMP_NAMES}

    def history(self, name: str) -> list[float]:
        return [state.state for state in self.factory.pin(self.params.lamp_pin(name)).states]


def test_push_reports_on_the_way_down_and_reset_on_the_way_up() -> None:
    rig = Rig()
    rig.factory.pin(17).drive_low()
    rig.factory.pin(27).drive_low()
    rig.run(0.1)
    assert rig.reported == ["push"]
    rig.factory.pin(17).drive_high()
    rig.factory.pin(27).drive_high()
    rig.run(0.1)
    assert rig.reported == ["push", "reset"]


def test_bouncing_contact_is_one_press() -> None:
    rig = Rig()
    pin = rig.factory.pin(17)
    for _ in range(5):
        pin.drive_low()
        rig.run(0.01)
        pin.drive_high()
        rig.run(0.01)
    rig.press(17, 0.2)
    assert rig.reported == ["push"]


@pytest.mark.parametrize(
    ("held_s", "reported"),
    [(0.1, ["reset"]), (1.9, ["reset"]), (2.2, ["calibrate"]), (7.9, ["calibrate"]), (9.0, ["shutdown"])],
)
def test_reset_means_three_things_by_how_long_it_is_held(held_s: float, reported: list[str]) -> None:
    rig = Rig()
    rig.press(27, held_s)
    assert rig.reported == reported


def test_shutdown_is_reported_while_the_button_is_still_down() -> None:
    rig = Rig()
    rig.factory.pin(27).drive_low()
    rig.run(8.1)
    assert rig.reported == ["shutdown"]


def test_lamps_report_how_far_a_hold_got() -> None:
    rig = Rig()
    rig.factory.pin(27).drive_low()
    rig.run(2.0)
    before = {name: len(rig.history(name)) for name in LAMP_NAMES}
    rig.run(5.0)
    slow = {name: len(rig.history(name)) - before[name] for name in LAMP_NAMES}
    assert set(slow.values()) <= {7, 8}, "3.5 blinks in 5 s at 0.7 a second, each on and off"
    rig.run(1.2)
    before = {name: len(rig.history(name)) for name in LAMP_NAMES}
    rig.run(5.0)
    assert {len(rig.history(name)) - before[name] for name in LAMP_NAMES} <= {27, 28, 29}


def test_lamps_of_a_whole_pushed_roll() -> None:
    rig = Rig(PanelParams(brightness=1.0))
    for view in (
        LampView("empty"),
        LampView("rolling"),
        LampView("scored", push_eligible=True),
        LampView("awaiting_push"),
        LampView("rolling"),
        LampView("resolved", success=True),
        LampView("empty"),
    ):
        rig.panel.show(plan_lights(view))
        rig.run(10.0)  # 28 fast and 7 slow blinks, whole ones
    assert rig.history("ready") == [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]
    assert rig.history("reading").count(1.0) in range(2 * 28, 2 * 28 + 3)
    assert rig.history("push_allowed").count(1.0) in (7, 8)
    assert rig.history("success") == [0.0, 1.0, 0.0]
    assert rig.history("trouble") == [0.0]


def test_brightness_is_a_duty_and_polarity_turns_it_round() -> None:
    rig = Rig(PanelParams(brightness=0.25, lamps_active_high=False))
    rig.panel.show(plan_lights(LampView("empty")))
    rig.run(0.02)
    assert rig.levels()["ready"] == pytest.approx(0.75)
    assert rig.levels()["trouble"] == pytest.approx(1.0)


def test_buttons_that_pull_up_to_supply() -> None:
    rig = Rig(PanelParams(buttons_pull_up=False))
    rig.factory.pin(17).drive_high()
    rig.run(0.1)
    assert rig.reported == ["push"]


def test_close_puts_the_lamps_out_and_may_be_called_twice() -> None:
    rig = Rig()
    rig.panel.show(plan_lights(LampView("empty")))
    rig.run(0.02)
    rig.panel.close()
    rig.panel.close()
    assert rig.history("ready")[-1] == 0.0
    rig.panel.tick()
    Rig.run(rig, 0.05)


def test_thread_samples_and_shines() -> None:
    factory = open_pins("mock")
    pushed = threading.Event()
    with Panel(PanelParams(), lambda: factory, lambda _: pushed.set()):
        # The first sample must see the button up: one that is down from the start reports nothing.
        while factory.pin(17).state != 1 or not any(thread.name == "panel" for thread in threading.enumerate()):
            pass
        threading.Event().wait(0.05)
        factory.pin(17).drive_low()
        assert pushed.wait(5.0)
    assert not any(thread.name == "panel" for thread in threading.enumerate())


def test_tray_without_a_panel() -> None:
    panel = Panel(PanelParams(), None, lambda button: pytest.fail(button.name))
    panel.start()
    panel.show(plan_lights(LampView("fault")))
    panel.tick()
    panel.close()


def test_missing_pin_library_is_loud_and_never_a_mock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.setenv("LG_WD", "/given")
    real_import = importlib.import_module

    def no_lgpio(name: str, *rest: Any) -> Any:
        if name == "gpiozero.pins.lgpio":
            raise ImportError("No module named 'lgpio'")
        return real_import(name, *rest)

    monkeypatch.setattr(importlib, "import_module", no_lgpio)
    with pytest.raises(DeviceError, match=r"python3-lgpio"):
        open_pins("gpio")


@pytest.mark.skipif(
    sys.platform != "linux" or sys.version_info >= (3, 13),
    reason="PyPI has lgpio for Linux and Python up to 3.12: run this there",
)
def test_pin_library_leaves_nothing_in_the_working_folder_and_nothing_behind(tmp_path: Path) -> None:
    # The real library, in a separate process: it makes its pipe at import, with or without pins.
    working, temporary = tmp_path / "working", tmp_path / "temporary"
    working.mkdir()
    temporary.mkdir()
    code = (
        "import os, pathlib\nfrom device.errors import DeviceError\nfrom device.panel.pins import open_pins\n"
        "try:\n    open_pins('gpio')\nexcept DeviceError as error:\n    print(error)\n"
        "print(sorted(path.name for path in pathlib.Path(os.environ['LG_WD']).iterdir()))\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "LG_WD"}
    environment |= {"TMPDIR": str(temporary), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=working, env=environment, capture_output=True, text=True, check=True
    )
    assert ".lgd-nfy" in done.stdout.splitlines()[-1]
    assert list(working.iterdir()) == []
    assert list(temporary.iterdir()) == []


def test_pin_library_that_does_not_load_is_loud(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str, *rest: Any) -> Any:
        raise OSError("can not create pipe")

    monkeypatch.setenv("LG_WD", "/given")
    monkeypatch.setattr(importlib, "import_module", broken)
    with pytest.raises(DeviceError, match=r"OSError: can not create pipe.*python3-lgpio"):
        open_pins("gpio")


@pytest.mark.parametrize(
    ("wiring", "named"),
    [
        ({"push_pin": 22}, "panel.wiring.ready_pin is 22, which push_pin uses already"),
        ({"push_pin": 2}, "belongs to I2C"),
        ({"reset_pin": 14}, "belongs to UART"),
        ({"ready_pin": 18}, "belongs to audio"),
        ({"ready_pin": 8}, "belongs to SPI"),
        ({"ready_pin": 1}, "panel.wiring.ready_pin is 1, must be 2 to 27"),
        ({"brightness": 0.0}, "panel.wiring.brightness"),
        ({"brightness": float("nan")}, "panel.wiring.brightness"),
        ({"pwm_hz": 50}, "panel.wiring.pwm_hz"),
        ({"settle_s": 1.0}, "panel.wiring.settle_s"),
        ({"calibrate_hold_s": 9.0}, "panel.wiring.calibrate_hold_s"),
        ({"tick_s": 0.05}, "panel.wiring.tick_s"),
    ],
)
def test_wiring_that_cannot_work_is_refused(wiring: dict[str, Any], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        read_settings({"panel": {"wiring": wiring}})


def test_mock_pins_forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.panel.mock_pins.REMEMBERED_STATES", 10)
    rig = Rig()
    rig.panel.show(plan_lights(LampView("fault")))
    rig.run(60.0)
    assert 10 <= len(rig.history("trouble")) <= 20


def test_gpiozero_is_not_loaded_without_a_panel() -> None:
    code = "import sys; from device.panel.panel import *; Panel(PanelParams(), None, print).start()"
    code += "; import device.panel.pins; sys.exit('gpiozero' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
