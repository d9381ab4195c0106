"""The pages' files as browsers receive them."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "device/web/ui"


@pytest.fixture
def client(served: str) -> Iterator[httpx.Client]:
    with httpx.Client(verify=False, base_url=served, timeout=5) as asking:
        yield asking


def test_a_script_is_sent_once(client: httpx.Client) -> None:
    sent = client.get("/static/ui/lib/link.js")
    assert sent.headers["content-type"] == "text/javascript; charset=utf-8"
    again = client.get("/static/ui/lib/link.js", headers={"if-none-match": sent.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_files_are_sent_as_they_are(client: httpx.Client) -> None:
    kinds = {
        "lib/vendor/lit-html/lit-html.js": "text/javascript; charset=utf-8",
        "lib/vendor/inter/files/inter-latin-wght-normal.woff2": "font/woff2",
    }
    for name, kind in kinds.items():
        sent = client.get(f"/static/ui/{name}")
        assert (sent.content, sent.headers["content-type"]) == ((STATIC / name).read_bytes(), kind)
