"""The pins of the simulation: gpiozero's own fakes, which obey the real ones' rules, with a memory that stays small."""

from typing import Any

from gpiozero.pins.mock import MockFactory, MockPWMPin

REMEMBERED_STATES = 2000
"""How many of its last states a pin remembers: a whole evening's roll for a test, and no leak over a month."""


class ForgetfulPin(MockPWMPin):  # type: ignore[misc]  # gpiozero carries no types
    """A mock pin that forgets its oldest states; `MockPin` remembers all of them for as long as it lives."""

    def _change_state(self, value: float) -> bool:
        changed = bool(super()._change_state(value))
        if len(self.states) > 2 * REMEMBERED_STATES:
            del self.states[:-REMEMBERED_STATES]
        return changed


def open_mock_pins() -> Any:
    """Return a set of fake pins of its own, not shared with any other panel.

    Returns:
        A gpiozero factory; `factory.pin(17).drive_low()` presses what is wired to GPIO 17.
    """
    return MockFactory(pin_class=ForgetfulPin)
