"""How a page lies in its window: what must be scrolled for, what sticks out of its box, what lies on something else."""

from dataclasses import dataclass

from playwright.sync_api import Page

MEASURE = """() => {
  const SLACK_PX = 1.5;
  const ARROW_PX = 18;
  const root = document.documentElement;
  const over = document.querySelector("dialog[open]") ?? document.body;
  const style = (node) => getComputedStyle(node);
  const up = (node) => (node && node !== root ? [node, ...up(node.parentElement)] : []);
  const named = (node) => (node.id ? `#${node.id}` : [node.localName, ...node.classList].join("."));
  const place = (node) => `${node.parentElement ? named(node.parentElement) : ""} > ${named(node)}`;
  // What only a screen reader gets is a point on the screen.
  const isForEyes = (node) => !up(node).some((one) => style(one).clipPath !== "none");
  const isSeen = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && isForEyes(node);
  const nodes = [...over.querySelectorAll("*")].filter((node) => !node.closest("svg, canvas, script") && isSeen(node));

  const held = new Set();
  for (const node of [root, over, ...nodes]) {
    const { overflowX, overflowY } = style(node);
    const isOut = (overflow) => node === root || overflow !== "visible";
    if (node.scrollWidth > node.clientWidth + 1 && isOut(overflowX)) held.add(`x ${named(node)}`);
    if (node.scrollHeight > node.clientHeight + 1 && isOut(overflowY)) held.add(`y ${named(node)}`);
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
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const node = text.parentElement;
    if (!text.data.trim() || node.closest("svg, script, select, style") || !isSeen(node)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) if (box.width > 1) lines.push({ node, box, words: text.data.trim() });
  }
  const spilt = new Set();
  for (const { node, box, words } of lines) {
    // Its word may be a little wider than a die: they stand apart.
    const chip = node.closest(".chip");
    // Where spaces are kept, the last one of a line hangs over its end.
    const end = style(node).whiteSpace === "pre-wrap" ? parseFloat(style(node).fontSize) : SLACK_PX;
    const slack = chip ? chip.getBoundingClientRect().width * 0.13 : end;
    for (const around of up(node)) {
      const { display, overflowX, position } = style(around);
      if (["auto", "scroll"].includes(overflowX) && around.scrollWidth > around.clientWidth + 1) break;
      const outer = around.getBoundingClientRect();
      const isBox = display !== "contents" && outer.width > 0;
      const isBeside = box.left < outer.left - slack || box.right > outer.right + slack;
      const isOver = box.top < outer.top - slack || box.bottom > outer.bottom + slack;
      if (isBox && (isBeside || (isOver && around.matches("button, a.tool, .state")))) {
        spilt.add(`${words}: out of ${place(around)}`);
      }
      if (position === "fixed") break;
    }
  }

  // A thing counts as far as it is not scrolled out of its box.
  const cut = (box, outer) => ({
    left: Math.max(box.left, outer.left),
    right: Math.min(box.right, outer.right),
    top: Math.max(box.top, outer.top),
    bottom: Math.min(box.bottom, outer.bottom),
  });
  const isCutting = (node) => style(node).overflowX !== "visible" || style(node).overflowY !== "visible";
  const shown = (node, box) =>
    up(node)
      .filter(isCutting)
      .reduce((rest, one) => cut(rest, one.getBoundingClientRect()), box);
  // The letters of a line are less high than its box, whose height is the font's: figures stand close to others.
  const inked = (node, box, words) => {
    const { fontWeight, fontSize, fontFamily } = style(node);
    pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
    const ink = pen.measureText(words);
    const scale = box.height / (ink.fontBoundingBoxAscent + ink.fontBoundingBoxDescent);
    const top = box.top + (ink.fontBoundingBoxAscent - ink.actualBoundingBoxAscent) * scale;
    const foot = box.bottom - ink.fontBoundingBoxDescent * scale;
    return { left: box.left, right: box.right, top, foot, bottom: foot + ink.actualBoundingBoxDescent * scale };
  };
  const layer = (node) => up(node).find((one) => ["sticky", "fixed"].includes(style(one).position));
  const thing = (node, box, words) => {
    return { node, box: shown(node, box), foot: box.foot ?? Infinity, words, layer: layer(node) };
  };
  const keys = nodes.filter((node) => node.matches("button, a.tool, select, input"));
  const things = [
    ...lines.map(({ node, box, words }) => thing(node, inked(node, box, words), words)),
    ...keys.map((node) => thing(node, node.getBoundingClientRect(), named(node))),
  ];
  const overlaps = new Set();
  const hanging = new Set();
  for (const [index, one] of things.entries()) {
    for (const other of things.slice(index + 1)) {
      if (one.layer !== other.layer || one.node.contains(other.node) || other.node.contains(one.node)) continue;
      const both = cut(one.box, other.box);
      if (both.right - both.left <= 2 || both.bottom - both.top <= 3) continue;
      // A g hangs between the letters of the line below; a key cuts it.
      const depth = Math.min(both.bottom, one.foot, other.foot) - both.top;
      if (depth > 3) overlaps.add(`${one.words} | ${other.words}`);
      else if (keys.includes(one.node) !== keys.includes(other.node)) hanging.add(`${one.words} | ${other.words}`);
    }
  }
  return { held: [...held], spilt: [...spilt], overlaps: [...overlaps], hanging: [...hanging] };
}"""
"""Looks at the topmost window that is open, else at the page. Drawings and what stands in them are left out."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a page lies in its window.

    Attributes:
        held: What holds more than it shows: axis and element of what scrolls, fields whose words are cut off.
        spilt: Words that stick out of their box.
        overlaps: Words and keys that lie on each other.
        hanging: Words of which only what hangs below the line lies on a key.
    """

    held: frozenset[str]
    spilt: tuple[str, ...]
    overlaps: tuple[str, ...]
    hanging: tuple[str, ...]


def layout_of(page: Page) -> Layout:
    """Measure a page as it stands."""
    page.evaluate("() => document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
    found = page.evaluate(MEASURE)
    return Layout(frozenset(found["held"]), tuple(found["spilt"]), tuple(found["overlaps"]), tuple(found["hanging"]))
