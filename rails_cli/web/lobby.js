// @ts-check
// The lobby: which tables there are.

import { forgetSeat, heldSeat, heldSeats, ownName, save } from "./memory.js";
import { option } from "./new_table.js";
import { $, button, clockWords, labelled, link, make, money } from "./parts.js";

const LOOK_AGAIN_MS = 2500;
/** @type {Record<number, string>} */ const ORDINALS = { 1: "st", 2: "nd", 3: "rd" };
const STATE_WORDS = { open: "waiting for players", playing: "being played", ended: "ended" };

export class Lobby {
  /** @param {import("./wire.js").Wire} wire @param {Page.GameOffer} offer @param {import("./alerts.js").Alerts} alerts */
  constructor(wire, offer, alerts) {
    this.wire = wire;
    this.offer = offer;
    this.alerts = alerts;
    /** @type {Map<string, Page.HeldSeat | null>} */ this.held = new Map();
    this.mine = "";
    /** @type {number | undefined} */ this.timer = undefined;
    this.shown = "";
    this.skip = 0;
    this.most = 0;
    $("game-filter").append(...offer.games.map(({ name, title }) => option(name, title)));
    for (const filter of [$("words"), $("game-filter"), $("state-filter")]) {
      filter.addEventListener("input", () => this.turn(0));
    }
    $("tables-before").addEventListener("click", () => this.turn(Math.max(this.skip - this.most, 0)));
    $("tables-after").addEventListener("click", () => this.turn(this.skip + this.most));
    $("search").addEventListener("submit", (event) => {
      event.preventDefault();
      this.look();
    });
    $("name").value = ownName();
    $("name").addEventListener("change", () => save("name", $("name").value.trim()));
  }

  open() {
    $("name").value = ownName();
    this.mine = "";
    this.showMine();
    this.shown = "";
    this.look();
    this.timer ??= setInterval(() => document.visibilityState === "visible" && this.look(), LOOK_AGAIN_MS);
  }

