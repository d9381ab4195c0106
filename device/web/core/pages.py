"""The pages: the path, the head and the files of each. A page's body is `static/pages/NAME.html`, else `page.html`."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

from device.archive.zone import tray_zone
from device.texts.catalogue import FOLDER, languages, page_texts, say
from device.web.core.assets import Assets
from device.web.core.language import language_of_page, render_page
from device.web.core.menu import back_html, menu_html, row_html
from device.web.core.replies import error_response

STATIC: Final = Path(__file__).parents[1] / "static"
LETTERS: Final = "lib/vendor/inter/files/inter-latin-wght-normal.woff2"
KEPT: Final = "public, max-age=31536000, immutable"
"""Cache header of a file whose URL changes with its content."""
_STORY: Final = "story"
"""Name of the page of an evening. It is for printing: no script, one style sheet."""

STYLESHEETS: Final = (
    "css/base",
    "css/menu",
    "css/layout",
    "css/controls",
    "css/bar",
    "css/picture",
    "css/result",
    "css/problems",
    "css/dice",
    "css/setup",
    "css/actions",
    "css/odds",
    "css/history",
    "css/notices",
    "css/dialog",
    "css/help",
    "css/pad",
    "css/panels",
    "css/doubts",
    "css/idle",
    "css/display",
    "css/pages",
    "css/calibrate",
    "css/club",
    "css/dice-sets",
    "css/docs",
    "css/integrations",
    "css/overlay",
    "css/phones",
    "css/remembered",
    "css/settings",
    "lib/vendor/uplot/uPlot.min",
)
"""Style sheets of the pages with a script, in the order of the cascade."""
_CARDS: Final = frozenset({"layout", "controls", "bar", "notices", "panels", "pages"})
"""Style sheets of a page made of cards."""


@dataclass(frozen=True, slots=True)
class Page:
    name: str
    title: str
    heading: str
    sheets: frozenset[str]
    is_app: bool = False
    is_themed: bool = True

    @property
    def files(self) -> list[str]:
        """The style sheets by their paths in `static`, in loading order."""
        wanted = {"base", "menu", *self.sheets}
        return [f"{sheet}.css" for sheet in STYLESHEETS if sheet.rpartition("/")[2] in wanted]


_TABLE: Final = Page(
    "table",
    "page.name",
    "page.menu.roll",
    frozenset(
        (
            *("layout", "controls", "bar", "picture", "result", "problems", "dice", "setup", "actions", "odds"),
            *("history", "notices", "dialog", "help", "pad", "panels", "doubts", "idle", "display"),
        )
    ),
    is_app=True,
)
_PHONES: Final = _CARDS | {"history", "dialog", "phones"}
_MEMORY: Final = _CARDS | {"history", "dialog", "remembered"}
CLUB: Final = Page("club", "page.club.page_title", "page.club.title", _CARDS - {"notices"} | {"club"})
PAGES: Final[Mapping[str, Page]] = {
    "/": _TABLE,
    "/overlay": Page("overlay", "page.overlay.title", "page.overlay.link", frozenset({"overlay"}), is_themed=False),
    "/phone": _TABLE,
    "/me": Page("me", "page.me.window", "page.me.title", _PHONES, is_app=True),
    "/gm": Page("gm", "page.gm.window", "page.gm.title", _PHONES, is_app=True),
    "/phones": Page("phones", "page.phones.window", "page.phones.title", _CARDS | {"dialog", "phones"}),
    "/sheets": Page("sheets", "page.sheets_title", "page.table.sheets", _CARDS | {"dialog"}),
    "/rulings": Page("rulings", "page.rulings_title", "page.rulings", _CARDS | {"dialog"}),
    "/docs": Page("docs", "page.docs.title", "page.docs.link", frozenset({"controls", "bar", "panels", "docs"})),
    "/calibrate": Page(
        "calibrate", "page.calibrate.title", "page.calibrate.heading", frozenset({"controls", "panels", "calibrate"})
    ),
    "/dice": Page("dice-sets", "page.dice_sets.title", "page.dice_sets.heading", _CARDS | {"dice-sets"}),
    "/integrations": Page(
        "integrations", "page.integrations.page_title", "page.integrations.title", _CARDS | {"integrations", "settings"}
    ),
    "/club": CLUB,
    "/settings": Page("settings", "page.settings.title", "page.settings.heading", _CARDS | {"dialog", "settings"}),
    "/start": Page("start", "page.start.title", "page.start.heading", _CARDS | {"dialog", "settings"}),
    "/history": Page("history", "page.history.title", "page.menu.history", _MEMORY),
    "/statistics": Page("statistics", "page.statistics.title", "page.menu.statistics", _MEMORY | {"uPlot.min"}),
}


def add_pages(app: FastAPI, pages: Mapping[str, Page], usual: str) -> None:
    app.state.language = usual

    def add(path: str, one: Page) -> None:
        template = _with_versioned_urls(page_template(one, path, pages), version)
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
                return error_response(404, "not_found", say("web.not_found"))
            return JSONResponse(page_texts(language), headers={"cache-control": cache_control})

    version, zone = assets_version(STATIC, FOLDER), tray_zone()
    # Preload the font, which a browser would otherwise discover late, in a style sheet.
    letters = f"</static/{version}/{LETTERS}>; rel=preload; as=font; type=font/woff2; crossorigin"
    for path, one in pages.items():
        add(path, one)
    add_texts(f"/static/{version}/texts/{{language}}.json", KEPT)
    add_texts("/static/texts/{language}.json", "no-cache")
    add_texts("/static/{other}/texts/{language}.json", "no-cache")
    # Pages name their files by content, so that a browser loads each once and never an old one. A page that started to
    # load before an upgrade gets the current ones, as do requests by plain name.
    app.mount(f"/static/{version}", Assets(KEPT, directory=STATIC))
    for folder in sorted(path for path in STATIC.iterdir() if path.is_dir()):
        app.mount(f"/static/{folder.name}", Assets("no-cache", directory=folder))
    app.mount("/static/{other}", Assets("no-cache", directory=STATIC))
    app.mount("/static", Assets("no-cache", directory=STATIC))


def page_template(page: Page, path: str, pages: Mapping[str, Page]) -> str:
    """Return a page's HTML with head and menu, without texts, its files under their plain names."""
    own = STATIC / f"pages/{page.name}.html"
    body = (own if own.exists() else STATIC / "pages/page.html").read_text(encoding="utf-8")
    headings = {known: other.heading for known, other in pages.items()}
    parts = {
        "head": _head_of(page),
        "main": page.name,
        "heading": f"{{{{{page.heading}}}}}",
        "menu": menu_html(path, pages),
        "back": back_html(path, pages),
        "section": row_html(path, headings),
    }
    body = body.replace("<html ", '<html data-too-old="{{page.too_old}}" ', 1)
    for name, part in parts.items():
        body = body.replace(f"{{{{{name}}}}}", part)
    head, begins, rest = body.partition("<body")
    tag, ends, inside = rest.partition(">")
    return f'{head}{begins}{tag}{ends}\n<noscript><p class="too-old">{{{{page.no_script}}}}</p></noscript>{inside}'


