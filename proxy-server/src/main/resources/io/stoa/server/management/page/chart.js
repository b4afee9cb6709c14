// SPDX-License-Identifier: Apache-2.0
// Line charts as SVG. Lines differ by colour and by dashes, and the legend has their last value.

import { element, graphic, setText } from "./elements.js";

const HEIGHT = 176;
const MARGIN = { top: 8, right: 8, bottom: 22, left: 56 };
const STYLES = ["first", "second", "third", "fourth"];

/** Returns about four round values from 0 to at least the largest. */
function linearTicks(largest) {
  const step = 10 ** Math.floor(Math.log10(largest / 3));
  const size = [1, 2, 5, 10].map((factor) => factor * step).find((one) => one * 4 >= largest);
  return Array.from({ length: Math.ceil(largest / size) + 1 }, (_, index) => index * size);
}

/** Returns the powers of ten around the values, which are at least 1. */
function logTicks(smallest, largest) {
  const first = Math.floor(Math.log10(smallest));
  const last = Math.max(Math.ceil(Math.log10(largest)), first + 1);
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
}

/** Returns the ticks of the vertical axis, and the place of each value. */
function verticalScale(values, { log, largest }) {
  const top = largest ?? Math.max(...values, 0);
  let ticks;
  if (log) {
    ticks = values.length === 0 ? logTicks(1, 1) : logTicks(Math.max(1, Math.min(...values)), Math.max(1, top));
  } else {
    ticks = largest === undefined ? linearTicks(top === 0 ? 1 : top) : [0, largest / 4, largest / 2, (3 * largest) / 4, largest];
  }
  const change = log ? Math.log10 : (value) => value;
  const [low, high] = [change(ticks[0]), change(ticks.at(-1))];
  const room = HEIGHT - MARGIN.top - MARGIN.bottom;
  const place = (value) => MARGIN.top + room * (1 - (change(Math.max(value, ticks[0])) - low) / (high - low));
  return { ticks, place };
}

/** Creates the parts of a chart that stay: caption, drawing and legend. */
function prepare(figure, title, series) {
  if (figure.firstElementChild !== null) {
    return;
  }
  const swatch = (style) =>
    graphic(
      "svg",
      { viewBox: "0 0 28 12", "aria-hidden": "true" },
      graphic("path", { class: `series ${style}`, d: "M0 6H28" }));
  figure.append(
    element("figcaption", {}, title),
    graphic("svg", { class: "plot", role: "img" }),
    element(
      "ul",
      { class: "legend" },
      ...series.map((_, index) => element("li", {}, swatch(STYLES[index]), element("span")))));
}

/**
 * Draws a chart into a figure.
 *
 * @param figure the element to fill
 * @param title caption
 * @param series name, lines (arrays of x and y) and last value as text of each line
 * @param axes x: range (first and last value) and ticks (value, text, anchor); y: format of its
 *     ticks, log (true for powers of ten), largest (end of the axis), cap (values above are drawn
 *     there); marks: true to mark each point
 */
export function drawChart(figure, title, series, axes) {
  prepare(figure, title, series);
  const plot = figure.querySelector(".plot");
  const width = Math.max(240, figure.clientWidth - 18);
  const bounded = (value) => Math.min(value, axes.y.cap ?? Infinity);
  const values = series.flatMap((one) => one.lines.flat().map((point) => bounded(point.y)));
  const { ticks, place } = verticalScale(values, axes.y);
  const [from, to] = axes.x.range;
  const inner = width - MARGIN.left - MARGIN.right;
  const across = (value) => MARGIN.left + (inner * (Math.max(value, from) - from)) / (to - from);
  const path = (line) =>
    `M${line.map(({ x, y }) => `${across(x).toFixed(1)} ${place(bounded(y)).toFixed(1)}`).join("L")}`;
  const parts = ticks.flatMap((tick) => [
    graphic("path", { class: "grid", d: `M${MARGIN.left} ${place(tick)}H${width - MARGIN.right}` }),
    graphic("text", { x: MARGIN.left - 6, y: place(tick) + 4, "text-anchor": "end" }, axes.y.format(tick)),
  ]);
  for (const [value, text, anchor] of axes.x.ticks) {
    parts.push(graphic("text", { x: across(value), y: HEIGHT - 6, "text-anchor": anchor ?? "middle" }, text));
  }
  series.forEach((one, index) => {
    const style = STYLES[index];
    parts.push(...one.lines.map((line) => graphic("path", { class: `series ${style}`, d: path(line) })));
    if (axes.marks) {
      parts.push(
        ...one.lines.flat().map(({ x, y }) =>
          graphic("circle", { class: `mark ${style}`, cx: across(x), cy: place(bounded(y)), r: 3 })));
    }
  });
  plot.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
  plot.setAttribute("aria-label", `${title}. ${series.map((one) => `${one.name}: ${one.last}`).join("; ")}`);
  plot.replaceChildren(...parts);
  const texts = figure.querySelectorAll(".legend span");
  series.forEach((one, index) => setText(texts[index], `${one.name} ${one.last}`));
}
