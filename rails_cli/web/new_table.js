// @ts-check
// The form for a new table.

import { keepSeat, ownName, save } from "./memory.js";
import { $, make, option } from "./parts.js";
import { reason } from "./wire.js";

/**
 * Position from which a new game continues. `bots` has the built-in player of each seat, or an empty string.
 * @typedef {{ log: string, game: string, names: string[], bots: string[], number: number }} From
 */

export class NewTable {
  /**
   * `free` is called before a seat is taken, to give up or leave a seat elsewhere. `done` is called with the new table.
   * @param {import("./wire.js").Wire} wire
   * @param {Page.GameOffer} offer
   * @param {{ free: () => Promise<void> | null, done: (table: string) => void, fail: (words: string) => void }} ways
   */
  constructor(wire, offer, ways) {
    this.wire = wire;
    this.offer = offer;
    this.ways = ways;
    /** @type {From | null} */ this.from = null;
    $("new-game").append(...offer.games.map(({ name, title }) => option(name, title)));
    $("new-game").addEventListener("change", () => this.chooseGame());
    $("new-players").addEventListener("change", () => this.choosePlayers());
    $("new-clock").addEventListener("change", () => {
      $("other-clock").hidden = $("new-clock").value !== "";
    });
    $("create").addEventListener("submit", (event) => {
      event.preventDefault();
      this.once();
    });
    this.chooseGame();
  }

  // Open the form. If the game continues a logged game (`from`), only the players can be chosen.
  open(/** @type {From | null} */ from) {
    this.from = from;
    $("new-you").value = ownName();
    $("new-name").value = "";
    $("new-more").open = false;
    const title = this.offer.games.find(({ name }) => name === from?.game)?.title;
    $("new-title").textContent = from
      ? `Play on after action ${from.number - 1}: ${title}, ${from.names.join(", ")}`
      : "New table";
    $("new-from").hidden = from === null;
    $("new-from").textContent = from
      ? `All before action ${from.number} stays as it was. Action ${from.number} is decided again.`
      : "";
    for (const label of [$("new-game-label"), $("new-players-label"), $("new-options")]) label.hidden = from !== null;
    if (from) $("new-game").value = from.game;
    this.chooseGame();
    if (!from) return $("new-game").focus();
    $("new-board-label").hidden = $("new-openings-label").hidden = true;
    $("new-players").value = String(from.names.length);
    this.choosePlayers();
    const bot = ["builtin:hard", "builtin:greedy"].find((one) => this.offer.seats.includes(one)) ?? "";
    const seats = [...$("new-seats").querySelectorAll("select")];
    const own = Math.max(from.bots.indexOf(""), 0);
    seats.forEach((select, seat) => {
      const before = this.offer.seats.includes(from.bots[seat]) ? from.bots[seat] : bot;
      select.value = seat === own ? "you" : before;
    });
    seats[own]?.focus();
  }

  chooseGame() {
    const game = this.offer.games.find(({ name }) => name === $("new-game").value);
    if (!game) return;
    const { players, options, boards, has_openings: hasOpenings } = game;
    $("new-players").replaceChildren(...players.map((count) => option(String(count), String(count))));
    $("new-players").value = String(players.includes(3) ? 3 : players[0]);
    $("new-board-label").hidden = boards.length === 0;
    $("new-openings-label").hidden = !hasOpenings;
    $("new-openings").value = "none";
    $("new-board").replaceChildren(option("", "standard"), ...boards.map((name) => option(name, name)));
    const fields = options.map(({ name, question, choices }) => {
      const select = make("select", "", ...choices.map(({ value, words }) => option(value, words)));
      select.dataset.option = name;
      return make("label", "", `${question} `, select);
    });
    $("new-options").replaceChildren(...fields);
    this.choosePlayers();
  }

  choosePlayers() {
    const bots = this.offer.seats.map((bot) => [
      bot,
      bot.replace("builtin:", "built-in bot: ").replace("bot:", "bot: "),
    ]);
    const kinds = [["you", "you"], ["", "anybody"], ["reserved", "invitation only"], ...bots];
    const before = [...$("new-seats").querySelectorAll("select")].map((select) => select.value);
    const fields = Array.from({ length: +$("new-players").value }, (_, seat) => {
      const select = make("select", "", ...kinds.map(([value, words]) => option(value, words)));
      select.value = before[seat] ?? (seat === 0 ? "you" : "");
      const name = this.from?.names[seat];
      return make("label", "", `Seat ${seat + 1}${name ? `, ${name}` : ""} `, select);
    });
    $("new-seats").replaceChildren(...fields);
  }

  // Create one table, even if the button is clicked several times.
  async once() {
    const submit = $("create").querySelector(".primary");
    if (submit?.getAttribute("aria-disabled") === "true") return;
    submit?.setAttribute("aria-disabled", "true");
    await this.make();
    submit?.removeAttribute("aria-disabled");
  }

  async make() {
    const seats = [...$("new-seats").querySelectorAll("select")].map((select) => select.value);
    const options = [...$("new-options").querySelectorAll("select")];
    const own = seats.indexOf("you");
    const you = $("new-you").value.trim();
    if (you) save("name", you);
    /** @type {Page.CreateTable} */
    const wish = {
      type: "create",
      game: $("new-game").value,
      players: +$("new-players").value,
      options: Object.fromEntries(options.map((select) => [select.dataset.option, select.value])),
      clock: $("new-clock").value || $("new-other").value || "none",
      name: $("new-name").value,
      private: $("new-private").checked,
      seats: seats.map((kind) => (kind === "you" || kind === "" ? null : kind)),
      watch_delay_s: +$("new-delay").value || 0,
      chat: $("new-chat").checked,
      undo: $("new-undo").checked,
      hints: $("new-hints").checked,
    };
    const { from } = this;
    if (from) {
      wish.options = {};
      wish.branch = { log: from.log, number: from.number };
    } else if ($("new-board").value) wish.board = $("new-board").value;
    if (!from && $("new-openings").value === "drawn") wish.openings = "drawn";
    await this.create(wish, own, you);
  }

  // Create a table and take seat `own` under the name `you`. If `own` is negative, take no seat.
  /** @param {Page.CreateTable} wish @param {number} own @param {string} you */
  async create(wish, own, you) {
    try {
      await this.wire.opened(); // the page may have just been loaded
      if (own >= 0) await this.ways.free();
      const { table, owner } = await this.wire.ask(wish);
      save(`owner.${table.table}`, owner);
      if (own >= 0) await this.sit(table, owner, own, you);
      this.ways.done(table.table);
    } catch (error) {
      this.ways.fail(reason(error));
    }
  }

  /** @param {Page.TableInfo} table @param {string} owner @param {number} seat @param {string} name */
  async sit(table, owner, seat, name) {
    /** @type {Page.TakeSeat} */ const wish = { type: "sit", table: table.table, seat, name: name || null };
    if (table.private) {
      wish.invite = (await this.wire.ask({ type: "invite", table: table.table, owner, seat })).invite;
    }
    const { token } = await this.wire.ask(wish);
    keepSeat(table, token);
  }
}
