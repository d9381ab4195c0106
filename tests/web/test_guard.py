import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.web.core.errors import ApiError
from device.web.core.guard import Guard, GuardParams, Refused, Upload, check_json, guard_for
from tests.event_loop import run_coroutine

ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def depth_of(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth_of, value), default=0)
    return 0


@given(ANY_JSON, st.integers(0, 6))
def test_honest_json_passes_exactly_up_to_the_depth(value: object, depth: int) -> None:
    body = json.dumps(value).encode()
    if depth_of(value) <= depth:
        check_json(body, depth)
    else:
        with pytest.raises(Refused) as refusal:
            check_json(body, depth)
        assert refusal.value.reason == "too_deep"


@given(st.binary(max_size=80))
def test_any_bytes_are_taken_or_refused_and_nothing_else(body: bytes) -> None:
    with contextlib.suppress(Refused):
        check_json(body, 8)
        json.loads(body)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"base": NaN}', "not_finite"),
        (b'{"base": -Infinity}', "not_finite"),
        (b'{"base": 1e999}', "not_finite"),
        (b'{"base": 1' + b"0" * 5000 + b"}", "out_of_range"),
        (b'{"base": 1, "base": 2}', "bad_json"),
        (b"\xff\xfe", "bad_json"),
        (b"{", "bad_json"),
        (b"[" * 9 + b"]" * 9, "too_deep"),
        (b"[" * 200_000, "too_deep"),
        (b'{"a": "' + b"[" * 20 + b'"', "bad_json"),
    ],
)
def test_what_no_tray_needs_is_refused_with_its_reason(body: bytes, reason: str) -> None:
    with pytest.raises(Refused) as refusal:
        check_json(body, 8)
    assert refusal.value.reason == reason


def test_a_tray_on_loopback_answers_to_loopback_names_alone() -> None:
    for host in ("127.0.0.1", "localhost", "::1", "[::1]"):
        params = guard_for(host, "machine")
        assert params.names == {"localhost", "127.0.0.1", "::1"}
        assert not params.any_address


def test_a_tray_on_the_network_answers_to_addresses_and_its_own_name() -> None:
    assert guard_for("0.0.0.0").any_address
    assert guard_for("0.0.0.0", "Tray.lan").names >= {"tray", "tray.local"}
    assert "tray.local" in guard_for("Tray.Local").names
    assert not guard_for("tray.local").any_address


def status_of(
    params: GuardParams, headers: list[tuple[bytes, bytes]], method: str = "GET", body: bytes = b"", path: str = "/"
) -> int:
    """Send one request through a guard and return the response's status; 200 if it was passed on completely."""
    statuses: list[int] = []

    async def app(_scope: object, receive: object, send: object) -> None:
        got = (await receive())["body"] if method != "GET" else b""  # type: ignore[operator]
        assert got == (body if method != "GET" else b"")
        await send({"type": "http.response.start", "status": 200, "headers": []})  # type: ignore[operator]

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, object]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])  # type: ignore[arg-type]
            assert (b"x-content-type-options", b"nosniff") in message["headers"]  # type: ignore[operator]

    scope = {"type": "http", "method": method, "path": path, "headers": headers}
    run_coroutine(Guard(app, lambda: params)(scope, receive, send))  # type: ignore[arg-type]
    assert len(statuses) == 1
    return statuses[0]


@pytest.mark.parametrize(
    ("host", "status"),
    [
        (b"localhost", 200),
        (b"LOCALHOST:8000", 200),
        (b"127.0.0.1:8000", 200),
        (b"[::1]:8000", 200),
        (b"[::1]", 200),
        (b"evil.example", 403),
        (b"127.0.0.1.evil.example", 403),
        (b"localhost:8000.evil.example", 403),
        (b"localhost@evil.example", 403),
        (b"[::1]evil", 403),
        (b"192.168.1.9:8000", 403),
        (b"", 403),
    ],
)
def test_foreign_hosts_are_refused(host: bytes, status: int) -> None:
    assert status_of(guard_for("127.0.0.1"), [(b"host", host)]) == status


def test_two_hosts_or_none_are_refused() -> None:
    params = guard_for("127.0.0.1")
    assert status_of(params, []) == 403
    assert status_of(params, [(b"host", b"localhost"), (b"host", b"localhost")]) == 403


