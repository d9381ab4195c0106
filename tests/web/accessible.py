"""axe-core over a page, every rule that it knows: what somebody who does not see, or uses no mouse, would trip over."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

_ALSO = ("label-content-name-mismatch", "target-size", "p-as-heading")
"""Rules that axe leaves off unless they are asked for."""
_OPTIONS = {"resultTypes": ["violations"], "rules": {name: {"enabled": True} for name in _ALSO}}

_COLOUR_OPTIONS = {"resultTypes": ["violations"], "runOnly": ["color-contrast", "link-in-text-block"]}

_LOOK = """async (options) => {
  if (!("axe" in window)) return null;
  await new Promise(requestAnimationFrame);
  return (await axe.run(options)).violations;
}"""
"""Half a megabyte of script goes to a document once; of what axe found only what is wrong comes back.

To hand over all that is right costs more than to look.
"""


def trips(page: Page, *, only_colours: bool = False) -> list[str]:
    """What axe finds on a page as it stands: the rule, the place, and why, a line each.

    Args:
        page: The page.
        only_colours: Ask for the rules on colours alone, where all others have looked at the same elements.
    """
    options = _COLOUR_OPTIONS if only_colours else _OPTIONS
    found = page.evaluate(_LOOK, options)
    if found is None:
        page.evaluate(AXE_SCRIPT)
        found = page.evaluate(_LOOK, options)
    return [
        f"{rule['id']}: {node['target'][0]} {node['html'][:90]} {_why(node)}"
        for rule in found
        for node in rule["nodes"]
    ]


def _why(node: dict[str, Any]) -> str:
    return "; ".join(str(one["message"]) for kind in ("any", "all", "none") for one in node[kind])
