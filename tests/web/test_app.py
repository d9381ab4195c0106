import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest

from device.camera.live_picture import Picture
from device.game.state.events import (
    ContextSet,
    DiceConfirmed,
    DiceCorrected,
    DieAdded,
    DieCorrected,
    DieDismissed,
    DieRestored,
    PushPressed,
    ResetPressed,
    SystemChosen,
)
from device.web.app import create_app
from device.web.core.pages import version_of
from device.web.core.places import PlaceParams
from device.web.core.stream import StreamParams
from tests.event_loop import run_coroutine
from tests.narrowing import english
from tests.web.conftest import FakeTray, scene, scenes


@pytest.fixture
def client(served: str) -> Iterator[httpx.Client]:
    with httpx.Client(verify=False, base_url=served, timeout=5) as client:
        yield client


def ask(client: httpx.Client, order: tuple[str, str, Any]) -> httpx.Response:
    method, path, body = order
    return client.request(method, path) if body is None else client.request(method, path, json=body)


def test_state_is_the_snapshot(client: httpx.Client, tray: FakeTray) -> None:
    answer = client.get("/api/state")
    assert answer.status_code == 200
    assert answer.json() == english(tray.snapshot().body)
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("order", "event"),
    [
        (("POST", "/api/push", None), PushPressed()),
        (("POST", "/api/reset", None), ResetPressed()),
        (("POST", "/api/throw", None), ("throw", None, "right", None)),
        (("POST", "/api/throw", {}), ("throw", None, "right", None)),
        (("POST", "/api/throw", {"hand": "die_missing", "seed": 3}), ("throw", None, "die_missing", 3)),
        (("POST", "/api/throw", {"hand": "mends"}), ("throw", None, "mends", None)),
        (
            ("POST", "/api/throw", {"base": 5, "skill": 2, "gear": 1, "seed": 7}),
            ("throw", {"base": 5, "skill": 2, "gear": 1}, "right", 7),
        ),
        (("PUT", "/api/system", {"system": "hits-pool"}), SystemChosen("hits-pool")),
        (("PUT", "/api/system", {"id": "hits-pool"}), SystemChosen("hits-pool")),
        (("PUT", "/api/pool", {"base": 3, "negative": 2}), ("pool", {"base": 3, "negative": 2})),
        (("PUT", "/api/pool", {}), ("pool", None)),
        (("PATCH", "/api/context", {"facts": {"attribute": 4, "x": None}}), ContextSet({"attribute": 4, "x": None})),
    ],
)
def test_requests_reach_the_tray_and_the_new_state_comes_back(
    client: httpx.Client, tray: FakeTray, order: tuple[str, str, Any], event: Any
) -> None:
    answer = ask(client, order)
    assert answer.status_code == 200, answer.text
    assert tray.calls == [event]
    assert answer.json()["state"] == tray.body["state"]


