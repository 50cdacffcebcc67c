// @ts-check
/// <reference path="../../schemas/page.d.ts" />
// Functions that create elements of pages. They insert strings as text, never as HTML.

/** @typedef {number | string | null} Cell */
/** A cell of a table. `isShare`: the cell counts shares or properties. It shows 0 as a dot, because most are 0.
 * @typedef {{ cell: HTMLElement, kind: string, isShare?: boolean }} Place */

// Return the element with this id. Throw an error if there is none.
/** @template {keyof Page.Elements} Id @param {Id} id @returns {Page.Elements[Id]} */
export function $(id) {
  const found = /** @type {any} */ (document.getElementById(id));
  if (!found) throw new Error(`nothing is called ${id}`);
  return found;
}

/** @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {string} look @param {(Node | string)[]} content */
export function make(tag, look = "", ...content) {
  const node = document.createElement(tag);
  if (look) node.className = look;
  node.append(...content);
  return node;
}

export function link(/** @type {string} */ words, /** @type {string} */ href, look = "") {
  const node = make("a", look, words);
  node.href = href;
  return node;
}

export function button(/** @type {string} */ words, /** @type {(event: MouseEvent) => void} */ onClick, look = "") {
  const node = make("button", look, words);
  node.type = "button";
  node.addEventListener("click", onClick);
  return node;
}

// Return an `option` for a `select` element.
export function option(/** @type {string} */ value, /** @type {string} */ words) {
  const node = make("option", "", words);
  node.value = value;
  return node;
}

const COPIED_MS = 3_000;

// Return a button that copies `content`. `field` contains the same text. It is selected if the browser refuses to copy.
/** @param {string} words @param {string | (() => string)} content @param {HTMLElement} [field] */
export function copyButton(words, content, field) {
  const node = button(words, async () => {
    const text = typeof content === "string" ? content : content();
    try {
      await navigator.clipboard.writeText(text);
      node.textContent = "Copied";
      setTimeout(() => {
        node.textContent = words;
      }, COPIED_MS);
    } catch {
      if (field instanceof HTMLInputElement) field.select();
      else if (field) getSelection()?.selectAllChildren(field);
      else prompt("Copy this link:", text);
    }
  });
  return node;
}

// Mark the page as ready for programs that control it, such as tests.
export function drawn() {
  document.documentElement.dataset.ready = "";
}

// Set the label that screen readers use for `node`. Return the node.
/** @template {Element} Node @param {Node} node @param {string} words */
export function labelled(node, words) {
  node.setAttribute("aria-label", words);
  return node;
}

/** Return what kind of bot plays a seat, such as "medium bot". Empty for a person. @param {Page.SeatInfo | undefined} seat */
export function botWords(seat) {
  if (seat?.kind !== "builtin" && seat?.kind !== "bot") return "";
  const level = seat.player?.split("builtin:")[1] ?? "";
  return level && !seat.name?.startsWith(level) ? `${level} bot` : "bot";
}

/** Return the name of the player of a seat. If a bot's name does not contain its level, append it. @param {Page.SeatInfo} seat */
export function playerName(seat) {
  const level = botWords(seat).replace(/ ?bot$/, "");
  return level ? `${seat.name} (${level})` : (seat.name ?? "");
}

const WHOLE_DOLLARS = new Intl.NumberFormat("en-US"); // `toLocaleString` would create a formatter for each call

export function money(/** @type {number} */ amount) {
  return `$${WHOLE_DOLLARS.format(amount)}`;
}

/** Units of scores, by name of the game. @type {Map<string, string>} */
const units = new Map();

export function learnUnits(/** @type {Page.GameOffered[]} */ games) {
  for (const { name, unit } of games) units.set(name, unit);
}

/** Return a score with the unit of its game. @param {number} score @param {string} game */
export function scoredIn(score, game) {
  return scored(score, units.get(game));
}

/** Return a score or an amount with its unit: `$`, or a word such as `points`. @param {number} score @param {string} [unit] */
export function scored(score, unit = "$") {
  if (unit === "$") return score < 0 ? `−${money(-score)}` : money(score);
  return `${WHOLE_DOLLARS.format(score)} ${Math.abs(score) === 1 ? unit.replace(/s$/, "") : unit}`;
}

