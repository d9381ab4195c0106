"""A page under the system's preferences for more contrast, forced colours, or less motion."""

from playwright.sync_api import Page

FORCED = """() => {
  const style = (node) => getComputedStyle(node);
  const isSeen = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const named = (node) => (node.id ? `#${node.id}` : [node.localName, ...node.classList].join("."));
  const all = (selector) => [...document.querySelectorAll(selector)].filter(isSeen);
  const isEdged = (node) =>
    ["Top", "Right", "Bottom", "Left"].every((side) => {
      const { [`border${side}Width`]: width, [`border${side}Style`]: line } = style(node);
      return parseFloat(width) >= 1 && line !== "none";
    });
  const keys = all("button, a.tool, select, input:not([type=checkbox], [type=radio], [type=range], [type=file])");
  const bare = keys.filter((node) => !isEdged(node) && !node.querySelector(".face"));
  const drawn = all(".face, .mini, .swatch, .crop, .clock-face, .bulb, #successes, #headline, #act");
  const dyed = drawn.filter((node) => style(node).forcedColorAdjust !== "none");
  return [...bare.map((node) => `no edge: ${named(node)}`), ...dyed.map((node) => `painted over: ${named(node)}`)];
}"""
"""Where the system paints over backgrounds and shadows, buttons need borders, and meaningful colours must remain.

So must the largest letters: the plate that the system puts under letters would hide what is above and below them.
"""

CONTRAST = """() => {
  const names = ["ground", "card", "text", "soft", "quiet", "line", "good", "reroll", "stay", "bad"];
  const nodes = names.map((name) => {
    const node = document.body.appendChild(document.createElement("i"));
    node.style.color = `var(--${name})`;
    return node;
  });
  const colours = nodes.map((node) => getComputedStyle(node).color.match(/[0-9.]+/g).slice(0, 3).map(Number));
  const [ground, card, ...inks] = colours;
  for (const node of nodes) node.remove();
  const light = (rgb) => {
    const line = (one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = rgb.map((one) => line(one / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  return Math.min(...inks.flatMap((ink) => [ratio(ink, ground), ratio(ink, card)]));
}"""
"""The least contrast of texts, and of lines, with their background."""

MOTION = """() => document.getAnimations().filter((one) => {
  const still = ["visibility", "offset", "computedOffset", "easing", "composite"];
  const changed = one.effect.getKeyframes().flatMap((frame) => Object.keys(frame));
  const moves = changed.some((name) => !still.includes(name));
  return one.playState === "running" && moves;
}).map((one) => `moves: ${one.animationName ?? one.transitionProperty} of ${one.effect.target.className}`)"""


_MORE = f"() => [({CONTRAST})(), ({MOTION})()]"


def unmet(page: Page) -> list[str]:
    """Return which preferences a page ignores; the page is left as a window is lent."""
    page.emulate_media(forced_colors="active")
    told: list[str] = page.evaluate(FORCED)
    page.emulate_media(forced_colors="none", contrast="more", reduced_motion="reduce")
    least, moving = page.evaluate(_MORE)
    page.emulate_media(contrast="no-preference")
    return [*told, *([f"contrast of {least:.1f}"] if least < 7 else []), *moving]


FOCUS = """() => {
  const node = document.activeElement;
  if (!node || node === document.body) return null;
  const { outlineStyle, outlineWidth } = getComputedStyle(node);
  const name = node.id ? `#${node.id}` : [node.localName, ...node.classList].join(".");
  return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 ? "" : `no sign of the focus: ${name}`;
}"""


def unseen_focus(page: Page, stops: int) -> list[str]:
    """Return the focused elements without a visible focus, among the page's first stops, in forced colours."""
    page.emulate_media(forced_colors="active")
    told = []
    for _ in range(stops):
        page.keyboard.press("Tab")
        told.append(page.evaluate(FOCUS))
    page.emulate_media(forced_colors="none")
    return [*filter(None, told), *([] if any(one is not None for one in told) else ["nothing takes the focus"])]
