"""Webhooks to an HTTP server: what it receives, what its responses mean, and that it cannot block anything."""

import re
import threading
import time
from collections.abc import Callable
from email.utils import formatdate
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from device.integrations.channels.discord import DiscordSettings
from device.integrations.channels.webhook import WebhookSettings
from device.integrations.delivery import Rejected, RetryLater, Sent, Transport
from device.integrations.http import HttpParams
from device.integrations.outbox import Body
from device.texts.catalogue import translate
from tests.device.integrations.counterparts import HttpCounterpart, Told, silent_server
from tests.narrowing import a

BODY: Body = {
    "id": "abc",
    "kind": "scored",
    "text": "Mira: 2 successes",
    "tray": {"id": "tray-1", "name": "Left *table*"},
}


def to_webhook(url: str, secret: str = "", params: HttpParams | None = None) -> Transport:
    return WebhookSettings(url=SecretStr(url), secret=SecretStr(secret)).transport(params)


def to_discord(url: str) -> Transport:
    return DiscordSettings(url=SecretStr(url)).transport()


GUIDE = Path(__file__).resolve().parents[3] / "device" / "integrations" / "README.md"


def test_a_message_is_posted_as_json(server: HttpCounterpart) -> None:
    sent = to_webhook(server.url).send(BODY)
    assert a(Sent, sent).text == translate("tray.outside.answered", host="127.0.0.1", status="204")
    got = server.next()
    assert (got.path, got.json) == ("/hook?key=hidden", BODY)
    assert got.headers["Content-Type"] == "application/json"
    assert got.headers["X-PushTray-Message"] == "abc"
    assert "X-PushTray-Signature" not in got.headers


def verifier() -> Callable[..., bool]:
    """The lines of the guide that verify that a message is from the tray."""
    found = re.search(r"```python\n(import hashlib.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    assert len(found[1].strip().splitlines()) <= 10
    names: dict[str, Any] = {}
    exec(found[1], names)
    is_from_tray: Callable[..., bool] = names["is_from_tray"]
    return is_from_tray


def test_a_signature_is_verified_by_the_lines_of_the_guide(server: HttpCounterpart) -> None:
    is_from_tray = verifier()
    to_webhook(server.url, "our secret").send(BODY)
    got = server.next()
    assert is_from_tray("our secret", got.headers, got.body)
    assert not is_from_tray("another", got.headers, got.body)
    assert not is_from_tray("our secret", got.headers, got.body + b" ")
    for changed in (str(int(time.time()) - 900), "", "soon"):
        assert not is_from_tray("our secret", {**got.headers, "X-PushTray-Timestamp": changed}, got.body)
    assert not is_from_tray("our secret", {}, got.body)


def test_discord_gets_plain_text_that_mentions_no_one(server: HttpCounterpart) -> None:
    hostile = "@everyone **Mira** <@123> [here](http://x.example) `x` _y_ ~~z~~ ||w||\n# big"
    to_discord(server.url).send({**BODY, "text": hostile})
    sent = server.next().json
    assert sent["allowed_mentions"] == {"parse": []}
    assert sent["flags"] == 4
    assert set(sent) == {"content", "allowed_mentions", "flags"}
    plain = re.sub(r"\\(.)", "", sent["content"])
    assert not re.search(r"[@*<>\[\]()`_~|#:]", plain.replace("Left table: ", "")), plain
    assert re.sub(r"\\(.)", r"\1", sent["content"]) == "Left *table*: " + hostile.replace("\n", " ")


def test_discord_gets_no_more_than_it_takes(server: HttpCounterpart) -> None:
    to_discord(server.url).send({**BODY, "text": "*" * 3000})
    content = server.next().json["content"]
    assert len(content) <= 2000
    assert not content.removesuffix("…").endswith("\\")


@pytest.mark.parametrize(
    ("reported", "seconds"),
    [
        (Told(429, {"Retry-After": "7"}), 7.0),
        (Told(429, {"retry-after": "0.35"}), 0.35),
        (Told(429, {}, b'{"message": "slow down", "retry_after": 1.5, "global": false}'), 1.5),
        (Told(429, {"Retry-After": "86400"}), 3600.0),
        (Told(429, {"Retry-After": "soon"}, b"<html>"), 0.0),
        (Told(429, {"Retry-After": "-3"}), 0.0),
    ],
)
def test_a_pause_that_is_asked_for_is_honoured(server: HttpCounterpart, reported: Told, seconds: float) -> None:
    server.tell(reported)
    assert a(RetryLater, to_discord(server.url).send(BODY)).after_s == seconds


def test_a_pause_may_be_named_by_its_end(server: HttpCounterpart) -> None:
    server.tell(Told(429, {"Retry-After": formatdate(time.time() + 100, usegmt=True)}))
    assert 80.0 < a(RetryLater, to_webhook(server.url).send(BODY)).after_s <= 101.0


@pytest.mark.parametrize("status", [500, 502, 503, 408, 425])
def test_a_failure_of_the_servers_own_is_tried_again_but_not_for_ever(server: HttpCounterpart, status: int) -> None:
    server.tell(Told(status))
    failed = a(RetryLater, to_webhook(server.url).send(BODY))
    assert failed.is_answer
    assert str(status) in failed.text


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 413, 422])
def test_a_refusal_is_final(server: HttpCounterpart, status: int) -> None:
    server.tell(Told(status))
    assert f"answered {status} and refuses" in a(Rejected, to_webhook(server.url).send(BODY)).text


