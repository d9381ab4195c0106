"""Routes of calibration: look, focus, show corners, take pictures, prove, save."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from anyio import to_thread
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from device.calibration.workflow import CalibrationWorkflow
from device.errors import BadInput
from device.texts.catalogue import translate
from device.web.core.access import Asker
from device.web.core.language import LocalizedJSONResponse
from device.web.core.replies import NO_STORE, error_response
from device.web.core.web import Web
from rules.system import JsonValue
from vision.types.errors import VisionError
from vision.types.frame import MAX_SIDE_PX

Coordinate = Annotated[float, Field(ge=-1.0, le=MAX_SIDE_PX, allow_inf_nan=False)]
Corner = Annotated[list[Coordinate], Field(min_length=2, max_length=2)]


class Corners(BaseModel):
    """The floor's corners, in the picture's pixels; null to let the tray find them again."""

    model_config = ConfigDict(extra="forbid")
    corners: Annotated[list[Corner], Field(min_length=4, max_length=4)] | None


class DiceShown(BaseModel):
    """The colour class of the dice in the tray."""

    model_config = ConfigDict(extra="forbid")
    label: Annotated[str, Field(min_length=1, max_length=40)]


def add_calibration(web: Web, workflow: CalibrationWorkflow) -> None:
    refusals: dict[int | str, dict[str, Any]] = {409: {"description": "The picture will not do; `error` says the cure"}}

    @web.app.get(
        "/api/calibration", summary="How the camera looks at the tray, and what was collected", responses=refusals
    )
    async def look() -> Response:
        return await _done(web.pools.dear("calibration", workflow.look))

    def done(act: Callable[[], dict[str, JsonValue]]) -> Awaitable[Response]:
        return _done(to_thread.run_sync(act, limiter=web.pools.calibration))

    @web.app.post("/api/calibration/focus", summary="Focus on the calibration card on the floor", responses=refusals)
    async def focus() -> Response:
        def act() -> dict[str, JsonValue]:
            dioptres = workflow.measure_focus()
            return workflow.look() | {"dioptres": dioptres}

        return await done(act)

    @web.app.post("/api/calibration/light", summary="Measure the light on the empty tray", responses=refusals)
    async def light() -> Response:
        def act() -> dict[str, JsonValue]:
            workflow.measure_light()
            return workflow.look()

        return await done(act)

    @web.app.post("/api/calibration/corners", summary="Show the floor by its four corners", responses=refusals)
    async def corners(shown: Corners) -> Response:
        def act() -> dict[str, JsonValue]:
            workflow.show_corners(shown.corners)
            return workflow.look()

        return await done(act)

    @web.app.post("/api/calibration/empty", summary="Take the picture of the empty tray", responses=refusals)
    async def empty() -> Response:
        def act() -> dict[str, JsonValue]:
            workflow.take_empty()
            return workflow.look()

        return await done(act)

    @web.app.post("/api/calibration/dice", summary="Take the picture of dice of one colour class", responses=refusals)
    async def dice(shown: DiceShown) -> Response:
        def act() -> dict[str, JsonValue]:
            count = workflow.take_dice(shown.label)
            return workflow.look() | {"count": count}

        return await done(act)

    @web.app.post(
        "/api/calibration/proof", summary="Read the dice in the tray as the new profile would", responses=refusals
    )
    async def proof(viewer: Asker) -> Response:
        if web.is_redacted(viewer):
            return error_response(403, "hidden", translate("web.hidden"))
        return await done(workflow.proof)

    @web.app.post("/api/calibration/save", summary="Keep the profile and use it from now on", responses=refusals)
    async def save() -> Response:
        def act() -> dict[str, JsonValue]:
            if not workflow.knows_dice:
                raise BadInput(translate("calibration.dice_first"))
            return {"path": str(workflow.save())}

        return await done(act)


async def _done(act: Awaitable[dict[str, JsonValue]]) -> Response:
    try:
        return LocalizedJSONResponse(await act, headers=NO_STORE)
    except (BadInput, VisionError) as error:
        return LocalizedJSONResponse(
            {"error": str(error), "reason": "picture_will_not_do"}, status_code=409, headers=NO_STORE
        )
