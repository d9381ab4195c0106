"""axe-core over a page, every rule that it knows: what somebody who does not see, or uses no mouse, would trip over."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

_ALSO = ("label-content-name-mismatch", "target-size", "p-as-heading")
"""Rules that axe leaves off unless they are asked for."""
_OPTIONS = {"resultTypes": ["violations"], "rules": {name: {"enabled": True} for name in _ALSO}}

_COLOUR_OPTIONS = {"resultTypes": ["violations"], "runOnly": ["color-contrast", "link-in-text-block"]}


def trips(page: Page, *, only_colours: bool = False) -> list[str]:
    """What axe finds on a page as it stands: the rule, the place, and why, a line each.

    Args:
        page: The page.
        only_colours: Ask for the rules on colours alone, where all others have looked at the same elements.
    """
    # Half a megabyte of script goes to a document once; of what axe found only what is wrong comes back: to hand over
    # all that is right costs more than to look.
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = _COLOUR_OPTIONS if only_colours else _OPTIONS
    found = page.evaluate("options => axe.run(options).then((all) => all.violations)", options)
    return [
        f"{rule['id']}: {node['target'][0]} {node['html'][:90]} {_why(node)}"
        for rule in found
        for node in rule["nodes"]
    ]


def _why(node: dict[str, Any]) -> str:
    return "; ".join(str(one["message"]) for kind in ("any", "all", "none") for one in node[kind])
