"use strict";
// Step lines of values through a game, with a cursor. Series: {name, paint, values}, a value for each step or null.

class LineChart {
  static WIDTH = 480;
  static HEIGHT = 210;
  static LEFT = 44;
  static BOTTOM = 20;
  static TOP = 8;
  static RIGHT = 8;

  constructor(title, series, format, go) {
    this.series = series;
    this.format = format;
    this.steps = series[0].values.length;
    this.figure = document.createElement("figure");
    this.figure.className = "chart";
    const caption = document.createElement("figcaption");
    caption.textContent = title;
    this.svg = LineChart.node("svg", { viewBox: `0 0 ${LineChart.WIDTH} ${LineChart.HEIGHT}`, role: "img", "aria-label": `Chart: ${title}` });
    this.draw();
    this.svg.addEventListener("click", (event) => go(this.stepAt(event)));
    this.svg.addEventListener("pointermove", (event) => event.buttons === 1 && go(this.stepAt(event)));
    this.legend = document.createElement("ul");
    this.readings = series.map(({ name, paint }) => {
      const item = document.createElement("li");
      const key = LineChart.node("svg", { viewBox: "0 0 18 8", class: "key", "aria-hidden": "true" });
      key.append(LineChart.node("path", { d: "M1 4H17", class: `line line-${paint}` }));
      const label = document.createElement("span");
      label.className = "series";
      label.textContent = name;
      const reading = document.createElement("b");
      item.append(key, label, " ", reading);
      this.legend.append(item);
      return reading;
    });
    this.figure.append(caption, this.svg, this.legend);
  }

  static node(tag, attributes, text) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    return node;
  }

  x(step) {
    return LineChart.LEFT + ((LineChart.WIDTH - LineChart.LEFT - LineChart.RIGHT) * step) / Math.max(this.steps - 1, 1);
  }

  y(value) {
    const high = LineChart.HEIGHT - LineChart.BOTTOM - LineChart.TOP;
    return LineChart.TOP + high * (1 - (value - this.low) / (this.high - this.low));
  }

  stepAt(event) {
    const box = this.svg.getBoundingClientRect();
    const across = ((event.clientX - box.left) / box.width) * LineChart.WIDTH;
    const share = (across - LineChart.LEFT) / (LineChart.WIDTH - LineChart.LEFT - LineChart.RIGHT);
    return Math.min(Math.max(Math.round(share * (this.steps - 1)), 0), this.steps - 1);
  }

  draw() {
    let low = 0, high = 1;
    for (const { values } of this.series) {
      for (const value of values) {
        if (value !== null) { low = Math.min(low, value); high = Math.max(high, value); }
      }
    }
    const each = LineChart.roundStep((high - low) / 4);
    this.low = Math.floor(low / each) * each;
    this.high = Math.ceil(high / each) * each;
    for (let value = this.low; value <= this.high; value += each) {
      const y = this.y(value).toFixed(1);
      this.svg.append(LineChart.node("path", { class: "rule", d: `M${LineChart.LEFT} ${y}H${LineChart.WIDTH - LineChart.RIGHT}` }));
      this.svg.append(LineChart.node("text", { class: "tick end", x: LineChart.LEFT - 5, y: +y + 3.5 }, LineChart.short(value)));
    }
    const stride = Math.max(LineChart.roundStep((this.steps - 1) / 6), 1);
    for (let step = 0; step < this.steps; step += stride) {
      this.svg.append(LineChart.node("text", { class: "tick middle", x: this.x(step).toFixed(1), y: LineChart.HEIGHT - 5 }, step));
    }
    for (const { values, paint } of this.series) {
      this.svg.append(LineChart.node("path", { class: `line line-${paint}`, d: this.way(values) }));
    }
    this.cursor = LineChart.node("path", { class: "cursor" });
    this.dots = this.series.map(({ paint }) => LineChart.node("circle", { class: `dot line-${paint}`, r: 3.5 }));
    this.svg.append(this.cursor, ...this.dots);
  }

  way(values) {
    let way = "", before = null;
    values.forEach((value, step) => {
      if (value === before) return;
      const x = this.x(step).toFixed(1);
      if (before !== null) way += `H${x}`;
      if (value !== null) way += before === null ? `M${x} ${this.y(value).toFixed(1)}` : `V${this.y(value).toFixed(1)}`;
      before = value;
    });
    return before === null ? way : `${way}H${this.x(values.length - 1).toFixed(1)}`;
  }

  static roundStep(rough) {
    const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
    return power * [1, 2, 5, 10].find((one) => one * power >= rough);
  }

  static short(value) {
    return Math.abs(value) >= 10000 ? `${Math.round(value / 100) / 10}k` : String(value);
  }

  show(step) {
    const x = this.x(step).toFixed(1);
    this.cursor.setAttribute("d", `M${x} ${LineChart.TOP}V${LineChart.HEIGHT - LineChart.BOTTOM}`);
    this.series.forEach(({ values }, number) => {
      const value = values[step];
      this.readings[number].textContent = value === null ? "–" : this.format(value);
      this.dots[number].setAttribute("cx", x);
      this.dots[number].setAttribute("cy", value === null ? -10 : this.y(value).toFixed(1));
    });
  }
}