def story_template(version: str) -> str:
    html = (STATIC / f"pages/{_STORY}.html").read_text(encoding="utf-8")
    return _with_versioned_urls(html.replace("{{menu}}", menu_html("/history", PAGES)), version)


def assets_version(*folders: Path) -> str:
    """Return a short hash of all files of the pages and their texts."""
    seen = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                seen.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes() + b"\0")
    return seen.hexdigest()[:12]


def _with_versioned_urls(template: str, version: str) -> str:
    return template.replace('"/static/', f'"/static/{version}/')


def _head_of(page: Page) -> str:
    lines = ['<meta charset="utf-8">', '<meta name="viewport" content="width=device-width, initial-scale=1">']
    lines.append('<meta name="zone" content="{{zone}}">')
    if page.is_themed:
        lines.append('<meta name="color-scheme" content="light dark">')
    lines.append(f"<title>{{{{{escape(page.title)}}}}}</title>")
    lines.append('<link rel="icon" href="/static/icon.svg" type="image/svg+xml">')
    if page.is_app:
        lines.append('<link rel="apple-touch-icon" href="/static/icons/icon-180.png">')
        lines.append('<link rel="manifest" href="/manifest.webmanifest?lang={{language}}">')
    lines.append('<link rel="preload" href="/static/texts/{{language}}.json" as="fetch" crossorigin="anonymous">')
    lines += [f'<link rel="stylesheet" href="/static/{file}">' for file in page.files]
    lines += [f'<script src="/static/lib/{name}.js"></script>' for name in ("too-old", "older")]
    if page.is_themed:
        lines.append('<script src="/static/lib/theme.js"></script>')
    names = ["pages/" + page.name] if page.name == "overlay" else ["lib/menu", "pages/" + page.name]
    lines += [f'<script type="module" src="/static/{name}.js"></script>' for name in names]
    return "\n".join(["<head>", *lines, "</head>"])
