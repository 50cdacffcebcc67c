// @ts-check
// Marks on a board that the server has drawn. A mark is one SVG element: [layer, tag, [[attribute, value] ...], text].

const BOARD_TAGS = new Set("svg circle defs g linearGradient path rect stop text title use".split(" "));
const MARK_TAGS = new Set(["path", "text", "use"]);
const MARK_ATTRIBUTES = new Set(["class", "d", "href", "x", "y"]);
const SVG = "http://www.w3.org/2000/svg";

export class Board {
  /** @param {SVGSVGElement} svg @param {Page.Row[]} players */
  constructor(svg, players) {
    this.svg = svg;
    this.players = players;
    /** @type {Map<number, SVGElement>} */ this.shown = new Map();
  }

  // Show `marks` and remove all others. Marks that are not in `real` are drawn as not sent.
  show(/** @type {Map<number, Page.SvgMark>} */ marks, /** @type {Map<number, Page.SvgMark>} */ real = marks) {
    for (const [key, element] of this.shown) {
      if (!marks.has(key)) {
        element.remove();
        this.shown.delete(key);
      }
    }
    for (const [key, mark] of marks) {
      if (!this.shown.has(key)) {
        const element = markElement(mark, this.players);
        this.svg.querySelector(`.layer-${mark[0]}`)?.append(element);
        this.shown.set(key, element);
      }
      this.shown.get(key)?.classList.toggle("unsent", !real.has(key));
    }
  }
}

// Create the SVG element of a mark. If its text is the number of a seat on the seat's colour, write the player's
// symbol.
/** @param {Page.SvgMark} mark @param {Page.Row[]} players */
function markElement([, tag, attributes, text], players) {
  if (!MARK_TAGS.has(tag)) throw new Error(`no mark: ${tag}`);
  const other = attributes.find(([name]) => !MARK_ATTRIBUTES.has(name));
  if (other) throw new Error(`no attribute of a mark: ${other[0]}`);
  const given = Object.fromEntries(attributes);
  const [, , written = text] = players.find(([, paint], seat) => isNumberOf(seat, paint, given.class, text)) ?? [];
  const node = svgNode(/** @type {"path"} */ (tag), given, written);
  if (tag === "text") node.classList.toggle("two-letters", written !== text && written.length > 1);
  return node;
}

/** @param {number} seat @param {string} paint @param {string | undefined} look @param {string} text */
function isNumberOf(seat, paint, look, text) {
  return text === String(seat + 1) && look?.split(" ").includes(`on-${paint}`);
}

/** @template {keyof SVGElementTagNameMap} Tag @param {Tag} tag @param {Record<string, string | number>} attributes */
export function svgNode(tag, attributes, text = "") {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  if (text) node.textContent = text;
  return node;
}

// Return the board as an SVG element. Throw an error if it contains scripts or loads external content.
export function checkedBoard(/** @type {string} */ text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const fetches = /url[(](?!#)|\\[^(]*[(]/i; // an escaped letter in CSS, such as "\75", can hide this word
  /** @param {Attr} attribute */
  const isFine = ({ name, value }) =>
    !name.startsWith("on") && (!name.endsWith("href") || value.startsWith("#")) && !fetches.test(value);
  for (const element of [parsed, ...parsed.querySelectorAll("*")]) {
    if (!BOARD_TAGS.has(element.localName) || ![...element.attributes].every(isFine)) {
      throw new Error(`no board: ${element.localName}`);
    }
  }
  return /** @type {SVGSVGElement} */ (/** @type {Element} */ (document.importNode(parsed, true)));
}
