"use strict";
// Shows marks on a board that was drawn elsewhere. A mark is [layer, tag, [[attribute, value] ...], text]: one SVG element.

class Board {
  static TAGS = new Set(["path", "text", "use"]);
  static ATTRIBUTES = new Set(["class", "d", "href", "x", "y"]);

  constructor(svg) {
    this.svg = svg;
    this.shown = new Map();
  }

  // Puts these marks (a Map from any key to a mark) on the board and takes all others off.
  show(marks) {
    for (const [key, element] of this.shown) {
      if (!marks.has(key)) {
        element.remove();
        this.shown.delete(key);
      }
    }
    for (const [key, mark] of marks) {
      if (!this.shown.has(key)) {
        const element = Board.element(mark);
        this.svg.querySelector(`.layer-${mark[0]}`).append(element);
        this.shown.set(key, element);
      }
    }
  }

  static element([, tag, attributes, text]) {
    if (!Board.TAGS.has(tag)) throw new Error(`no mark: ${tag}`);
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of attributes) {
      if (!Board.ATTRIBUTES.has(name)) throw new Error(`no attribute of a mark: ${name}`);
      element.setAttribute(name, value);
    }
    if (text) element.textContent = text;
    return element;
  }
}
