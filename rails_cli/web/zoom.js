// @ts-check
// The size of the board: set by buttons, wheel, two fingers and keys. A board that does not fit is moved by dragging.
// Until the user chooses a size, the board is large enough for its texts to be read. A chosen size is dropped when
// the window becomes as narrow as a phone, or wider again.

import { $ } from "./parts.js";

const LEGIBLE_PX = 10.5;
const FAR_PX = 8; // size of texts below which a board without hexes shows only the names of cities
const COMFORTABLE_PX = 12; // size of texts on a board that, if legible, is much wider than its frame
const MUCH = 1.25; // smallest width of such a board, in widths of its frame
const ROUNDING = 1.01; // factor that keeps texts legible when sizes are rounded
// Radii of a hex on the screen from which more is drawn: names, then terrain and values, then ids.
const NAMES_PX = 16;
const WHOLE_PX = 24;
const NEAR_PX = 40;
const LARGEST_GROWTH = 1.32; // texts may be enlarged by this factor without covering each other
const STEP = 1.25;
const ENLARGED = 2;
const LARGEST = 8;
const DRAG_PX = 5;
const WHEEL = 0.0015;
const ROOM = 0.97;
const PORTRAIT = matchMedia("(orientation: portrait)");
const PHONE = matchMedia("(max-width: 599px)");
const EDGE_PX = 48; // width of the buttons above the board and of their margin

export class Zoom {
  constructor(/** @type {HTMLElement} */ holder) {
    this.holder = holder;
    /** @type {SVGSVGElement | null} */ this.svg = null;
    this.factor = 1;
    this.isChosen = false;
    this.isForAll = false;
    /** Whether the window was in portrait orientation when `showAll` was called. */ this.wasPortrait = false;
    /** Whether the window was as narrow as a phone at the last resize. */ this.wasPhone = PHONE.matches;
    /** Whether to show the whole board. It is enlarged if a little more size makes its texts legible. */ this.isWhole = false;
    /** Font size of the smallest text that is always shown, and radius of a hex, in units of the drawing. */
    this.smallest = 0;
    this.radius = 0;
    this.hasDragged = false;
    $("zoom-in").addEventListener("click", () => this.by(STEP));
    $("zoom-out").addEventListener("click", () => this.by(1 / STEP));
    $("zoom").addEventListener("click", () => this.toggle());
    $("ids").addEventListener("click", () => this.showIds());
    new ResizeObserver(() => this.fit()).observe(holder);
    addEventListener("resize", () => {
      if (PHONE.matches !== this.wasPhone) this.isForAll = this.isChosen = false;
      this.wasPhone = PHONE.matches;
      if (this.isForAll && PORTRAIT.matches !== this.wasPortrait) this.refit();
      else this.fit();
    });
    this.listen();
  }

  // Measure the board that has just been drawn in the holder.
  drawn(/** @type {SVGSVGElement} */ svg) {
    this.svg = svg;
    delete this.holder.dataset.zoom; // measure texts at normal size: some are enlarged on a small board
    const texts = [...svg.querySelectorAll(".ground text:not(.on-demand), .names text:not(.on-demand)")];
    this.smallest = Math.min(...texts.map((text) => Number.parseFloat(getComputedStyle(text).fontSize)));
    /** @type {SVGGraphicsElement | null} */ const hex = svg.querySelector("[data-place] > .hex");
    const box = hex?.getBBox();
    this.radius = box ? Math.max(box.width, box.height) / 2 : 0;
    $("ids").hidden = svg.querySelector(".on-demand") === null;
    this.fit();
  }

  // Return the width in pixels at which the whole board fits into the holder.
  whole(/** @type {SVGSVGElement} */ svg) {
    const { width, height } = svg.viewBox.baseVal;
    const most = Number.parseFloat(getComputedStyle(this.holder).maxHeight) || this.holder.clientHeight;
    return Math.min(this.holder.clientWidth, (most * width) / height);
  }

