"""Every relative link of every Markdown file leads to a file and a heading that exist."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.git_checkout import needs_git_checkout

ROOT = Path(__file__).resolve().parents[1]
CODE = re.compile(r"^( *)(```|~~~).*?^ *\2[^\n]*$|(?<!`)(`+)(?!`).*?(?<!`)\3(?!`)", re.MULTILINE | re.DOTALL)
TARGETS = (
    re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)"),
    re.compile(r"^ {0,3}\[[^\]\n]+\]:\s*<?([^\s>]+)", re.MULTILINE),
    re.compile(r"<(?:a|img)\b[^>]*?\b(?:href|src)=\"([^\"]+)\""),
)
FOREIGN = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


def pages(root: Path) -> list[Path]:
    """Return the Markdown files that git has or would take, including new ones."""
    named = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "*.md"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return sorted(path for name in named.split("\0") if name and (path := root / name).exists())


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them, and those it sets itself."""
    found: dict[str, int] = {}
    for line in re.findall(
        r"^#{1,6}\s+(.+?)\s*#*$", re.sub(r"^( *)(```|~~~).*?^ *\2", "", text, flags=re.M | re.S), re.M
    ):
        shown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", line)
        slug = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        found[slug] = found.get(slug, -1) + 1
        if found[slug]:
            found[f"{slug}-{found[slug]}"] = 0
    return set(found) | set(re.findall(r"<\w+[^>]*?\b(?:id|name)=\"([^\"]+)\"", text))


def broken(page: Path, root: Path) -> list[str]:
    """Return the page's broken relative links, each with what is missing.

    Args:
        page: A Markdown file.
        root: Links that leave this folder are broken.
    """
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    wrong = []
    for target in (one for pattern in TARGETS for one in pattern.findall(text)):
        if FOREIGN.match(target):
            continue
        name, _, anchor = target.partition("#")
        aim = (page.parent / name).resolve() if name else page
        if not aim.is_relative_to(root) or not aim.exists():
            wrong.append(f"{page.relative_to(root)}: {target}: no such file")
        elif anchor and (aim.suffix != ".md" or anchor not in anchors(aim.read_text(encoding="utf-8"))):
            wrong.append(f"{page.relative_to(root)}: {target}: no such heading")
    return wrong


@needs_git_checkout
def test_every_link_leads_somewhere() -> None:
    assert len(pages(ROOT)) > 10
    assert [one for page in pages(ROOT) for one in broken(page, ROOT)] == []


MADE = """# A page

## One `half`, & more

## One half & more

Code of no account: `[x](nowhere.md)`.

```md
[x](nowhere.md)
## Not a heading
```

LINK
"""


@pytest.mark.parametrize(
    ("link", "missing"),
    [
        ("[x](other.md#there)", ""),
        ("[x](#one-half--more-1)", ""),
        ("[![x](picture.png)](folder/)", ""),
        ("[x](https://example.org/nowhere.md)", ""),
        ("[x](../outside.md)", "file"),
        ("[![x](nowhere.png)](other.md)", "file"),
        ('<img src="nowhere.png">', "file"),
        ("[x]: nowhere.md", "file"),
        ("[x](#one-half--more-2)", "heading"),
        ("[x](picture.png#there)", "heading"),
    ],
)
def test_a_link_that_leads_nowhere_is_found(tmp_path: Path, link: str, missing: str) -> None:
    page = made(tmp_path, link)
    found = broken(page, page.parent)
    assert len(found) == bool(missing)
    assert all(one.startswith("page.md: ") and one.endswith(f": no such {missing}") for one in found)


def made(folder: Path, link: str) -> Path:
    """Return a page with the link, next to the targets of right links and below what no link may lead to."""
    root = folder / "root"
    (root / "folder").mkdir(parents=True)
    (root / "picture.png").touch()
    (folder / "outside.md").touch()
    (root / "other.md").write_text("# There\n", encoding="utf-8")
    page = root / "page.md"
    page.write_text(MADE.replace("LINK", link), encoding="utf-8")
    return page
