// @ts-check
// Light or dark: as the browser prefers, until somebody chooses.

import { $ } from "./elements.js";

const root = document.documentElement;
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
}

function nameTheme() {
  $("theme").textContent = isDark() ? "Light" : "Dark";
}

/** @param {(theme: string) => void} [chosen] */
export function offerThemes(chosen) {
  $("theme").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    chosen?.(root.dataset.theme);
    nameTheme();
  });
  prefersDark.addEventListener("change", nameTheme);
  nameTheme();
}
