"""The layout of a page in its window: what must be scrolled to, what overflows its box, what overlaps."""

from dataclasses import dataclass

from playwright.sync_api import Page

MEASURE = """async () => {
  // Letters that are still loaded, and scripts that follow the size of the window, move what lies there.
  await document.fonts.ready;
  // A display gives ground where sizes are observed, and the newest observer hears of them last.
  const root = document.documentElement;
  await new Promise((done) => new ResizeObserver((_, self) => done(self.disconnect())).observe(root));
  const SLACK_PX = 1.5;
  const ARROW_PX = 18;
  const over = document.querySelector("dialog[open]") ?? document.body;
  // While this runs nothing moves: what is asked of a node is found out once.
  const once = (find) => {
    const known = new Map();
    return (node) => {
      if (!known.has(node)) known.set(node, find(node));
      return known.get(node);
    };
  };
  const style = once((node) => getComputedStyle(node));
  const frame = once((node) => node.getBoundingClientRect());
  const up = once((node) => (node && node !== root ? [node, ...up(node.parentElement)] : []));
  const named = once((node) => (node.id ? `#${node.id}` : [node.localName, ...node.classList].join(".")));
  const place = (node) => `${node.parentElement ? named(node.parentElement) : ""} > ${named(node)}`;
  // What only a screen reader gets is a point on the screen.
  const isForEyes = once(
    (node) => !node || node === root || (style(node).clipPath === "none" && isForEyes(node.parentElement)),
  );
  const isSeen = once(
    (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && isForEyes(node),
  );
  // A picture that is zoomed is larger than its box.
  const isDrawing = (node) => node.closest("svg, canvas, script") || node.querySelector(":scope > canvas + svg");
  const nodes = [...over.querySelectorAll("*")].filter((node) => !isDrawing(node) && isSeen(node));

  const held = new Set();
  for (const node of [root, over, ...nodes]) {
    const isOut = (overflow) => node === root || overflow !== "visible";
    if (node.scrollWidth > node.clientWidth + 1 && isOut(style(node).overflowX)) held.add(`x ${named(node)}`);
    if (node.scrollHeight > node.clientHeight + 1 && isOut(style(node).overflowY)) held.add(`y ${named(node)}`);
  }
  // What is chosen in a list, and what stands in an empty field, as wide as it would be.
  const pen = document.createElement("canvas").getContext("2d");
  for (const node of nodes.filter((one) => one.matches("select, input[placeholder]"))) {
    const isList = node.localName === "select";
    const words = isList ? (node.selectedOptions[0]?.textContent ?? "") : node.placeholder;
    const { font, paddingLeft, paddingRight } = style(node);
    pen.font = font;
    const room = node.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - (isList ? ARROW_PX : 0);
    if (pen.measureText(words).width > room + SLACK_PX) held.add(`cut off ${place(node)}`);
  }

  // What is written, line by line, with the element that it stands in.
  const lines = [];
  const walker = document.createTreeWalker(over, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const node = text.parentElement;
    if (!text.data.trim() || node.closest("svg, script, select, style") || !isSeen(node)) continue;
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) if (box.width > 1) lines.push({ node, box, words: text.data.trim() });
  }
  // The boxes that a word of a node must not stick out of, from the inside out.
  const around = once((node) => {
    const boxes = [];
    for (const one of up(node)) {
      const { display, overflowX, position } = style(one);
      if (["auto", "scroll"].includes(overflowX) && one.scrollWidth > one.clientWidth + 1) break;
      const isBox = display !== "contents" && frame(one).width > 0;
      if (isBox) boxes.push({ node: one, box: frame(one), isTight: one.matches("button, a.tool, .state") });
      if (position === "fixed") break;
    }
    return boxes;
  });
  // Its word may be a little wider than a die: they stand apart.
  const slackOf = once((node) => {
    const chip = node.closest(".chip");
    if (chip) return frame(chip).width * 0.13;
    // Where spaces are kept, the last one of a line hangs over its end.
    return style(node).whiteSpace === "pre-wrap" ? parseFloat(style(node).fontSize) : SLACK_PX;
  });
  const spilt = new Set();
  for (const { node, box, words } of lines) {
    const slack = slackOf(node);
    for (const { node: outer, box: bounds, isTight } of around(node)) {
      const isOutside = box.left < bounds.left - slack || box.right > bounds.right + slack;
      const isOver = box.top < bounds.top - slack || box.bottom > bounds.bottom + slack;
      if (isOutside || (isOver && isTight)) spilt.add(`${words}: out of ${place(outer)}`);
    }
  }

  // A thing counts as far as it is not scrolled out of its box.
  const cut = (box, outer) => ({
    left: Math.max(box.left, outer.left),
    right: Math.min(box.right, outer.right),
    top: Math.max(box.top, outer.top),
    bottom: Math.min(box.bottom, outer.bottom),
  });
  const everywhere = { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity };
  const isCutting = (node) => style(node).overflowX !== "visible" || style(node).overflowY !== "visible";
  const sight = once((node) => {
    if (!node || node === root) return everywhere;
    return isCutting(node) ? cut(sight(node.parentElement), frame(node)) : sight(node.parentElement);
  });
  // The letters of a line are less high than its box, whose height is the font's: figures stand close to others.
  const fontOf = once((node) => {
    const { fontWeight, fontSize, fontFamily } = style(node);
    return `${fontWeight} ${fontSize} ${fontFamily}`;
  });
  let taken = null;
  const inked = (node, box, words) => {
    // To take up a font costs more than to measure a word.
    if (taken !== fontOf(node)) pen.font = taken = fontOf(node);
    const ink = pen.measureText(words);
    const scale = box.height / (ink.fontBoundingBoxAscent + ink.fontBoundingBoxDescent);
    const top = box.top + (ink.fontBoundingBoxAscent - ink.actualBoundingBoxAscent) * scale;
    const foot = box.bottom - ink.fontBoundingBoxDescent * scale;
    return { left: box.left, right: box.right, top, foot, bottom: foot + ink.actualBoundingBoxDescent * scale };
  };
  const layer = once((node) => up(node).find((one) => ["sticky", "fixed"].includes(style(one).position)));
  const thing = (node, box, words, isKey) => {
    return { node, box: cut(box, sight(node)), foot: box.foot ?? Infinity, words, layer: layer(node), isKey };
  };
  const keys = new Set(nodes.filter((node) => node.matches("button, a.tool, select, input")));
  const things = [
    ...lines.map(({ node, box, words }) => thing(node, inked(node, box, words), words, keys.has(node))),
    ...[...keys].map((node) => thing(node, frame(node), named(node), true)),
  ];
  // From the top down: whatever begins below the foot of one cannot lie on it, nor what follows.
  const sunk = things.map((one, index) => ({ ...one, index })).sort((one, other) => one.box.top - other.box.top);
  const overlaps = new Set();
  const hanging = new Set();
  for (const [at, high] of sunk.entries()) {
    for (let next = at + 1; next < sunk.length && high.box.bottom - sunk[next].box.top > 3; next += 1) {
      const [one, other] = high.index < sunk[next].index ? [high, sunk[next]] : [sunk[next], high];
      if (one.layer !== other.layer || one.node.contains(other.node) || other.node.contains(one.node)) continue;
      const both = cut(one.box, other.box);
      if (both.right - both.left <= 2 || both.bottom - both.top <= 3) continue;
      // A g hangs between the letters of the line below; a key cuts it.
      const depth = Math.min(both.bottom, one.foot, other.foot) - both.top;
      if (depth > 3) overlaps.add(`${one.words} | ${other.words}`);
      else if (one.isKey !== other.isKey) hanging.add(`${one.words} | ${other.words}`);
    }
  }
  return { held: [...held], spilt: [...spilt], overlaps: [...overlaps], hanging: [...hanging] };
}"""
"""Measures the topmost open window, else the page. Drawings and their content are left out."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a page in its window.

    Attributes:
        held: Elements with more content than they show: axis and element of scrolling ones, fields with cut-off text.
        spilt: Texts that overflow their box.
        overlaps: Texts and buttons that overlap.
        hanging: Texts of which only the descenders overlap a button.
    """

    held: frozenset[str]
    spilt: tuple[str, ...]
    overlaps: tuple[str, ...]
    hanging: tuple[str, ...]


def layout_of(page: Page) -> Layout:
    """Measure a page as it is."""
    found = page.evaluate(MEASURE)
    return Layout(frozenset(found["held"]), tuple(found["spilt"]), tuple(found["overlaps"]), tuple(found["hanging"]))
