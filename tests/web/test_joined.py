"""Joined scripts and style sheets: whole, once, in order, and refused where they cannot be joined."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from device.web.core import joined
from device.web.core.assets import STATIC
from device.web.core.joined import UnknownScript, joined_files
from device.web.core.page import Page
from tests.web.pages import PAGES

EVERY_PAGE = {page.name: page for page in PAGES.values()}
MAIN = "features/trial/main.js"


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """A page of its own folder, with an empty script for each that every page has."""
    forget()
    monkeypatch.setattr(joined, "STATIC", tmp_path)
    page = Page("trial", "main", "", "", (), has_bar=False)
    for name in ("ui/lib/older.js", *page.files):
        write(tmp_path, name, "")
    yield page
    forget()


def forget() -> None:
    joined._module.cache_clear()
    joined_files.cache_clear()


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("page", EVERY_PAGE.values(), ids=lambda page: page.name)
def test_every_script_can_be_read_and_has_each_module_once(page: Page, tmp_path: Path) -> None:
    node = shutil.which("node")
    whole = [text for name, text in joined_files(page).items() if name.startswith(page.name) and name.endswith(".js")]
    modules = re.findall(r"^parts\[(\d+)\] = ", "".join(whole), re.M)
    assert len(modules) == len({*modules}) >= 3
    assert ("leeoniya/uPlot" in "".join(whole)) == (page.name == "statistics")
    for number, text in enumerate(whole):
        write(tmp_path, f"{number}.mjs", text)
        if node is not None:
            subprocess.run([node, "--check", tmp_path / f"{number}.mjs"], check=True, timeout=60)


def test_modules_run_once_in_the_order_of_their_imports(trial: Page, tmp_path: Path) -> None:
    node = shutil.which("node") or pytest.skip("no Node.js on the PATH")
    sources = {
        MAIN: """import { base as b, twice } from "./base.js";
import "./side.js";
/** Called by the test. */
export async function later() {
  return (await import("./late.js")).default(b);
}
/* A remark. */
later().then((told) => console.log("main", twice(b), told));
console.log("end");
""",
        "features/trial/base.js": """export const base = await Promise.resolve(2);
export const twice = (number) => 2 * number; // not a remark: // */
console.log("base");
""",
        "features/trial/side.js": 'import { base } from "./base.js";\nconsole.log("side", base);\n',
        "features/trial/late.js": 'import{base as x}from"./base.js";const f=(y)=>`${x}/* ${y} */`;export{f as default}',
    }
    for name, text in sources.items():
        write(tmp_path, name, text)
    for name, text in joined_files(trial).items():
        write(tmp_path, f"pages/{name}", text)
    write(tmp_path, "package.json", '{"type": "module"}')
    done = subprocess.run([node, tmp_path / "pages/main.js"], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout.splitlines() == ["base", "side 2", "end", "main 4 2/* 2 */"], done.stderr


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('import * as all from "./other.js";', "cannot be joined"),
        ("export default 3;", "cannot be joined"),
        ("export let count = 0;", "cannot be joined"),
        ('import "./other.js";', "imports itself"),
        ('import("./late.js");', "cannot await"),
    ],
)
def test_what_cannot_be_joined_is_refused(trial: Page, tmp_path: Path, text: str, why: str) -> None:
    write(tmp_path, MAIN, text)
    write(tmp_path, "features/trial/other.js", 'import "./main.js";')
    write(tmp_path, "features/trial/late.js", "await 0;")
    with pytest.raises(UnknownScript, match=why):
        joined_files(trial)


def test_addresses_in_style_sheets_lead_to_the_same_files() -> None:
    sheet = joined_files(EVERY_PAGE["table"])["table.css"]
    found = re.findall(r'url\("(.+?)"\)', sheet)
    assert found
    assert all((STATIC / joined.FOLDER / name).resolve().is_file() for name in found)
