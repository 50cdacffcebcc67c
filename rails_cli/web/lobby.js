// @ts-check
// The lobby: the player's own games, and the tables of the server.

import { isConfirmed } from "./dialogs.js";
import { forgetSeat, heldSeat, heldSeats, keepPast, ownName, save } from "./memory.js";
import {
  $,
  button,
  capital,
  clockWords,
  initial,
  labelled,
  link,
  make,
  option,
  playerName,
  scoredIn,
} from "./parts.js";
import { emptyState } from "./pool_parts.js";

const LOOK_AGAIN_MS = 2500;
/** @type {Record<number, string>} */ const ORDINALS = { 1: "st", 2: "nd", 3: "rd" };
const STATE_WORDS = { open: "waiting for players", playing: "being played", ended: "ended" };
const FEW = 5; // items that a list shows before "Show all" is pressed, as in lobby.css
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });

/** A seat of this browser. `shown` is set while the server has the table. `others` are the names of the other players.
 * `origin` says whether the game is a rematch or continues another game.
 * @typedef {{ table: string, name: string, game: string, at: number, origin: string[], others: string[], words: string, shown: Page.HeldSeat | null }} Mine */

export class Lobby {
  /**
   * @param {import("./wire.js").Wire} wire
   * @param {Page.GameOffer} offer
   * @param {import("./alerts.js").Alerts} alerts
   * @param {(table: string) => Promise<void>} giveUp Gives up the seat at a table if this connection holds it.
   */
  constructor(wire, offer, alerts, giveUp) {
    this.wire = wire;
    this.giveUp = giveUp;
    this.offer = offer;
    this.alerts = alerts;
    /** @type {Map<string, Page.HeldSeat | null>} */ this.held = new Map();
    this.mine = "";
    /** @type {number | undefined} */ this.timer = undefined;
    this.shown = "";
    this.skip = 0;
    this.most = 0;
    this.total = 0;
    $("game-filter").append(...offer.games.map(({ name, title }) => option(name, title)));
    for (const filter of [$("words"), $("game-filter"), $("state-filter")]) {
      filter.addEventListener("input", () => this.turn(0));
    }
    for (const [all, list] of [
      [$("tables-all"), $("tables-list")],
      [$("mine-all"), $("my-tables")],
    ]) {
      all.addEventListener("click", () => {
        list.classList.toggle("few");
        if (list === $("tables-list")) this.turn(0);
        else this.labelAll(all, list);
      });
    }
    $("tables-before").addEventListener("click", () => this.turn(Math.max(this.skip - this.most, 0)));
    $("tables-after").addEventListener("click", () => this.turn(this.skip + this.most));
    $("search").addEventListener("submit", (event) => {
      event.preventDefault();
      this.refresh();
    });
    $("name").value = ownName();
    $("name").addEventListener("change", () => save("name", $("name").value.trim()));
  }

  open() {
    $("name").value = ownName();
    this.mine = "";
    this.held.clear();
    this.showMine();
    this.shown = "";
    this.refresh();
    this.timer ??= setInterval(() => document.visibilityState === "visible" && this.refresh(), LOOK_AGAIN_MS);
  }

