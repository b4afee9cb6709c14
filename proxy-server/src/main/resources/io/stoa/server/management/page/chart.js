// SPDX-License-Identifier: Apache-2.0
// Line charts as SVG. Lines differ by colour and by dashes, and the legend has their last value.

import { element, graphic } from "./elements.js";

const HEIGHT = 176;
const MARGIN = { top: 8, right: 8, bottom: 22, left: 56 };
const STYLES = ["first", "second", "third", "fourth"];

/** Returns about four round values from 0 to at least the largest. */
function linearTicks(largest) {
  const step = 10 ** Math.floor(Math.log10(largest / 3));
  const size = [1, 2, 5, 10].map((factor) => factor * step).find((one) => one * 4 >= largest);
  const ticks = [];
  for (let tick = 0; tick < largest + size; tick += size) {
    ticks.push(tick);
  }
  return ticks;
}

/** Returns the powers of ten around the values, which are at least 1. */
function logTicks(smallest, largest) {
  const first = Math.floor(Math.log10(smallest));
  const last = Math.max(Math.ceil(Math.log10(largest)), first + 1);
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
}

function verticalScale(values, { log, largest }) {
  const top = largest ?? Math.max(...values, 0);
  const ticks = log
    ? logTicks(...(values.length === 0 ? [1, 1] : [Math.max(1, Math.min(...values)), Math.max(1, top)]))
    : linearTicks(top === 0 ? 1 : top);
  const shown = largest === undefined ? ticks : ticks.filter((tick) => tick <= largest + 1e-9);
  const change = log ? Math.log10 : (value) => value;
  const [low, high] = [change(shown[0]), change(shown.at(-1))];
  const room = HEIGHT - MARGIN.top - MARGIN.bottom;
  const place = (value) =>
    MARGIN.top + room * (1 - (change(Math.max(value, shown[0])) - low) / (high - low));
  return { ticks: shown, place };
}

function swatch(style) {
  return graphic(
    "svg",
    { viewBox: "0 0 28 12", "aria-hidden": "true" },
    graphic("path", { class: `series ${style}`, d: "M0 6H28" }));
}

/**
 * Draws a chart into a figure.
 *
 * @param figure the element to fill
 * @param title caption
 * @param series name, lines (arrays of x and y) and last value as text of each line
 * @param axes x: first and last value and its ticks ([value, text]); y: format, log and largest
 */
export function drawChart(figure, title, series, axes) {
  const width = Math.max(240, figure.clientWidth - 18);
  const values = series.flatMap((one) => one.lines.flat().map((point) => point.y));
  const { ticks, place } = verticalScale(values, axes.y);
  const [from, to] = axes.x.range;
  const across = (value) =>
    MARGIN.left + ((width - MARGIN.left - MARGIN.right) * (value - from)) / (to - from);
  const path = (line) =>
    `M${line.map((point) => `${across(point.x).toFixed(1)} ${place(point.y).toFixed(1)}`).join("L")}`;
  const parts = ticks.flatMap((tick) => [
    graphic("path", { class: "grid", d: `M${MARGIN.left} ${place(tick)}H${width - MARGIN.right}` }),
    graphic("text", { x: MARGIN.left - 6, y: place(tick) + 4, "text-anchor": "end" }, axes.y.format(tick)),
  ]);
  for (const [value, text, anchor] of axes.x.ticks) {
    parts.push(
      graphic("text", { x: across(value), y: HEIGHT - 6, "text-anchor": anchor ?? "middle" }, text));
  }
  series.forEach((one, index) => {
    const style = STYLES[index];
    one.lines.forEach((line) => parts.push(graphic("path", { class: `series ${style}`, d: path(line) })));
    if (axes.marks) {
      one.lines.flat().forEach((point) =>
        parts.push(graphic("circle", { class: `mark ${style}`, cx: across(point.x), cy: place(point.y), r: 3 })));
    }
  });
  const summary = series.map((one) => `${one.name}: ${one.last}`).join("; ");
  figure.replaceChildren(
    element("figcaption", {}, title),
    graphic(
      "svg",
      { class: "plot", role: "img", "aria-label": `${title}. ${summary}`, viewBox: `0 0 ${width} ${HEIGHT}` },
      ...parts),
    element(
      "ul",
      { class: "legend" },
      ...series.map((one, index) => element("li", {}, swatch(STYLES[index]), `${one.name} ${one.last}`))));
}
