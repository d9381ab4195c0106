"""Routes of `/integrations`: status, settings and a test of each. Secrets are write-only."""

from contextlib import suppress
from typing import Annotated, TypeAlias

from fastapi import Path, Request
from fastapi.responses import Response
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from device.config.settings_service import SettingsService
from device.errors import BadInput
from device.integrations.sections import SECTIONS
from device.integrations.service import Integrations
from device.texts.catalogue import translate
from device.web.core.language import LocalizedJSONResponse
from device.web.core.pools import on
from device.web.core.replies import NO_STORE, settings_refusal
from device.web.core.rights import Access, access
from device.web.core.web import Web
from rules.system import JsonValue


def _known(name: str) -> str:
    if name not in SECTIONS:
        raise ValueError(", ".join(SECTIONS))
    return name


_PUBLIC = (
    "name",
    "title",
    "about",
    "on",
    "connected",
    "sent",
    "last_sent",
    "waiting",
    "refused",
    "dropped",
    "retry_in_s",
)
"""What everybody may read; addresses, the tray's name and reasons, which name hosts, are for who may change them."""
Name: TypeAlias = Annotated[str, Path(), AfterValidator(_known)]
Value: TypeAlias = bool | int | Annotated[str, Field(max_length=2000)] | None


def _public(report: dict[str, JsonValue]) -> dict[str, JsonValue]:
    failing = translate("integrations.failing") if report["last_error"] else None
    return {**{key: report[key] for key in _PUBLIC}, "where": "", "last_error": failing}


class Change(BaseModel):
    """Changed keys of one section of the settings; None restores the default."""

    model_config = ConfigDict(extra="forbid", strict=True)

    settings: Annotated[dict[Annotated[str, Field(max_length=40)], Value], Field(max_length=20)]


def add_integrations(web: Web, integrations: Integrations, desk: SettingsService) -> None:
    def report(request: Request) -> Response:
        allowed = web.door.may_change(request)
        forms: dict[str, list[JsonValue]] = {}
        with suppress(BadInput):  # a file that was spoilt by hand: /settings says so
            forms = desk.forms() if allowed else {}
        shown = [
            {**one, "form": forms.get(str(one["name"]), [])} if allowed else _public(one)
            for one in integrations.report()
        ]
        return LocalizedJSONResponse({"may_change": allowed, "integrations": shown}, headers=NO_STORE)

    @web.app.get("/api/integrations", summary="What other programs are sent, and how that goes")
    def state(request: Request) -> Response:
        return report(request)

    @web.app.put(
        "/api/integrations/{name}",
        summary="Set some keys of one; secrets are never shown again",
    )
    @access(Access.OWNER)
    def change(request: Request, name: Name, wanted: Change) -> Response:
        try:
            desk.change({f"{name}.{key}": value for key, value in wanted.settings.items()})
        except BadInput as error:
            return settings_refusal(error, name)
        return report(request)

    @web.app.delete("/api/integrations/{name}", summary="Take all of its settings back")
    @access(Access.OWNER)
    def forget(request: Request, name: Name) -> Response:
        try:
            desk.clear(name)
        except BadInput as error:
            return settings_refusal(error, name)
        return report(request)

    @web.app.post(
        "/api/integrations/{name}/test",
        summary="Send a message that says of itself that it is a test",
    )
    @access(Access.OWNER)
    @on(web.pools.outside)
    def test(name: Name) -> Response:
        tried = integrations.send_test(name)
        return LocalizedJSONResponse({"ok": tried.ok, "text": tried.text}, headers=NO_STORE)
