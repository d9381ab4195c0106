"""What every application answers where something goes wrong."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from device.errors import DeviceError
from device.runtime.bounded_log import out_of_files
from device.runtime.loop import LoopBusy
from device.texts.catalogue import translate
from device.web.core.errors import ApiError
from device.web.core.replies import error_response


def answer_errors(app: FastAPI) -> None:
    """Answer every error in JSON: a code for programs, a sentence for people."""
    app.add_exception_handler(ApiError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(LoopBusy, _busy)
    app.add_exception_handler(DeviceError, _part_fails)
    app.add_exception_handler(OSError, _system_refuses)
    app.add_exception_handler(Exception, _broken)


async def _refused(_request: Request, error: Exception) -> Response:
    if not isinstance(error, ApiError):
        raise error
    answer = error_response(error.status, error.reason, error.text)
    if error.retry_after_s:
        answer.headers["retry-after"] = str(error.retry_after_s)
    return answer


async def _invalid(_request: Request, error: Exception) -> Response:
    first: dict[str, Any] = {"loc": (), "msg": str(error)}
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:]) or translate("web.the_request")
    cause = first.get("ctx", {}).get("error")
    # A validator's own text is translated.
    text = str(cause) if isinstance(cause, ValueError) else str(first["msg"])
    return error_response(422, "bad_value", translate("web.bad_value", place=place, text=text))


async def _http_error(_request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    reason = {404: "not_found", 405: "method_not_allowed"}.get(status, "refused")
    text = {404: translate("web.not_found"), 405: translate("web.method_not_allowed")}.get(status)
    return error_response(status, reason, text or str(getattr(error, "detail", "refused")))


async def _busy(_request: Request, error: Exception) -> Response:
    return error_response(503, "busy", str(error))


async def _part_fails(_request: Request, error: Exception) -> Response:
    return error_response(503, "device", str(error))


async def _system_refuses(_request: Request, error: Exception) -> Response:
    return error_response(503, "device", out_of_files(error) if isinstance(error, OSError) else str(error))


async def _broken(_request: Request, _error_seen: Exception) -> Response:
    """Answer internal errors in JSON as well; the server logs the traceback."""
    return error_response(500, "broken", translate("web.broken"))