  close() {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  // To another page of the list.
  async turn(/** @type {number} */ skip) {
    this.skip = skip;
    await this.look();
  }

  async look() {
    await Promise.all([this.lookAtTables(), this.lookAtMine()]);
  }

  // How the games stand where one has a seat, private ones, too.
  async lookAtMine() {
    const mine = heldSeats();
    if (mine.length === 0) return;
    try {
      const { seats } = await this.wire.ask({ type: "held", tokens: mine.map(([, { token }]) => token) });
      if (this.timer === undefined) return;
      this.held = new Map(mine.map(([table], number) => [table, seats[number]]));
      this.showMine();
      const turn = [...this.held.values()].find((held) => held && held.table.to_move === held.seat);
      if (turn) this.alerts.call(turn.table.name, `${turn.table.table}/${turn.table.actions}`);
      else this.alerts.rest("rails-cli");
    } catch {
      // as below
    }
  }

  async lookAtTables() {
    const state = /** @type {Page.TableInfo["state"] | ""} */ ($("state-filter").value);
    const game = $("game-filter").value;
    try {
      const filters = { search: $("words").value, game: game || null, state: state || null };
      const { skip } = this;
      const { tables, total } = await this.wire.ask({ type: "list", ...filters, skip });
      if (this.timer === undefined || skip !== this.skip) return;
      if (tables.length === 0 && skip > 0) await this.turn(0);
      else this.show(tables, total);
    } catch {
      // the state of the connection is told elsewhere, and the next look is near
    }
  }

  show(/** @type {Page.TableInfo[]} */ tables, /** @type {number} */ total) {
    const { skip } = this;
    const text = JSON.stringify([tables, total, skip]);
    if (text === this.shown) return;
    this.shown = text;
    const list = $("tables-list");
    const focused = /** @type {HTMLElement | null | undefined} */ (
      document.activeElement?.closest("#tables-list [data-table]")
    )?.dataset.table;
    list.replaceChildren(...tables.map((table) => this.item(table)));
    const isAll = tables.length === total;
    const words = total === 0 ? "No tables." : total === 1 ? "One table." : `${total} tables.`;
    $("count").textContent = isAll ? words : `${skip + 1} to ${skip + tables.length} of ${total} tables.`;
    $("more-tables").hidden = isAll;
    $("tables-before").disabled = skip === 0;
    $("tables-after").disabled = skip + tables.length >= total;
    this.most = Math.max(this.most, tables.length);
    for (const item of list.children) {
      if (/** @type {HTMLElement} */ (item).dataset.table === focused) item.querySelector("a")?.focus();
    }
  }

  title(/** @type {string} */ game) {
    return this.offer.games.find(({ name }) => name === game)?.title ?? game;
  }

  // The game and its players, and what of its options is not as usual.
  described(/** @type {Page.TableInfo} */ { game, players, options }) {
    const words = [this.title(game), `${players} players`];
    for (const { name, question, choices } of this.offer.games.find((one) => one.name === game)?.options ?? []) {
      const chosen = choices.findIndex(({ value }) => value === options[name]);
      if (chosen > 0) words.push(`${question} ${choices[chosen].words}`);
    }
    return words;
  }

  item(/** @type {Page.TableInfo} */ table) {
    const id = encodeURIComponent(table.table);
    const isFree = table.seats.some(({ kind }) => kind === "open");
    const isOver = table.state === "ended";
    const isMine = !isOver && heldSeat(table.table) !== null;
    const ways = { open: isFree ? "Sit down" : "View", playing: "Watch", ended: "Replay" };
    const what = isMine ? "Return to game" : ways[table.state];
    const way = link(what, isOver ? `replay/${id}` : `#table/${id}`, "action");
    const game = make("span", "quiet", ` ${this.title(table.game)}${moreWords(table)}`);
    const name = make("span", "what", make("b", "", table.name), game);
    const who = make("span", "who", ...table.seats.map((seat, number) => chip(seat, number, table.scores)));
    const state = make("span", `state ${table.state}`, STATE_WORDS[table.state]);
    const how = make("span", "how", state, " ", labelled(way, `${what}: ${table.name}`));
    const item = make("li", `is-${table.state}`, name, who, how);
    item.dataset.table = table.table;
    return item;
  }

  showMine() {
    const seats = heldSeats();
    const text = JSON.stringify([seats, [...this.held]]);
    if (text === this.mine) return;
    this.mine = text;
    $("mine").hidden = seats.length === 0;
    const focused = document.activeElement?.closest("#my-tables button, #my-tables a")?.getAttribute("aria-label");
    const items = seats.map(([table, { name, game }]) => {
      const held = this.held.get(table);
      const words = held === undefined ? "" : held === null ? "This seat is not yours any more" : standing(held);
      const isOver = held?.table.state === "ended";
      const what = isOver ? "Replay" : "Return to game";
      const way = link(
        what,
        isOver ? `replay/${encodeURIComponent(table)}` : `#table/${encodeURIComponent(table)}`,
        "action",
      );
      labelled(way, `${what}: your seat at ${name}`);
      const forget = labelled(
        button("Forget", () => this.forget(table)),
        `Forget the seat at ${name}`,
      );
      const title = make("span", "what", make("b", "", name), make("span", "quiet", ` ${this.title(game)}`));
      const isTurn = held && held.table.to_move === held.seat;
      const item = make("li", isTurn ? "is-turn" : "", title, make("span", "standing", words), forget);
      if (held !== null) item.append(way);
      return item;
    });
    $("my-tables").replaceChildren(...items);
    for (const node of $("my-tables").querySelectorAll("button, a")) {
      if (focused && node.getAttribute("aria-label") === focused) /** @type {HTMLElement} */ (node).focus();
    }
  }

  // The keyboard goes on at the seat that moved up, or at what stands above the list.
  forget(/** @type {string} */ table) {
    if (!confirm("Forget this seat for good? Without it you cannot come back to the table.")) return;
    const list = $("my-tables");
    const number = [...list.children].findIndex((item) => item.contains(document.activeElement));
    forgetSeat(table);
    this.held.delete(table);
    this.showMine();
    const next = list.children[Math.min(Math.max(number, 0), list.childElementCount - 1)];
    (next?.querySelector("button") ?? $("name")).focus();
    this.shown = "";
    this.look();
  }
}

// How a game stands for the holder of one of its seats.
function standing(/** @type {Page.HeldSeat} */ { seat, ranks, table: { state, seats, to_move: toMove, scores } }) {
  if (state === "open") return "waiting for players";
  if (state === "ended") {
    if (!ranks || !scores) return "ended";
    if (seats[seat].substitute) return `ended: a bot finished this game for you, with ${money(scores[seat])}`;
    const isTie = ranks.filter((rank) => rank === ranks[seat]).length > 1;
    const place =
      ranks[seat] === 1 ? "you won" : `you came ${ranks[seat]}${ORDINALS[ranks[seat]] ?? "th"} of ${ranks.length}`;
    return `ended: ${isTie ? `a tie, rank ${ranks[seat]}` : place} with ${money(scores[seat])}`;
  }
  if (seats[seat].substitute) return "a bot plays for you until you return";
  return toMove === seat ? "your turn" : toMove === null ? "being played" : `waiting for ${seats[toMove].name}`;
}

function moreWords(/** @type {Page.TableInfo} */ { clock, actions, state, branch }) {
  const from = branch ? `, after action ${branch.number - 1} of ${branch.log}` : "";
  const time = `${from}${clock === "none" ? "" : `, ${clockWords(clock)}`}`;
  return state === "open" ? time : `${time}, ${actions} action${actions === 1 ? "" : "s"}`;
}

/** @param {Page.SeatInfo} seat @param {number} number @param {number[] | null} scores */
function chip({ kind, name, connected }, number, scores) {
  const words = kind === "open" ? "free" : kind === "reserved" ? "invited" : name;
  const isThere = connected || scores || kind === "open" || kind === "reserved";
  return make("span", `chip ${kind}${isThere ? "" : " away"}`, `${words}${scores ? ` ${money(scores[number])}` : ""}`);
}
