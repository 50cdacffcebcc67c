"use strict";
{
  const root = document.documentElement;
  const theme = document.getElementById("theme");
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
  const name = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; name(); });
  prefersDark.addEventListener("change", name);
  theme.hidden = false;
  name();

  const keyOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b
      : typeof a === "number" ? -1 : typeof b === "number" ? 1 : a.localeCompare(b, "en", { numeric: true });
  const sortBy = (table, head) => {
    const column = head.cellIndex;
    const wasUp = head.getAttribute("aria-sort") === "ascending";
    const isFirst = !head.hasAttribute("aria-sort");
    const startsDown = table.tBodies[0].rows[0]?.cells[column].dataset.value !== undefined;
    const up = isFirst ? !startsDown : !wasUp;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => compare(keyOf(a, column), keyOf(b, column)) * (up ? 1 : -1));
    table.tBodies[0].append(...rows);
  };
  for (const table of document.querySelectorAll("table")) {
    for (const head of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.addEventListener("click", () => sortBy(table, head));
      head.replaceChildren(button);
    }
  }
}
