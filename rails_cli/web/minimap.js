// @ts-check
// Minimap: a small picture of the whole board in a corner of an enlarged board. It frames the visible part. A click or
// touch moves the board there.

import { svgNode } from "./board.js";
import { $ } from "./parts.js";
import { isMiddleInside } from "./zoom.js";

const CORNERS = ["top-right", "top-left", "bottom-left", "bottom-right"];

export class Minimap {
  /** `holder` scrolls the board. `targets` returns the places that can be chosen, which the minimap avoids covering. */
  constructor(/** @type {HTMLElement} */ holder, /** @type {() => Element[]} */ targets) {
    this.holder = holder;
    this.targets = targets;
    /** @type {SVGSVGElement | null} */ this.svg = null;
    this.seen = svgNode("rect", { class: "seen" });
    this.picture = svgNode("use", {});
    holder.addEventListener("scroll", () => this.show());
    holder.addEventListener("scrollend", () => this.place());
    new ResizeObserver(() => this.show()).observe(holder);
    const map = $("minimap");
    map.addEventListener("pointerdown", (event) => {
      map.setPointerCapture(event.pointerId);
      this.go(event);
    });
    map.addEventListener("pointermove", (event) => map.hasPointerCapture(event.pointerId) && this.go(event));
  }

  // Create the minimap of a board that has just been drawn.
  drawn(/** @type {SVGSVGElement} */ svg) {
    this.svg = svg;
    svg.id = "live-board";
    const { width, height } = svg.viewBox.baseVal;
    this.picture = svgNode("use", { width, height });
    const frame = svgNode("svg", { viewBox: `0 0 ${width} ${height}` });
    frame.append(this.picture, this.seen);
    $("minimap").replaceChildren(frame);
    $("minimap").hidden = true; // `show` decides whether it is needed
    this.show();
  }

  // Frame the visible part of the board. Hide the minimap if the whole board is visible, or all places that can be
  // chosen.
  show() {
    const { svg, holder } = this;
    if (!svg) return;
    const [board, frame] = [svg, holder].map((one) => one.getBoundingClientRect());
    if (board.width === 0) return; // the board is not displayed
    const isWhole = board.width <= frame.width + 1 && board.height <= frame.height + 1;
    const targets = this.targets();
    const isEnough = targets.length > 0 && targets.every((one) => isMiddleInside(one, frame));
    const isHidden = isWhole || isEnough;
    if (isHidden !== $("minimap").hidden) {
      $("minimap").hidden = isHidden;
      // Remove the reference while hidden. Otherwise the browser would copy the whole board after each change of a
      // mark.
      if (isHidden) this.picture.removeAttribute("href");
      else this.picture.setAttribute("href", `#${svg.id}`);
      avoid($("minimap"), targets, CORNERS);
    }
    const scale = svg.viewBox.baseVal.width / board.width;
    const [left, top] = [Math.max(frame.left, board.left), Math.max(frame.top, board.top)];
    const [right, bottom] = [Math.min(frame.right, board.right), Math.min(frame.bottom, board.bottom)];
    const sizes = { x: left - board.left, y: top - board.top, width: right - left, height: bottom - top };
    for (const [name, value] of Object.entries(sizes)) this.seen.setAttribute(name, (value * scale).toFixed(1));
  }

  place() {
    this.show();
    if (!$("minimap").hidden) avoid($("minimap"), this.targets(), CORNERS);
  }

  // Centre the board on the point of the minimap under the pointer.
  go(/** @type {PointerEvent} */ { clientX, clientY }) {
    const { svg, holder } = this;
    const picture = $("minimap").getBoundingClientRect();
    if (!svg || picture.width === 0) return;
    const [board, frame] = [svg, holder].map((one) => one.getBoundingClientRect());
    const x = board.left + ((clientX - picture.left) / picture.width) * board.width;
    const y = board.top + ((clientY - picture.top) / picture.height) * board.height;
    holder.scrollLeft += x - (frame.left + frame.right) / 2;
    holder.scrollTop += y - (frame.top + frame.bottom) / 2;
  }
}

// Move a box above the board to the corner where it covers the fewest of `elements`. Keep its corner if it covers none.
/** @param {HTMLElement} box @param {Element[]} elements @param {string[]} corners */
export function avoid(box, elements, corners) {
  const others = elements.map((one) => one.getBoundingClientRect());
  const covered = (/** @type {string} */ corner) => {
    box.dataset.corner = corner;
    const { left, right, top, bottom } = box.getBoundingClientRect();
    return others.filter((one) => one.left < right && left < one.right && one.top < bottom && top < one.bottom).length;
  };
  const first = box.dataset.corner ?? corners[0];
  let [best, least] = [first, covered(first)];
  for (const corner of corners) {
    if (least === 0) break;
    const count = covered(corner);
    if (count < least) [best, least] = [corner, count];
  }
  box.dataset.corner = best;
}
