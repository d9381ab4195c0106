"""The reason that another program gives for a refusal: found, bounded, printable, without secrets."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from device.integrations.reasons import reason_of

PATH = "/api/webhooks/1029384756/aB3_dE-f5.Gh~7"
SECRETS = (PATH, "key=open-sesame&x=%68idden", "a long phrase")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('{"message": "Unknown Webhook", "code": 10015}', "Unknown Webhook"),
        (
            '{"code": 50035, "message": "Invalid Form Body", "errors": {"content": {"_errors": [{"code":'
            ' "BASE_TYPE_MAX_LENGTH", "message": "Must be 2000 or fewer in length."}]}}}',
            "Invalid Form Body; Must be 2000 or fewer in length.",
        ),
        ('{"embeds": ["0"]}', '{"embeds": ["0"]}'),
        ("invalid_payload", "invalid_payload"),
        ('{"errcode": "M_FORBIDDEN", "error": "You are not invited"}', "You are not invited"),
        (
            '{"ok": false, "error_code": 400, "description": "Bad Request: chat not found"}',
            "Bad Request: chat not found",
        ),
        (
            '{"detail": [{"loc": ["body", "dice"], "msg": "field required", "input": {"text": "Mira"}}]}',
            "field required",
        ),
        ('{"type": "about:blank", "title": "Forbidden", "status": 403, "detail": "no rights"}', "Forbidden; no rights"),
        ("<html><head><title>403 &amp; Forbidden</title></head>\n<body>nginx</body></html>", "403 & Forbidden"),
        ("<html><body>nothing</body></html>", ""),
        ('"only a text"', "only a text"),
        ("", ""),
        ("two\r\nlines\x1b[31m \u202eand\u200b \x00more", "two lines [31m and more"),
        ("x" * 5000, f"{'x' * 199}…"),
        (f"Cannot POST {PATH}?key=open-sesame", "Cannot POST /api/webhooks/…/…?key=…"),
        ("Sesame is no key, AB3_DE-F5 is HIDDEN", "… is no key, … is …"),
        ("1029384756aB3_dE-f5 is too long a phrase", "…… is too … a …"),
        ("[" * 4000, f"{'[' * 199}…"),
    ],
)
def test_the_reason_is_one_short_line_without_secrets(body: str, reason: str) -> None:
    assert reason_of(body.encode(), *SECRETS) == reason


@given(
    st.binary(max_size=300)
    | st.recursive(st.text(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)).map(
        lambda body: json.dumps(body).encode()
    )
)
@example(b'{"message": {"message": ["open-sesame", "aB3_dE-f5"]}}')
def test_whatever_comes_is_bounded_printable_and_without_secrets(body: bytes) -> None:
    reason = reason_of(body, *SECRETS)
    assert len(reason) <= 200
    assert reason.isprintable()
    assert not any(secret in reason.lower() for secret in ("sesame", "ab3_de-f5", "1029384756", "hidden"))
