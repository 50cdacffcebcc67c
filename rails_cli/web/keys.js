// @ts-check
// The keys of a page: a list of them that can be opened, and a box that switches them off.

import { $ } from "./elements.js";

export function toggleKeys() {
  $("keys").hidden = !$("keys").hidden;
  $("help").setAttribute("aria-expanded", String(!$("keys").hidden));
}

// Whether a key is meant for the page, and not for the browser or what is in focus.
/** @param {KeyboardEvent} event */
export function isShortcut(event) {
  const focused = /** @type {Element} */ (event.target);
  const takers = `input, select, textarea${event.key === " " ? ", button, a, summary" : ""}`;
  return !focused.closest(takers) && !event.ctrlKey && !event.altKey && !event.metaKey && $("shortcuts").checked;
}
