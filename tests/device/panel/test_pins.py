"""Which chip is the header's, by every numbering that was reported, and pins that come late."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from device.errors import DeviceError
from device.game.lamps import LightPlan, shine
from device.panel import pins
from device.panel.panel import Panel, PanelParams
from tests.scripts import load_script

SOC = ("gpio-brcmstb@107d508500", "gpio-brcmstb@107d508520", "gpio-brcmstb@107d517c00", "gpio-brcmstb@107d517c20")
RP1 = "pinctrl-rp1"


class Machine:
    """A folder of GPIO chips, and a pin library that sees them alone."""

    def __init__(self, folder: Path, library: ModuleType) -> None:
        self.folder, self.library = folder, library

    def has(self, *chips: tuple[int, str]) -> None:
        for number, label in chips:
            (self.folder / f"gpiochip{number}").write_text(label)

    def level(self, pin: int) -> float:
        (chip,) = self.library.handles.values()
        return float(chip.level[pin])


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    monkeypatch.setenv("FAKE_GPIO", str(tmp_path))
    monkeypatch.setenv("LG_WD", str(tmp_path))
    monkeypatch.setattr(pins, "DEVICES", tmp_path)
    library = load_script(Path(__file__).parent / "fake_lgpio/lgpio.py")
    monkeypatch.setitem(sys.modules, "lgpio", library)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    # A Pi 5, 4 GB; gpiozero reads it from the device tree.
    monkeypatch.setattr("gpiozero.pins.local.LocalPiFactory._get_revision", lambda _: 0xC04170)
    yield Machine(tmp_path, library)
    sys.modules.pop("gpiozero.pins.lgpio", None)


@pytest.mark.parametrize(
    ("chips", "header"),
    [
        pytest.param([*enumerate(SOC), (4, RP1)], 4, id="Pi 5, 6.1 to 6.6.45"),
        pytest.param([(0, RP1), *enumerate(SOC, 10), (4, RP1)], 0, id="Pi 5, from 6.6.47, gpiochip4 a link to 0"),
        pytest.param([(0, RP1), *enumerate(SOC, 1)], 0, id="Pi 5, mainline: 4 is another chip"),
        pytest.param([(11, RP1), *enumerate(SOC, 12)], 11, id="Pi 5, 6.12.96, header first"),
        pytest.param([*enumerate(SOC, 11), (15, RP1)], 15, id="Pi 5, 6.12.96, header last"),
        pytest.param([(2, ""), (3, "!" + SOC[0]), (11, RP1)], 11, id="others that are no chips, or refused"),
        pytest.param([(0, "pinctrl-bcm2711"), (1, "raspberrypi-exp-gpio")], 0, id="Pi 4"),
        pytest.param([(0, "raspberrypi-exp-gpio"), (1, "pinctrl-bcm2711")], 1, id="Pi 4, the other way round"),
        pytest.param(
            [(0, "pinctrl-bcm2835"), (1, "brcmvirt-gpio"), (2, "raspberrypi-exp-gpio")], 0, id="Pi 3, Pi Zero 2"
        ),
    ],
)
def test_the_headers_chip_is_found_by_its_label(machine: Machine, chips: list[tuple[int, str]], header: int) -> None:
    machine.has(*chips)
    factory = pins.open_pins("gpio")
    assert factory.chip == header
    assert [number >> 16 for number in machine.library.handles] == [header], "no other chip stays open"
    pins.close_pins(factory)
    assert not machine.library.handles


@pytest.mark.parametrize(
    ("chips", "told"),
    [
        ([], r"gpiochip\* is missing.*set panel.pins to none"),
        ([(0, "!pinctrl-bcm2711"), (1, "!raspberrypi-exp-gpio")], "gpiochip0, .*gpiochip1.*usermod -aG gpio"),
        ([(0, "INT33FF:00"), (1, SOC[0])], f"INT33FF:00, {SOC[0]}.*set panel.pins to none"),
    ],
)
def test_without_the_headers_chip_the_cure_is_true(machine: Machine, chips: list[tuple[int, str]], told: str) -> None:
    machine.has(*chips)
    with pytest.raises(DeviceError, match=told) as raised:
        pins.open_pins("gpio")
    assert ("usermod" in str(raised.value)) is ("!" in str(chips)), "a group helps only where a chip was refused"
    assert not machine.library.handles


def test_pins_that_come_late_are_taken_and_lost_ones_again(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.panel.panel.RETRY_S", 0.01)
    monkeypatch.setattr("device.panel.panel.MAX_RETRY_S", 0.02)
    faults: list[str | None] = []
    changed = threading.Condition()

    def on_fault(text: str | None) -> None:
        with changed:
            if faults[-1:] != [text]:
                faults.append(text)
            changed.notify_all()

    def wait_for(count: int) -> str | None:
        with changed:
            assert changed.wait_for(lambda: len(faults) >= count, 20.0), faults
            return faults[count - 1]

    params = PanelParams(brightness=1.0)
    panel = Panel(params, lambda: pins.open_pins("gpio"), lambda _: None, on_fault=on_fault)
    panel.show(LightPlan(ready=shine()))
    panel.start()
    assert "is missing" in str(wait_for(1))
    machine.has((11, RP1 + "*"))
    assert "GPIO busy" in str(wait_for(2))
    machine.has((11, RP1))
    assert wait_for(3) is None
    assert machine.level(params.ready_pin) == 1.0
    (chip,) = machine.library.handles.values()
    chip.level.pop(params.push_pin)
    assert "do not answer ('bad GPIO read')" in str(wait_for(4))
    assert wait_for(5) is None
    assert machine.level(params.ready_pin) == 1.0
    panel.close()
    assert not machine.library.handles
