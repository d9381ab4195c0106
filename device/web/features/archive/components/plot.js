// @ts-check
// Plots by uPlot: bars and lines in the colours of the page. A table next to each has its numbers.

import { element } from "../../../ui/lib/dom.js";
import { html } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import uPlot from "../../../ui/lib/vendor/uplot/uPlot.esm.js";

/** @typedef {{ name: string, values: (number | null)[], colour?: string }} Series */
/** @typedef {{ title: string, x: (number | null)[], series: Series[], ticks?: string[], expected?: number, isStacked?: boolean }} Plotted */

const HEIGHT_PX = 210;
const TEXT_PX = 14;
/** Up to this number rolls are marked one by one on a line. */
const FEW = 40;
/** Counts have whole numbers. */
const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
/** Colours of lines and bars without a dice colour, distinct for the colour-blind, and by dashes. */
export const PALETTE = ["#2f6bd0", "#c25e00", "#6a4fb3", "#00796b", "#a3315a", "#6b6f00", "#37474f", "#8a4b00"];
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

/** @param {string} name */
const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The x values of bars get room at both ends. @param {(number | null)[]} x */
const room = (x) => /** @type {[number, number]} */ ([Number(x[0]) - 0.6, Number(x.at(-1)) + 0.6]);

/**
 * Stacked bars: cumulative heights, the tallest drawn first so that the others are in front.
 * @param {Series[]} series
 */
export function piled(series) {
  const sums = series[0]?.values.map(() => 0) ?? [];
  return series
    .map((one) => ({ ...one, values: one.values.map((value, place) => (sums[place] += value ?? 0)) }))
    .reverse();
}

/** A plot in its own element, as wide as that. @param {"bars" | "lines"} kind @param {Plotted} plotted */
export function plot(kind, { title, x, series, ticks, expected, isStacked = false }) {
  const node = element(html`<div class="plot" role="img" aria-label=${title}></div>`);
  const drawn = isStacked ? piled(series) : series;
  /** @type {uPlot | null} */
  let chart = null;

  /** @param {number} width */
  function draw(width) {
    chart?.destroy();
    const axis = {
      stroke: ink("--soft"),
      grid: { stroke: ink("--line"), width: 1 },
      ticks: { show: false },
      font: `${TEXT_PX}px ${getComputedStyle(document.body).fontFamily}`,
    };
    const isBars = kind === "bars";
    /** @type {uPlot.Options} */
    const options = {
      width,
      height: HEIGHT_PX,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, ...(isBars ? { range: () => room(x) } : {}) },
        y: isBars ? { range: (_, __, most) => [0, Math.max(1, most, expected ?? 0) * 1.1] } : {},
      },
      axes: [
        {
          ...axis,
          size: 30,
          grid: { show: false },
          ...(isBars ? { splits: () => x.map(Number), values: () => ticks ?? x.map(String) } : { incrs: WHOLE }),
        },
        { ...axis, size: 46, ...(isBars ? { incrs: WHOLE } : {}) },
      ],
      series: [
        {},
        ...drawn.map((one, place) => ({
          label: one.name,
          stroke: isBars ? ink("--soft") : (one.colour ?? PALETTE[place % PALETTE.length]),
          width: isBars ? 1 : 2.5,
          points: { show: !isBars && x.length <= FEW, size: 7 },
          ...(isBars
            ? { fill: one.colour ?? PALETTE[place % PALETTE.length], paths: uPlot.paths.bars?.({ size: [0.7, 90] }) }
            : { dash: DASHES[place % DASHES.length] }),
        })),
      ],
      hooks: expected === undefined ? {} : { draw: [(self) => level(self, expected, ink("--text"))] },
    };
    chart = new uPlot(options, /** @type {uPlot.AlignedData} */ ([x, ...drawn.map((one) => one.values)]), node);
  }

  // The width is known once it is on the page, and changes when a phone is turned.
  const sized = new ResizeObserver(([seen]) => {
    const width = Math.floor(seen.contentRect.width);
    if (width > 0 && width !== chart?.width) draw(width);
  });
  sized.observe(node);
  shown.add({
    isGone: () => !node.isConnected,
    dress: () => chart && draw(chart.width),
    end() {
      sized.disconnect();
      chart?.destroy();
    },
  });
  return node;
}

/** @type {Set<{ isGone: () => boolean, dress: () => void, end: () => void }>} */
const shown = new Set();

if (globalThis.MutationObserver)
  new MutationObserver(() => shown.forEach((one) => one.dress())).observe(document.documentElement, {
    attributeFilter: ["data-theme"],
  });

/** Destroys plots that are no longer on the page. */
export function letGo() {
  for (const one of shown) if (one.isGone() && shown.delete(one)) one.end();
}

/** A dashed line at a height, over the bars. @param {uPlot} self @param {number} value @param {string} colour */
function level(self, value, colour) {
  const y = Math.round(self.valToPos(value, "y", true));
  const { ctx, bbox } = self;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}
