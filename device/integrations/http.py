"""Services that receive messages over HTTP, and how they are posted: no redirects, no long waits."""

import hashlib
import hmac
import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from pydantic import SecretStr

from device.integrations.delivery import Delivery, Rejected, RetryLater, Sent, Transport
from device.integrations.outbox import Body
from device.integrations.reasons import reason_of
from device.integrations.settings import check_url, secret_value
from device.section import section
from device.texts.catalogue import LazyText, translate
from vision.types.cures import why

TIMESTAMP: Final = "X-PushTray-Timestamp"
SIGNATURE: Final = "X-PushTray-Signature"
MESSAGE: Final = "X-PushTray-Message"
_TRY_AGAIN: Final = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY})
"""Temporary refusals; 429 and all from 500 on are temporary as well."""


@dataclass(frozen=True, slots=True)
class HttpParams:
    step_s: float = 5.0  # longest time for each step, such as connecting, in seconds
    # longest time from connecting to the last header of the response, in seconds, even if the server keeps sending
    whole_s: float = 10.0
    max_wait_s: float = 3600.0  # longest pause that a server may ask for, in seconds
    answer_bytes: int = 4096  # number of bytes read from a refusal, which may give a reason or ask for a pause


class HttpCarrier:
    def __init__(
        self,
        url: str,
        form: Callable[[Body], Body],
        secret: str = "",
        params: HttpParams | None = None,
        *,
        clock_s: Callable[[], float] = time.time,
    ) -> None:
        self._url = urlsplit(url)
        self._form = form
        self._secret = secret
        self._params = params or HttpParams()
        self._clock_s = clock_s
        self._under_way: socket.socket | None = None
        self._host = self._url.hostname or ""

    def send(self, body: Body) -> Delivery:
        """Post a message once."""
        data = json.dumps(self._form(body), ensure_ascii=False, separators=(",", ":")).encode()
        headers = {"Content-Type": "application/json", "User-Agent": "PushTray", MESSAGE: str(body["id"])}
        if self._secret:
            headers |= signed(data, self._secret, int(self._clock_s()))
        connection = self._connection()
        is_late = threading.Event()

        def give_up() -> None:
            is_late.set()
            # A connection without keep-alive gives its socket up to the response.
            self._break_off(self._under_way or connection.sock)

        watch = threading.Timer(self._params.whole_s, give_up)
        watch.daemon = True
        watch.start()
        try:
            connection.connect()
            self._under_way = connection.sock
            connection.request("POST", self._target(), data, headers)
            answer = connection.getresponse()
            if is_late.is_set():
                # An aborted response looks like one that ended there.
                return self._too_slow(self._params.whole_s)
            return self._judged(answer.status, dict(answer.headers), self._refusal(answer))
        except TimeoutError:
            return self._too_slow(self._params.step_s)
        except (OSError, ValueError, http.client.HTTPException) as error:
            if is_late.is_set():
                return self._too_slow(self._params.whole_s)
            reason = why(error) if isinstance(error, OSError | ValueError) else type(error).__name__
            return RetryLater(translate("tray.outside.unreachable", host=self._host, why=reason))
        finally:
            watch.cancel()
            self._under_way = None
            connection.close()

    def send_test(self, body: Body) -> Delivery:
        return self.send(body)

    def close(self) -> None:
        self._break_off(self._under_way)

    def _too_slow(self, after_s: float) -> RetryLater:
        return RetryLater(translate("tray.outside.slow", host=self._host, seconds=f"{after_s:g}"))

    def _break_off(self, sock: socket.socket | None) -> None:
        if sock is not None:
            with suppress(OSError):
                # Unlike `close` it wakes the waiting thread; below TLS, which would first send its own goodbye.
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def _connection(self) -> http.client.HTTPConnection:
        if self._url.scheme == "https":
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(self._host, self._url.port, timeout=self._params.step_s, context=context)
        return http.client.HTTPConnection(self._host, self._url.port, timeout=self._params.step_s)

    def _target(self) -> str:
        path = self._url.path or "/"
        return f"{path}?{self._url.query}" if self._url.query else path

    def _refusal(self, answer: http.client.HTTPResponse) -> bytes:
        """Return the beginning of a refusal; empty if it does not come in time. Other responses are not read."""
        with suppress(OSError, http.client.HTTPException):
            return b"" if answer.status < 400 else answer.read(self._params.answer_bytes)
        return b""

    def _judged(self, status: int, headers: Mapping[str, str], body: bytes) -> Delivery:
        if 200 <= status < 300:
            return Sent(translate("tray.outside.answered", host=self._host, status=status))
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            pause_s = min(_requested_pause_s(headers, body, self._clock_s()), self._params.max_wait_s)
            text = translate("tray.outside.too_many", host=self._host, seconds=f"{pause_s:g}")
            return RetryLater(self._with_reason(text, body), after_s=pause_s)
        if status in _TRY_AGAIN or status >= 500:
            text = translate("tray.outside.fails", host=self._host, status=status)
            return RetryLater(self._with_reason(text, body), is_answer=True)
        if 300 <= status < 400:
            return Rejected(translate("tray.outside.moved", host=self._host, status=status))
        return Rejected(self._with_reason(translate("tray.outside.refuses", host=self._host, status=status), body))

    def _with_reason(self, text: LazyText, body: bytes) -> LazyText:
        reason = reason_of(body, self._url.path, self._url.query, self._secret)
        return translate("tray.outside.with_reason", text=text, reason=reason) if reason else text


@section
class HttpService:
    """A service that receives each result over HTTP.

    Attributes:
        url: URL that results are posted to, beginning with http:// or https://; without it, nothing is sent.
    """

    url: SecretStr | None = None

    def __post_init__(self) -> None:
        check_url(self.url)

    @property
    def address(self) -> str:
        return secret_value(self.url)

    @property
    def where(self) -> str | None:
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}/…" if parts.netloc else None

    def form(self, body: Body) -> Body:
        """Return a message in the service's form."""
        return body

    def transport(self, params: HttpParams | None = None) -> Transport:
        return HttpCarrier(self.address, self.form, params=params)


def signed(data: bytes, secret: str, at_s: int) -> dict[str, str]:
    """Return the headers that prove the origin of a body.

    Returns:
        The moment, in whole seconds since 1970, and HMAC-SHA256 over that moment, a dot and the body, so that a copied
        message cannot be sent again later as a new one.
    """
    digest = hmac.new(secret.encode(), f"{at_s}.".encode() + data, hashlib.sha256).hexdigest()
    return {TIMESTAMP: str(at_s), SIGNATURE: f"sha256={digest}"}


def _requested_pause_s(headers: Mapping[str, str], body: bytes, now_s: float) -> float:
    """Return the pause that a server asks for: by Retry-After (RFC 9110), else by Discord's body."""
    named = {key.lower(): value for key, value in headers.items()}.get("retry-after", "").strip()
    with suppress(ValueError):
        return _at_least_nothing(float(named))
    with suppress(ValueError):
        at = parsedate_to_datetime(named)
        return _at_least_nothing((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - now_s)
    with suppress(ValueError, TypeError, KeyError):
        return _at_least_nothing(float(json.loads(body)["retry_after"]))
    return 0.0


def _at_least_nothing(seconds: float) -> float:
    """Return a valid pause: 0 for a negative number or NaN."""
    return seconds if 0.0 <= seconds < float("inf") else 0.0
