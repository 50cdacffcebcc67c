// @ts-check
// Shows marks on a board that was drawn elsewhere. A mark is [layer, tag, [[attribute, value] ...], text]: one SVG element.

const MARK_TAGS = new Set(["path", "text", "use"]);
const MARK_ATTRIBUTES = new Set(["class", "d", "href", "x", "y"]);
const SVG = "http://www.w3.org/2000/svg";

export class Board {
  constructor(/** @type {SVGSVGElement} */ svg) {
    this.svg = svg;
    /** @type {Map<number, SVGElement>} */ this.shown = new Map();
  }

  // Puts these marks on the board and takes all others off.
  show(/** @type {Map<number, Page.Mark>} */ marks) {
    for (const [key, element] of this.shown) {
      if (!marks.has(key)) {
        element.remove();
        this.shown.delete(key);
      }
    }
    for (const [key, mark] of marks) {
      if (!this.shown.has(key)) {
        const element = markElement(mark);
        this.svg.querySelector(`.layer-${mark[0]}`)?.append(element);
        this.shown.set(key, element);
      }
    }
  }
}

function markElement(/** @type {Page.Mark} */ [, tag, attributes, text]) {
  if (!MARK_TAGS.has(tag)) throw new Error(`no mark: ${tag}`);
  const other = attributes.find(([name]) => !MARK_ATTRIBUTES.has(name));
  if (other) throw new Error(`no attribute of a mark: ${other[0]}`);
  return svgNode(/** @type {"path"} */ (tag), Object.fromEntries(attributes), text);
}

/** @template {keyof SVGElementTagNameMap} Tag @param {Tag} tag @param {Record<string, string | number>} attributes */
export function svgNode(tag, attributes, text = "") {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  if (text) node.textContent = text;
  return node;
}

// In an enlarged board, what matters is kept in sight.
export function keepInSight(/** @type {HTMLElement} */ holder, /** @type {Element | null | undefined} */ seen) {
  if (!seen || !holder.classList.contains("enlarged")) return;
  const frame = holder.getBoundingClientRect();
  const box = seen.getBoundingClientRect();
  if (box.left < frame.left || box.right > frame.right) {
    holder.scrollLeft += box.left + box.width / 2 - frame.left - frame.width / 2;
  }
  if (box.top < frame.top || box.bottom > frame.bottom) {
    holder.scrollTop += box.top + box.height / 2 - frame.top - frame.height / 2;
  }
}
