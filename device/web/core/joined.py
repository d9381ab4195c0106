"""The scripts and style sheets of a page, joined as the server starts: a browser asks for two files instead of sixty.

Each module is a function of the same text, called when it is first needed, so that it runs once and in the order of its
imports; one that is imported later runs later, and a library that is imported later stays a file of its own. The
sources stay what they are: nothing is built, and what cannot be joined is an error at the start.
"""

import re
from dataclasses import dataclass
from functools import cache
from posixpath import basename, dirname, join, normpath
from typing import Final

from device.errors import DeviceError
from device.web.core.assets import STATIC
from device.web.core.page import Page

FOLDER: Final = "pages"
"""Folder of the joined files under `/static/WORD`."""

_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*(?:(?!\*/)[\s\S])*\*/[ \t]*)\n", re.M)
_CAST = re.compile(r"/\*\* @(?:type|import)[^*]*\*/ ?")
_INDENT = re.compile(r"^[ \t\n]+", re.M)
_NAMED = re.compile(r'((?:parts|made)\[|\$(?:need|late)\()"([^"]+)"')
_IMPORT = re.compile(r'(?:^|(?<=;))import\s*(?:(\w+)|(\{[^}]*\}))?\s*(?:from\s*)?"(\.[^"]+)";?', re.M)
_LATE = re.compile(r'\bimport\("(\.[^"]+)"\)')
_WORKER = re.compile(r'\bnew URL\("(\./[^"]+\.js)", import\.meta\.url\)')
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.M)
_EXPORTS = re.compile(r"(?:^|(?<=[;}]))export\s*\{([^}]*)\};?", re.M)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.M)
_WAITS = re.compile(r"^(?:(?:export )?const [^=]*= )?\(?await\b", re.M)
_URL = re.compile(r'url\("([^"]+)"\)')
_START = """const parts = {};
const made = {};
const $need = (name) => (made[name] ??= parts[name]());
const $late = async (name) => $need(name);
const $url = (name) => new URL(`../${name}`, import.meta.url).href;
"""


class UnknownScript(DeviceError):
    """A script with an import or export that cannot be joined."""


@dataclass(frozen=True, slots=True)
class _Module:
    """A module as a function: its imports, later imports and workers, and whether it awaits at its top level."""

    code: str
    imports: tuple[str, ...]
    late: tuple[str, ...]
    workers: tuple[str, ...]
    waits: bool


@cache
def joined_files(page: Page) -> dict[str, str]:
    """Return the text of each joined file of a page by its name."""
    menu = ["ui/lib/menu.js"] if page.has_bar else []
    scripts = _joined(page.name, "ui/lib/older.js", *menu, f"features/{page.folder}/{page.name}.js")
    return {f"{page.name}.css": _INDENT.sub("", "".join(map(_sheet, page.files))), **scripts}


def _joined(stem: str, *entries: str) -> dict[str, str]:
    first = [*dict.fromkeys(name for entry in entries for name in _with_imports(entry))]
    every = [*first]
    for name in every:
        every += [one for late in _module(name).late for one in _with_imports(late) if one not in every]
    every = [*dict.fromkeys(every)]
    if waiting := [name for name in every if _module(name).waits and name not in first]:
        raise UnknownScript(f"{waiting[0]}: a module that is imported later cannot await at its top level")
    run = [
        f'made["{name}"] = await parts["{name}"]();' if _module(name).waits else f'$need("{name}");' for name in first
    ]
    code = "\n".join([_START, *(_module(name).code for name in every), *run, ""])
    numbers = {name: number for number, name in enumerate(every)}
    files = {f"{stem}.js": _INDENT.sub("", _NAMED.sub(lambda match: f"{match[1]}{numbers[match[2]]}", code))}
    for worker in {one for name in every for one in _module(name).workers}:
        files |= _joined(basename(worker).removesuffix(".js"), worker)
    return files


def _with_imports(name: str, within: tuple[str, ...] = ()) -> list[str]:
    """Return a module after all that it imports."""
    if name in within:
        raise UnknownScript(f"{name} imports itself: {' > '.join(within)}")
    found = [one for other in _module(name).imports for one in _with_imports(other, (*within, name))]
    return [*dict.fromkeys([*found, name])]


@cache
def _module(name: str) -> _Module:
    code = _without_comments(name)
    imports: list[str] = []
    late: list[str] = []
    workers: list[str] = []
    exported: list[str] = []

    def imported(match: re.Match[str]) -> str:
        default, names, path = match.groups()
        imports.append(_resolved(name, path))
        names = f"{{ default: {default} }}" if default else names and re.sub(r"\s+as\s+", ": ", names)
        return f'{f"const {names} = " if names else ""}$need("{imports[-1]}");'

    def imported_late(match: re.Match[str]) -> str:
        if "/vendor/" in match[1]:
            return f'import($url("{_resolved(name, match[1])}"))'
        late.append(_resolved(name, match[1]))
        return f'$late("{late[-1]}")'

    def worker(match: re.Match[str]) -> str:
        workers.append(_resolved(name, match[1]))
        return f'new URL($url("{FOLDER}/{basename(match[1])}"))'

    def export(match: re.Match[str]) -> str:
        exported.append(match[1])
        return ""

    def exports(match: re.Match[str]) -> str:
        pairs = [one.split(" as ") for one in map(str.strip, match[1].split(",")) if one]
        exported.extend(f"{pair[-1]}: {pair[0]}" for pair in pairs)
        return ""

    waits = bool(_WAITS.search(code))
    for pattern, put in (
        (_IMPORT, imported),
        (_LATE, imported_late),
        (_WORKER, worker),
        (_EXPORT, export),
        (_EXPORTS, exports),
    ):
        code = pattern.sub(put, code)
    if left := _LEFT.search(code):
        raise UnknownScript(f"{name}: {left[0]!r} cannot be joined: import and export names in braces")
    code = code.replace("import.meta.url", f'$url("{name}")')
    opening = f'parts["{name}"] = {"async " if waits else ""}() => {{\n'
    return _Module(
        f"{opening}{code}\nreturn {{ {', '.join(exported)} }};\n}};\n", (*imports,), (*late,), (*workers,), waits
    )


def _sheet(name: str) -> str:
    return _URL.sub(lambda match: f'url("../{_resolved(name, match[1])}")', _without_comments(name))


def _without_comments(name: str) -> str:
    """Return a file without types and the comments that take whole lines, but for licences."""
    text = (STATIC / name).read_text(encoding="utf-8")
    return _CAST.sub("", _COMMENT.sub(lambda match: match[0] if "Copyright" in match[0] else "", text))


def _resolved(name: str, path: str) -> str:
    return normpath(join(dirname(name), path))
