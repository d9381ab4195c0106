"""Responses of all routes: the new state, a body, or an error with its reason."""

from collections.abc import AsyncIterator, Callable, Mapping

from fastapi.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from device.body import BodyValue
from device.config.settings_service import UnknownSetting
from device.config.table_settings import BadSetting
from device.errors import BadInput
from device.game.snapshot import Snapshot
from device.message import Text
from device.runtime.loop import Answer
from device.texts.catalogue import translate
from device.web.core.errors import STATUS_OF
from device.web.core.head import is_head
from device.web.core.language import LocalizedJSONResponse
from device.web.core.places import Caller, Place, Places
from device.web.core.rights import Identity
from device.web.core.stream import to_text

NO_STORE = {"cache-control": "no-store"}


def state_response(snapshot: Snapshot, viewer: Identity, status: int = 200) -> Response:
    return Response(to_text(snapshot, viewer), status_code=status, media_type="application/json", headers=NO_STORE)


def event_response(answer: Answer, viewer: Identity, bad_value: int = 409) -> Response:
    if answer.accepted:
        return state_response(answer.snapshot, viewer)
    reason = answer.reason or "refused"
    status = {**STATUS_OF, "bad_value": bad_value}.get(reason, 409)
    return error_response(status, reason, answer.text or reason.replace("_", " "))


def body_response(body: Mapping[str, BodyValue], status: int = 200) -> Response:
    return LocalizedJSONResponse(dict(body), status_code=status, headers=NO_STORE)


def error_response(status: int, reason: str, text: Text) -> Response:
    return LocalizedJSONResponse({"error": text, "reason": reason}, status_code=status, headers=NO_STORE)


class PlacedStream(Response):
    """One client's event stream, or a refusal if too many are open.

    The place is taken when the response starts and released when it ends. Taken earlier, in the route, it would leak if
    the client went away before the response started.
    """

    def __init__(self, places: Places, caller: Caller, events: Callable[[Place], AsyncIterator[str]]) -> None:
        super().__init__()
        self._places = places
        self._caller = caller
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A HEAD request would wait forever for the stream's end.
        place = None if is_head(scope) else self._places.take(self._caller)
        if place is None and not is_head(scope):
            refusal = error_response(503, "too_many_streams", translate("web.too_many_streams"))
            await refusal(scope, receive, send)
            return
        headers = {**NO_STORE, "x-accel-buffering": "no"}
        events = () if place is None else self._events(place)
        try:
            await StreamingResponse(events, media_type="text/event-stream", headers=headers)(scope, receive, send)
        finally:
            if place is not None:
                self._places.leave(place)


def settings_refusal(error: BadInput, key: str = "") -> Response:
    match error:
        case UnknownSetting():
            return error_response(404, "unknown_setting", str(error))
        case BadSetting():
            body = {"error": str(error), "reason": "bad_setting", "key": key, "nearest": error.nearest}
            return LocalizedJSONResponse(body, status_code=422, headers=NO_STORE)
        case _:
            return error_response(409, "settings_file", str(error))
