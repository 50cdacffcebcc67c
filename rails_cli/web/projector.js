// @ts-check
// Page for a projector or a public screen. It shows live tables one after another, without user input.

import { Board, checkedBoard } from "./board.js";
import { $, make, scored, tableFrame, writeCells } from "./parts.js";
import { Wire } from "./wire.js";

const LOOK_MS = 3000;
const STAY_MS = 20_000;
const STAY_AT_END_MS = 15_000;
const PATIENCE_MS = 10_000; // for the first position; a table with a long spectator delay is left without one
const STORY_LINES = 7;
const TABLES_SHOWN = 1;

class Projector {
  constructor() {
    this.wire = new Wire({
      greet: () => this.greet(),
      hear: (message) => this.hear(message),
      tell: (state) => {
        if (state === "lost") this.say("Connection lost; reconnecting …");
        if (state === "ended") setTimeout(() => this.wire.open(), STAY_MS);
      },
    });
    /** @type {Map<string, number>} */ this.seen = new Map();
    /** @type {Map<string, number>} */ this.actions = new Map();
    /** @type {Page.TableInfo[]} */ this.live = [];
    this.leave();
    setInterval(() => this.refresh(), LOOK_MS);
    this.wire.open();
  }

  // Reset the state to no table.
  leave() {
    /** @type {string} */ this.id = "";
    /** @type {number} */ this.since = 0;
    this.isOver = false;
    /** @type {Board | null} */ this.board = null;
    /** @type {Map<number, Page.SvgMark>} */ this.marks = new Map();
    /** @type {string[]} */ this.story = [];
    /** @type {string} */ this.shape = "";
    /** @type {import("./parts.js").Place[]} */ this.cells = [];
  }

  greet() {
    this.leave();
    this.wire.say({ type: "join", view: "none", board: false });
    this.wire.say({ type: "show" });
    this.refresh();
  }

  async refresh() {
    try {
      const { tables, total } = await this.wire.ask({ type: "list", state: "playing" });
      this.live = tables;
      const next = this.next(tables);
      if (next) await this.watch(next);
      else if (!this.id) await this.showNothing();
      const place = tables.findIndex(({ table }) => table === this.id) + 1;
      $("pj-count").textContent = place && total > 1 ? `Table ${place} of ${total} that are being played` : "";
      for (const { table, actions } of tables) this.actions.set(table, actions);
    } catch {
      // repeated after LOOK_MS
    }
  }

  // Return the table to show next, or null to stay. Prefer tables that were not shown recently, with people and recent
  // moves.
  next(/** @type {Page.TableInfo[]} */ tables) {
    const now = performance.now();
    const stay = this.isOver ? STAY_AT_END_MS : this.board ? STAY_MS : PATIENCE_MS;
    if (this.id && now - this.since < stay) return null;
    const interest = (/** @type {Page.TableInfo} */ { table, seats, actions }) => {
      const people = seats.filter(({ kind }) => kind === "player").length;
      const moves = Math.min(actions - (this.actions.get(table) ?? actions), 5);
      return (1 + people + moves) * (now - (this.seen.get(table) ?? -600_000));
    };
    const others = tables.filter(({ table }) => table !== this.id);
    const best = others.sort((one, other) => interest(other) - interest(one))[0] ?? null;
    if (!best && this.isOver) this.leave();
    return best;
  }

  async watch(/** @type {Page.TableInfo} */ info) {
    this.leave();
    this.id = info.table;
    this.since = performance.now();
    this.seen.set(info.table, this.since);
    if (this.seen.size > 1000) this.seen.clear();
    this.title(info.name, "");
    this.say("");
    $("pj-board").replaceChildren();
    $("pj-tables").replaceChildren();
    $("pj-story").replaceChildren();
    await this.wire.ask({ type: "watch", table: info.table });
  }

  hear(/** @type {import("./wire.js").Heard} */ message) {
    if (message.type === "shown" && message.table === this.id) this.show(message);
    else if (message.type === "error" && message.code === "closed") this.leave();
  }

  show(/** @type {Page.Shown} */ shown) {
    if (shown.board) {
      const svg = checkedBoard(shown.board.svg);
      this.board = new Board(svg, shown.names);
      this.marks.clear();
      $("pj-board").replaceChildren(svg);
      this.since = performance.now();
    }
    for (const number of shown.taken) this.marks.delete(number);
    for (const [number, ...mark] of shown.put) this.marks.set(number, mark);
    this.board?.show(this.marks);
    this.board?.svg.setAttribute("aria-label", `Board. ${shown.stage.join(" ")}`);
    const name = this.live.find(({ table }) => table === this.id)?.name ?? shown.title;
    this.title(name, shown.title);
    this.story = [...this.story.slice(0, shown.sent_before), ...shown.story];
    $("pj-story").replaceChildren(...this.story.slice(-STORY_LINES).map((line) => make("li", "", line)));
    this.showTables(shown.tables.slice(0, TABLES_SHOWN), shown.asked);
    if (shown.result && !this.isOver) [this.isOver, this.since] = [true, performance.now()];
    if (shown.result) this.say(winners(shown.result, shown));
    else this.say(shown.stage.at(-1) ?? "");
  }

  showTables(/** @type {Page.TableShown[]} */ tables, /** @type {number | null} */ asked) {
    const shape = JSON.stringify(tables.map(({ title, rows, columns }) => [title, rows, columns]));
    if (shape !== this.shape) {
      const built = tables.map(tableFrame);
      this.cells = built.flatMap(({ cells }) => cells);
      this.shape = shape;
      for (const { holder } of built) holder.removeAttribute("tabindex");
      $("pj-tables").replaceChildren(...built.map(({ holder }) => holder));
    }
    const values = tables.flatMap(({ cells }) => cells.flat());
    writeCells(this.cells, values, null);
    $("pj-tables")
      .querySelector("table")
      ?.querySelectorAll("tbody tr")
      .forEach((row, number) => {
        row.classList.toggle("asked", number === asked);
      });
  }

  async showNothing() {
    const { total } = await this.wire.ask({ type: "list", state: "open" });
    this.title("Live tables", "");
    this.say("No game is being played right now.");
    $("pj-board").replaceChildren();
    $("pj-tables").replaceChildren();
    const waiting = total === 1 ? "One table waits for players" : `${total} tables wait for players`;
    const words = total ? `${waiting}: join at ${location.host}` : `Create a table at ${location.host}`;
    $("pj-story").replaceChildren(make("li", "", words));
  }

  title(/** @type {string} */ name, /** @type {string} */ game) {
    $("pj-title").textContent = name;
    $("pj-game").textContent = game;
  }

  say(/** @type {string} */ words) {
    if ($("pj-turn").textContent !== words) $("pj-turn").textContent = words;
  }
}

function winners(/** @type {Page.ResultShown} */ { ranks, scores }, /** @type {Page.Shown} */ { names, unit }) {
  const best = names.filter((_, seat) => ranks[seat] === 1).map(([name]) => name);
  const score = scores[ranks.indexOf(1)];
  return best.length
    ? `${best.join(" and ")} ${best.length > 1 ? "win" : "wins"} with ${scored(score, unit)}`
    : "The game is over";
}

new Projector();
