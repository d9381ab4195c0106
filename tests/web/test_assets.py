"""What browsers get of the pages' files: scripts without comments, and nothing else changed."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from device.web.assets import without_comments

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "device/web/static"
ACORN = ROOT / ".ci/pages/node_modules/acorn/dist/acorn.mjs"
OURS = sorted(path for path in STATIC.rglob("*.js") if "vendor" not in path.parts)
SAME = """
import { parse } from %s;
import { readFileSync } from "node:fs";
const isPlace = (name) => ["start", "end", "raw"].includes(name);
const plain = (value) => (typeof value === "bigint" ? `${value}n` : value);
const tree = (text) => {
  const says = parse(text, { ecmaVersion: "latest", sourceType: "module", allowHashBang: true });
  return JSON.stringify(says, (name, value) => (isPlace(name) ? undefined : plain(value)));
};
const pairs = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(pairs.filter(([, ours, sent]) => tree(ours) !== tree(sent)).map(([name]) => name)));
"""


@pytest.fixture(scope="module")
def node() -> str:
    path = shutil.which("node")
    cure = "no Node.js with what checks scripts: apt install nodejs npm, then .ci/pages/check"
    if path is None or not ACORN.exists():
        if os.environ.get("CI"):
            pytest.fail(cure)
        pytest.skip(cure)
    return path


@pytest.fixture
def client(served: str) -> Iterator[httpx.Client]:
    with httpx.Client(verify=False, base_url=served, timeout=5) as asking:
        yield asking


def differing(node: str, pairs: list[tuple[str, str, str]]) -> list[str]:
    """Which scripts do not say the same as the ones they were made from, by their syntax trees."""
    script = SAME % json.dumps(ACORN.as_uri())
    order = [node, "--input-type=module", "--eval", script]
    done = subprocess.run(order, input=json.dumps(pairs), capture_output=True, text=True, timeout=60, check=True)
    found: list[str] = json.loads(done.stdout)
    return found


def test_every_script_says_without_its_comments_what_it_says_with_them(node: str) -> None:
    pairs = [(path.name, path.read_text(encoding="utf-8"), without_comments(path, 0)[0].decode()) for path in OURS]
    assert len(pairs) > 80
    assert differing(node, pairs) == []
    assert not any("@ts-check" in sent or "@param" in sent for _, _, sent in pairs)
    assert all(ours.count("\n") == sent.count("\n") for _, ours, sent in pairs), "lines are named as in the sources"
    wrong = ("wrong", "const a = `two  blanks`;", "const a = `two blanks`;")
    assert differing(node, [wrong, ("right", "let b; // b", "let b;")]) == ["wrong"]


def test_scripts_are_sent_without_comments_and_once(client: httpx.Client) -> None:
    path = "/static/lib/link.js"
    sent = client.get(path)
    assert sent.headers["content-type"] == "text/javascript; charset=utf-8"
    assert len(sent.content) < (STATIC / "lib/link.js").stat().st_size * 0.7
    again = client.get(path, headers={"if-none-match": sent.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_code_and_letters_of_others_are_sent_as_they_were_published(client: httpx.Client) -> None:
    kinds = {
        "lib/vendor/lit-html/lit-html.js": "text/javascript; charset=utf-8",
        "lib/vendor/inter/files/inter-latin-wght-normal.woff2": "font/woff2",
    }
    for name, kind in kinds.items():
        sent = client.get(f"/static/{name}")
        assert (sent.content, sent.headers["content-type"]) == ((STATIC / name).read_bytes(), kind)


def test_a_script_that_changes_is_sent_anew(tmp_path: Path) -> None:
    script = tmp_path / "a.js"
    script.write_text("// one\nconst one = 1; // one\n/* one\n * two */\n")
    first, tag = without_comments(script, 1)
    assert first == b"\nconst one = 1; // one\n\n\n"
    script.write_text("const two = 2;\n")
    assert without_comments(script, 1) == (first, tag), "read once for each time that it changed"
    assert without_comments(script, 2) == (b"const two = 2;\n", without_comments(script, 2)[1])
    assert tag != without_comments(script, 2)[1]
