// @ts-check
// A report: light or dark theme, tables that are sorted by a click on the head of a column, and filters for games.

import { offerThemes } from "../../web/controls.js";
import { $, button, drawn } from "../../web/parts.js";

function keyOf(/** @type {HTMLTableRowElement} */ row, /** @type {number} */ column) {
  const { dataset, textContent } = row.cells[column];
  return dataset.value === undefined ? textContent : Number(dataset.value);
}

function compare(/** @type {string | number} */ a, /** @type {string | number} */ b) {
  if (typeof a === "string" && typeof b === "string") return a.localeCompare(b, "en", { numeric: true });
  return typeof a === "string" ? 1 : typeof b === "string" ? -1 : a - b;
}

/** @param {HTMLTableElement} table @param {HTMLTableCellElement} head @param {HTMLTableCellElement[]} heads */
function sortBy(table, head, heads) {
  const body = table.tBodies[0];
  const column = head.cellIndex;
  const before = head.getAttribute("aria-sort");
  const startsDown = body.rows[0]?.cells[column].dataset.value !== undefined;
  const isUp = before === null ? !startsDown : before !== "ascending";
  for (const other of heads) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", isUp ? "ascending" : "descending");
  const rows = [...body.rows];
  rows.sort((a, b) => compare(keyOf(a, column), keyOf(b, column)) * (isUp ? 1 : -1));
  body.append(...rows);
}

for (const table of document.querySelectorAll("table")) {
  const heads = [...(table.tHead?.rows[0].cells ?? [])];
  for (const head of heads) {
    head.replaceChildren(button(head.textContent, () => sortBy(table, head, heads)));
  }
}
function filterGames(/** @type {HTMLFormElement} */ form) {
  const rows = [...document.querySelectorAll("tr[data-came]")].map((row) => /** @type {HTMLTableRowElement} */ (row));
  const chosen = (/** @type {string} */ name) => String(new FormData(form).get(name));
  const isShown = (/** @type {HTMLTableRowElement} */ { dataset: { came = "", remarks = "" } }) => {
    const [entrant, result, remark] = ["entrant", "result", "remark"].map(chosen);
    const wanted = result === "lost" ? ["lost", "last"] : [result];
    const own = came.split(" ").map((one) => one.split("-"));
    const fits = own.some(([who, how]) => (!entrant || who === entrant) && (!result || wanted.includes(how)));
    return fits && (!remark || remarks.split(" ").includes(remark));
  };
  const show = () => {
    for (const row of rows) row.hidden = !isShown(row);
    const [told] = form.getElementsByTagName("output");
    told.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} games`;
  };
  form.addEventListener("change", show);
  form.hidden = false;
  show();
}

offerThemes();
for (const form of document.forms) filterGames(form);
$("theme").hidden = false;
drawn();
