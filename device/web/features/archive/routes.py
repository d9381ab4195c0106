"""Routes of the archive: evenings, stories, statistics, pictures, backup and restore."""

import pathlib
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, date, datetime
from functools import cache
from typing import Annotated, Literal

from anyio import to_thread
from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, Response, StreamingResponse
from starlette.background import BackgroundTask

from device.archive.search import MAX_LETTERS, RollFilter
from device.errors import BadInput
from device.texts.catalogue import translate
from device.web.core.guard import Upload
from device.web.core.language import language_of_page, render_page
from device.web.core.menu import menu_html
from device.web.core.page import Page
from device.web.core.pages import with_versioned_urls
from device.web.core.pools import Pools, on
from device.web.core.replies import NO_STORE, body_response, error_response
from device.web.core.rights import Access, access
from device.web.core.web import Web
from device.web.features.archive.bodies import EveningName, RestoreRequest
from device.web.features.archive.service import MAX_COPY_BYTES, ArchiveService, Search

COPY_KIND = "application/vnd.sqlite3"
UPLOADS = {"/api/restore": Upload(COPY_KIND, MAX_COPY_BYTES)}
"""Content types accepted as a file."""
LAST_ROW = 2**63 - 1
_STORY = "<!-- story -->"
_KEPT = "private, max-age=86400"
"""A picture never changes; a deleted one stays in browser caches for up to a day."""

RowId = Annotated[int, Path(ge=1, le=LAST_ROW)]
Words = Annotated[str | None, Query(max_length=MAX_LETTERS)]


def add_archive(web: Web, memory: ArchiveService) -> None:
    router = APIRouter(responses={404: {"description": "This evening or roll does not exist"}})
    _add_reading(router, memory, web.pools)
    _add_story(router, web, memory)
    _add_changing(router, memory, web.pools)
    web.app.include_router(router)


def _search(
    *,
    evening: Annotated[int | None, Query(ge=1, le=LAST_ROW, description="id of an evening")] = None,
    player: Words = None,
    label: Words = None,
    text: Words = None,
    first: Annotated[date | None, Query(alias="from", description="not before this day")] = None,
    last: Annotated[date | None, Query(alias="to", description="not after this day")] = None,
    system: Words = None,
) -> Search:
    wanted = RollFilter(player or None, label or None, text or None, first, last, system or None)
    return Search(wanted, evening)


Searched = Annotated[Search, Depends(_search)]


def _add_reading(router: APIRouter, memory: ArchiveService, pools: Pools) -> None:
    @router.get("/api/evenings", summary="Every evening, newest first, and who ever played")
    async def evenings() -> Response:
        return body_response(await pools.dear("evenings", memory.evenings))

    @router.get("/api/story", summary="One row a roll, newest first: who, what, odds, outcome, pushes, corrections")
    async def story(
        search: Searched,
        limit: Annotated[int, Query(ge=1, le=200)] = 40,
        before: Annotated[int | None, Query(ge=1, le=LAST_ROW, description="only rolls with a lower id")] = None,
    ) -> Response:
        page = await pools.dear((search, limit, before), lambda: memory.rolls(search, limit, before))
        return body_response(page)

    @router.get("/api/story.csv", summary="The same as a table, oldest first")
    async def story_csv(
        search: Searched,
        separator: Annotated[
            Literal["comma", "semicolon", "tab"], Query(description="with semicolon, decimals have a comma")
        ] = "comma",
    ) -> Response:
        lines = await pools.dear((search, object()), lambda: memory.lines(search, as_csv=True, separator=separator))
        return _download(await pools.pieces(lines), "text/csv; charset=utf-8", "story.csv")

    @router.get("/api/story.jsonl", summary="The same as JSON Lines, oldest first")
    async def story_jsonl(search: Searched) -> Response:
        lines = await pools.dear((search, object()), lambda: memory.lines(search, as_csv=False))
        return _download(await pools.pieces(lines), "application/jsonl", "story.jsonl")

    @router.get("/api/statistics", summary="Faces by die colour with an exact test, luck against exact odds, pushes")
    async def statistics(search: Searched) -> Response:
        return body_response(await pools.dear((search, "statistics"), lambda: memory.statistics(search)))

    @router.get("/api/rolls/{row}/picture.jpg", summary="The picture that was kept with a row of the history")
    def picture(row: RowId) -> Response:
        return _picture(memory.picture(row), "image/jpeg")

    @router.get("/api/rolls/{row}/read.svg", summary="That picture with the outlines and values that were read in it")
    def read(row: RowId) -> Response:
        return _picture(memory.read_picture(row), "image/svg+xml")


