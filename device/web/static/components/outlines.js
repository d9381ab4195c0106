// Outlines over the live picture, in the picture's own pixels: what each die is, what it shows, what is to be done.

import { bodyHex, iconPath, inkHex, isNews, svg } from "../lib/drawing.js";
import { diceOf, kindOf, plainWord } from "../lib/words.js";

// Shares of the picture's width, so that marks look alike at every resolution.
const PLATE = { width: 0.103, plain: 0.072, height: 0.042, gap: 0.008, grow: 0.007, line: 0.0042 };

function grown(corners, by) {
  const x0 = corners.reduce((sum, [x]) => sum + x, 0) / corners.length;
  const y0 = corners.reduce((sum, [, y]) => sum + y, 0) / corners.length;
  return corners.map(([x, y]) => {
    const length = Math.hypot(x - x0, y - y0) || 1;
    return [x + ((x - x0) / length) * by, y + ((y - y0) / length) * by];
  });
}

function overlap(a, b) {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

function boxOf(corners) {
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  return { x: Math.min(...xs), y: Math.min(...ys), width: Math.max(...xs) - Math.min(...xs), height: Math.max(...ys) - Math.min(...ys) };
}

// Puts each die's plate beside it where it covers least of other dice and plates.
function placePlates(outlines, frame) {
  const gap = frame.width * PLATE.gap;
  const taken = outlines.map(({ corners }) => boxOf(corners));
  return outlines.map((outline, index) => {
    const box = taken[index];
    const size = { width: frame.width * (outline.kind === "final" ? PLATE.plain : PLATE.width), height: frame.width * PLATE.height };
    const middle = { x: box.x + (box.width - size.width) / 2, y: box.y + (box.height - size.height) / 2 };
    const spots = [
      { x: middle.x, y: box.y - size.height - gap },
      { x: middle.x, y: box.y + box.height + gap },
      { x: box.x + box.width + gap, y: middle.y },
      { x: box.x - size.width - gap, y: middle.y },
    ].map((spot, order) => {
      const x = Math.min(Math.max(spot.x, 0), frame.width - size.width);
      const y = Math.min(Math.max(spot.y, 0), frame.height - size.height);
      const plate = { x, y, ...size };
      const covered = taken.reduce((sum, other) => sum + overlap(plate, other), 0);
      return { plate, cost: covered + order * size.width * 0.4 };
    });
    const best = spots.reduce((least, spot) => (spot.cost < least.cost ? spot : least));
    taken.push(best.plate);
    return best.plate;
  });
}

function plateOf(die, kind, plate, colours) {
  const { x, y, width, height } = plate;
  const group = svg("g", { class: "plate", transform: `translate(${x} ${y})` });
  group.append(svg("rect", { width, height, rx: height * 0.28, class: "plate-body" }));
  const side = height * 0.68;
  const inset = (height - side) / 2;
  group.append(svg("rect", { x: inset, y: inset, width: side, height: side, rx: side * 0.24, fill: bodyHex(die.colour, colours), class: "plate-swatch" }));
  const letter = svg("text", { x: inset + side / 2, y: height * 0.68, "text-anchor": "middle", "font-size": height * 0.52, fill: die.colour ? inkHex(die.colour, colours) : "#17191c" });
  letter.textContent = die.role || die.colour ? plainWord(die.role ?? die.colour).charAt(0) : "?";
  const value = svg("text", { x: kind === "final" ? width * 0.74 : width * 0.5, y: height * 0.83, "text-anchor": "middle", "font-size": height * 0.92, class: "plate-value" });
  value.textContent = die.value ?? "?";
  group.append(letter, value);
  if (kind !== "final") {
    const scale = (height * 0.74) / 24;
    group.append(svg("path", { d: iconPath(kind), class: "plate-icon", transform: `translate(${width - 24 * scale - inset * 0.8} ${(height - 24 * scale) / 2}) scale(${scale})` }));
  }
  return group;
}

// What somebody said is no die: a thin cross, so that it can be taken back.
function dismissedMark(die, frame, onTap) {
  const line = frame.width * PLATE.line * 0.7;
  const [a, b, c, d] = die.top_quad_px;
  const group = svg("g", { class: "mark kind-dismissed", "data-mark-id": die.id, "data-dismissed": "true" });
  group.append(svg("polygon", { points: die.top_quad_px.map((corner) => corner.join(",")).join(" "), class: "dismissed", "stroke-width": line }));
  group.append(svg("path", { d: `M${a.join(",")} L${c.join(",")} M${b.join(",")} L${d.join(",")}`, class: "dismissed", "stroke-width": line }));
  group.addEventListener("click", () => onTap(die.id));
  return group;
}

export function renderMarks(place, snapshot, onTap) {
  if (!isNews(place, snapshot.state, snapshot.dice, snapshot.ignored_dice, snapshot.colours, snapshot.frame)) return;
  const frame = snapshot.frame ?? { width: 1280, height: 960 };
  place.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
  if (snapshot.state === "rolling") {
    place.replaceChildren();
    return;
  }
  const outlines = diceOf(snapshot).filter((die) => die.top_quad_px?.length === 4 && !die.picked_up).map((die) => ({ die, kind: kindOf(die, snapshot.state), corners: grown(die.top_quad_px, frame.width * PLATE.grow) }));
  const plates = placePlates(outlines, frame);
  const line = frame.width * PLATE.line;
  place.replaceChildren(
    ...outlines.map(({ die, kind, corners }, index) => {
      const points = corners.map((corner) => corner.join(",")).join(" ");
      const group = svg("g", { class: `mark kind-${kind}`, "data-mark-id": die.id });
      group.append(svg("polygon", { points, class: "halo", "stroke-width": line * 2.4 }));
      group.append(svg("polygon", { points, class: "outline", "stroke-width": line, "stroke-dasharray": kind === "reroll" ? `${line * 3} ${line * 1.9}` : "none" }));
      group.append(plateOf(die, kind, plates[index], snapshot.colours));
      group.addEventListener("click", () => onTap(die.id));
      return group;
    }),
    ...(snapshot.ignored_dice ?? []).map((die) => dismissedMark(die, frame, onTap)),
  );
}
