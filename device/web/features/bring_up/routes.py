"""Routes to set up a new tray: cameras and their pictures, the camera in use, lamps, buttons."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from device.errors import BadInput
from device.runtime.bring_up import BringUp
from device.texts.catalogue import translate
from device.web.core.access import Asker
from device.web.core.language import LocalizedJSONResponse
from device.web.core.pools import on
from device.web.core.replies import NO_STORE, error_response
from device.web.core.rights import Access, access
from device.web.core.web import Web

CameraName = Annotated[str, Field(max_length=200)]


class CameraChosen(BaseModel):
    """The camera to use."""

    model_config = ConfigDict(extra="forbid", strict=True)
    name: CameraName


def add_bring_up(web: Web, parts: BringUp) -> None:
    """Add the routes; while a roll is hidden, no camera shows the tray."""

    @web.app.get("/api/bring-up", summary="The cameras that are there, and which other parts the tray has")
    def report() -> Response:
        return LocalizedJSONResponse(parts.report(), headers=NO_STORE)

    @web.app.get("/api/bring-up/camera.jpg", summary="What a camera sees that is not in use")
    @access(Access.OWNER)
    @on(web.pools.outside)
    def look(viewer: Asker, name: Annotated[str, Query(max_length=200)]) -> Response:
        if web.is_redacted(viewer):
            return error_response(403, "hidden", translate("web.hidden"))
        try:
            jpeg = parts.look(name)
        except BadInput as error:
            return error_response(422, "bad_value", str(error))
        if jpeg is None:
            return error_response(404, "no_picture", translate("web.no_picture"))
        return Response(jpeg, media_type="image/jpeg", headers=NO_STORE)

    @web.app.put("/api/bring-up/camera", summary="Use another camera: the tray starts again with it")
    @access(Access.OWNER)
    def choose(chosen: CameraChosen) -> Response:
        try:
            parts.choose(chosen.name)
        except BadInput as error:
            return error_response(422, "bad_value", str(error))
        return LocalizedJSONResponse({}, status_code=202, headers=NO_STORE)

    @web.app.post("/api/bring-up/lamps", summary="Let each lamp of the panel shine alone", status_code=202)
    @access(Access.OWNER)
    def lamps() -> Response:
        parts.try_lamps()
        return LocalizedJSONResponse({}, status_code=202, headers=NO_STORE)
