"""Routes of `/integrations`: status, settings and a test of each. Secrets are write-only."""

from typing import Annotated, Literal, TypeAlias

from anyio import CapacityLimiter
from fastapi import FastAPI, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from device.integrations.service import BadSection, Integrations
from device.texts.catalogue import say
from device.web.core.language import LocalizedJSONResponse
from device.web.core.permission import Permission, require
from device.web.core.pools import on
from device.web.core.replies import NO_STORE, error_response

Name: TypeAlias = Annotated[Literal["webhook", "discord", "mqtt"], Path()]
Value: TypeAlias = bool | int | Annotated[str, Field(max_length=2000)] | None


class Change(BaseModel):
    """Changed keys of one section of the settings; None restores the default."""

    model_config = ConfigDict(extra="forbid", strict=True)

    settings: Annotated[dict[Annotated[str, Field(max_length=40)], Value], Field(max_length=20)]


def add_integrations(
    app: FastAPI, integrations: Integrations, may_change: Permission, outside: CapacityLimiter
) -> None:
    change_only = [require(may_change, say("web.integrations_not_allowed"))]

    def report(request: Request) -> Response:
        allowed = may_change(request)
        body = {"may_change": allowed, "integrations": integrations.report(with_settings=allowed)}
        return LocalizedJSONResponse(body, headers=NO_STORE)

    @app.get("/api/integrations", summary="What other programs are sent, and how that goes")
    def state(request: Request) -> Response:
        return report(request)

    @app.put(
        "/api/integrations/{name}",
        summary="Set some keys of one; secrets are never shown again",
        dependencies=change_only,
    )
    def change(request: Request, name: Name, wanted: Change) -> Response:
        try:
            integrations.change(name, wanted.settings)
        except BadSection as error:
            return error_response(422, "bad_value", str(error))
        return report(request)

    @app.delete("/api/integrations/{name}", summary="Let the settings file decide again", dependencies=change_only)
    def forget(request: Request, name: Name) -> Response:
        integrations.forget(name)
        return report(request)

    @app.post(
        "/api/integrations/{name}/test",
        summary="Send a message that says of itself that it is a test",
        dependencies=change_only,
    )
    @on(outside)
    def test(name: Name) -> Response:
        tried = integrations.send_test(name)
        return LocalizedJSONResponse({"ok": tried.ok, "text": tried.text}, headers=NO_STORE)
