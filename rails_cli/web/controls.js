// @ts-check
// Controls in the header of each page: light or dark theme, by default as the browser prefers, and keyboard shortcuts,
// which a checkbox disables.

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

// Return whether a key press is a shortcut of the page, and not input for the browser or the focused element.
export function isShortcut(/** @type {KeyboardEvent} */ event) {
  const focused = /** @type {Element} */ (event.target);
  const isPress = event.key === " " || event.key === "Enter";
  const takers = `input, select, textarea${isPress ? ", button, a, summary" : ""}`;
  const isTaken = focused.closest(takers)?.checkVisibility(); // a hidden button keeps the focus until the next frame
  return !isTaken && !event.ctrlKey && !event.altKey && !event.metaKey && $("shortcuts").checked;
}