@pytest.mark.parametrize(
    ("order", "status"),
    [
        (("PUT", "/api/pool", {"base": -1}), 422),
        (("PUT", "/api/pool", {"base": 99}), 422),
        (("PUT", "/api/pool", {"base": 2.5}), 422),
        (("PUT", "/api/pool", {"base": 2.0}), 422),
        (("PUT", "/api/pool", {"base": True}), 422),
        (("PUT", "/api/pool", {"base": "5"}), 422),
        (("PUT", "/api/pool", {"basis": 5}), 422),
        (("PUT", "/api/pool", {"base": 20, "skill": 20, "gear": 1}), 422),
        (("PUT", "/api/pool", [5, 2, 1]), 422),
        (("POST", "/api/throw", {"base": 0}), 422),
        (("POST", "/api/throw", {"base": 15, "skill": 6}), 422),
        (("POST", "/api/throw", {"base": 1, "seed": -1}), 422),
        (("POST", "/api/throw", {"base": 1, "seed": 2**53}), 422),
        (("POST", "/api/throw", {"hand": "left"}), 422),
        (("POST", "/api/throw", {"hand": "mends", "base": 1}), 422),
        (("PUT", "/api/system", {"system": "chess"}), 404),
        (("PUT", "/api/system", {"system": 5}), 422),
        (("PUT", "/api/system", {}), 422),
        (("PATCH", "/api/dice/1", {"value": 13}), 422),
        (("PATCH", "/api/dice/1", {"value": 0}), 422),
        (("PATCH", "/api/dice/1", {"colour": "mauve"}), 422),
        (("PATCH", "/api/dice/1", {"colour": "<b>"}), 422),
        (("PATCH", "/api/dice/1", {}), 422),
        (("PATCH", "/api/dice/77", {"value": 3}), 404),
        (("PATCH", "/api/dice/x", {"value": 3}), 422),
        (("PATCH", "/api/context", {"facts": {"attribute": 10**9}}), 422),
        (("PATCH", "/api/context", {"facts": {"a": [1]}}), 422),
        (("GET", "/api/rolls?limit=0", None), 422),
        (("GET", "/api/rolls?limit=99999", None), 422),
        (("GET", "/api/rolls?before=x", None), 422),
        (("GET", "/api/nothing", None), 404),
        (("GET", "/static/../app.py", None), 404),
        (("GET", "/static/%2e%2e/app.py", None), 404),
        (("GET", "/static/features/table/routes.py", None), 404),
        (("GET", "/static/000000000000/core/guard.py", None), 404),
        (("GET", "/api/push", None), 405),
    ],
)
def test_what_does_not_fit_is_refused_with_a_reason_and_never_reaches_the_tray(
    client: httpx.Client, tray: FakeTray, order: tuple[str, str, Any], status: int
) -> None:
    answer = ask(client, order)
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"error", "reason"}
    assert tray.calls == []


def test_a_number_that_is_none_is_refused(client: httpx.Client, tray: FakeTray) -> None:
    for text in ('{"base": NaN}', '{"base": Infinity}', '{"base": 1e400}'):
        answer = client.put("/api/pool", content=text, headers={"content-type": "application/json"})
        assert answer.status_code == 400
        assert answer.json()["reason"] == "not_finite"
    assert tray.calls == []


@pytest.mark.parametrize(
    "order",
    [
        ("POST", "/api/push", {"version": 7}),
        ("POST", "/api/reset", {"version": 7}),
        ("POST", "/api/throw", {"base": 1, "version": 7}),
        ("POST", "/api/confirm", {"version": 7}),
        ("POST", "/api/dice", {"center_px": [3, 4], "value": 4, "colour": "base", "version": 7}),
        ("PATCH", "/api/dice/3", {"value": 6, "version": 7}),
        ("PATCH", "/api/dice/3", {"ignored": True, "version": 7}),
        ("DELETE", "/api/dice/3/correction?version=7", None),
    ],
    ids=lambda order: f"{order[0]} {order[1]}",
)
def test_what_a_page_shows_may_be_named_and_need_not(
    client: httpx.Client, tray: FakeTray, order: tuple[str, str, Any]
) -> None:
    tray.show(scene("scored"))
    method, path, body = order
    assert ask(client, order).status_code == 200
    without = None if body is None else {key: value for key, value in body.items() if key != "version"} or None
    tray.show(scene("scored"))
    assert ask(client, (method, path.partition("?")[0], without)).status_code == 200
    assert tray.seen == [7, None]
    for wrong in (-1, 1.5, "7", True, 2**53):
        if body is not None:
            assert ask(client, (method, path, body | {"version": wrong})).status_code == 422
    assert len(tray.seen) == 2


def test_a_refused_push_says_why(client: httpx.Client, tray: FakeTray) -> None:
    tray.refuse_with = "already_pushed"
    answer = client.post("/api/push")
    assert answer.status_code == 409
    assert answer.json()["reason"] == "already_pushed"


