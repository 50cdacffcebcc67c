// @ts-check
// The light or dark theme. A choice applies to all pages of this server. Pages opened from a file do not store it.

import { load, save } from "./memory.js";

const isServed = location.protocol !== "file:";
const theme = isServed ? load("theme") : null;
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;

export function keepTheme(/** @type {string} */ chosen) {
  document.documentElement.dataset.theme = chosen;
  if (isServed) save("theme", chosen);
}
