// @ts-check
// The board of a live table. The server draws it, and the page highlights the places that can be chosen.

import { Board, checkedBoard, svgNode } from "./board.js";
import { avoid, Minimap } from "./minimap.js";
import { $, make } from "./parts.js";
import { isMiddleInside, middle, Zoom } from "./zoom.js";

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

// Sizes in a wide window: the space beside the board (`ACROSS_PX`) and above and below it (`down`), and the width of
// the column with the question. After the end of a game, the column is wider, and there are no players above.
const WIDE = matchMedia("(min-width: 900px) and (min-height: 560px) and (orientation: landscape)");
const ACROSS_PX = 38;
const PLAYING = { least: 384, share: 0.28, most: 460, down: 158 };
const ENDED = { least: 420, share: 0.36, most: 604, down: 74 };
const RESIZED_MS = 250;
const HOVER_CORNERS = ["bottom-left", "top-left", "bottom-middle", "top-middle", "top-right"];

export class Places {
  /**
   * `pick` is called when a place is chosen by a click or a key. `why` is called after a click on a place that cannot
   * be chosen. `point` is called with the place under the pointer or the focus, or null. `redraw` is called when the
   * proportions of the window have changed.
   * @param {HTMLElement} holder
   * @param {{ pick: (place: string, isKey: boolean) => void, point: (place: string | null) => void, why: (place: string) => void, redraw: () => void }} ways
   */
  constructor(holder, ways) {
    this.holder = holder;
    this.zoom = new Zoom(holder);
    this.minimap = new Minimap(holder, () => this.outlines());
    this.ways = ways;
    /** @type {Board | null} */ this.board = null;
    /** SVG of the board, as the server sent it. */
    this.text = "";
    /** Whether the drawing depends on the ratio, and the requested ratio. See `ratioOf`. */
    this.isFlexible = false;
    /** @type {number | null} */ this.ratio = null;
    /** @type {number | undefined} */ this.timer = undefined;
    this.above = svgNode("svg", {});
    /** Highlights of hexes, below the track. */ this.washes = svgNode("g", { class: "washes" });
    /** @type {Map<number, Page.SvgMark>} */ this.marks = new Map();
    /** @type {Map<number, Page.SvgMark>} */ this.real = new Map();
    /** @type {Map<string, SVGGElement>} */ this.targets = new Map();
    /** @type {Map<string, SVGGraphicsElement>} */ this.shapes = new Map();
    /** @type {Element | null} */ this.names = null;
    addEventListener("resize", () => {
      this.follow();
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.refitDrawing(), RESIZED_MS);
    });
    holder.addEventListener("scroll", () => this.countOff());
    new ResizeObserver(() => this.countOff()).observe(holder);
    $("more-off").addEventListener("click", () => {
      this.zoom.showAll(this.outlines());
      this.countOff();
    });
  }

  // Request a new drawing if the proportions of the space for the board have changed.
  refitDrawing() {
    if (this.isFlexible && ratioOf() !== this.ratio) this.ways.redraw();
  }

  // Return the request to show the table, with a board that fits into the window.
  /** @returns {Page.Show} */
  wish() {
    this.ratio = ratioOf();
    return { type: "show", ratio: this.ratio };
  }

  // Draw the board. If its SVG is the same as before, keep its elements, so that they keep the focus.
  /** @param {Page.BoardShown} board @param {Page.Row[]} players */
  draw({ svg: text, flexible }, players) {
    this.marks.clear();
    this.isFlexible = flexible;
    if (text === this.text) {
      this.board?.show(this.marks);
      return;
    }
    this.text = text;
    const svg = checkedBoard(text);
    const viewBox = svg.getAttribute("viewBox") ?? "";
    this.above = svgNode("svg", {
      class: "above board",
      viewBox,
      role: "group",
      "aria-label": "Places that can be chosen",
    });
    this.holder.replaceChildren(make("div", "stack", svg, this.above));
    svg.querySelector("[class^=layer-]")?.before(this.washes);
    this.zoom.drawn(svg);
    this.minimap.drawn(svg);
    this.board = new Board(svg, players);
    this.targets.clear();
    this.shapes.clear();
    for (const group of svg.querySelectorAll("[data-place]")) {
      const shape = /** @type {SVGGraphicsElement | null} */ (group.querySelector("use, path, polygon, rect, circle"));
      if (shape) this.shapes.set(placeOf(group), shape);
    }
    this.names = namesOf(svg);
    svg.addEventListener("click", (event) => {
      const group = /** @type {Element} */ (event.target).closest("[data-place]");
      if (group) this.ways.why(placeOf(group));
    });
  }

  show(/** @type {Page.Shown} */ { put, taken, supposed }, /** @type {string} */ words) {
    for (const number of taken) this.marks.delete(number);
    for (const [number, ...mark] of put) this.marks.set(number, mark);
    if (!supposed?.steps.length) this.real = new Map(this.marks);
    this.board?.show(this.marks, this.real);
    this.board?.svg.setAttribute("aria-label", words);
  }

  // Show the real position, without a preview of collected steps.
  showReal() {
    this.board?.show(this.real);
  }

  // Highlight places as buttons. `labels` maps each place to a description of its effect. Places in `chosen` are
  // selected.
  offer(/** @type {Map<string, string>} */ labels, /** @type {string[]} */ chosen = []) {
    const focused = document.activeElement?.closest(".target");
    const place = [...this.targets].find(([, target]) => target === focused)?.[0];
    const stood = focused && middle(focused);
    this.above.replaceChildren();
    this.washes.replaceChildren();
    this.targets.clear();
    for (const [place, words] of labels) {
      const shape = this.shapes.get(place);
      if (shape) this.add(place, words, shape, chosen.includes(place));
    }
    // Draw the names again above the highlights.
    if (labels.size && this.names) this.above.append(this.names.cloneNode(true));
    const first = (place && this.targets.get(place)) || (stood && this.nearest(stood)) || this.first();
    first?.setAttribute("tabindex", "0");
    if (focused) (first ?? $("ask")).focus({ preventScroll: true });
  }

  // Outline places in the colour of the company that would build there, and write the price into them.
  badge(/** @type {Page.ChoiceShown[]} */ choices) {
    for (const [place, target] of this.targets) {
      const here = choices.filter(({ places, price }) => price !== null && places.includes(place));
      const only = (/** @type {"paint" | "price"} */ name) => new Set(here.map((choice) => choice[name])).size === 1;
      if (only("paint")) target.style.setProperty("--lit", `var(--line-${here[0].paint})`);
      const shape = this.shapes.get(place);
      if (only("price") && shape) target.append(priceText(shape, here[0].price ?? 0));
      const id = here.length ? shape?.parentElement?.querySelector(".id")?.cloneNode(true) : null;
      if (!(id instanceof Element)) continue;
      id.classList.remove("on-demand"); // the list names the place by this id
      this.above.querySelector(".names")?.append(id);
    }
  }

  /** @param {string} place @param {string} words @param {SVGElement} shape @param {boolean} isChosen */
  add(place, words, shape, isChosen) {
    const look = { class: isChosen ? "target chosen" : "target", role: "button", "aria-label": words, tabindex: -1 };
    const target = svgNode("g", { ...look, "aria-pressed": String(isChosen), "data-target": place });
    const outline = /** @type {SVGElement} */ (shape.cloneNode(false));
    outline.setAttribute("class", "outline");
    const href = shape.getAttribute("href");
    if (href) {
      outline.setAttribute("href", href.replace(/hexagon$/, "site")); // smaller, so that outlines do not touch
      const wash = /** @type {SVGElement} */ (outline.cloneNode(false));
      wash.setAttribute("class", "wash");
      this.washes.append(wash);
    }
    target.append(svgNode("title", {}, words), outline);
    this.listen(target, place);
    this.above.append(target);
    this.targets.set(place, target);
  }

  first() {
    return [...this.targets.values()].at(0);
  }

  nearest(/** @type {[number, number]} */ [x, y]) {
    /** @param {SVGGElement} target */
    const far = (target) => Math.hypot(middle(target)[0] - x, middle(target)[1] - y);
    return [...this.targets.values()].sort((one, other) => far(one) - far(other)).at(0);
  }

  listen(/** @type {SVGGElement} */ target, /** @type {string} */ place) {
    target.addEventListener("click", () => this.ways.pick(place, false));
    target.addEventListener("pointerenter", () => this.ways.point(place));
    target.addEventListener("focus", () => target.matches(":focus-visible") && this.ways.point(place));
    for (const name of ["pointerleave", "blur"]) target.addEventListener(name, () => this.ways.point(null));
    target.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") event.repeat || this.ways.pick(place, event.key === "Enter");
      else if (Object.hasOwn(ARROWS, event.key)) this.move(target, ARROWS[event.key]);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  // Move the focus to the nearest place in a direction.
  move(/** @type {SVGGElement} */ from, /** @type {[number, number]} */ [right, down]) {
    const [x, y] = middle(from);
    /** @type {SVGGElement | undefined} */ let best;
    let least = Infinity;
    for (const target of this.targets.values()) {
      const [toX, toY] = middle(target);
      const along = (toX - x) * right + (toY - y) * down;
      const aside = Math.abs((toX - x) * down) + Math.abs((toY - y) * right);
      if (target === from || along <= 1) continue;
      const distance = along + 2 * aside;
      if (distance < least) [best, least] = [target, distance];
    }
    if (best) this.focus(best);
  }

  focus(target = [...this.targets.values()].find((one) => one.getAttribute("tabindex") === "0")) {
    if (!target) return;
    for (const other of this.targets.values()) other.setAttribute("tabindex", "-1");
    target.setAttribute("tabindex", "0");
    target.focus();
  }

  // Mark the places of the action that a lesson asks for.
  want(/** @type {string[]} */ places) {
    for (const [place, target] of this.targets) target.classList.toggle("wanted", places.includes(place));
  }

  light(/** @type {string[]} */ places) {
    for (const [place, target] of this.targets) target.classList.toggle("lit", places.includes(place));
  }

  // Scroll to the places that can be chosen, first to those next to the last collected step. If there are none, scroll
  // to what has changed, or to the last piece.
  follow() {
    const outlines = this.outlines();
    const put = [...this.holder.querySelectorAll(".layer-pieces .unsent")].at(-1);
    if (put) outlines.sort((one, other) => apart(one, put) - apart(other, put));
    const hot = [...this.holder.querySelectorAll(".layer-hot > *")];
    const last = this.holder.querySelectorAll(".layer-pieces > :last-child");
    this.zoom.center(outlines.length ? outlines : hot.length ? hot : [...last]);
    this.minimap.place();
    this.countOff();
  }

  // Show the whole board. If it is a little larger than its frame, keep all names visible.
  showWhole() {
    this.refitDrawing();
    this.zoom.showWhole();
    this.zoom.center([...this.holder.querySelectorAll(".names")]);
    this.minimap.place();
    this.countOff();
  }

  // Show a text about a place, in the corner where it covers the fewest places that can be chosen.
  tell(/** @type {string} */ words) {
    $("hover").textContent = words;
    if (words) avoid($("hover"), this.outlines(), HOVER_CORNERS);
  }

  outlines() {
    return [...this.above.querySelectorAll(".outline")];
  }

  // Show how many of the places that can be chosen are not visible.
  countOff() {
    const frame = this.holder.getBoundingClientRect();
    const off = this.outlines().filter((one) => !isMiddleInside(one, frame));
    $("more-off").hidden = off.length === 0;
    $("more-off").textContent = `${off.length} out of view`;
  }
}