def test_a_person_corrects_a_die_and_takes_it_back(client: httpx.Client, tray: FakeTray) -> None:
    tray.show(scene("scored"))
    answer = client.patch("/api/dice/3", json={"value": 6, "colour": "skill"})
    assert answer.status_code == 200
    assert tray.calls == [DieCorrected(3, 6, "skill")]
    assert client.delete("/api/dice/3/correction").status_code == 200
    assert tray.calls[-1] == DieRestored(3)


def test_a_person_dismisses_adds_and_confirms(client: httpx.Client, tray: FakeTray) -> None:
    tray.show(scene("scored"))
    assert client.patch("/api/dice/3", json={"ignored": True}).status_code == 200
    assert client.patch("/api/dice/3", json={"ignored": False}).status_code == 200
    assert client.patch("/api/dice/99", json={"ignored": True}).status_code == 404
    assert client.post("/api/dice", json={"center_px": [300, 200.5], "value": 4, "colour": "base"}).status_code == 200
    assert client.post("/api/confirm").status_code == 200
    assert tray.calls == [
        DieDismissed(3, ignored=True),
        DieDismissed(3, ignored=False),
        DieAdded((300.0, 200.5), 4, "base"),
        DiceConfirmed(),
    ]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/api/dice/3", {}),
        ("PATCH", "/api/dice/3", {"ignored": "yes"}),
        ("PATCH", "/api/dice/3", {"ignored": True, "value": 3}),
        ("POST", "/api/dice", {"center_px": [300], "value": 4, "colour": "base"}),
        ("POST", "/api/dice", {"center_px": [300, 1e99], "value": 4, "colour": "base"}),
        ("POST", "/api/dice", {"center_px": [-1, 20], "value": 4, "colour": "base"}),
        ("POST", "/api/dice", {"center_px": ["3", 20], "value": 4, "colour": "base"}),
        ("POST", "/api/dice", {"center_px": [True, 20], "value": 4, "colour": "base"}),
        ("POST", "/api/dice", {"center_px": [300, 200], "value": 13, "colour": "base"}),
        ("POST", "/api/dice", {"center_px": [300, 200], "value": 4, "colour": "Base!"}),
        ("POST", "/api/dice", {"center_px": [300, 200], "value": 4}),
    ],
)
def test_words_of_no_sense_never_reach_the_tray(
    client: httpx.Client, tray: FakeTray, method: str, path: str, body: dict[str, Any]
) -> None:
    answer = client.request(method, path, json=body)
    assert answer.status_code == 422
    assert answer.json()["reason"] == "bad_value"
    assert tray.calls == []


