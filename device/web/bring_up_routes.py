"""Setting up a new tray over the web: which cameras there are and what each sees, the camera in use, lamps, buttons."""

from collections.abc import Callable
from typing import Annotated, Any

from anyio import CapacityLimiter
from fastapi import FastAPI, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from device.errors import BadInput
from device.runtime.bring_up import BringUp
from device.texts.catalogue import say
from device.web.language import SpokenJson
from device.web.permission import Permission
from device.web.pools import on
from device.web.replies import FRESH, answer_error

CameraName = Annotated[str, Field(max_length=200)]


class CameraChosen(BaseModel):
    """The camera that is to be used."""

    model_config = ConfigDict(extra="forbid", strict=True)
    name: CameraName


def add_bring_up(
    app: FastAPI, parts: BringUp, may_change: Permission, is_covered: Callable[[], bool], limiter: CapacityLimiter
) -> None:
    """Add the paths to the application; while a roll is covered, no camera shows what lies in the tray."""
    refusals: dict[int | str, dict[str, Any]] = {403: {"description": "Only the tray's own display may"}}

    def refused() -> Response:
        return answer_error(403, "not_allowed", say("settings.not_allowed"))

    @app.get("/api/bring-up", summary="The cameras that are there, and which other parts the tray has")
    def report() -> Response:
        return SpokenJson(parts.report(), headers=FRESH)

    @app.get("/api/bring-up/camera.jpg", summary="What a camera sees that is not in use", responses=refusals)
    @on(limiter)
    def look(request: Request, name: Annotated[str, Query(max_length=200)]) -> Response:
        if not may_change(request):
            return refused()
        if is_covered():
            return answer_error(403, "hidden", say("web.hidden"))
        try:
            jpeg = parts.look(name)
        except BadInput as error:
            return answer_error(422, "bad_value", str(error))
        if jpeg is None:
            return answer_error(404, "no_picture", say("web.no_picture"))
        return Response(jpeg, media_type="image/jpeg", headers=FRESH)

    @app.put("/api/bring-up/camera", summary="Use another camera: the tray starts again with it", responses=refusals)
    def choose(request: Request, chosen: CameraChosen) -> Response:
        if not may_change(request):
            return refused()
        try:
            parts.choose(chosen.name)
        except BadInput as error:
            return answer_error(422, "bad_value", str(error))
        return SpokenJson({}, status_code=202, headers=FRESH)

    @app.post(
        "/api/bring-up/lamps", summary="Let each lamp of the panel shine alone", status_code=202, responses=refusals
    )
    def lamps(request: Request) -> Response:
        if not may_change(request):
            return refused()
        parts.try_lamps()
        return SpokenJson({}, status_code=202, headers=FRESH)