  close() {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  // Show the list of tables from index `skip`.
  async turn(/** @type {number} */ skip) {
    this.skip = skip;
    this.shown = "";
    await this.refresh();
  }

  async refresh() {
    await Promise.all([this.lookAtTables(), this.lookAtMine()]);
  }

  // Request the tables where the player has a seat, including private ones. Ended games no longer change, so omit them.
  async lookAtMine() {
    const mine = heldSeats().filter(([table]) => {
      const held = this.held.get(table);
      return held === undefined || (held !== null && held.table.state !== "ended");
    });
    try {
      if (mine.length > 0) {
        const { seats } = await this.wire.ask({ type: "held", tokens: mine.map(([, { token }]) => token) });
        mine.forEach(([table], number) => {
          this.held.set(table, seats[number]);
        });
      }
      if (this.timer === undefined) return;
      this.showMine();
      const turn = [...this.held.values()].find((held) => held && held.table.to_move === held.seat);
      if (turn) this.alerts.call(turn.table.name, `${turn.table.table}/${turn.table.actions}`);
      else this.alerts.rest("rails-cli");
    } catch {
      // repeated after LOOK_AGAIN_MS
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
      // repeated after LOOK_AGAIN_MS; `Wire` reports a lost connection
    }
  }

  show(/** @type {Page.TableInfo[]} */ tables, /** @type {number} */ total) {
    const { skip } = this;
    const text = JSON.stringify([tables, total, skip, heldSeats().map(([table]) => table)]);
    if (text === this.shown) return;
    this.shown = text;
    const list = $("tables-list");
    const focused = /** @type {HTMLElement | null | undefined} */ (
      document.activeElement?.closest("#tables-list [data-table]")
    )?.dataset.table;
    list.replaceChildren(...tables.map((table) => this.item(table)));
    const isSearch = [$("words"), $("game-filter"), $("state-filter")].some(({ value }) => value !== "");
    $("search").hidden = total === 0 && !isSearch;
    if (total === 0) {
      const empty = isSearch
        ? emptyState("No such table", "Search for something else.")
        : emptyState("No tables yet", "Create one, and others can join it here.");
      list.append(make("li", "none", empty));
    }
    this.total = total;
    this.labelAll($("tables-all"), list);
    $("tables-before").disabled = skip === 0;
    $("tables-after").disabled = skip + tables.length >= total;
    this.most = Math.max(this.most, tables.length);
    for (const item of list.children) {
      if (/** @type {HTMLElement} */ (item).dataset.table === focused) item.querySelector("a")?.focus();
    }
  }

  // Update the button that switches a list between its first items and all items.
  labelAll(/** @type {HTMLElement} */ all, /** @type {HTMLElement} */ list) {
    const isFew = list.classList.contains("few");
    all.hidden = list.childElementCount <= FEW && this.skip === 0;
    all.textContent = isFew ? "Show all" : "Show fewer";
    if (list !== $("tables-list")) return;
    const { skip, total } = this;
    const shown = total === 0 ? 0 : list.childElementCount;
    $("more-tables").hidden = isFew || shown === total;
    $("count").textContent = isFew || shown === total ? `${total}` : `${skip + 1} to ${skip + shown} of ${total}`;
  }

  title(/** @type {string} */ game) {
    return this.offer.games.find(({ name }) => name === game)?.title ?? game;
  }

  // Return the title of the game, the number of players, and the options that differ from the default.
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
    const ways = { open: isFree ? "Join" : "View", playing: "Watch", ended: "Replay" };
    const what = isMine ? "Continue" : ways[table.state];
    const way = link(what, isOver ? `replay/${id}` : `#table/${id}`, isMine || isFree ? "action" : "action ghost");
    const item = make(
      "li",
      `is-${table.state}`,
      discs(table.seats),
      tableWords(table.name, [this.title(table.game), ...moreWords(table)], playerWords(table)),
      labelled(way, `${what}: ${table.name}`),
    );
    item.dataset.table = table.table;
    return item;
  }

  // Return the seats of this browser, newest first, with what is known about their games.
  known() {
    return heldSeats().map(([table, { name, game, at, past, rematch }]) => {
      const shown = this.held.get(table);
      const origin = [...(rematch ? ["rematch"] : []), ...branchWords(shown?.table.branch ?? null)];
      /** @type {Mine} */ const mine = { table, name, game, at, origin, others: [], words: "", shown: shown ?? null };
      if (shown) {
        mine.others = shown.table.seats.flatMap((one) =>
          one.name && one.seat !== shown.seat ? [playerName(one)] : [],
        );
        mine.at = (shown.ended_at ?? shown.created_at) * 1000;
        mine.words = standing(shown);
        const ended = { others: mine.others, words: mine.words, at: mine.at };
        if (shown.ended_at !== null && JSON.stringify(past) !== JSON.stringify(ended)) keepPast(table, ended);
      } else if (past) {
        Object.assign(mine, past);
        if (shown === null) mine.words = `${past.words}. The server has deleted this game.`;
      } else if (shown === null) mine.words = "This seat is not yours any more";
      return mine;
    });
  }

  showMine() {
    const mine = this.known();
    const text = JSON.stringify(mine);
    if (text === this.mine || $("confirm").open) return; // the dialog returns the focus to a button of the list
    this.mine = text;
    $("mine").hidden = mine.length === 0;
    $("share-part").hidden = mine.length === 0;
    if (mine.length === 0) $("share-code").replaceChildren();
    const focused = document.activeElement?.closest("#my-tables :is(button, a), #turns a")?.getAttribute("aria-label");
    $("turns").replaceChildren(...mine.filter(isTurn).map((one) => this.turnItem(one)));
    $("my-tables").replaceChildren(...mine.map((one) => this.mineItem(one)));
    this.labelAll($("mine-all"), $("my-tables"));
    for (const node of document.querySelectorAll("#my-tables :is(button, a), #turns a")) {
      if (focused && node.getAttribute("aria-label") === focused) /** @type {HTMLElement} */ (node).focus();
    }
  }

  turnItem(/** @type {Mine} */ { table, name, game, origin, others, shown }) {
    const way = labelled(link("Continue", `#table/${encodeURIComponent(table)}`, "primary"), `Continue: ${name}`);
    const words = make("div", "what", make("b", "", `It is your move in ${this.title(game)}`));
    words.append(make("span", "quiet", [name, ...origin, ...withWords(others)].join(" · ")));
    return make("li", "card", discs(shown?.table.seats ?? []), words, way);
  }