  fit() {
    const { svg } = this;
    if (!svg || this.holder.clientWidth === 0) return;
    const whole = this.whole(svg);
    const scale = whole / svg.viewBox.baseVal.width;
    if (!this.isChosen) {
      const letters = this.smallest * scale;
      const growth = this.radius ? LARGEST_GROWTH : 1;
      const least = ROUNDING * Math.min(LEGIBLE_PX / (letters * growth), WHOLE_PX / (this.radius * scale));
      const isWide = least * whole > MUCH * this.holder.clientWidth;
      this.factor = least <= ROUNDING || (isWide && this.isWhole) ? 1 : isWide ? COMFORTABLE_PX / letters : least;
    }
    this.adapt(scale * this.factor);
    const width = `${Math.round(whole * this.factor)}px`;
    const board = /** @type {HTMLElement} */ (this.holder.firstElementChild);
    if (board.style.width !== width) board.style.width = width;
    const isLarge = this.factor > 1;
    this.holder.classList.toggle("enlarged", isLarge);
    $("zoom").setAttribute("aria-pressed", String(isLarge));
    $("zoom-out").setAttribute("aria-disabled", String(!isLarge));
  }

  // Show the details that are legible at this scale, and enlarge texts that would be too small. The CSS variable `--px`
  // is the size of a pixel in units of the drawing.
  adapt(/** @type {number} */ scale) {
    this.holder.style.setProperty("--px", (1 / scale).toFixed(3));
    if (this.radius === 0) {
      this.holder.dataset.zoom = this.smallest * scale < FAR_PX ? "far" : "whole";
      return;
    }
    const radius = this.radius * scale;
    const growth = Math.max(1, LEGIBLE_PX / (this.smallest * scale));
    const isWhole = radius >= WHOLE_PX || growth <= LARGEST_GROWTH;
    const level = radius < NAMES_PX ? "far" : !isWhole ? "small" : radius < NEAR_PX ? "whole" : "near";
    this.holder.dataset.zoom = level;
    this.holder.style.setProperty("--grow", growth.toFixed(3));
  }

  // Multiply the size of the board by `times`. The point `at` of the window, by default the middle of the frame, does
  // not move.
  by(/** @type {number} */ times, /** @type {{ clientX: number, clientY: number } | null} */ at = null) {
    const { holder, factor } = this;
    const frame = holder.getBoundingClientRect();
    const x = at ? at.clientX - frame.left : frame.width / 2;
    const y = at ? at.clientY - frame.top : frame.height / 2;
    this.isChosen = true;
    this.isForAll = false;
    this.factor = Math.min(Math.max(factor * times, 1), LARGEST);
    this.fit();
    const grown = this.factor / factor;
    holder.scrollLeft = (holder.scrollLeft + x) * grown - x;
    holder.scrollTop = (holder.scrollTop + y) * grown - y;
  }

  // Show the whole board, or enlarge it if it is whole.
  toggle() {
    this.by(this.factor > 1 ? 0 : ENLARGED);
  }

  // Show or hide all costs and the ids of hexes.
  showIds() {
    const isShown = this.holder.classList.toggle("with-details");
    $("ids").setAttribute("aria-pressed", String(isShown));
  }

  listen() {
    const { holder } = this;
    holder.addEventListener(
      "wheel",
      (event) => {
        // If the board is at its smallest size, let the wheel scroll the page.
        if (event.deltaY > 0 && this.factor <= 1) return;
        event.preventDefault();
        this.by(Math.exp(-event.deltaY * WHEEL * (event.deltaMode === 1 ? 16 : 1) * (event.ctrlKey ? 5 : 1)), event);
      },
      { passive: false },
    );
    let apart = 0;
    const spread = (/** @type {TouchList} */ fingers) => ({
      apart: Math.hypot(fingers[0].clientX - fingers[1].clientX, fingers[0].clientY - fingers[1].clientY),
      clientX: (fingers[0].clientX + fingers[1].clientX) / 2,
      clientY: (fingers[0].clientY + fingers[1].clientY) / 2,
    });
    holder.addEventListener("touchstart", ({ touches }) => {
      if (touches.length === 2) apart = spread(touches).apart;
    });
    holder.addEventListener(
      "touchmove",
      (event) => {
        if (event.touches.length !== 2 || apart === 0) return;
        event.preventDefault();
        const now = spread(event.touches);
        this.by(now.apart / apart, now);
        apart = now.apart;
      },
      { passive: false },
    );
    holder.addEventListener("pointerdown", (event) => this.grab(event));
    // The end of a drag is not a click.
    holder.addEventListener(
      "click",
      (event) => {
        if (this.hasDragged) event.stopPropagation();
      },
      { capture: true },
    );
  }

