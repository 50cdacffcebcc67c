// @ts-check
// The theme that somebody chose on a page of this server applies to all its pages. A page in a file keeps no theme.

import { load, save } from "./memory.js";

const isServed = location.protocol !== "file:";
const theme = isServed ? load("theme") : null;
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;

export function keepTheme(/** @type {string} */ chosen) {
  document.documentElement.dataset.theme = chosen;
  if (isServed) save("theme", chosen);
}
