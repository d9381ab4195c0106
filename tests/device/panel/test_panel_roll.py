"""A whole pushed roll through the real state table, played by the buttons' pins, seen on the lamps' pins."""

from device.game.lamps import LAMP_NAMES
from device.game.machine import step
from device.game.snapshot import TrayMetadata, take_snapshot
from device.game.state.events import CameraFailed, DiceSettled, Event, MotionSeen
from device.game.state.states import Empty
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.panel.panel import Panel, PanelParams
from device.panel.pins import open_pins
from tests.device.conftest import Dice
from tests.device.game.sample_states import kind_of

PHASE_S = 10
"""28 fast blinks and 7 slow ones, whole ones, so that each phase begins where both are lit."""


class Box:
    """A tray with a panel on mock pins; time passes only by `wait`."""

    def __init__(self) -> None:
        self.pins = open_pins("mock")
        self.ticks = 0
        self.params = PanelParams(brightness=1.0)
        self.panel = Panel(
            self.params,
            lambda: self.pins,
            lambda button: self.tell(button.event),
            clock=self.now_s,
        )
        self.state = Tray(Empty(), Table("push-pool"))
        self.panel.show(take_snapshot(1, self.state, TrayMetadata("simulated", None, {})).lights)

    def now_s(self) -> float:
        # Between two hundredths: no blink begins exactly there, however it is rounded.
        return self.ticks / 100.0 + 0.005

    def tell(self, event: Event) -> None:
        self.state, _ = step(self.state, event)
        self.panel.show(take_snapshot(1, self.state, TrayMetadata("simulated", None, {})).lights)

    def wait(self, seconds: float = PHASE_S) -> None:
        for _ in range(round(seconds * 100)):
            self.panel.tick()
            self.ticks += 1

    def press(self, pin: int) -> None:
        """Bounce down, hold for a tenth of a second, bounce up; all within one phase."""
        for level in "_#_##########_#":
            (self.pins.pin(pin).drive_low if level == "#" else self.pins.pin(pin).drive_high)()
            self.wait(0.01)
        self.pins.pin(pin).drive_high()
        self.wait(PHASE_S - 0.15)

    def history(self, name: str) -> list[float]:
        return [float(state.state) for state in self.pins.pin(self.params.lamp_pin(name)).states]


def test_lamps_of_a_whole_pushed_roll_as_one_sequence() -> None:
    box = Box()
    box.wait()
    box.tell(MotionSeen())
    box.wait()
    box.tell(DiceSettled(Dice.rest(*Dice.FIRST)))
    box.wait()
    box.press(box.params.push_pin)
    assert kind_of(box.state) == "AwaitingPush"
    box.tell(DiceSettled(Dice.rest(*Dice.LEFT)))
    box.wait()
    box.press(box.params.push_pin)  # refused: this roll is being pushed already
    assert kind_of(box.state) == "AwaitingPush"
    box.tell(DiceSettled(Dice.rest(*Dice.THROWN)))
    assert kind_of(box.state) == "Resolved"
    box.wait()
    box.press(box.params.reset_pin)
    assert kind_of(box.state) == "Empty"
    box.tell(CameraFailed("camera usb:0 was disconnected: check its plug", 1.0))
    box.wait()
    assert [kind_of(box.state), {name: box.history(name) for name in LAMP_NAMES}] == [
        "Faulted",
        {
            # dark, empty, rolling, scored, the push, resolved; the fault puts it out
            "ready": [0, 1, 0, 1, 0, 1, 0],
            "reading": [0] + [1, 0] * 28,
            # steady when the roll may be pushed, slow for the three phases of the push
            "push_allowed": [0] + [1, 0] * 21,
            # scored with one six; resolved with two, until reset
            "success": [0, 1, 0, 1, 0],
            "trouble": [0] + [1, 0] * 28,
        },
    ]
