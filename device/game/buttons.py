"""The tray's buttons as one table: what panel, web, MQTT, recordings and `pushtray doctor` read of them. Pure."""

from dataclasses import dataclass
from typing import Final

from device.game.state.events import PushPressed, ResetPressed, SingleEvent


@dataclass(frozen=True, slots=True)
class Button:
    """One button.

    Its name is its path `/api/NAME`, its MQTT command, its word in a recording and its pin `NAME_pin`.
    """

    name: str
    event: SingleEvent
    summary: str
    key: str  # what a person types to note it in a recording
    icon: str


_PUSH: Final = Button("push", PushPressed(), "Press the push button", "p", "mdi:dice-multiple")
RESET: Final = Button("reset", ResetPressed(), "Press the reset button", "r", "mdi:restart")
BUTTONS: Final = {button.name: button for button in (_PUSH, RESET)}
