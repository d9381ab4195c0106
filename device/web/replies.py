"""How every route answers: the new state, a body of its own, or one sentence that says why not."""

from fastapi.responses import Response

from device.game.snapshot import Snapshot
from device.runtime.loop import Answer
from device.web.language import SpokenJson
from device.web.stream import to_text

FRESH = {"cache-control": "no-store"}
STATUS_OF = {
    "unknown_die": 404,
    "unknown_system": 404,
    "unknown_sheet": 404,
    "unknown_asked": 404,
    "unknown_role": 422,
    "unknown_colour": 422,
    "outside_picture": 422,
    "bad_ruling": 422,
    "bad_sheet": 422,
    "bad_typed_value": 422,
}
"""Reasons that say the request names something that is not there; every other reason is a 409."""

BAD_VALUE = {"bad_value": 422}
"""Beside the dice a bad value is the request's own fault and never the tray's state."""


def answer_state(snapshot: Snapshot, status: int = 200) -> Response:
    """The whole tray."""
    return Response(to_text(snapshot), status_code=status, media_type="application/json", headers=FRESH)


def answer_request(answer: Answer, status_of: dict[str, int] | None = None) -> Response:
    """The new state, or why the request was refused."""
    if answer.accepted:
        return answer_state(answer.snapshot)
    reason = answer.reason or "refused"
    status = {**STATUS_OF, **(status_of or {})}.get(reason, 409)
    return answer_error(status, reason, answer.text or reason.replace("_", " "))


def answer_error(status: int, reason: str, text: str) -> Response:
    """One word for programs, one sentence for people."""
    return SpokenJson({"error": text, "reason": reason}, status_code=status, headers=FRESH)