export function capital(/** @type {string} */ words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function initial(/** @type {string} */ name) {
  return [...name][0]?.toUpperCase() ?? "";
}

export function written(/** @type {Cell} */ value, /** @type {string} */ kind) {
  if (value === null) return kind === "gauge" ? "" : "–";
  if (kind === "money" && typeof value === "number") return money(value);
  if (isOwners(value, kind)) return `${value.replaceAll("-", "").length} of ${value.length}`;
  return String(value);
}

export function swatch(/** @type {Page.Row} */ [name, paint, symbol]) {
  const mark = make("span", `swatch paint-${paint}`, symbol);
  if (symbol) mark.setAttribute("aria-hidden", "true");
  mark.title = name;
  return mark;
}

// Return the legend of the colours on the board: those of companies if a table lists companies, else of players.
/** @param {Pick<Page.TableShown, "corner" | "rows">[]} tables @param {Page.Row[]} players */
export function colourKey(tables, players) {
  const rows = tables.find(({ corner }) => corner === "Company")?.rows ?? players;
  return rows.map((row) => make("span", "", swatch(row), ` ${row[0]}`));
}

function meter(/** @type {string} */ written, /** @type {string} */ words) {
  const node = make("meter");
  const [now, most] = written.split("/").map(Number);
  [node.max, node.high, node.value] = [Math.max(most, 1), Math.max(most, 1) - 0.5, now];
  node.title = written;
  return labelled(node, words);
}

/** @param {Cell} value @param {string} kind @returns {value is string} */
function isOwners(value, kind) {
  return kind === "owners" && /^[\d-]+$/.test(String(value));
}

// Return a row of squares, one for each share, in the colour of the seat that holds it.
function owners(/** @type {string} */ seats, /** @type {string} */ words) {
  const squares = [...seats].map((seat) => make("i", seat === "-" ? "" : `paint-seat-${seat}`));
  const node = make("span", "squares", make("span", "unseen", words), ...squares);
  node.title = words;
  return node;
}

// Return a list item for each row with a gauge in some table: its name, its first value, and a meter.
export function gauges(/** @type {Page.TableShown[]} */ tables) {
  return tables.flatMap(({ columns, rows, cells }) => {
    const column = columns.findIndex(([, kind]) => kind === "gauge");
    const seen = rows.map(([name], row) => ({ name, now: String(cells[row][0] ?? ""), far: cells[row][column] }));
    return seen.flatMap(({ name, now, far }) =>
      typeof far === "string"
        ? [make("li", "", `${name} `, make("b", "", now), " ", meter(far, `${name}: ${far}`))]
        : [],
    );
  });
}

function headCell(/** @type {"col" | "row"} */ scope, /** @type {string} */ text) {
  const cell = make("th", "", text);
  cell.scope = scope;
  return cell;
}

// Return a table without values, and its cells row by row.
/** @param {Pick<Page.TableShown, "title" | "corner" | "columns" | "rows">} shape */
export function tableFrame({ title, corner, columns, rows }) {
  /** @type {Place[]} */ const cells = [];
  const head = make("tr", "", headCell("col", corner));
  for (const [name, kind, paint, symbol] of columns) {
    const cell = headCell("col", "");
    cell.className = kind;
    // The hidden name comes first, because after the swatch it would be beyond the edge of the table.
    if (paint) cell.append(make("span", "unseen", name), swatch([name, paint, symbol]));
    else cell.append(name);
    head.append(cell);
  }
  const body = make("tbody");
  for (const row of rows) {
    const label = headCell("row", "");
    if (row[1]) label.append(swatch(row), " ");
    label.append(make("span", "label", row[0]));
    const line = make("tr", "", label);
    for (const [name, kind, paint] of columns) {
      const cell = make("td", kind);
      cell.dataset.name = name;
      cells.push({ cell, kind, isShare: Boolean(paint) });
      line.append(cell);
    }
    body.append(line);
  }
  const whole = make("table", "", make("caption", "", title), make("thead", "", head), body);
  const holder = make("div", "table", whole);
  holder.tabIndex = 0;
  resized.observe(holder);
  holder.setAttribute("role", "group");
  return { holder: labelled(holder, title), cells };
}

// Write `values` into the cells of tables. Highlight those that differ from `before`.
/** @param {Place[]} cells @param {Cell[]} values @param {Cell[] | null} before */
export function writeCells(cells, values, before) {
  cells.forEach(({ cell, kind, isShare }, number) => {
    const value = values[number];
    const text = isShare && value === 0 ? "·" : written(value, kind);
    const isGauge = kind === "gauge" && typeof value === "string";
    if (isOwners(value, kind)) cell.replaceChildren(owners(value, text));
    else if (cell.textContent !== text) cell.replaceChildren(text, ...(isGauge ? [" ", meter(value, text)] : []));
    cell.classList.toggle("changed", before !== null && before[number] !== values[number]);
    cell.classList.toggle("none", value === null || text === "·");
  });
  fitTables();
}

// Write each row of tables that are too wide for the window in several lines (class `flow`). They keep this layout
// until their width changes.
export function fitTables() {
  for (const holder of document.querySelectorAll(".table:not(.flow)")) fitTable(holder);
}
document.fonts.addEventListener("loadingdone", fitTables); // the fallback font may have been narrower

function fitTable(/** @type {Element} */ holder) {
  holder.classList.toggle("flow", holder.scrollWidth > holder.clientWidth);
}

/** @type {WeakMap<Element, number>} */ const widths = new WeakMap();
const resized = new ResizeObserver((entries) => {
  const changed = entries.map(({ target }) => target).filter((holder) => widths.get(holder) !== holder.clientWidth);
  for (const holder of changed) widths.set(holder, holder.clientWidth);
  requestAnimationFrame(() => {
    for (const holder of changed) {
      holder.classList.remove("flow");
      fitTable(holder);
    }
  });
});

// Times in words

// Return a clock such as `1800+20,60/move` in words.
export function clockWords(/** @type {string} */ clock) {
  const words = clock.split(",").map((part) => {
    if (part.endsWith("/move")) return `${part.slice(0, -5)} s a move`;
    const [bank, more] = part.split("+");
    const whole = +bank % 60 === 0 ? `${+bank / 60} min` : `${bank} s`;
    return more ? `${whole} and ${more} s a move` : whole;
  });
  return `time: ${words.join(", ")}`;
}

export function timeWords(/** @type {number} */ seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
