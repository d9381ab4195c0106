"""Print the first code block of a section of README.md: what is checked is what a newcomer would paste."""

import re
import sys
from pathlib import Path


def read_command(readme: str, section: str) -> str:
    """Return the text of the first fenced block under `## section`."""
    match = re.search(rf"^## {re.escape(section)}$.*?^```\w*\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    if match is None:
        raise SystemExit(f"README.md has no section '## {section}' with a code block")
    return match.group(1).strip()


if __name__ == "__main__":
    print(read_command(Path("README.md").read_text(encoding="utf-8"), sys.argv[1]))
