"""axe-core over a page, every rule that it knows: what somebody who does not see, or uses no mouse, would trip over."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_AXE = Axe()
_ALSO = ("label-content-name-mismatch", "target-size", "p-as-heading")
"""Rules that axe leaves off unless they are asked for."""
_OPTIONS = {"resultTypes": ["violations"], "rules": {name: {"enabled": True} for name in _ALSO}}


def trips(page: Page) -> list[str]:
    """What axe finds on a page as it stands: the rule, the place, and why, a line each."""
    found = _AXE.run(page, options=_OPTIONS).response["violations"]
    return [
        f"{rule['id']}: {node['target'][0]} {node['html'][:90]} {_why(node)}"
        for rule in found
        for node in rule["nodes"]
    ]


def _why(node: dict[str, Any]) -> str:
    return "; ".join(str(one["message"]) for kind in ("any", "all", "none") for one in node[kind])
