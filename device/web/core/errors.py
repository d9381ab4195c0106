"""Refused requests: one exception for all services, one status for each reason."""

from typing import Final

from device.errors import PushTrayError
from device.message import Text
from device.web.core.rights import Refusal

STATUS_OF: Final = {
    "not_allowed": 403,
    "wrong_pin": 403,
    "no_rolls": 404,
    "unknown_asked": 404,
    "unknown_die": 404,
    "unknown_evening": 404,
    "unknown_phone": 404,
    "unknown_roll": 404,
    "unknown_sheet": 404,
    "unknown_system": 404,
    "bad_copy": 422,
    "bad_ruling": 422,
    "bad_sheet": 422,
    "bad_typed_value": 422,
    "bad_value": 422,
    "outside_picture": 422,
    "unknown_colour": 422,
    "unknown_role": 422,
    "wait": 429,
}
"""HTTP status of a reason; every other reason is a 409."""


class ApiError(PushTrayError):
    """A refused request; nothing has changed."""

    def __init__(self, reason: str, text: Text, *, status: int | None = None, retry_after_s: int = 0) -> None:
        super().__init__(text)
        self.reason = reason
        self.text = text
        self.status = STATUS_OF.get(reason, 409) if status is None else status
        self.retry_after_s = retry_after_s


def refused_by(why: Refusal | None) -> None:
    """Raise a refusal of a caller's rights, if there is one."""
    if why is not None:
        raise ApiError(why.reason, why.text, status=403)
