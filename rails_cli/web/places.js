"use strict";
// The board of a live table: drawn by the server, with the places that can be chosen lit up above it.

class Places {
  static TAGS = new Set(["svg", "defs", "g", "path", "rect", "text", "title", "use"]);
  static SVG = "http://www.w3.org/2000/svg";
  static WAYS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

  // `pick` is called with a place that can be chosen, `point` with one that is looked at (or null), `why` with another.
  constructor(holder, { pick, point, why }) {
    Object.assign(this, { holder, pick, point, why });
    this.board = null;
    this.marks = new Map();
    this.targets = new Map();
  }

  draw(text) {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    for (const element of [parsed, ...parsed.querySelectorAll("*")]) {
      const isFine = Places.TAGS.has(element.localName) && [...element.attributes].every(({ name, value }) => !name.startsWith("on") && (!name.endsWith("href") || value.startsWith("#")));
      if (!isFine) throw new Error(`no board: ${element.localName}`);
    }
    const svg = document.importNode(parsed, true);
    this.above = document.createElementNS(Places.SVG, "svg");
    this.above.setAttribute("class", "above");
    this.above.setAttribute("viewBox", svg.getAttribute("viewBox"));
    this.above.setAttribute("role", "group");
    this.above.setAttribute("aria-label", "Places that can be chosen");
    const stack = Parts.make("div", "stack", svg, this.above);
    this.holder.replaceChildren(stack);
    this.board = new Board(svg);
    this.marks.clear();
    this.targets.clear();
    this.shapes = new Map([...svg.querySelectorAll("[data-place]")].map((group) => [group.dataset.place, group.querySelector(".hex, .slot, .town")]));
    svg.addEventListener("click", (event) => {
      const place = event.target.closest("[data-place]")?.dataset.place;
      if (place) this.why(place);
    });
  }

  show({ put, taken }, words) {
    for (const number of taken) this.marks.delete(number);
    for (const [number, ...mark] of put) this.marks.set(number, mark);
    this.board.show(this.marks);
    this.board.svg.setAttribute("aria-label", words);
  }

  // Lights up these places: a Map from a place to what choosing it means, in words.
  offer(labels) {
    const focused = this.focused();
    const stood = focused === null ? null : Places.middle(document.activeElement);
    this.above.replaceChildren();
    this.targets.clear();
    for (const [place, words] of labels) {
      const shape = this.shapes.get(place);
      if (!shape) continue;
      const target = document.createElementNS(Places.SVG, "g");
      target.setAttribute("class", "target");
      target.setAttribute("role", "button");
      target.setAttribute("aria-label", words);
      target.setAttribute("tabindex", "-1");
      target.dataset.target = place;
      const outline = shape.cloneNode(false);
      outline.setAttribute("class", "outline");
      const title = document.createElementNS(Places.SVG, "title");
      title.textContent = words;
      target.append(title, outline);
      this.listen(target, place);
      this.above.append(target);
      this.targets.set(place, target);
    }
    const first = this.targets.get(focused) ?? (stood && this.nearest(stood)) ?? this.targets.values().next().value;
    first?.setAttribute("tabindex", "0");
    if (focused !== null) (first ?? document.getElementById("ask")).focus({ preventScroll: true });
  }

  static middle(target) {
    const box = target.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  }

  nearest([x, y]) {
    const far = (target) => Math.hypot(...Places.middle(target).map((value, axis) => value - [x, y][axis]));
    return [...this.targets.values()].reduce((best, target) => (best === null || far(target) < far(best) ? target : best), null);
  }

  focused() {
    return document.activeElement?.closest?.(".target")?.dataset.target ?? null;
  }

  listen(target, place) {
    target.addEventListener("click", () => this.pick(place));
    for (const name of ["pointerenter", "focus"]) target.addEventListener(name, () => this.point(place));
    for (const name of ["pointerleave", "blur"]) target.addEventListener(name, () => this.point(null));
    target.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") event.repeat || this.pick(place);
      else if (Places.WAYS[event.key]) this.move(target, Places.WAYS[event.key]);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  // To the nearest place in a direction.
  move(from, [right, down]) {
    const [x, y] = Places.middle(from);
    let best = null;
    let least = Infinity;
    for (const target of this.targets.values()) {
      const [toX, toY] = Places.middle(target);
      const along = (toX - x) * right + (toY - y) * down;
      const aside = Math.abs((toX - x) * down) + Math.abs((toY - y) * right);
      if (target === from || along <= 1) continue;
      const distance = along + 2 * aside;
      if (distance < least) [best, least] = [target, distance];
    }
    if (best) this.focus(best);
  }

  focus(target = [...this.targets.values()].find((one) => one.getAttribute("tabindex") === "0")) {
    if (!target) return false;
    for (const other of this.targets.values()) other.setAttribute("tabindex", "-1");
    target.setAttribute("tabindex", "0");
    target.focus();
    return true;
  }

  light(places) {
    for (const [place, target] of this.targets) target.classList.toggle("lit", places.includes(place));
  }

  // How many pixels the narrowest place has across while the whole board is shown.
  finest() {
    const wide = this.board.svg.viewBox.baseVal.width;
    const across = [...this.shapes.values()].map((shape) => { const { width, height } = shape.getBBox(); return Math.min(width, height); });
    return (Math.min(...across) * this.holder.clientWidth) / wide;
  }

  // In an enlarged board, what matters is kept in sight.
  follow() {
    const seen = this.targets.values().next().value ?? this.holder.querySelector(".layer-hot > *") ?? this.holder.querySelector(".layer-pieces > :last-child");
    if (!seen || !this.holder.classList.contains("enlarged")) return;
    const frame = this.holder.getBoundingClientRect();
    const box = seen.getBoundingClientRect();
    if (box.left < frame.left || box.right > frame.right) this.holder.scrollLeft += box.left + box.width / 2 - frame.left - frame.width / 2;
    if (box.top < frame.top || box.bottom > frame.bottom) this.holder.scrollTop += box.top + box.height / 2 - frame.top - frame.height / 2;
  }
}
