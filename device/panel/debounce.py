"""Debounce a push button: samples of its pin become presses, holds and releases. Pure: time is an argument.

The pin library's own debouncing differs between its drivers and is missing from its mock, so only this one is used.
"""

from dataclasses import dataclass
from enum import StrEnum


class Edge(StrEnum):
    """A debounced change of a button."""

    PRESSED = "pressed"
    HELD = "held"
    RELEASED = "released"


@dataclass(frozen=True, slots=True)
class ButtonMoved:
    edge: Edge
    # seconds for which the button had been down: 0 for `pressed`, the hold time reached for `held`, the total for
    # `released`
    held_s: float


@dataclass(frozen=True, slots=True)
class ButtonParams:
    settle_s: float  # seconds for which a level must be stable to count, see `PanelParams.settle_s`
    hold_times_s: tuple[float, ...] = ()


class Debouncer:
    """Turns one pin's samples into presses.

    A button that is down when the tray starts (stuck or leaned on) reports nothing until it is released.
    """

    def __init__(self, params: ButtonParams) -> None:
        self._params = params
        self._down: bool | None = None
        self._candidate = False
        self._candidate_since_s = 0.0
        self._pressed_at_s: float | None = None
        self._holds_reported = 0

    def sample(self, is_down: bool, t_s: float) -> tuple[ButtonMoved, ...]:
        """Take the pin's level at one moment; sample at least every `settle_s`."""
        if self._down is None:
            self._down = self._candidate = is_down
            self._candidate_since_s = t_s
        if is_down != self._candidate:
            self._candidate = is_down
            self._candidate_since_s = t_s
        moved: list[ButtonMoved] = []
        if self._candidate != self._down and t_s - self._candidate_since_s >= self._params.settle_s:
            self._down = self._candidate
            if self._down:
                self._pressed_at_s = self._candidate_since_s
                self._holds_reported = 0
                moved.append(ButtonMoved(Edge.PRESSED, 0.0))
            elif self._pressed_at_s is not None:
                moved.append(ButtonMoved(Edge.RELEASED, self._candidate_since_s - self._pressed_at_s))
                self._pressed_at_s = None
        moved.extend(self._holds_due(t_s))
        return tuple(moved)

    def held_s(self, t_s: float) -> float:
        return t_s - self._pressed_at_s if self._pressed_at_s is not None else 0.0

    def _holds_due(self, t_s: float) -> list[ButtonMoved]:
        due: list[ButtonMoved] = []
        if self._pressed_at_s is None or self._candidate != self._down:
            return due
        for hold_s in self._params.hold_times_s[self._holds_reported :]:
            if t_s - self._pressed_at_s < hold_s:
                break
            self._holds_reported += 1
            due.append(ButtonMoved(Edge.HELD, hold_s))
        return due
