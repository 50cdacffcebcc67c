// @ts-check
// Step charts of values over the course of a game, with a cursor.

import { svgNode } from "./board.js";
import { make } from "./parts.js";

/** `other`: the values in another game, drawn behind. @typedef {{ name: string, paint: string, values: (number | null)[], other?: (number | null)[] }} Series */

const WIDTH = 480; // until `fit` is called
const HEIGHT = 210;
const LEFT = 48;
const BOTTOM = 22;
const TOP = 8;
const RIGHT = 8;

/** @typedef {{ step: number, words: string, look?: string }} Marked */

export class LineChart {
  /**
   * @param {string} title
   * @param {Series[]} series
   * @param {(value: number) => string} format
   * @param {(step: number) => void} go
   * @param {{ marks?: Marked[], height?: number, high?: number }} more marked steps, height in pixels, smallest maximum of the axis
   */
  constructor(title, series, format, go, { marks = [], height = HEIGHT, high = 1 } = {}) {
    this.series = series;
    this.format = format;
    this.go = go;
    /** @type {Marked[]} */ this.marks = [...marks];
    this.width = WIDTH;
    this.height = height;
    this.step = 0;
    this.steps = Math.max(...series.map(({ values, other = [] }) => Math.max(values.length, other.length)));
    const values = series.flatMap(({ values, other = [] }) => [...values, ...other].filter((value) => value !== null));
    const low = values.reduce((least, value) => Math.min(least, value), 0);
    const top = values.reduce((most, value) => Math.max(most, value), high);
    this.each = roundStep((top - low) / 4);
    this.low = Math.floor(low / this.each) * this.each;
    this.high = Math.ceil(top / this.each) * this.each;
    this.cursor = svgNode("path", { class: "cursor" });
    this.dots = series.map(({ paint }) => svgNode("circle", { class: `dot line-${paint}`, r: 3.5 }));
    this.svg = svgNode("svg", { role: "img", "aria-label": `Chart: ${title}` });
    this.svg.addEventListener("click", (event) => go(this.stepAt(event)));
    this.svg.addEventListener("pointermove", (event) => event.buttons === 1 && go(this.stepAt(event)));
    const legend = make("ul");
    this.readings = series.map(({ name, paint }) => {
      const key = svgNode("svg", { viewBox: "0 0 18 8", class: "key", "aria-hidden": "true" });
      key.append(svgNode("path", { d: "M1 4H17", class: `line line-${paint}` }));
      const reading = make("b");
      legend.append(make("li", "", key, make("span", "series", name), " ", reading));
      return reading;
    });
    this.figure = make("figure", "chart", make("figcaption", "", title), this.svg, legend);
    this.draw();
    new ResizeObserver(([{ contentRect }]) => this.fit(contentRect.width)).observe(this.svg);
  }

  // Draw the chart as wide as its container, so that its texts are not scaled.
  fit(/** @type {number} */ width) {
    if (!width || Math.abs(width - this.width) < 1) return;
    this.width = width;
    this.draw();
  }

  draw() {
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.replaceChildren();
    this.drawAxes();
    for (const { other, paint } of this.series) {
      if (other) this.svg.append(svgNode("path", { class: `line other line-${paint}`, d: this.way(other) }));
    }
    for (const { values, paint } of this.series) {
      this.svg.append(svgNode("path", { class: `line line-${paint}`, d: this.way(values) }));
    }
    this.svg.append(this.cursor, ...this.dots, ...this.marks.map((mark) => this.drawMark(mark)));
    this.show(this.step);
  }

  // Mark a step. `words` explain the mark.
  mark(/** @type {Marked} */ mark) {
    this.marks.push(mark);
    this.svg.append(this.drawMark(mark));
  }

  drawMark(/** @type {Marked} */ { step, words, look = "moment" }) {
    const x = this.x(step).toFixed(1);
    const mark = svgNode("g", { class: look });
    mark.append(
      svgNode("title", {}, words),
      svgNode("path", { d: `M${x} ${TOP}V${this.height - BOTTOM}` }),
      svgNode("circle", { cx: x, cy: TOP, r: 5 }),
    );
    mark.addEventListener("click", (event) => {
      event.stopPropagation();
      this.go(step);
    });
    return mark;
  }

  x(/** @type {number} */ step) {
    return LEFT + ((this.width - LEFT - RIGHT) * step) / Math.max(this.steps - 1, 1);
  }

  y(/** @type {number} */ value) {
    return TOP + (this.height - BOTTOM - TOP) * (1 - (value - this.low) / (this.high - this.low));
  }

  stepAt(/** @type {MouseEvent} */ event) {
    const box = this.svg.getBoundingClientRect();
    const across = ((event.clientX - box.left) / box.width) * this.width;
    const share = (across - LEFT) / (this.width - LEFT - RIGHT);
    return Math.min(Math.max(Math.round(share * (this.steps - 1)), 0), this.steps - 1);
  }

  drawAxes() {
    for (let value = this.low; value <= this.high; value += this.each) {
      const y = this.y(value).toFixed(1);
      this.svg.append(svgNode("path", { class: "rule", d: `M${LEFT} ${y}H${this.width - RIGHT}` }));
      this.svg.append(svgNode("text", { class: "tick end", x: LEFT - 7, y: +y + 4 }, short(value, this.high)));
    }
    const stride = Math.max(roundStep((this.steps - 1) / Math.max(this.width / 80, 2)), 1);
    for (let step = 0; step < this.steps; step += stride) {
      const place = { class: "tick middle", x: this.x(step).toFixed(1), y: this.height - 5 };
      this.svg.append(svgNode("text", place, String(step)));
    }
  }

  way(/** @type {(number | null)[]} */ values) {
    let way = "";
    /** @type {number | null} */ let before = null;
    values.forEach((value, step) => {
      if (value === before) return;
      const x = this.x(step).toFixed(1);
      if (before !== null) way += `H${x}`;
      if (value !== null) way += before === null ? `M${x} ${this.y(value).toFixed(1)}` : `V${this.y(value).toFixed(1)}`;
      before = value;
    });
    return before === null ? way : `${way}H${this.x(values.length - 1).toFixed(1)}`;
  }

  show(/** @type {number} */ step) {
    this.step = step;
    const x = this.x(step).toFixed(1);
    this.cursor.setAttribute("d", `M${x} ${TOP}V${this.height - BOTTOM}`);
    this.series.forEach(({ values }, number) => {
      const value = values[step];
      this.readings[number].textContent = value === null ? "–" : this.format(value);
      this.dots[number].setAttribute("cx", x);
      this.dots[number].setAttribute("cy", value === null ? "-10" : this.y(value).toFixed(1));
    });
  }
}

export function roundStep(/** @type {number} */ rough) {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  return power * ([1, 2, 5].find((one) => one * power >= rough) ?? 10);
}

// Return the label of a value on an axis that ends at `high`. All labels of an axis have the same format.
function short(/** @type {number} */ value, /** @type {number} */ high) {
  return value && high >= 10000 ? `${Math.round(value / 100) / 10}k` : String(value);
}