function apart(/** @type {Element} */ one, /** @type {Element} */ other) {
  const [a, b] = [one, other].map((node) => node.getBoundingClientRect());
  return Math.hypot(a.x + a.width / 2 - b.x - b.width / 2, a.y + a.height / 2 - b.y - b.height / 2);
}

// Return the width of the space for the board divided by its height. Null in a small window, where the server uses its
// default.
function ratioOf() {
  if (!WIDE.matches) return null;
  const { least, share, most, down } = document.body.classList.contains("ended") ? ENDED : PLAYING;
  const column = Math.min(Math.max(share * innerWidth, least), most);
  return Math.round((10 * (innerWidth - ACROSS_PX - column)) / (innerHeight - down)) / 10;
}

// Return the price as a text below the middle of a place, or where the board reserves space for it.
function priceText(/** @type {SVGGraphicsElement} */ shape, /** @type {number} */ price) {
  const [x, y] = ["x", "y"].map((name) => Number(shape.getAttribute(name) ?? 0));
  const [right, down] = (shape.parentElement?.dataset.price ?? "0 20").split(" ").map(Number);
  return svgNode("text", { class: "price-now", x: x + right, y: y + down }, `$${price}`);
}

function placeOf(/** @type {Element} */ group) {
  return group.getAttribute("data-place") ?? "";
}

// Return a copy of the names on the board, without costs.
function namesOf(/** @type {SVGSVGElement} */ svg) {
  const names = svgNode("g", { class: "names", "aria-hidden": "true" });
  names.append(...[...svg.querySelectorAll(".names > text:not(.cost)")].map((name) => name.cloneNode(true)));
  return names;
}
