// @ts-check
// The tabs beside the board. On a phone they are at the bottom of the window, and the question is one of them.

import { $ } from "./parts.js";

/** @typedef {"move" | "tables" | "story" | "players" | "chat"} Tab */

const NAMES = /** @type {const} */ (["move", "tables", "story", "players"]);
const phone = matchMedia("(max-width: 599px)");
/** Whether the column has no space for both a table and the moves since the player's last turn. */
const low = matchMedia(
  "(min-width: 900px) and (min-height: 560px) and (max-height: 899px) and (orientation: landscape)",
);

export class Tabs {
  constructor() {
    /** @type {Tab} */ this.chosen = "move";
    /** @type {(() => void)[]} */ this.listeners = [];
    /** Callbacks for opened tabs. @type {Partial<Record<Tab, () => void>>} */ this.opened = {};
    for (const name of NAMES) $(`tab-${name}`).addEventListener("click", () => this.press(name));
    $("tabs").addEventListener("keydown", (event) => this.move(event));
    for (const query of [phone, low]) query.addEventListener("change", () => this.show());
    this.show();
  }

  /** The tab that is shown. A wide window shows the question beside the tabs, so the tab "move" is not needed there. */
  get shown() {
    const isStory = $("tab-tables").hidden || (!$("goal").hidden && low.matches);
    const first = isStory ? "story" : "tables"; // a game with one table shows it as "players"
    return this.chosen === "move" && !phone.matches ? first : this.chosen;
  }

  select(/** @type {Tab} */ name) {
    this.chosen = name;
    this.show();
  }

  // Highlight the tab of the question when it is the player's turn, because another tab may be open. After the end,
  // that tab contains the result.
  callToMove(/** @type {boolean} */ isOwn, isOver = false) {
    $("tab-move").textContent = isOver ? "Result" : isOwn ? "Your move" : "Move";
    $("tab-move").classList.toggle("mine", isOwn);
  }

  // Open the tab of the question for a new question, unless the player is writing in the chat.
  showQuestion() {
    if (this.chosen !== "move" && phone.matches && document.activeElement !== $("chat-text")) this.select("move");
  }

  // On a phone, pressing the tab that is shown hides the panel, so that the board has the whole window.
  press(/** @type {Tab} */ name) {
    const isHidden = phone.matches && name === this.shown && !$("table").classList.contains("folded");
    this.select(name);
    $("table").classList.toggle("folded", isHidden);
  }

  move(/** @type {KeyboardEvent} */ event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const names = NAMES.filter((name) => $(`tab-${name}`).checkVisibility());
    const at = names.findIndex((name) => $(`tab-${name}`) === document.activeElement);
    const next = names[(at + by + names.length) % names.length];
    this.select(next);
    $(`tab-${next}`).focus();
    event.preventDefault();
  }

  show() {
    const { shown } = this;
    const isNew = $("table").dataset.tab !== shown;
    $("table").dataset.tab = shown;
    $("table").classList.remove("folded");
    const inOrder = NAMES.filter((name) => name !== "move" || phone.matches);
    const focusable = shown === "chat" ? inOrder[0] : shown;
    for (const name of NAMES) {
      $(`tab-${name}`).setAttribute("aria-selected", String(name === shown));
      $(`tab-${name}`).tabIndex = name === focusable ? 0 : -1;
    }
    for (const listener of this.listeners) listener();
    if (isNew) this.opened[shown]?.();
  }
}
