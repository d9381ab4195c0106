"""axe-core over a page, with all its rules, for people who do not see or use no mouse."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

_ALSO = ("label-content-name-mismatch", "target-size", "p-as-heading")
"""Rules that axe runs only on request."""
_OPTIONS = {"resultTypes": ["violations"], "rules": {name: {"enabled": True} for name in _ALSO}}

_COLOUR_OPTIONS = {"resultTypes": ["violations"], "runOnly": ["color-contrast", "link-in-text-block"]}

_SMALL = """least => {
  const boxOf = (node) => (node.matches("input:is([type=checkbox], [type=radio], [type=file], [type=range])")
    ? node.closest("label") ?? node : node).getBoundingClientRect();
  const over = document.querySelector("dialog[open]") ?? document.body;
  return [...over.querySelectorAll("a[href], button, select, summary, textarea, input")]
    .filter((node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((node) => getComputedStyle(node).display !== "inline" && !node.closest("[inert], .chip"))
    .map((node) => [node, boxOf(node)])
    .filter(([, box]) => box.width > 1 && (box.width < least || box.height < least))
    .map(([node, box]) => `${node.id || node.className || node.localName} ${node.textContent.trim().slice(0, 30)}`
      + ` is ${Math.round(box.width)}x${Math.round(box.height)}`);
}"""
"""What a finger can hardly hit. Links in a sentence are as high as their line, dice as small as `test_sweep` allows."""
_MIN_TARGET_PX = 43.5

_LOOK = """async (options) => {
  if (!("axe" in window)) return null;
  const stuck = [...document.body.querySelectorAll("*")]
    .filter((node) => getComputedStyle(node).position === "sticky")
    .map((node) => [node, node.style.cssText]);
  for (const [node] of stuck) node.style.cssText += "; position: relative; inset: auto";
  await new Promise(requestAnimationFrame);
  const found = await axe.run(options);
  for (const [node, style] of stuck) node.style.cssText = style;
  return found.violations;
}"""
"""Bars that stay in sight are put where they would scroll to, since what they cover is scrolled into sight.

The script's half megabyte is sent to a document once; of axe's results only violations are returned: returning all that
is right costs more than the check.
"""


def trips(page: Page, *, only_colours: bool = False) -> list[str]:
    """Return axe's violations on a page as it is, and targets too small for a finger: what, where and why, a line each.

    Args:
        page: The page.
        only_colours: Check only the rules on colours, if all others have checked the same elements.
    """
    options = _COLOUR_OPTIONS if only_colours else _OPTIONS
    found = page.evaluate(_LOOK, options)
    if found is None:
        page.evaluate(AXE_SCRIPT)
        found = page.evaluate(_LOOK, options)
    small = [] if only_colours else page.evaluate(_SMALL, _MIN_TARGET_PX)
    return small + [
        f"{rule['id']}: {node['target'][0]} {node['html'][:90]} {_why(node)}"
        for rule in found
        for node in rule["nodes"]
    ]


def _why(node: dict[str, Any]) -> str:
    return "; ".join(str(one["message"]) for kind in ("any", "all", "none") for one in node[kind])
