// @ts-check
// What the head of each page offers: light or dark, as the browser prefers until somebody chooses; and keys, which a box
// switches off.

import { $ } from "./parts.js";
import { keepTheme } from "./theme.js";

const root = document.documentElement;
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
}

function nameTheme() {
  $("theme").textContent = isDark() ? "Light" : "Dark";
}

export function offerThemes() {
  $("theme").addEventListener("click", () => {
    keepTheme(isDark() ? "light" : "dark");
    nameTheme();
  });
  prefersDark.addEventListener("change", nameTheme);
  nameTheme();
}

export function toggleKeys() {
  $("keys").hidden = !$("keys").hidden;
  $("help").setAttribute("aria-expanded", String(!$("keys").hidden));
}

// Whether a key is meant for the page, and not for the browser or what is in focus.
export function isShortcut(/** @type {KeyboardEvent} */ event) {
  const focused = /** @type {Element} */ (event.target);
  const isPress = event.key === " " || event.key === "Enter";
  const takers = `input, select, textarea${isPress ? ", button, a, summary" : ""}`;
  const isTaken = focused.closest(takers)?.checkVisibility(); // a hidden button keeps the focus until the next frame
  return !isTaken && !event.ctrlKey && !event.altKey && !event.metaKey && $("shortcuts").checked;
}
