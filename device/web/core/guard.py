"""Refuse requests of foreign pages and host names, and bodies of a wrong type, too large or too deeply nested.

A page on another site can make a visitor's browser send requests here, and a hostile name server can make its own name
point here (DNS rebinding). So the Host header must be one of ours, an Origin must be the requested host, and a body
must be JSON, which no foreign form can send without a preflight request. Pages of origins that the settings name may
read the tray's state (CORS), as the module for Foundry VTT does, but not change it.
"""

import asyncio
import ipaddress
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from device.errors import PushTrayError
from device.texts.catalogue import in_language, translate
from device.web.core.errors import ApiError
from device.web.core.language import request_locale

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
        "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
"""Headers of every response, refusals included."""
_OF_SAFE_PAGES = {**HEADERS, "cross-origin-opener-policy": "same-origin"}
"""The same over https and on this machine; elsewhere browsers ignore this one, and log that they do."""


CORS_HEADERS = {
    "access-control-allow-methods": "GET",
    "access-control-allow-private-network": "true",
    "access-control-max-age": "600",
    "vary": "origin",
}
"""Additional headers for a page of a named origin."""


@dataclass(frozen=True, slots=True)
class Upload:
    kind: str
    max_bytes: int  # largest size of the file, in bytes


@dataclass(frozen=True, slots=True)
class GuardParams:
    names: frozenset[str]
    # Hosts of the settings, with ports other than the default. Their pages may send requests with any Host header,
    # since a proxy may put its own there.
    named: frozenset[str] = frozenset()
    # whether a Host that is a bare IP address is ours; a rebound name never is, so this is safe on the local network
    any_address: bool = False
    origins: frozenset[str] = frozenset()
    body_bytes: int = 16_384  # Largest body. The longest real one is a pool of less than 300 bytes.
    depth: int = 8  # Deepest nesting of a body. The deepest real one is 2.
    body_s: float = 5.0  # longest wait for a whole body, in seconds
    # Paths that take a file by POST instead of JSON. The file is not read here; no foreign form can send its type.
    uploads: Mapping[str, Upload] = field(default_factory=dict)