  // Move the board with the mouse. Browsers already scroll it for touch.
  grab(/** @type {PointerEvent} */ down) {
    this.hasDragged = false;
    if (down.pointerType !== "mouse" || down.button !== 0 || this.factor <= 1) return;
    const { holder } = this;
    const [left, top] = [holder.scrollLeft, holder.scrollTop];
    const move = (/** @type {PointerEvent} */ { clientX, clientY }) => {
      const [x, y] = [clientX - down.clientX, clientY - down.clientY];
      if (Math.hypot(x, y) > DRAG_PX) this.hasDragged = true;
      if (this.hasDragged) [holder.scrollLeft, holder.scrollTop] = [left - x, top - y];
    };
    const stop = new AbortController();
    addEventListener("pointermove", move, stop);
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => stop.abort(), stop);
  }

  // Scroll an enlarged board so that the elements `seen` are in the middle: all, or as many as fit, with the first if
  // possible. With `isEnough`, do not scroll if all are already visible, away from the buttons at the edge.
  center(/** @type {Element[]} */ seen, isEnough = false) {
    if (seen.length === 0 || this.factor <= 1) return;
    const { holder } = this;
    const frame = holder.getBoundingClientRect();
    const boxes = seen.map((one) => one.getBoundingClientRect());
    if (isEnough && boxes.every((box) => isInside(box, inset(frame)))) return;
    const { left, right, top, bottom } = around(together(boxes, frame.width, frame.height));
    holder.scrollLeft += (left + right - frame.left - frame.right) / 2;
    holder.scrollTop += (top + bottom - frame.top - frame.bottom) / 2;
  }

  // Make the board small enough to show all these elements, until `refit` is called or the device is rotated.
  showAll(/** @type {Element[]} */ seen) {
    const frame = this.holder.getBoundingClientRect();
    const { left, right, top, bottom } = around(seen.map((one) => one.getBoundingClientRect()));
    this.by(Math.min(1, (ROOM * frame.width) / (right - left), (ROOM * frame.height) / (bottom - top)));
    this.isForAll = true;
    this.wasPortrait = PORTRAIT.matches;
    this.center(seen);
  }

  // Show the whole board, or a little less if that makes its texts legible, until `refit` is called.
  showWhole() {
    this.isWhole = true;
    this.isChosen = false;
    this.fit();
  }

  refit() {
    if (this.isForAll) this.isForAll = this.isChosen = false;
    this.isWhole = false;
    this.fit();
  }
}

/** @typedef {{ left: number, right: number, top: number, bottom: number }} Box */

/** @param {Box} box @param {Box} frame */
function isInside(box, frame) {
  const isWithin = box.left >= frame.left && box.right <= frame.right;
  return isWithin && box.top >= frame.top && box.bottom <= frame.bottom;
}

/** @param {Element} element @param {Box} frame */
export function isMiddleInside(element, frame) {
  const [x, y] = middle(element);
  return isInside({ left: x, right: x, top: y, bottom: y }, frame);
}

/** @param {Element} element @returns {[number, number]} */
export function middle(element) {
  const box = element.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}

/** @param {Box} frame @returns {Box} */
function inset({ left, right, top, bottom }) {
  return { left: left + EDGE_PX, right: right - EDGE_PX, top: top + EDGE_PX, bottom: bottom - EDGE_PX };
}

// Return as many boxes as fit into a frame of this size, with the first if possible. If none fits, return the first.
/** @param {Box[]} boxes @param {number} width @param {number} height @returns {Box[]} */
function together(boxes, width, height) {
  let best = boxes.slice(0, 1);
  let most = 0;
  for (const { left } of boxes) {
    for (const { top } of boxes) {
      const held = boxes.filter((box) => isInside(box, { left, right: left + width, top, bottom: top + height }));
      const count = held.length + (held[0] === boxes[0] ? 0.5 : 0);
      if (count > most) [best, most] = [held, count];
    }
  }
  return best;
}

/** @param {Box[]} boxes @returns {Box} */
function around(boxes) {
  return {
    left: Math.min(...boxes.map((box) => box.left)),
    right: Math.max(...boxes.map((box) => box.right)),
    top: Math.min(...boxes.map((box) => box.top)),
    bottom: Math.max(...boxes.map((box) => box.bottom)),
  };
}
