"""Routes of requests that map to one event."""

import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.responses import Response

from device.web.core.bodies import VersionedBody, VersionQuery
from device.web.core.event_requests import EventRequest
from device.web.core.replies import error_response
from rules.errors import RulesError


def add_event_requests(
    router: APIRouter | FastAPI,
    requests: Iterable[EventRequest],
    answer: Callable[[EventRequest, Any, int | None], Awaitable[Response]],
    responses: dict[int | str, dict[str, Any]],
) -> None:
    for request in requests:
        router.add_api_route(
            request.path,
            _endpoint(request, answer),
            methods=[request.method],
            summary=request.summary,
            status_code=request.status,
            responses=responses,
        )


def _endpoint(
    request: EventRequest, answer: Callable[[EventRequest, Any, int | None], Awaitable[Response]]
) -> Callable[..., Awaitable[Response]]:
    body = request.in_body

    async def endpoint(press: Any = None, version: int | None = None, **in_path: Any) -> Response:
        try:
            event = request.event(in_path, press)
        except RulesError as error:
            return error_response(422, "bad_value", str(error))
        return await answer(request, event, getattr(press, "version", version))

    parameters = [_parameter(name, kind) for name, kind in request.in_path.items()]
    if body is VersionedBody:
        parameters.append(_parameter("press", VersionedBody | None, None))
    elif body is not None:
        parameters.append(_parameter("press", body))
    elif request.has_seen:
        parameters.append(_parameter("version", VersionQuery, None))
    endpoint.__name__ = request.name
    endpoint.access = request.player  # type: ignore[attr-defined]
    endpoint.__signature__ = inspect.Signature(parameters, return_annotation=Response)  # type: ignore[attr-defined]
    return endpoint


def _parameter(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
