"use strict";
// What pages are built of. Text gets into a page by textContent only.

const Parts = (() => {
  function make(tag, look, ...content) {
    const node = document.createElement(tag);
    if (look) node.className = look;
    node.append(...content);
    return node;
  }

  function written(value, kind) {
    if (value === null) return "–";
    if (kind === "money") return `$${value.toLocaleString("en-US")}`;
    return kind === "count" && value === 0 ? "·" : String(value);
  }

  function swatch([name, paint, letter]) {
    const mark = make("span", `swatch paint-${paint}`, letter || "");
    if (letter) mark.setAttribute("aria-hidden", "true");
    mark.title = name;
    return mark;
  }

  function headCell(scope, text) {
    const cell = make("th", "", text);
    cell.scope = scope;
    return cell;
  }

  // A table without its values, and its cells row by row.
  function table({ title, corner, columns, rows }) {
    const cells = [];
    const head = make("tr", "", headCell("col", corner));
    for (const [name, , paint, letter] of columns) {
      const cell = headCell("col", "");
      if (paint) cell.append(swatch([name, paint, letter]), make("span", "unseen", name));
      else cell.append(name);
      head.append(cell);
    }
    const body = make("tbody");
    for (const row of rows) {
      const line = make("tr");
      const label = headCell("row", "");
      if (row[1]) label.append(swatch(row), " ");
      label.append(make("span", "label", row[0]));
      line.append(label);
      for (const [, kind] of columns) {
        const cell = make("td", kind);
        cells.push({ cell, kind });
        line.append(cell);
      }
      body.append(line);
    }
    const whole = make("table", "", make("caption", "", title), make("thead", "", head), body);
    const holder = make("div", "table", whole);
    holder.tabIndex = 0;
    holder.setAttribute("role", "group");
    holder.setAttribute("aria-label", title);
    return { holder, cells };
  }

  function button(words, onClick, look = "") {
    const node = make("button", look, words);
    node.type = "button";
    node.addEventListener("click", onClick);
    return node;
  }

  return { make, written, swatch, headCell, table, button };
})();
