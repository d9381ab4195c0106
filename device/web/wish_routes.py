"""Routes of requests that are one event: one way through for all of them."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.responses import Response

from device.web.replies import answer_error
from device.web.services.bodies import Seen, VersionQuery
from device.web.services.wishes import Wish
from rules.errors import RulesError


def add_wishes(
    router: APIRouter | FastAPI,
    wishes: Iterable[Wish],
    answer: Callable[[Wish, Any, int | None], Response],
    responses: dict[int | str, dict[str, Any]],
) -> None:
    """Add a route for each wish.

    Args:
        router: Takes the routes.
        wishes: What may be asked.
        answer: Carries out a wish with its event, as meant for what a page shows by the version named, and answers it.
        responses: What it may answer besides, for the documentation.
    """
    for wish in wishes:
        router.add_api_route(
            wish.path,
            _endpoint(wish, answer),
            methods=[wish.method],
            summary=wish.summary,
            status_code=wish.status,
            responses=responses,
        )


def _endpoint(wish: Wish, answer: Callable[[Wish, Any, int | None], Response]) -> Callable[..., Response]:
    """A function with the parameters that a wish's path, query and body have."""
    body = wish.in_body

    def endpoint(press: Any = None, version: int | None = None, **in_path: Any) -> Response:
        try:
            event = wish.event(in_path, press)
        except RulesError as error:
            return answer_error(422, "bad_value", str(error))
        return answer(wish, event, getattr(press, "version", version))

    parameters = [_parameter(name, kind) for name, kind in wish.in_path.items()]
    if body is Seen:
        parameters.append(_parameter("press", Seen | None, None))
    elif body is not None:
        parameters.append(_parameter("press", body))
    elif wish.has_seen:
        parameters.append(_parameter("version", VersionQuery, None))
    endpoint.__name__ = wish.name
    endpoint.__signature__ = inspect.Signature(parameters, return_annotation=Response)  # type: ignore[attr-defined]
    return endpoint


def _parameter(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
