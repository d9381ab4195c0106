"""The buttons in a snapshot: which may be pressed, and why not."""

from typing import Any


def press(reason: str, text: str = "", *, offered: bool = True) -> dict[str, Any]:
    """Return one button of a snapshot."""
    return {"allowed": reason == "ok", "reason": reason, "text": text, "offered": offered}


def with_press(body: dict[str, Any], button: str, reason: str, text: str = "", **more: bool) -> dict[str, Any]:
    """Return the same snapshot with one button changed."""
    return body | {"presses": body["presses"] | {button: press(reason, text, **more)}}
