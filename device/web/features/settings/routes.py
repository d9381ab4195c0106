"""Routes of settings: choices, current values, one change at a time."""

from pathlib import PurePath
from typing import Annotated, Any

from fastapi import Path, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from device.config.settings_service import SettingsService
from device.config.table_settings import Kind
from device.errors import BadInput
from device.runtime.update import Updates
from device.web.core.language import LocalizedJSONResponse
from device.web.core.replies import NO_STORE, settings_refusal
from device.web.core.rights import Access, access
from device.web.core.web import Web

Text = Annotated[str, Field(max_length=1000)]


class NewValue(BaseModel):
    """The new value of a setting; null removes it from the file, so that the default applies."""

    model_config = ConfigDict(extra="forbid", strict=True)
    value: bool | int | float | Text | Annotated[list[Text], Field(max_length=100)] | None


_PUBLIC_KINDS = {Kind.WORD, Kind.SWITCH, Kind.WHOLE, Kind.NUMBER}
"""Kinds of settings that everybody may read; typed text may hold addresses, folders and names."""


def _public(body: dict[str, Any]) -> dict[str, Any]:
    groups = [
        {**group, "settings": [one for one in group["settings"] if one["kind"] in _PUBLIC_KINDS]}
        for group in body["groups"]
    ]
    shown = {one["key"] for group in groups for one in group["settings"]}
    return {
        "file": PurePath(body["file"]).name,
        "restart": [key for key in body["restart"] if key in shown],
        "groups": [group for group in groups if group["settings"]],
    }


def add_settings(web: Web, desk: SettingsService) -> None:
    refusals: dict[int | str, dict[str, Any]] = {
        403: {"description": "Settings are changed from the tray's own machine"},
        404: {"description": "No such setting, or none that a table may touch"},
        409: {"description": "The file cannot be read or written; `error` says the cure"},
        422: {"description": "The value will not do; `nearest` is the nearest that does, or null"},
    }

    def view(request: Request, body: dict[str, Any]) -> Response:
        allowed = web.door.may_change(request)
        return LocalizedJSONResponse({**(body if allowed else _public(body)), "may_change": allowed}, headers=NO_STORE)

    @web.app.get("/api/settings", summary="Every setting on the page: allowed values and current value")
    def settings(request: Request) -> Response:
        try:
            return view(request, desk.view())
        except BadInput as error:
            return settings_refusal(error)

    @web.app.post(
        "/api/restart",
        summary="Restart the tray, so that every setting takes effect",
        status_code=202,
        responses=refusals,
    )
    @access(Access.OWNER)
    def restart() -> Response:
        desk.restart()
        return LocalizedJSONResponse({}, status_code=202, headers=NO_STORE)

    @web.app.put(
        "/api/settings/{key}",
        summary="Change one setting; the file keeps its comments",
        responses=refusals,
    )
    @access(Access.OWNER)
    def change(request: Request, key: Annotated[str, Path(max_length=80)], new: NewValue) -> Response:
        try:
            return view(request, desk.change({key: new.value}))
        except BadInput as error:
            return settings_refusal(error, key)


class UpdateWish(BaseModel):
    """A release to install, as `latest` of `GET /api/update` found it; null to look for one."""

    model_config = ConfigDict(extra="forbid", strict=True)
    version: Annotated[str, Field(max_length=20)] | None = None


def add_update(web: Web, updates: Updates) -> None:
    @web.app.get(
        "/api/update",
        summary="The version, and the newer one that was looked for or installed",
    )
    @access(Access.OWNER)
    def update() -> Response:
        return LocalizedJSONResponse(updates.view(), headers=NO_STORE)

    @web.app.post(
        "/api/update",
        summary="Look for a newer release, or install the one found; the tray restarts, and goes back if that fails",
        status_code=202,
        responses={409: {"description": "Nothing names releases, or another one was found; `error` says the cure"}},
    )
    @access(Access.OWNER)
    def wish(body: UpdateWish) -> Response:
        try:
            updates.wish(body.version)
        except BadInput as error:
            return settings_refusal(error)
        return LocalizedJSONResponse({}, status_code=202, headers=NO_STORE)