READ_BY_NAMED_ORIGINS = frozenset({"/api/state", "/api/events"})
"""What pages of a named origin may read; everything else is refused, as for any foreign page."""

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class Refused(PushTrayError):
    """A rejected request: HTTP status, reason code, message."""

    def __init__(self, status: int, reason: str, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.reason = reason


def guard_for(host: str, machine: str = "", names: Iterable[str] = (), origins: Iterable[str] = ()) -> GuardParams:
    """Return which Host headers a tray that listens on `host` answers to.

    Args:
        names: Further names, as in `web.names` of the settings; accepted wherever the tray listens, since a proxy may
            run on this machine.
    """
    read_by = frozenset(one.lower() for one in origins)
    name = host.strip("[]").lower()
    own = machine.lower().split(".")[0]
    named = frozenset(one.lower() for one in names)
    opened_by = {strip_port(one) for one in named}
    on_network = LOOPBACK_NAMES | {name} | ({own, f"{own}.local"} if own else set())
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return GuardParams((LOOPBACK_NAMES if name == "localhost" else on_network) | opened_by, named, origins=read_by)
    if address.is_loopback:
        return GuardParams(LOOPBACK_NAMES | {str(address)} | opened_by, named, origins=read_by)
    return GuardParams(on_network | opened_by, named, any_address=True, origins=read_by)


def check_json(body: bytes, depth: int) -> None:
    """Check that a body is strict JSON, not too deep, with finite numbers."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(400, "bad_json", translate("web.guard.not_utf8")) from None
    if _nesting(text) > depth:
        raise Refused(400, "too_deep", translate("web.guard.too_deep", depth=depth))
    try:
        json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_int,
            object_pairs_hook=_reject_duplicate_keys,
        )
    except json.JSONDecodeError as error:
        raise Refused(400, "bad_json", translate("web.guard.not_json", column=error.colno, message=error.msg)) from None


def _nesting(text: str) -> int:
    """Return the deepest nesting without parsing, so that a parser never recurses on hostile input."""
    depth = deepest = 0
    in_string = escaped = False
    for letter in text:
        if in_string:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == '"':
                in_string = False
        elif letter == '"':
            in_string = True
        elif letter in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif letter in "]}":
            depth -= 1
    return deepest


def _refuse_constant(name: str) -> NoReturn:
    raise Refused(400, "not_finite", translate("web.guard.not_finite", name=name))


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Refused(400, "not_finite", translate("web.guard.too_large_number", text=text))
    return number


def _int(text: str) -> int:
    if len(text) > 20:
        raise Refused(400, "out_of_range", translate("web.guard.digits", digits=len(text)))
    return int(text)


def _reject_duplicate_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    keys = dict(pairs)
    if len(keys) != len(pairs):
        raise Refused(400, "bad_json", translate("web.guard.twice"))
    return keys


class Guard:
    """ASGI middleware that refuses before anything else runs, answers refusals of inner parts, and adds headers."""

    def __init__(self, app: ASGIApp, params: Callable[[], GuardParams]) -> None:
        self._app = app
        self._now = params

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        params = self._now()
        reader = _named_reader(scope, params)
        more = {} if reader is None else {**CORS_HEADERS, "access-control-allow-origin": reader}
        guarded = _with_headers(send, (_OF_SAFE_PAGES if _is_safe(scope) else HEADERS) | more)
        try:
            _check_sender(scope, params, is_reader=reader is not None)
            if reader is not None and scope["method"] == "OPTIONS":
                # Browsers send a preflight request if a public page reads from a private network.
                await guarded({"type": "http.response.start", "status": 204, "headers": []})
                await guarded({"type": "http.response.body", "body": b""})
                return
            upload = params.uploads.get(scope.get("path", "")) if scope["method"] == "POST" else None
            if upload is not None:
                _check_upload(scope, upload)
                receive = _bounded(receive, upload)
            elif scope["method"] in {"POST", "PUT", "PATCH", "DELETE"}:
                body = await _read_body(scope, receive, params)
                receive = replay(body, receive)
            await self._app(scope, receive, guarded)
        except Refused as refusal:
            await _answer(guarded, refusal, request_locale(scope))


def _named_reader(scope: Scope, params: GuardParams) -> str | None:
    """Return the foreign origin that may read this response, if any."""
    origins = _header(scope, b"origin")
    if len(origins) != 1 or origins[0].lower() not in params.origins:
        return None
    is_read = scope["method"] in {"GET", "HEAD", "OPTIONS"} and scope["path"] in READ_BY_NAMED_ORIGINS
    return origins[0] if is_read else None


def _check_sender(scope: Scope, params: GuardParams, *, is_reader: bool = False) -> None:
    hosts = _header(scope, b"host")
    if len(hosts) != 1 or not _is_ours(hosts[0], params):
        sent = hosts[0] if len(hosts) == 1 else translate("web.guard.hosts", count=len(hosts))
        raise Refused(403, "foreign_host", translate("web.guard.foreign_host", host=repr(sent[:80])))
    if is_reader:
        return
    for origin in _header(scope, b"origin"):
        scheme, _, rest = origin.partition("://")
        is_ours = rest.lower() in {hosts[0].lower(), *params.named}
        if scheme not in {"http", "https"} or not is_ours:
            raise Refused(403, "foreign_origin", translate("web.guard.foreign_page", origin=repr(origin[:80])))
    if any(site in {"cross-site", "same-site"} for site in _header(scope, b"sec-fetch-site")) and not (
        scope["method"] == "GET" and "navigate" in _header(scope, b"sec-fetch-mode")
    ):
        raise Refused(403, "foreign_origin", translate("web.guard.foreign_site"))


def _is_ours(host: str, params: GuardParams) -> bool:
    name = strip_port(host.lower())
    if name in params.names:
        return True
    if not params.any_address:
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


async def _read_body(scope: Scope, receive: Receive, params: GuardParams) -> bytes:
    limit = params.body_bytes
    lengths = _header(scope, b"content-length")
    if any(not length.isascii() or not length.isdigit() for length in lengths):
        raise Refused(400, "bad_length", translate("web.guard.length"))
    if any(int(length[:20]) > limit for length in lengths):
        raise Refused(413, "too_large", translate("web.guard.too_large", limit=limit))
    body = bytearray()
    try:
        async with asyncio.timeout(params.body_s):
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refused(400, "cut_short", translate("web.guard.cut_short"))
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > limit:
                    raise Refused(413, "too_large", translate("web.guard.too_large", limit=limit))
    except TimeoutError:
        raise Refused(408, "too_slow", translate("web.guard.too_slow", seconds=f"{params.body_s:g}")) from None
    kinds = _header(scope, b"content-type")
    if (body or kinds) and [kind.partition(";")[0].strip().lower() for kind in kinds] != ["application/json"]:
        sent = kinds[0][:60] if kinds else translate("web.guard.nothing")
        raise Refused(415, "not_json", translate("web.guard.kind", kind=sent))
    if body:
        check_json(bytes(body), params.depth)
    return bytes(body)


def _check_upload(scope: Scope, upload: Upload) -> None:
    kinds, lengths = _header(scope, b"content-type"), _header(scope, b"content-length")
    if kinds != [upload.kind]:
        sent = kinds[0][:60] if kinds else translate("web.guard.nothing")
        raise Refused(415, "not_a_file", translate("web.guard.kind_of_file", kind=sent, wanted=upload.kind))
    if len(lengths) != 1 or not (lengths[0].isascii() and lengths[0].isdigit()):
        raise Refused(411, "bad_length", translate("web.guard.length"))
    if int(lengths[0][:20]) > upload.max_bytes:
        raise Refused(413, "too_large", _file_too_large(upload))


def _bounded(receive: Receive, upload: Upload) -> Receive:
    """Count the bytes of a file as they arrive: in chunks there may be more than its Content-Length says."""
    received = 0

    async def counted() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > upload.max_bytes:
            raise ApiError("too_large", _file_too_large(upload), status=413)
        return message

    return counted


def _file_too_large(upload: Upload) -> str:
    return translate("web.guard.file_too_large", limit=upload.max_bytes // 1_000_000)


def strip_port(host: str) -> str:
    """Remove the port from a Host header, and the brackets from an IPv6 address."""
    if host.startswith("["):
        address, bracket, rest = host[1:].partition("]")
        return address if bracket and (not rest or (rest[0] == ":" and rest[1:].isdigit())) else ""
    name, colon, port = host.partition(":")
    # A trailing dot makes no difference to a name.
    return name.removesuffix(".") if not colon or port.isdigit() else ""


def _header(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def replay(body: bytes, receive: Receive) -> Receive:
    """Replay the buffered body, then pass through to `receive`."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _is_safe(scope: Scope) -> bool:
    """Return whether a browser trusts where its page came from: https, or this machine."""
    hosts = _header(scope, b"host")
    return scope.get("scheme") == "https" or (len(hosts) == 1 and strip_port(hosts[0].lower()) in LOOPBACK_NAMES)


def _with_headers(send: Send, added: Mapping[str, str]) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = message.get("headers", ())
            headers = [pair for pair in given if pair[0].decode("latin-1").lower() not in _OF_SAFE_PAGES]
            headers += [(name.encode(), value.encode()) for name, value in added.items()]
            message = {**message, "headers": headers}
        await send(message)

    return guarded


async def _answer(send: Send, refusal: Refused, language: str) -> None:
    body = json.dumps(in_language({"error": str(refusal), "reason": refusal.reason}, language)).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        # The rest of the body was not read, so the connection cannot carry another request.
        (b"connection", b"close"),
        *([(b"retry-after", b"2")] if refusal.status == 503 else []),
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
