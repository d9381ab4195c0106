"""Pins of the simulation: gpiozero's own fakes, which follow the real ones' rules, with bounded memory."""

from typing import Any

from gpiozero.pins.mock import MockFactory, MockPWMPin

REMEMBERED_STATES = 2000
"""Number of states that a pin remembers: enough for an evening in a test, without a leak over a month."""


class ForgetfulPin(MockPWMPin):  # type: ignore[misc]  # gpiozero carries no types
    """A mock pin with a bounded history; `MockPin` keeps all its states forever."""

    def _change_state(self, value: float) -> bool:
        changed = bool(super()._change_state(value))
        if len(self.states) > 2 * REMEMBERED_STATES:
            del self.states[:-REMEMBERED_STATES]
        return changed


def open_mock_pins() -> Any:
    """Return a set of fake pins that is not shared with other panels."""
    return MockFactory(pin_class=ForgetfulPin)