UNKNOWN = b'{"message": "Unknown Webhook", "code": 10015}'


@pytest.mark.parametrize("status", [403, 404, 429, 500])
def test_a_refusal_gives_the_servers_reason_without_the_key_of_the_address(
    server: HttpCounterpart, status: int
) -> None:
    server.tell(Told(status, body=UNKNOWN), Told(status, body=b"no hook at /hook?key=hidden for our-secret"))
    texts = [to(server.url).send(BODY).text for to in (to_discord, partial(to_webhook, secret="our-secret"))]
    assert {text.key for text in texts} == {"tray.outside.with_reason"}
    assert [text.message.values["reason"] for text in texts] == ["Unknown Webhook", "no hook at /hook?key=… for …"]


def test_a_reason_without_an_end_is_cut_off(server: HttpCounterpart) -> None:
    server.tell(Told(403, body=b"x" * 100_000), Told(403, endless=True))
    to = to_webhook(server.url, "", HttpParams(step_s=20.0, whole_s=0.5))
    assert len(str(a(Rejected, to.send(BODY)).text)) < 400
    assert "answered 403 and refuses" in a(Rejected, to.send(BODY)).text


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(server: HttpCounterpart, status: int) -> None:
    server.tell(Told(status, {"Location": server.url.replace("/hook", "/other")}))
    assert "redirects are not followed" in a(Rejected, to_webhook(server.url).send(BODY)).text
    assert server.next().path.startswith("/hook")
    assert server.got.empty()


def test_a_server_that_never_answers_is_given_up(server: HttpCounterpart) -> None:
    goes_on = threading.Event()
    server.tell(Told(hangs=goes_on))
    late = a(RetryLater, to_webhook(server.url, "", HttpParams(step_s=0.1)).send(BODY))
    assert not goes_on.is_set(), "it was given up while it still hung"
    goes_on.set()
    assert "did not answer within 0.1 s" in late.text
    assert not late.is_answer


def test_a_server_that_talks_without_an_end_is_given_up(server: HttpCounterpart) -> None:
    server.tell(Told(drips=True))
    late = a(RetryLater, to_webhook(server.url, "", HttpParams(step_s=20.0, whole_s=0.2)).send(BODY))
    assert "did not answer within 0.2 s" in late.text


def test_a_missing_receiver_is_named_without_its_address(server: HttpCounterpart) -> None:
    server.close()
    away = a(RetryLater, to_webhook(server.url).send(BODY))
    assert away.text.startswith("127.0.0.1 cannot be reached (Connection refused)")
    assert "hidden" not in away.text


def test_what_is_under_way_can_be_broken_off() -> None:
    with silent_server() as port:
        carrier = to_webhook(f"http://127.0.0.1:{port}/", "", HttpParams(step_s=60.0, whole_s=60.0))
        came: list[object] = []
        sending = threading.Thread(target=lambda: came.append(carrier.send(BODY)))
        sending.start()
        while sending.is_alive():
            carrier.close()
            sending.join(0.02)
        assert isinstance(came[0], RetryLater)
