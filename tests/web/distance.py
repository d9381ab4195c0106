"""The size of important text for a person who looks at a display from across the table, in arc minutes.

The height of a text is that of its capitals (of its digits, for a number), as in ISO 9241: of a capital H without
accent. Its part 3 requires 16 arc minutes for work at a screen; the project requires 12 at two metres, which is 6.98
mm.
"""

import math
from dataclasses import dataclass
from typing import Final

from playwright.sync_api import Page

DISTANCE_MM: Final = 2000.0
MIN_ARC_MIN: Final = 12.0


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen at the table.

    Attributes:
        name: Name for people.
        width_px: Of its pages.
        height_px: Of its pages.
        height_mm: Of its lit area.
    """

    name: str
    width_px: int
    height_px: int
    height_mm: float

    def arc_minutes(self, height_px: float) -> float:
        """Return the visual angle of a height from two metres."""
        height_mm = height_px * self.height_mm / self.height_px
        return math.degrees(2 * math.atan(height_mm / 2 / DISTANCE_MM)) * 60


PANEL = Screen("7-inch panel", 800, 480, 85.9)
WALL = Screen("24-inch screen", 1920, 1080, 298.9)

MEASURE = """() => {
  const pen = document.createElement("canvas").getContext("2d");
  const capital = (node, letters) => {
    const { fontWeight, fontSize, fontFamily } = getComputedStyle(node);
    pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
    return pen.measureText(letters).actualBoundingBoxAscent * (node.currentCSSZoom ?? 1);
  };
  const at = (id) => document.getElementById(id);
  const isShown = (node) => node.checkVisibility({ visibilityProperty: true }) && node.textContent.trim() !== "";
  const sees = (node, letters = "H") => (isShown(node) ? capital(node, letters) : null);
  const { state } = document.body.dataset;
  const headline = sees(at("headline"));
  const isOver = state === "scored" || state === "resolved";
  const isWrong = ["unclear", "fault"].includes(state) || document.querySelector(".problem") !== null;
  // In the other states the headline is the next act: throw, wait, pick up.
  const cure = document.querySelector(".problem") ?? at("lead");
  const told = sees(at("act")) ?? (isOver || isWrong ? sees(cure) : headline);
  return {
    result: sees(at("successes"), "8"),
    meaning: isOver ? headline : null,
    next: told,
    problem: isWrong ? headline : null,
  };
}"""
"""The heights, in pixels of the screen, of what a player looks for; null if a state has no such thing."""


def arc_minutes(page: Page, screen: Screen) -> dict[str, float]:
    """Return which of result, meaning, next step and problem a page shows, and the size of each at two metres."""
    page.evaluate("() => document.fonts.ready")
    return {what: screen.arc_minutes(px) for what, px in page.evaluate(MEASURE).items() if px is not None}
