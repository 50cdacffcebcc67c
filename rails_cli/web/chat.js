// @ts-check
// The chat of a table. It is one of the tabs, and single people can be muted.

import { $, button, labelled, make, option } from "./parts.js";
import { reason } from "./wire.js";

const MOST_SHOWN = 200;

export class Chat {
  /** @param {import("./wire.js").Wire} wire @param {string[]} phrases @param {import("./tabs.js").Tabs} tabs */
  constructor(wire, phrases, tabs) {
    this.wire = wire;
    this.tabs = tabs;
    this.table = "";
    this.isAllowed = false;
    this.isSeated = false;
    this.seen = 0;
    /** @type {Map<number, Page.ChatLine>} */ this.lines = new Map();
    /** @type {Set<string>} */ this.muted = new Set();
    $("chat-phrases").append(option("", "Quick phrases …"), ...phrases.map((phrase) => option(phrase, phrase)));
    $("chat-phrases").addEventListener("change", () => {
      const phrase = $("chat-phrases").value;
      $("chat-phrases").value = "";
      if (phrase) this.say(phrase);
    });
    $("chat-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const text = $("chat-text").value.trim();
      if (text) this.say(text);
    });
    for (const one of [$("chat-show"), $("chat-close")]) one.addEventListener("click", () => this.toggle());
    tabs.listeners.push(() => this.render());
    this.render();
  }

  get isOpen() {
    return this.tabs.shown === "chat";
  }

  toggle() {
    this.tabs.select(this.isOpen ? "move" : "chat");
    (this.isOpen ? $("chat-text") : $("chat-show")).focus();
  }

  // Clear the chat for another table, or for none.
  reset(/** @type {string} */ table) {
    this.table = table;
    this.isAllowed = false;
    this.seen = 0;
    this.lines.clear();
    this.muted.clear();
    this.render();
  }

  // Update from the lobby's description of the table, which says whether the chat is allowed.
  learn(/** @type {Page.TableInfo} */ { chat }, /** @type {boolean} */ isSeated) {
    if (chat === this.isAllowed && isSeated === this.isSeated) return;
    this.isAllowed = chat;
    this.isSeated = isSeated;
    this.render();
  }

  // Subscribe to the chat. This is necessary for each new connection.
  listen() {
    this.wire.say({ type: "chat" });
  }

  hear(/** @type {Page.ChatLines} */ { table, lines }) {
    if (table !== this.table || lines.length === 0) return;
    for (const line of lines) this.lines.set(line.number, line);
    const sorted = [...this.lines.values()].sort((one, other) => one.number - other.number).slice(-MOST_SHOWN);
    this.lines = new Map(sorted.map((line) => [line.number, line]));
    this.render();
  }

  async say(/** @type {string} */ text) {
    $("chat-words").textContent = "";
    try {
      await this.wire.ask({ type: "chat", text });
      if ($("chat-text").value.trim() === text) $("chat-text").value = "";
    } catch (error) {
      $("chat-words").textContent = reason(error);
    }
  }

  mute(/** @type {string} */ who) {
    if (!this.muted.delete(who)) this.muted.add(who);
    this.render();
    $("chat-text").focus();
  }

  render() {
    const { isOpen } = this;
    const heard = [...this.lines.values()].filter((line) => !this.muted.has(who(line)));
    if (isOpen) this.seen = Math.max(0, ...this.lines.keys());
    const fresh = heard.filter(({ number }) => number > this.seen).length;
    $("chat-show").hidden = !this.isAllowed;
    $("chat-new").textContent = fresh ? `${fresh} new` : "";
    $("chat-show").setAttribute("aria-expanded", String(isOpen));
    $("chat-whom").textContent = this.isSeated
      ? ""
      : "While the game is played, only other spectators read what you write.";
    $("chat-lines").replaceChildren(...heard.map((line) => this.item(line)));
    const back = [...this.muted].map((name) => button(`Unmute ${name}`, () => this.mute(name)));
    $("chat-muted").replaceChildren(...back);
    $("chat-lines").scrollTop = $("chat-lines").scrollHeight;
  }

  item(/** @type {Page.ChatLine} */ line) {
    const name = make("b", line.seat === null ? "" : `by-seat-${line.seat % 6}`, who(line));
    const mute = labelled(
      button("×", () => this.mute(who(line)), "mute"),
      `Mute ${who(line)}`,
    );
    mute.title = `Mute ${who(line)}`;
    return make("li", "", name, ` ${line.text} `, mute);
  }
}

function who(/** @type {Page.ChatLine} */ { name, seat }) {
  return seat === null ? `${name} (watching)` : name;
}
