"""The module for Foundry VTT: what the tray serves of it, and who may read the tray from Foundry's pages."""

import http.server
import io
import json
import re
import subprocess
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser

from device.texts.catalogue import catalogue
from device.web.app import WebServer
from device.web.core.assets import STATIC
from device.web.core.server import bind_socket
from device.web.features.foundry.routes import ARCHIVE, FOLDER, MANIFEST, archive_for
from tests.web.conftest import FakeTray, scenes
from tests.web.test_static_units import node as node  # noqa: PLC0414 - a fixture that both use

ORIGIN = "http://vtt.lan:30000"


def languages() -> dict[str, dict[str, str]]:
    """Return the texts of the module by language, each by its key."""

    def flat(part: Any, path: str) -> dict[str, str]:
        if isinstance(part, str):
            return {path: part}
        return {key: text for name, one in part.items() for key, text in flat(one, f"{path}.{name}").items()}

    return {
        path.stem: flat(json.loads(path.read_text(encoding="utf-8"))["PUSHTRAY"], "PUSHTRAY")
        for path in (FOLDER / "languages").glob("*.json")
    }


def test_the_module_in_a_stand_in_of_foundry(node: str) -> None:
    file = Path(__file__).with_name("module.test.js")
    done = subprocess.run([node, file], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_manifest_names_this_tray(served: str) -> None:
    answer = httpx.get(served + MANIFEST)
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert body["manifest"] == served + MANIFEST
    assert body["download"] == served + ARCHIVE
    assert body["flags"] == {"pushtray": {"url": served}}
    assert (body["id"], body["compatibility"]) == ("pushtray", {"minimum": "12"})
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", body["version"])


def test_the_archive_is_the_module_that_its_manifest_describes(served: str) -> None:
    answer = httpx.get(served + ARCHIVE)
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        names = set(archive.namelist())
        manifest = json.loads(archive.read("module.json"))
        for name in names - {"module.json", "LICENSE"}:
            assert archive.read(name) == (FOLDER / name).read_bytes()
    assert manifest == httpx.get(served + MANIFEST).json()
    wanted = {*manifest["esmodules"], *(one["path"] for one in manifest["languages"]), manifest["license"], "README.md"}
    assert wanted <= names
    scripts = {name for name in names if name.endswith(".js")}
    imported = {f"scripts/{other}" for name in scripts for other in re.findall(r'from "\./(\w+\.js)"', read(name))}
    assert scripts == imported | set(manifest["esmodules"])
    assert archive_for(served) == answer.content


def read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def test_every_text_is_there_in_both_languages_and_used() -> None:
    known = languages()
    assert set(known) == {"en", "de"}
    assert set(known["en"]) == set(known["de"])
    for key, text in known["en"].items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", known["de"][key])), key
    script = read("scripts/pushtray.js")
    used = {f"PUSHTRAY.{key}" for key in re.findall(r'say\("(\w+)"', script)} | set(
        re.findall(r"PUSHTRAY\.\w+", script)
    )
    assert {key for key in known["en"] if not key.startswith("PUSHTRAY.Word.")} == used - {"PUSHTRAY.Word"}


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_words_of_a_result_are_those_of_the_pages(language: str) -> None:
    pages = catalogue(language).texts
    words = {key: text for key, text in languages()[language].items() if key.startswith("PUSHTRAY.Word.")}
    assert {key.rpartition(".")[2]: text for key, text in words.items()} == {
        key.rpartition(".")[2]: text for key, text in pages.items() if key.startswith("page.counts.")
    }


def test_no_page_of_the_tray_loads_anything_of_the_module() -> None:
    for path in (*STATIC.rglob("*.js"), *STATIC.rglob("*.html")):
        if FOLDER in path.parents:
            continue
        assert "foundry" not in path.read_text(encoding="utf-8").lower(), path.name


@pytest.fixture(scope="module")
def read_by_foundry() -> Iterator[tuple[FakeTray, str, str]]:
    """A tray, its address, and that of a page of another origin that the settings allow."""

    class Blank(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>elsewhere</title>")

        def log_message(self, *_: object) -> None:
            return None

    tray = FakeTray()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Blank) as pages:
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        elsewhere = f"http://localhost:{pages.server_port}"
        with WebServer(tray, bind_socket("127.0.0.1", 0), origins=(ORIGIN, elsewhere)) as server:
            yield tray, server.url.rstrip("/"), elsewhere
        pages.shutdown()


def answer_of(address: str, path: str, method: str = "GET", origin: str = ORIGIN) -> httpx.Response:
    headers = {"origin": origin, "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"}
    return httpx.request(method, address + path, headers=headers)


def test_a_named_origin_reads_the_state_and_nothing_else(read_by_foundry: tuple[FakeTray, str, str]) -> None:
    _, address, _ = read_by_foundry
    answer = answer_of(address, "/api/state")
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, ORIGIN)
    assert "origin" in answer.headers["vary"].lower()
    with httpx.stream("GET", f"{address}/api/events", headers={"origin": ORIGIN}) as stream:
        assert stream.headers["access-control-allow-origin"] == ORIGIN
    first = answer_of(address, "/api/events", "OPTIONS")
    assert (first.status_code, first.headers["access-control-allow-methods"]) == (204, "GET")
    for method, path in (
        ("GET", "/api/rolls"),
        ("GET", "/api/frame.jpg"),
        ("GET", "/api/settings"),
        ("GET", "/"),
        ("POST", "/api/reset"),
        ("POST", "/api/state"),
        ("OPTIONS", "/api/push"),
    ):
        refused = answer_of(address, path, method)
        assert (refused.status_code, refused.json()["reason"]) == (403, "foreign_origin"), path
        assert "access-control-allow-origin" not in refused.headers


@pytest.mark.parametrize(
    "origin",
    [
        "http://vtt.lan",
        "https://vtt.lan:30000",
        "http://vtt.lan:3000",
        "http://vtt.lan:30000.evil.example",
        "http://evil.example",
        "null",
        "*",
    ],
)
def test_an_origin_that_is_not_named_reads_nothing(read_by_foundry: tuple[FakeTray, str, str], origin: str) -> None:
    answer = answer_of(read_by_foundry[1], "/api/state", origin=origin)
    assert (answer.status_code, answer.json()["reason"]) == (403, "foreign_origin")
    assert "access-control-allow-origin" not in answer.headers


def test_unless_set_no_foreign_page_reads_anything(served: str) -> None:
    assert answer_of(served, "/api/state").status_code == 403


@pytest.mark.browser
def test_a_foreign_page_hears_a_throw_in_a_real_browser(
    chromium: Browser, read_by_foundry: tuple[FakeTray, str, str]
) -> None:
    tray, address, elsewhere = read_by_foundry
    page = chromium.new_page()
    page.goto(elsewhere)
    page.evaluate(
        """tray => {
          window.heard = [];
          const stream = new EventSource(`${tray}/api/events`);
          stream.addEventListener("message", ({ data }) => window.heard.push(JSON.parse(data).state));
        }""",
        address,
    )
    page.wait_for_function("() => window.heard.length === 1")
    tray.show(scenes()["scored"])
    page.wait_for_function("() => window.heard.includes('scored')")
    refused = page.evaluate("tray => fetch(`${tray}/api/rolls`).then(() => 'read', () => 'refused')", address)
    assert refused == "refused"
    page.close()