  mineItem(/** @type {Mine} */ mine) {
    const { table, name, game, at, origin, others, words, shown } = mine;
    const id = encodeURIComponent(table);
    const isOver = shown?.table.state === "ended";
    const seats = shown?.table.seats ?? [];
    const ways = make("span", "ways");
    if (shown) {
      const what = isOver ? "Replay" : "Continue";
      const way = link(what, isOver ? `replay/${id}` : `#table/${id}`, "action");
      ways.append(labelled(way, `${what}: your seat at ${name}`));
    }
    ways.append(
      labelled(
        button("Delete", () => this.forget(mine), "ghost"),
        `Delete: your seat at ${name}`,
      ),
    );
    const facts = [this.title(game), ...origin, ...withWords(others), DAY.format(at)];
    const result = make("span", "standing", capital(words));
    const isOther = isOver && seats[shown.seat].substitute;
    const item = make("li", isTurn(mine) ? "is-turn" : "", discs(seats), tableWords(name, facts, ""), result, ways);
    if (isOther) item.classList.add("not-own");
    return item;
  }

  // Delete a seat from the list after a confirmation. Then focus the next item, or the name field if the list is empty.
  async forget(/** @type {Mine} */ { table, name, shown }) {
    const words = {
      open: "You give up your seat at this table.",
      playing: "The game is not over. A bot plays on for you, and you cannot come back to your seat.",
      ended: "",
    }[shown?.table.state ?? "ended"];
    const list = $("my-tables");
    const number = [...list.children].findIndex((item) => item.contains(document.activeElement));
    if (!(await isConfirmed({ title: `Delete ${name} from your games?`, words, yes: "Delete", no: "Keep it" }))) return;
    await this.giveUp(table);
    forgetSeat(table);
    this.held.delete(table);
    this.showMine();
    const next = list.children[Math.min(Math.max(number, 0), list.childElementCount - 1)];
    (next?.querySelector("button") ?? $("name")).focus();
    this.refresh();
  }
}

function isTurn(/** @type {Mine} */ { shown }) {
  return shown !== null && shown.table.to_move === shown.seat;
}

// Return which game a table continues, and from where. Games of this browser are named, others have only an id.
function branchWords(/** @type {Page.TableInfo["branch"]} */ branch) {
  return branch ? [`continues after action ${branch.number - 1} of ${heldSeat(branch.log)?.name ?? branch.log}`] : [];
}

function withWords(/** @type {string[]} */ others) {
  return others.length > 0 ? [`with ${others.join(", ")}`] : [];
}

/** Return the name of a table and two lines about it. @param {string} name @param {string[]} facts @param {string} more */
function tableWords(name, facts, more) {
  const node = make("div", "what", make("b", "", name), make("span", "quiet", facts.join(" · ")));
  if (more) node.append(make("span", "quiet", more));
  return node;
}

// Return the state or the result of a game for the holder of one of its seats.
function standing(/** @type {Page.HeldSeat} */ { seat, ranks, reason, table }) {
  const { state, seats, to_move: toMove, scores, game } = table;
  if (state === "open") return "waiting for players";
  if (state === "ended") {
    if (!ranks || !scores || reason === "interrupted") return "stopped before its end";
    if (seats[seat].substitute) return `a bot finished this game for you, with ${scoredIn(scores[seat], game)}`;
    const isTie = ranks.filter((rank) => rank === ranks[seat]).length > 1;
    const ordinal = `${ranks[seat]}${ORDINALS[ranks[seat]] ?? "th"}`;
    const place = isTie ? `tied for ${ordinal}` : ranks[seat] === 1 ? "you won" : `${ordinal} of ${ranks.length}`;
    return `${place} with ${scoredIn(scores[seat], game)}`;
  }
  if (seats[seat].substitute) return "a bot plays for you until you return";
  return toMove === seat ? "your turn" : toMove === null ? "being played" : `waiting for ${seats[toMove].name}`;
}

function moreWords(/** @type {Page.TableInfo} */ { clock, actions, state, branch }) {
  const words = [STATE_WORDS[state], ...branchWords(branch)];
  if (clock !== "none") words.push(clockWords(clock));
  if (state !== "open") words.push(`${actions} action${actions === 1 ? "" : "s"}`);
  return words;
}

// Return the players of a table, with their scores, and the numbers of free seats.
function playerWords(/** @type {Page.TableInfo} */ { seats, scores, game }) {
  const names = seats.flatMap((one) => {
    if (!one.name) return [];
    return [`${playerName(one)}${scores ? ` ${scoredIn(scores[one.seat], game)}` : one.connected ? "" : " (away)"}`];
  });
  const count = (/** @type {Page.SeatInfo["kind"]} */ one) => seats.filter(({ kind }) => kind === one).length;
  const [free, invited] = [count("open"), count("reserved")];
  if (free) names.push(free === 1 ? "1 free seat" : `${free} free seats`);
  if (invited) names.push(`${invited} by invitation`);
  return names.join(", ");
}

function discs(/** @type {Page.SeatInfo[]} */ seats) {
  const shown = seats.map(({ seat, name }) =>
    make("span", `disc ${name ? `paint-seat-${seat}` : "free"}`, name ? initial(name) : "+"),
  );
  const node = make("span", "discs", ...shown);
  node.setAttribute("aria-hidden", "true");
  return node;
}