def test_an_address_is_ours_on_the_network_but_a_name_is_not() -> None:
    params = guard_for("0.0.0.0")
    assert status_of(params, [(b"host", b"192.168.1.9:8000")]) == 200
    assert status_of(params, [(b"host", b"rebound.example:8000")]) == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([(b"origin", b"http://localhost:8000")], 200),
        ([(b"origin", b"https://localhost:8000")], 200),
        ([(b"origin", b"http://localhost:3000")], 403),
        ([(b"origin", b"http://127.0.0.1:8000")], 403),
        ([(b"origin", b"null")], 403),
        ([(b"origin", b"http://evil.example")], 403),
        ([(b"sec-fetch-site", b"same-origin")], 200),
        ([(b"sec-fetch-site", b"none")], 200),
        ([(b"sec-fetch-site", b"cross-site"), (b"sec-fetch-mode", b"no-cors")], 403),
        ([(b"sec-fetch-site", b"cross-site"), (b"sec-fetch-mode", b"navigate")], 200),
    ],
)
def test_foreign_origins_are_refused(headers: list[tuple[bytes, bytes]], status: int) -> None:
    assert status_of(guard_for("127.0.0.1"), [(b"host", b"localhost:8000"), *headers]) == status


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        (None, b"", 200),
        (b"application/json", b"", 200),
        (b"application/json; charset=utf-8", b"{}", 200),
        (b"Application/JSON", b"{}", 200),
        (None, b"{}", 415),
        (b"text/plain", b"{}", 415),
        (b"text/plain", b"", 415),
        (b"application/x-www-form-urlencoded", b"", 415),
        (b"application/jsonp", b"{}", 415),
        (b"application/json", b"x" * 16_385, 413),
        (b"application/json", b"{" * 20, 400),
    ],
)
def test_bodies_are_json_and_small(kind: bytes | None, body: bytes, status: int) -> None:
    headers = [(b"host", b"localhost")] + ([(b"content-type", kind)] if kind is not None else [])
    assert status_of(guard_for("127.0.0.1"), headers, "POST", body) == status


def test_a_length_that_is_too_large_or_no_number_is_refused_before_reading() -> None:
    for length, status in ((b"99999999999999999999999", 413), (b"-1", 400), (b"12a", 400)):
        headers = [(b"host", b"localhost"), (b"content-length", length)]
        assert status_of(guard_for("127.0.0.1"), headers, "POST") == status


@pytest.mark.parametrize(
    ("path", "kind", "length", "status"),
    [
        ("/put", b"application/x", b"2000", 200),
        ("/put", b"application/x", b"2001", 413),
        ("/put", b"application/x", b"99999999999999999999999", 413),
        ("/put", b"application/x", None, 411),
        ("/put", b"application/x", b"2e3", 411),
        ("/put", b"application/json", b"2", 415),
        ("/put", None, b"2", 415),
        ("/else", b"application/x", b"20", 413),
    ],
)
def test_a_file_goes_where_one_is_taken_and_nowhere_else(
    path: str, kind: bytes | None, length: bytes | None, status: int
) -> None:
    params = replace(guard_for("127.0.0.1"), body_bytes=10, uploads={"/put": Upload("application/x", 2000)})
    headers = [(b"host", b"localhost")]
    headers += [(b"content-type", kind)] if kind is not None else []
    headers += [(b"content-length", length)] if length is not None else []
    # Neither JSON nor small: it is passed on unchanged here, and too large elsewhere.
    assert status_of(params, headers, "POST", b"\xff" * 20, path) == status


def test_a_file_in_chunks_is_counted_as_it_arrives_whatever_its_length_says() -> None:
    params = replace(guard_for("127.0.0.1"), uploads={"/put": Upload("application/x", 2000)})
    headers = [(b"host", b"localhost"), (b"content-type", b"application/x"), (b"content-length", b"10")]
    received: list[int] = []

    async def app(_scope: object, receive: Callable[[], Awaitable[dict[str, bytes]]], _send: object) -> None:
        while True:
            received.append(len((await receive())["body"]))

    async def endless() -> dict[str, object]:
        return {"type": "http.request", "body": b"x" * 900, "more_body": True}

    async def send(_message: object) -> None:
        raise AssertionError

    scope = {"type": "http", "method": "POST", "path": "/put", "headers": headers}
    with pytest.raises(ApiError) as refused:
        run_coroutine(Guard(app, lambda: params)(scope, endless, send))  # type: ignore[arg-type]
    assert (refused.value.reason, refused.value.status, received) == ("too_large", 413, [900, 900])


def test_a_body_that_never_ends_is_given_up() -> None:
    statuses: list[int] = []

    async def never() -> dict[str, object]:
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    async def send(message: dict[str, object]) -> None:
        statuses.extend([message["status"]] if "status" in message else [])  # type: ignore[list-item]

    async def app(*_: object) -> None:
        raise AssertionError("the application saw half a body")

    params = GuardParams(names=frozenset({"localhost"}), body_s=0.01)
    scope = {"type": "http", "method": "POST", "headers": [(b"host", b"localhost")]}
    run_coroutine(Guard(app, lambda: params)(scope, never, send))  # type: ignore[arg-type]
    assert statuses == [408]