def _picture(picture: bytes | str | None, kind: str) -> Response:
    if picture is None:
        return error_response(404, "no_picture", translate("memory.refused.no_picture"))
    return Response(picture, media_type=kind, headers={"cache-control": _KEPT})


def story_template(version: str, pages: Mapping[str, Page]) -> str:
    html = pathlib.Path(__file__).with_name("story.html").read_text(encoding="utf-8")
    return with_versioned_urls(html.replace("{{menu}}", menu_html("/history", pages)), version)


def _add_story(router: APIRouter, web: Web, memory: ArchiveService) -> None:
    # Made when it is first asked for: by then every feature has its place in the menu.
    template = cache(lambda: story_template(web.version, web.pages))

    @router.get("/story", include_in_schema=False)
    async def page(
        request: Request, evening: Annotated[int | None, Query(ge=1, le=LAST_ROW)] = None, pictures: bool = True
    ) -> Response:
        language = language_of_page(request, request.app.state.language)
        known = web.tray.snapshot().body.get("colours")
        colours = {name: str(body) for name, body in known.items()} if isinstance(known, dict) else {}
        title, body = await web.pools.dear(
            (evening, language, pictures, "story"),
            lambda: memory.story(evening, language, colours, with_pictures=pictures),
        )
        html = render_page(template(), language).replace("<!-- title -->", title).replace(_STORY, body)
        return Response(html, media_type="text/html; charset=utf-8", headers={**NO_STORE, "vary": "cookie"})


def _add_changing(router: APIRouter, memory: ArchiveService, pools: Pools) -> None:
    @router.post("/api/evenings/end", summary="End the evening: the next roll begins a new one")
    @on(pools.log)
    def end() -> Response:
        return body_response(memory.end_evening())

    @router.patch("/api/evenings/{evening}", summary="Name an evening; an empty name takes its name away")
    @on(pools.log)
    def name(evening: RowId, order: EveningName) -> Response:
        return body_response(memory.name_evening(evening, order.name))

    @router.delete("/api/story/{roll}", summary="Delete a roll permanently, with its pictures")
    @access(Access.OWNER)
    @on(pools.log)
    def forget(roll: RowId) -> Response:
        return body_response(memory.forget_roll(roll))

    @router.get("/api/backup", summary="The whole log as one file, with sheets and table")
    @access(Access.OWNER)
    @on(pools.copies)
    def backup() -> Response:
        try:
            copy = memory.backup()
        except BadInput as error:
            return error_response(503, "device", str(error))
        name = f"pushtray-{datetime.now(UTC):%Y-%m-%d}.sqlite3"
        gone = BackgroundTask(copy.unlink, missing_ok=True)
        return FileResponse(copy, media_type=COPY_KIND, filename=name, headers=NO_STORE, background=gone)

    @router.post("/api/restore", summary="Send a backup; it is checked, and nothing is replaced yet")
    @access(Access.OWNER)
    async def upload(request: Request) -> Response:
        place = await run_in_threadpool(memory.upload_place)
        try:
            with place.open("wb") as file:
                async for piece in request.stream():
                    await run_in_threadpool(file.write, piece)
            return body_response(await to_thread.run_sync(memory.check_copy, place, limiter=pools.copies))
        except OSError as error:
            return error_response(503, "device", str(error))
        finally:
            place.unlink(missing_ok=True)

    @router.post("/api/restore/confirm", summary="Put the backup that was sent in the log's place")
    @access(Access.OWNER)
    @on(pools.copies)
    def restore(order: RestoreRequest) -> Response:
        try:
            return body_response(memory.restore(order.token))
        except BadInput as error:
            return error_response(503, "device", str(error))

    @router.delete("/api/restore", summary="Forget the backup that was sent")
    @access(Access.OWNER)
    @on(pools.copies)
    def drop() -> Response:
        memory.drop_copy()
        return body_response({"dropped": True})


def _download(pieces: AsyncIterator[str], kind: str, name: str) -> Response:
    headers = {**NO_STORE, "content-disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(pieces, media_type=kind, headers=headers)
