"""Requests that map to one event: path, event and response.

A new one is an entry here, its event in `device.game.state`, and the event's case in the state table. Path and body are
the event's own fields, with the bounds of their types.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from functools import cached_property
from typing import Any, get_args, get_type_hints

from fastapi import APIRouter, FastAPI
from fastapi.responses import Response
from pydantic import BaseModel, create_model

from device.game.state.bounds import NOT_REQUESTED
from device.game.state.events import Event
from device.rule_messages import refusal_text
from device.web.core.access import Asker
from device.web.core.bodies import Body, VersionedBody, VersionQuery
from device.web.core.replies import body_response, error_response, event_response
from device.web.core.rights import Access, Identity, access
from device.web.core.table import TableService, View
from device.web.core.tray import TrayService
from rules.errors import RulesError


@dataclass(frozen=True)
class EventRequest:
    """A request that is one event.

    Attributes:
        says: The event, or, if the request has its own body, a function from path fields and body to the event.
    """

    route: str
    name: str
    make_event: Callable[..., Event]
    summary: str
    view: View | None = None
    status: int = 200
    has_seen: bool = False
    body: type[BaseModel] | None = None

    @property
    def method(self) -> str:
        return self.route.partition(" ")[0]

    @property
    def path(self) -> str:
        return self.route.partition(" ")[2]

    @cached_property
    def _types(self) -> Mapping[str, Any]:
        return get_type_hints(self.make_event, include_extras=True)

    @cached_property
    def in_path(self) -> Mapping[str, Any]:
        """Type of each event field in the path, by name."""
        return {name: self._types[name] for name in re.findall(r"{(\w+)}", self.path)}

    @cached_property
    def in_body(self) -> type[BaseModel] | None:
        """The body's model; None if the request has no body."""
        if self.body is not None:
            return self.body
        requested: dict[str, Any] = {
            field.name: (self._types[field.name], _default(field))
            for field in fields(self.make_event)  # type: ignore[arg-type]
            if field.name not in self.in_path and NOT_REQUESTED not in get_args(self._types[field.name])
        }
        base = VersionedBody if self.has_seen and self.method != "DELETE" else Body
        if not requested:
            return base if base is VersionedBody else None
        return create_model(self.make_event.__name__, __base__=base, __doc__=_about(self.make_event), **requested)

    def event(self, in_path: Mapping[str, Any], body: BaseModel | None) -> Event:
        if self.body is not None:
            return self.make_event(**in_path, body=body)
        values = {} if body is None else {name: getattr(body, name) for name in type(body).model_fields}
        values.pop("version", None)
        return self.make_event(**in_path, **values)


def _default(field: Field[Any]) -> Any:
    """Return a field's default; an ellipsis if it is required."""
    if field.default_factory is not MISSING:
        return field.default_factory()
    return ... if field.default is MISSING else field.default


def _about(event: Callable[..., Event]) -> str:
    return (event.__doc__ or "").partition("\n\n")[0]


Answers = Callable[[EventRequest, Any, Identity, int | None], Awaitable[Response]]
"""Sends the event of a request for its caller, with the version the page has seen."""

REFUSALS: dict[int | str, dict[str, Any]] = {
    404: {"description": "It names a sheet, a system or a die that is not there"},
    409: {"description": "Refused; `reason` says why in one word"},
    422: {"description": "A value makes no sense; `error` says which, and the cure"},
}


def table_router(tray: TrayService, table: TableService, requests: Iterable[EventRequest]) -> APIRouter:
    """Return a router with requests that change the table, not the dice."""

    async def carry_out(request: EventRequest, event: Any, caller: Identity, seen: int | None) -> Response:
        answer = await tray.request(event, caller, seen)
        if request.view is None or not answer.accepted:
            return event_response(answer, caller, 422)
        return body_response(table.after(request.view, event), request.status)

    router = APIRouter(responses=REFUSALS)
    add_event_requests(router, requests, carry_out, {})
    return router


def add_event_requests(
    router: APIRouter | FastAPI,
    requests: Iterable[EventRequest],
    answer: Answers,
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


def _endpoint(request: EventRequest, answer: Answers) -> Callable[..., Awaitable[Response]]:
    body = request.in_body

    @access(Access.EVENT)
    async def endpoint(caller: Asker, press: Any = None, version: int | None = None, **in_path: Any) -> Response:
        try:
            event = request.event(in_path, press)
        except RulesError as error:
            return error_response(422, "bad_value", refusal_text(error))
        return await answer(request, event, caller, getattr(press, "version", version))

    parameters = [_parameter(name, kind) for name, kind in {"caller": Asker, **request.in_path}.items()]
    if body is not None and request.has_seen and not any(field.is_required() for field in body.model_fields.values()):
        parameters.append(_parameter("press", body | None, None))
    elif body is not None:
        parameters.append(_parameter("press", body))
    elif request.has_seen:
        parameters.append(_parameter("version", VersionQuery, None))
    endpoint.__name__ = request.name
    endpoint.__signature__ = inspect.Signature(parameters, return_annotation=Response)  # type: ignore[attr-defined]
    return endpoint


def _parameter(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