def test_every_answer_protects_the_pages(client: httpx.Client) -> None:
    for path in ("/", "/overlay", "/phone", "/docs", "/api/state", "/static/features/table/table.js", "/nothing"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_pages_name_no_other_host_and_hold_no_inline_code(client: httpx.Client) -> None:
    for path in ("/", "/overlay", "/phone", "/docs"):
        page = client.get(path)
        assert page.status_code == 200
        assert page.headers["content-type"].startswith("text/html")
        assert "//" not in page.text.replace("http://www.w3.org/2000/svg", "")
        assert "<style" not in page.text
        assert "style=" not in page.text
        assert " on" not in "".join(tag for tag in page.text.split("<") if "onclick" in tag or "onload" in tag)
        assert all("src=" in tag for tag in page.text.split("<") if tag.startswith("script"))


def test_the_picture_is_sent_once_for_each_frame(client: httpx.Client, tray: FakeTray) -> None:
    first = client.get("/api/frame.jpg")
    assert first.headers["content-type"] == "image/jpeg"
    assert first.content[:2] == b"\xff\xd8"
    again = client.get("/api/frame.jpg", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    tray.show(scene("scored"))
    newer = client.get("/api/frame.jpg", headers={"if-none-match": first.headers["etag"]})
    assert newer.status_code == 200
    assert newer.headers["etag"] != first.headers["etag"]


def answer_of(tray: Any, streams: StreamParams) -> httpx.Response:
    """Return the response to one request for the picture, without a server."""

    async def get() -> httpx.Response:
        transport = httpx.ASGITransport(create_app(tray, streams=streams))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get("/api/frame.jpg")

    return run_coroutine(get())


def test_no_picture_yet_is_reported_plainly(tray: FakeTray, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tray, "picture", lambda width_px: None)
    answer = answer_of(tray, StreamParams(first_picture_tries=0))
    assert (answer.status_code, answer.json()["reason"]) == (404, "no_picture")


def test_who_asks_while_the_camera_starts_gets_its_first_picture(
    tray: FakeTray, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures = iter([None, None, Picture(1, b"jpeg", 1, (1280, 960))])
    monkeypatch.setattr(tray, "picture", lambda width_px: next(pictures))
    answer = answer_of(tray, StreamParams())
    assert (answer.status_code, answer.content) == (200, b"jpeg")


def test_history_comes_in_pages_and_as_a_table(client: httpx.Client, tray: FakeTray) -> None:
    tray.rows = [{"id": number, "at": f"2030-01-01T00:00:0{number}Z"} for number in (3, 2, 1)]
    first = client.get("/api/rolls?limit=2").json()
    assert [row["id"] for row in first["rolls"]] == [3, 2]
    rest = client.get(f"/api/rolls?limit=2&before={first['next_before']}").json()
    assert [row["id"] for row in rest["rolls"]] == [1]
    assert rest["next_before"] is None
    table = client.get("/api/rolls.csv")
    assert table.headers["content-type"].startswith("text/csv")
    assert table.text.splitlines()[0] == "id,at"
    assert len(table.text.splitlines()) == 4


def test_several_dice_are_corrected_in_one_request(client: httpx.Client, tray: FakeTray) -> None:
    tray.show(scenes()["unclear"])
    words = [{"id": 4, "value": 3, "colour": "base"}, {"id": 7, "value": 6, "colour": "skill"}]
    answer = client.patch("/api/dice", json={"dice": words, "version": tray.version})
    assert answer.status_code == 200
    assert tray.calls == [DiceCorrected((DieCorrected(4, 3, "base"), DieCorrected(7, 6, "skill")))]
    assert [one["value"] for one in answer.json()["dice"] if one["id"] in (4, 7)] == [3, 6]


WRONG_WORDS: list[tuple[list[dict[str, Any]], int, str]] = [
    ([], 422, "bad_value"),
    ([{"id": 4, "value": 3, "colour": "base"}, {"id": 4, "value": 2, "colour": "base"}], 422, "bad_value"),
    ([{"id": 4, "value": 3, "colour": "base"}, {"id": 99, "value": 2, "colour": "base"}], 404, "unknown_die"),
    ([{"id": 4, "value": 3, "colour": "base"}, {"id": 7, "value": 2, "colour": "mauve"}], 422, "unknown_colour"),
    ([{"id": 4, "value": 13, "colour": "base"}], 422, "bad_value"),
    ([{"id": 4, "value": 3}], 422, "bad_value"),
]


@pytest.mark.parametrize(("words", "status", "reason"), WRONG_WORDS)
def test_of_several_words_none_is_taken_where_one_is_wrong(
    client: httpx.Client, tray: FakeTray, words: list[dict[str, Any]], status: int, reason: str
) -> None:
    tray.show(scenes()["unclear"])
    answer = client.patch("/api/dice", json={"dice": words})
    assert (answer.status_code, answer.json()["reason"]) == (status, reason)
    assert tray.calls == []


def test_several_words_for_what_has_changed_are_refused(client: httpx.Client, tray: FakeTray) -> None:
    tray.show(scenes()["unclear"])
    tray.refuse_with = "stale"
    words = [{"id": 4, "value": 3, "colour": "base"}, {"id": 7, "value": 6, "colour": "skill"}]
    answer = client.patch("/api/dice", json={"dice": words, "version": 1})
    assert (answer.status_code, answer.json()["reason"]) == (409, "stale")
    assert len(tray.calls) == 1


def test_the_openapi_names_every_refusal(client: httpx.Client) -> None:
    for path, ways in client.get("/openapi.json").json()["paths"].items():
        for way in ways.values():
            assert {"400", "403", "404", "409", "413", "415", "429", "503"} <= set(way["responses"]), path


def test_the_openapi_names_every_path_of_the_contract(client: httpx.Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    for path, method in [
        ("/api/state", "get"),
        ("/api/events", "get"),
        ("/api/push", "post"),
        ("/api/reset", "post"),
        ("/api/throw", "post"),
        ("/api/system", "put"),
        ("/api/pool", "put"),
        ("/api/dice/{die_id}", "patch"),
        ("/api/rolls", "get"),
        ("/api/rolls.csv", "get"),
        ("/api/frame.jpg", "get"),
        ("/api/health", "get"),
    ]:
        assert method in paths[path]


def test_what_the_reader_made_of_a_die_is_a_picture_and_as_hidden_as_the_trays(
    client: httpx.Client, tray: FakeTray
) -> None:
    tray.show(scene("scored"))
    shown = client.get("/api/dice/3/why.jpg")
    assert (shown.status_code, shown.headers["content-type"], shown.content[:2]) == (200, "image/jpeg", b"\xff\xd8")
    assert client.get("/api/dice/999/why.jpg").status_code == 404
    tray.show(tray.body | {"hidden": True, "covered": True})
    for way in ("frame.jpg", "frame.jpg?read=true", "dice/1/why.jpg"):
        refused = client.get(f"/api/{way}")
        assert (refused.status_code, refused.json()["reason"]) == (403, "hidden")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/phone",
        "/api/state",
        "/api/rolls",
        "/api/rolls.csv",
        "/api/frame.jpg",
        "/openapi.json",
        "/static/ui/css/base.css",
    ],
)
def test_a_head_is_answered_as_the_get_without_its_body(client: httpx.Client, path: str) -> None:
    wanted, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (wanted.status_code, b"")
    for name in ("content-type", "content-length", "cache-control", "etag", "content-security-policy"):
        assert head.headers.get(name) == wanted.headers.get(name), name
    assert client.get("/api/health").json() == {"ok": True}, "the connection is fit for another request"


def test_a_head_of_the_event_stream_ends_and_opens_none(client: httpx.Client, tray: FakeTray) -> None:
    head = client.head("/api/events")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"].startswith("text/event-stream")
    assert "content-length" not in head.headers
    assert tray.listeners == []


def test_a_head_is_no_way_round_a_refusal(client: httpx.Client, tray: FakeTray) -> None:
    assert client.head("/api/push").status_code == 405
    assert client.head("/api/nothing").status_code == 404
    assert client.head("/api/state", headers={"host": "evil.example"}).status_code == 403
    assert tray.calls == []


def events(lines: Any) -> Any:
    for line in lines:
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def test_the_stream_gives_the_whole_state_at_once_and_on_each_change(served: str, tray: FakeTray) -> None:
    with httpx.stream("GET", f"{served}/api/events", verify=False, timeout=5) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        got = events(stream.iter_lines())
        assert next(got) == english(tray.snapshot().body)
        tray.show(scene("scored"))
        assert next(got) == english(tray.snapshot().body)
        tray.show(scene("resolved"))
        assert next(got)["state"] == "resolved"


def test_a_page_that_does_not_read_delays_no_one(served: str, tray: FakeTray) -> None:
    slow = httpx.Client(verify=False, timeout=5)
    with slow.stream("GET", f"{served}/api/events"):
        big = scene("scored")
        big["problem_details"] = [{"code": "x", "text": "y" * 50_000, "dice": []}]
        longest = 0.0
        for _ in range(400):
            before = time.perf_counter()
            tray.show(big)
            longest = max(longest, time.perf_counter() - before)
        assert longest < 0.5
        with httpx.stream("GET", f"{served}/api/events", verify=False, timeout=5) as quick:
            assert next(events(quick.iter_lines()))["version"] == tray.version


def test_a_stream_that_ends_leaves_no_listener(served: str, tray: FakeTray) -> None:
    with httpx.stream("GET", f"{served}/api/events", verify=False, timeout=5) as stream:
        got = events(stream.iter_lines())
        next(got)
        assert len(tray.listeners) == 1
    deadline = time.monotonic() + 10
    while tray.listeners and time.monotonic() < deadline:
        tray.show(scene("scored"))
        httpx.get(f"{served}/api/state")
    assert tray.listeners == []


def test_a_burst_of_streams_does_not_pass_the_limit_and_gives_its_places_back(tray: FakeTray) -> None:
    async def statuses(app: Any, askers: int) -> list[int]:
        reported: list[int] = []
        gone = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                reported.append(message["status"])
            if len(reported) == askers:
                gone.set()

        scope: dict[str, Any] = {"type": "http", "method": "GET", "path": "/api/events", "query_string": b""}
        scope["headers"] = [(b"host", b"localhost")]
        async with asyncio.timeout(10):
            await asyncio.gather(*(app(dict(scope), receive, send) for _ in range(askers)))
        return sorted(reported)

    async def bursts() -> None:
        app = create_app(tray, places=PlaceParams(most=3))
        assert await statuses(app, 20) == [200] * 3 + [503] * 17
        assert await statuses(app, 3) == [200] * 3
        # A stream whose client left while it subscribed ends after the subscription; only then may the loop end.
        async with asyncio.timeout(10):
            while len(asyncio.all_tasks()) > 1:
                await asyncio.sleep(0)

    run_coroutine(bursts())
    assert tray.listeners == []


def test_a_picture_is_requested_in_the_size_in_which_it_is_shown(client: httpx.Client, tray: FakeTray) -> None:
    tray.show(scene("scored"))
    whole, small = client.get("/api/frame.jpg"), client.get("/api/frame.jpg?width=320")
    assert len(small.content) < len(whole.content) / 4
    assert whole.headers["x-frame-size"] == small.headers["x-frame-size"] == "1280x960"
    again = client.get("/api/frame.jpg?width=320", headers={"if-none-match": small.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    for wrong in ("15", "8193", "wide", "-1", ""):
        assert client.get(f"/api/frame.jpg?width={wrong}").status_code == 422


def files_of(page: str) -> list[str]:
    return [part.split('"')[0] for part in page.split('="')[1:] if part.startswith("/static/")]


def test_files_of_pages_have_a_lasting_name_and_are_asked_for_once(client: httpx.Client) -> None:
    pages = ("/", "/overlay", "/phone", "/me", "/gm", "/phones", "/sheets", "/rulings", "/docs", "/calibrate")
    named: set[str] = set()
    for path in (*pages, "/integrations", "/club", "/settings", "/start", "/history", "/statistics"):
        page = client.get(path)
        assert page.headers["cache-control"] == "no-cache"
        again = client.get(path, headers={"if-none-match": page.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert len(files_of(page.text)) >= 3
        named.update(files_of(page.text))
    for name in named:
        answer = client.get(name)
        assert answer.status_code == 200, name
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        plain = client.get("/static/" + name.split("/", 3)[3])
        assert (plain.content, plain.headers["cache-control"]) == (answer.content, "no-cache")
    old = client.get("/static/000000000000/features/table/table.js")
    assert (old.status_code, old.headers["cache-control"]) == (200, "no-cache"), (
        "a page of the version before an upgrade"
    )
    assert client.get("/static/000000000000/none.js").status_code == 404


def test_another_file_gives_the_files_another_name(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("1")
    before = version_of(tmp_path / "a.js")
    (tmp_path / "a.js").write_text("2")
    changed = version_of(tmp_path / "a.js")
    (tmp_path / "a.js").rename(tmp_path / "b.js")
    assert len({before, changed, version_of(tmp_path / "b.js")}) == 3


def size_on_the_wire(client: httpx.Client, path: str, headers: dict[str, str]) -> tuple[int, str | None]:
    with client.stream("GET", path, headers=headers) as answer:
        return sum(map(len, answer.iter_raw())), answer.headers.get("content-encoding")


def test_texts_are_packed_for_clients_that_unpack_them(client: httpx.Client, tray: FakeTray) -> None:
    tray.show(scene("scored"))
    tray.rows = [{"id": number, "at": "2030-01-01T00:00:00Z"} for number in range(200)]
    page = client.get("/").text
    script = next(name for name in files_of(page) if name.endswith("/table.js"))
    for path in ("/", script, "/api/state", "/api/rolls?limit=200", "/api/rolls.csv", "/openapi.json"):
        packed, how = size_on_the_wire(client, path, {"accept-encoding": "gzip"})
        plain, as_it_is = size_on_the_wire(client, path, {"accept-encoding": "identity"})
        assert (how, as_it_is) == ("gzip", None), path
        assert packed < plain / 2, path
    assert size_on_the_wire(client, "/api/frame.jpg", {"accept-encoding": "gzip"})[1] is None


def test_the_event_stream_is_never_packed(served: str, tray: FakeTray) -> None:
    with httpx.stream(
        "GET", f"{served}/api/events", headers={"accept-encoding": "gzip"}, verify=False, timeout=5
    ) as stream:
        assert "content-encoding" not in stream.headers
        got = events(stream.iter_lines())
        assert next(got) == english(tray.snapshot().body)
        tray.show(scene("scored"))
        assert next(got)["state"] == "scored"


def test_a_phone_may_keep_its_pages_as_an_app(client: httpx.Client) -> None:
    manifest = client.get("/manifest.webmanifest?lang=de")
    assert manifest.headers["content-type"] == "application/manifest+json"
    body = manifest.json()
    assert (body["start_url"], body["scope"], body["display"], body["lang"]) == ("/phone", "/", "standalone", "de")
    assert "Würfel" in body["description"]
    icons = [(icon["sizes"], icon["purpose"]) for icon in body["icons"]]
    assert icons == [("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")]
    for icon in body["icons"]:
        width, height = (int(side) for side in icon["sizes"].split("x"))
        picture = cv2.imdecode(np.frombuffer(client.get(icon["src"]).content, np.uint8), cv2.IMREAD_UNCHANGED)
        assert picture is not None
        assert picture.shape[:2] == (height, width)
    worker = client.get("/service-worker.js")
    assert worker.headers["content-type"].startswith("text/javascript")
    assert worker.headers["cache-control"] == "no-cache"


def test_what_a_phone_keeps_is_all_that_its_pages_name(client: httpx.Client) -> None:
    shell = client.get("/shell.json").json()
    assert shell["pages"] == ["/phone", "/me", "/gm"]
    for path in shell["pages"]:
        assert set(files_of(client.get(path).text)) <= set(shell["files"]), path
    assert [path for path in shell["files"] if client.get(path).status_code != 200] == []


def test_a_tray_that_keeps_no_phones_lets_every_device_do_everything(client: httpx.Client) -> None:
    me = client.get("/api/phones/me").json()
    assert (me["asked"], me["role"], me["sheets"]) == (False, "table", [])
    assert client.post("/api/phones/pair", json={"pin": "123456"}).status_code == 404
