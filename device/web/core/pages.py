"""The pages: the path, the head and the files of each."""

import hashlib
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Final

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

from device.archive.zone import tray_zone
from device.texts.catalogue import FOLDER, files_of, languages, page_texts, translate
from device.web.core import joined
from device.web.core.assets import FOLDERS, STATIC, Assets, static_files
from device.web.core.joined import joined_files
from device.web.core.language import language_of_page, render_page
from device.web.core.menu import back_html, menu_html, row_html
from device.web.core.page import Page
from device.web.core.replies import error_response

LETTERS: Final = "ui/lib/vendor/inter/files/inter-latin-wght-normal.woff2"
ALONE: Final = ("ui/lib/too-old.js", "ui/lib/theme.js")
"""Scripts that run before the first paint, in this order, and are not joined with others."""
KEPT: Final = "public, max-age=31536000, immutable"
"""Cache header of a file whose URL changes with its content."""


def add_pages(app: FastAPI, pages: Mapping[str, Page], usual: str, version: str) -> None:
    app.state.language = usual

    def add(path: str, one: Page) -> None:
        template = with_versioned_urls(page_template(one, path, pages), version)
        template = template.replace("{{zone}}", escape(zone))
        localized = {language: render_page(template, language) for language in languages()}

        @app.get(path, include_in_schema=False)
        def page(request: Request) -> Response:
            html = localized[language_of_page(request, app.state.language)]
            tag = f'"{hashlib.sha256(html.encode()).hexdigest()[:16]}"'
            headers = {"cache-control": "no-cache", "etag": tag, "vary": "cookie", "link": letters}
            if request.headers.get("if-none-match") == tag:
                return Response(status_code=304, headers=headers)
            return Response(html, media_type="text/html; charset=utf-8", headers=headers)

    def add_texts(path: str, cache_control: str) -> None:
        @app.get(path, include_in_schema=False)
        def texts(language: str) -> Response:
            if language not in languages():
                return error_response(404, "not_found", translate("web.not_found"))
            return JSONResponse(page_texts(language), headers={"cache-control": cache_control})

    zone = tray_zone()
    # Preload the font, which a browser would otherwise discover late, in a style sheet.
    letters = f"</static/{version}/{LETTERS}>; rel=preload; as=font; type=font/woff2; crossorigin"
    for path, one in pages.items():
        add(path, one)
    add_texts(f"/static/{version}/texts/{{language}}.json", KEPT)
    add_texts("/static/texts/{language}.json", "no-cache")
    add_texts("/static/{other}/texts/{language}.json", "no-cache")
    texts_of = {name: text for one in pages.values() for name, text in joined_files(one).items()}

    def add_joined(path: str, cache_control: str) -> None:
        @app.get(f"{path}/{{name}}", include_in_schema=False)
        def file(name: str) -> Response:
            if name not in texts_of:
                return error_response(404, "not_found", translate("web.not_found"))
            media_type = "text/css" if name.endswith(".css") else "text/javascript"
            return Response(texts_of[name], media_type=media_type, headers={"cache-control": cache_control})

    add_joined(f"/static/{version}/{joined.FOLDER}", KEPT)
    add_joined(f"/static/{joined.FOLDER}", "no-cache")
    add_joined(f"/static/{{other}}/{joined.FOLDER}", "no-cache")
    # Pages name their files by content, so that a browser loads each once and never an old one. A page that started to
    # load before an upgrade gets the current ones, as do requests by plain name.
    app.mount(f"/static/{version}", Assets(KEPT, directory=STATIC))
    for name in FOLDERS:
        app.mount(f"/static/{name}", Assets("no-cache", directory=STATIC / name))
    app.mount("/static/{other}", Assets("no-cache", directory=STATIC))
    app.mount("/static", Assets("no-cache", directory=STATIC))


def page_template(page: Page, path: str, pages: Mapping[str, Page]) -> str:
    """Return a page's HTML with head and menu, without texts, its files under their plain names."""
    own = STATIC / f"features/{page.folder}/{page.name}.html"
    body = (own if own.exists() else STATIC / "ui/page.html").read_text(encoding="utf-8")
    parts = {
        "head": _head_of(page, [other for other, one in pages.items() if one.has_bar]),
        "main": page.name,
        "heading": f"{{{{{page.heading}}}}}",
        "menu": menu_html(path, pages),
        "back": back_html(path, pages),
        "section": row_html(path, pages),
        "screen": (STATIC / "ui/this-screen.html").read_text(encoding="utf-8"),
    }
    body = body.replace("<html ", '<html data-too-old="{{page.too_old}}" ', 1)
    for name, part in parts.items():
        body = body.replace(f"{{{{{name}}}}}", part)
    head, begins, rest = body.partition("<body")
    tag, ends, inside = rest.partition(">")
    # A browser draws nothing before a style sheet in the head has come, but what stands before one in the body.
    first = ['<p class="first-line">{{page.waits}}</p>', *_first_files(page)] if page.has_bar else []
    first.append('<noscript><p class="too-old">{{page.no_script}}</p></noscript>')
    return "\n".join([f"{head}{begins}{tag}{ends}", *first]) + inside


def assets_version() -> str:
    """Return a short hash of all files of the pages and their texts."""
    return version_of(*static_files(*FOLDERS), Path(joined.__file__), *files_of(FOLDER))


def version_of(*files: Path) -> str:
    seen = hashlib.sha256()
    for path in files:
        seen.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return seen.hexdigest()[:12]


def with_versioned_urls(template: str, version: str) -> str:
    return template.replace('"/static/', f'"/static/{version}/')


def _first_files(page: Page) -> list[str]:
    """Return the links to the files that must be there before the page is drawn."""
    lines = [f'<link rel="stylesheet" href="/static/{joined.FOLDER}/{page.name}.css">']
    scripts = ALONE if page.has_bar else ALONE[:1]
    return [*lines, *(f'<script src="/static/{name}"></script>' for name in scripts)]


def _head_of(page: Page, with_bar: Iterable[str]) -> str:
    lines = ['<meta charset="utf-8">', '<meta name="viewport" content="width=device-width, initial-scale=1">']
    lines.append('<meta name="zone" content="{{zone}}">')
    # What a kiosk follows links to (reachable.js).
    lines.append(f'<meta name="pages" content="{" ".join(with_bar)}">')
    if page.has_bar:
        lines.append('<meta name="color-scheme" content="light dark">')
    lines.append(f"<title>{{{{{escape(page.title)}}}}}</title>")
    lines.append('<link rel="icon" href="/static/ui/icon.svg" type="image/svg+xml">')
    if page.is_app:
        lines.append('<link rel="apple-touch-icon" href="/static/ui/icons/icon-180.png">')
        lines.append('<link rel="manifest" href="/manifest.webmanifest?lang={{language}}">')
    lines.append('<link rel="preload" href="/static/texts/{{language}}.json" as="fetch" crossorigin="anonymous">')
    if not page.has_bar:
        lines += _first_files(page)
    lines.append(f'<script type="module" src="/static/{joined.FOLDER}/{page.name}.js"></script>')
    return "\n".join(["<head>", *lines, "</head>"])
