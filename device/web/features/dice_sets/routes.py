"""Routes of taught dice: show throws, name faces, undo, delete, export and import sets."""

from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import quote

from anyio import to_thread
from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from device.calibration.dice_sets import MAX_BYTES, ClassLabel, DieKind, FaceValue, NameTaken, SetName
from device.calibration.teaching import Contradiction, NamedDie, Teaching
from device.errors import BadInput
from device.game.state.bounds import Sides
from device.texts.catalogue import translate
from device.web.core.access import Asker
from device.web.core.errors import ApiError
from device.web.core.guard import Upload
from device.web.core.language import LocalizedJSONResponse
from device.web.core.replies import NO_STORE, error_response
from device.web.core.rights import Access, access, restrict
from device.web.core.web import Web
from rules.system import JsonValue
from vision.types.errors import VisionError

DICE_UPLOADS = {"/api/dice-sets/import": Upload("application/vnd.pushtray-dice+json", MAX_BYTES)}
"""Content types accepted as a file."""


class DiceShown(BaseModel):
    """The dice in the tray."""

    model_config = ConfigDict(extra="forbid")
    colour: ClassLabel
    sides: Sides = 6


class FaceNamed(BaseModel):
    """The value of a face, or 0 for a blank one; `anyway` if another face looks like it."""

    model_config = ConfigDict(extra="forbid")
    key: int
    value: FaceValue
    anyway: bool = False


class DiceRemembered(BaseModel):
    """Confirmed or corrected dice whose faces are to be learned; `anyway` if one looks like another face."""

    model_config = ConfigDict(extra="forbid")
    dice: Annotated[list[int], Field(min_length=1, max_length=64)]
    anyway: bool = False


class FaceCounted(BaseModel):
    """How many faces of a die are this one."""

    model_config = ConfigDict(extra="forbid")
    times: Annotated[int, Field(ge=1, le=12)]


def add_faces(web: Web, teaching: Teaching | None) -> None:
    @web.app.get(
        "/api/dice-faces", summary="Pictures of taught faces, and whether corrections of this caller are learned"
    )
    async def known(request: Request) -> Response:
        body = {"faces": []} if teaching is None else await to_thread.run_sync(teaching.known)
        never = {} if teaching is not None and web.door.may_change(request) else {"remember": "never"}
        return LocalizedJSONResponse({**body, **never}, headers=NO_STORE)


def add_teaching(web: Web, teaching: Teaching) -> None:
    refusals: dict[int | str, dict[str, Any]] = {409: {"description": "Not so; `error` says the cure"}}

    async def uncovered(viewer: Asker) -> None:
        if web.is_redacted(viewer):
            raise ApiError("hidden", translate("web.hidden"), status=403)

    router = APIRouter(prefix="/api/dice-sets", responses=refusals, dependencies=[Depends(uncovered)])

    async def done(act: Callable[[], dict[str, JsonValue]]) -> Response:
        try:
            return LocalizedJSONResponse(await to_thread.run_sync(act, limiter=web.pools.calibration), headers=NO_STORE)
        except Contradiction as error:
            body = {"error": str(error), "reason": "contradiction", "nearest": error.body}
            return LocalizedJSONResponse(body, status_code=409, headers=NO_STORE)
        except NameTaken as error:
            body = {"error": str(error), "reason": "exists", "nearest": error.free}
            return LocalizedJSONResponse(body, status_code=409, headers=NO_STORE)
        except (BadInput, VisionError) as error:
            return LocalizedJSONResponse({"error": str(error), "reason": "not_so"}, status_code=409, headers=NO_STORE)

    @router.get("", summary="The sets of dice that were taught, and the faces that wait for a name")
    async def state() -> Response:
        return await done(teaching.state)

    @router.post("/lesson", summary="For the next seconds dice are shown, not rolled: no throw is a roll")
    async def lesson() -> Response:
        return await done(teaching.hold_lesson)

    @router.delete("/lesson", summary="Stop showing dice: throws are rolls again")
    async def end_lesson() -> Response:
        return await done(teaching.end_lesson)

    @router.post("/remember", summary="Learn the faces of dice that were confirmed or corrected")
    async def remember(body: DiceRemembered) -> Response:
        dice: Any = web.tray.snapshot().body["dice"]
        named = [
            NamedDie(die["center_px"], DieKind(die["colour"], die.get("sides", 6)), die["value"], die["id"])
            for die in dice
            if die["id"] in body.dice and die["colour"] and die["value"] is not None
        ]
        return await done(lambda: teaching.remember_dice(named, anyway=body.anyway))

    @router.delete("/{name}/faces/{colour}/{value}", summary="Forget a face of a set")
    async def forget(name: SetName, colour: str, value: int, sides: int = 6) -> Response:
        return await done(lambda: teaching.forget(name, DieKind(colour, sides), value))

    @router.put("/{name}/faces/{colour}/{value}", summary="Set how many faces of a die are this one")
    async def count(name: SetName, colour: str, value: int, body: FaceCounted, sides: int = 6) -> Response:
        return await done(lambda: teaching.count(name, DieKind(colour, sides), value, body.times))

    @router.get("/{name}/faces/{colour}/{value}/views", summary="The pictures of a face, the newest first")
    async def views(name: SetName, colour: str, value: int, sides: int = 6) -> Response:
        return await done(lambda: teaching.views(name, DieKind(colour, sides), value))

    @router.delete("/{name}/faces/{colour}/{value}/views/{key}", summary="Forget one picture of a face")
    async def forget_view(name: SetName, colour: str, value: int, key: str, sides: int = 6) -> Response:
        return await done(lambda: teaching.forget_view(name, DieKind(colour, sides), value, key))

    @router.post("/{name}/show", summary="Look at the dice that lie there")
    async def show(name: SetName, shown: DiceShown) -> Response:
        return await done(lambda: teaching.show(name, DieKind(shown.colour, shown.sides)))

    @router.post("/{name}/faces", summary="Name a face that waits")
    async def name_face(name: SetName, body: FaceNamed) -> Response:
        return await done(lambda: teaching.name_face(name, body.key, body.value, anyway=body.anyway))

    @router.post("/{name}/numerals", summary="Take the faces that wait for the numerals that they look like")
    async def name_numerals(name: SetName) -> Response:
        return await done(lambda: teaching.name_numerals(name))

    @router.delete("/waiting/{key}", summary="Forget a face that waits")
    async def skip(key: int) -> Response:
        return await done(lambda: teaching.skip(key))

    @router.post("/{name}/undo", summary="Take back what a set learned last")
    async def undo(name: SetName) -> Response:
        return await done(lambda: teaching.undo(name))

    @router.delete("/{name}", summary="Delete a set")
    async def delete(name: SetName) -> Response:
        return await done(lambda: teaching.delete(name))

    @web.app.get("/api/dice-sets/{name}/export", summary="A set as a file", responses=refusals)
    @access(Access.OWNER)
    async def export(name: SetName) -> Response:
        try:
            content = await to_thread.run_sync(teaching.export, name)
        except BadInput as error:
            return error_response(404, "not_found", str(error))
        named = f"attachment; filename*=utf-8''{quote(name)}.pushtray-dice.json"
        return Response(content, media_type="application/json", headers={**NO_STORE, "content-disposition": named})

    @router.post(
        "/import", summary="Keep the set of an exported file, as `name` if that is given; no other set is replaced"
    )
    async def take_in(request: Request, name: SetName | None = None) -> Response:
        content = await request.body()
        return await done(lambda: teaching.take_in(content, translate("taught.this_file"), name))

    restrict(router, Access.OWNER)
    web.app.include_router(router)
