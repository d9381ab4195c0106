"""What a snapshot says of the buttons: which may be pressed, and why not."""

from typing import Any


def press(reason: str, text: str = "", *, offered: bool = True) -> dict[str, Any]:
    """What it says of one button."""
    return {"allowed": reason == "ok", "reason": reason, "text": text, "offered": offered}


def with_press(body: dict[str, Any], button: str, reason: str, text: str = "", **more: bool) -> dict[str, Any]:
    """The same snapshot, where the tray says something else of one button."""
    return body | {"presses": body["presses"] | {button: press(reason, text, **more)}}
