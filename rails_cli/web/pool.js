// @ts-check
// The rated pool: the queue for games, offers of games, the standings, and the page of each entrant.

import { load, ownName, save } from "./memory.js";
import { $, capital, clockWords, labelled, link, make } from "./parts.js";
import {
  checkParts,
  counted,
  disc,
  drawCurve,
  emptyState,
  entrantFacts,
  entrantWay,
  gameItem,
  liveTable,
  ownCard,
  replayWay,
  standingsTable,
  wholePoints,
} from "./pool_parts.js";
import { Refusal, reason } from "./wire.js";

const STANDINGS_AGAIN_MS = 4000;
const TICK_MS = 250;

/** @typedef {{ entrant: string, token: string }} Held */
/** @typedef {{ games: string[], players: number[] }} Wish */

export class PoolView {
  /**
   * @param {import("./wire.js").Wire} wire
   * @param {object} ways
   * @param {() => Promise<void> | null} ways.free
   * @param {(table: string) => void} ways.seated
   * @param {(game: string) => string} ways.title
   * @param {import("./alerts.js").Alerts} ways.alerts
   */
  constructor(wire, { free, seated, title, alerts }) {
    this.wire = wire;
    this.free = free;
    this.seated = seated;
    this.title = title;
    this.alerts = alerts;
    /** @type {number | undefined} */ this.timer = undefined;
    /** @type {number | undefined} */ this.ticking = undefined;
    /** @type {string | null} Entrant whose page is shown. Null for the page of the pool. */ this.shown = null;
    /** @type {number | null} When the player entered the queue (`performance.now()`), or null. */ this.since = null;
    /** @type {Page.Offered | null} */ this.offer = null;
    this.offerEnds = 0;
    this.others = 0;
    this.drawn = "";
    this.listed = "";
    /** @type {Page.RatingPoint[]} Ratings of the entrant that is shown. */ this.curve = [];
    this.curveWidth = 0;
    new ResizeObserver(() => $("curve").clientWidth !== this.curveWidth && this.showCurve()).observe($("curve"));
    $("pool-enter").addEventListener("submit", (event) => {
      event.preventDefault();
      this.enter();
    });
    $("pool-stop").addEventListener("click", () => {
      this.withdraw();
      $("pool-wait").focus();
    });
    $("offer-accept").addEventListener("click", () => this.accept());
    $("offer-decline").addEventListener("click", () => this.decline());
    $("game-offer").addEventListener("cancel", (event) => event.preventDefault()); // Escape must not close it
    $("pool-games").addEventListener("change", () => save("pool.wish", this.wish()));
    $("pool-players").addEventListener("change", () => save("pool.wish", this.wish()));
  }

  // Page content

  open() {
    this.shown = null;
    $("pool-name").value = this.held()?.entrant ?? ownName();
    return this.start();
  }

  openEntrant(/** @type {string} */ name) {
    this.shown = name;
    $("entrant-title").textContent = name;
    $("entrant-face").replaceChildren(disc(name));
    document.title = `${name}: rails-cli`;
    this.start();
  }

  start() {
    this.drawn = "";
    this.timer ??= setInterval(() => document.visibilityState === "visible" && this.refresh(), STANDINGS_AGAIN_MS);
    return this.refresh();
  }

  close() {
    clearInterval(this.timer);
    this.timer = undefined;
    if (this.isWaiting) this.withdraw();
  }

  async refresh() {
    const name = this.shown;
    this.tick();
    const answer = await fetch(name === null ? "api/pool" : `api/pool/entrants/${encodeURIComponent(name)}`).catch(
      () => null,
    );
    if (!answer?.ok) {
      const words = answer?.status === 404 ? "There is nothing by this name." : "The server does not answer just now.";
      (name === null ? $("pool-words") : $("entrant-words")).textContent = words;
      return;
    }
    const text = await answer.text();
    if (this.timer === undefined || name !== this.shown || text === this.drawn) return;
    this.drawn = text;
    if (name === null) this.show(JSON.parse(text));
    else this.showEntrant(JSON.parse(text));
  }

  show(/** @type {Page.PoolOverview} */ overview) {
    const { words, clock, settings, games, rows, tables, playing, entry, season, ends_at } = overview;
    const mine = this.held()?.entrant ?? null;
    const own = rows.find(({ entrant }) => entrant.entrant === mine);
    const end = ends_at === null ? "" : ` It ends at ${new Date(ends_at * 1000).toLocaleString()}.`;
    $("pool-words").textContent = season === "open" ? "" : `The season is ${season}: ${words}.`;
    $("pool-words").append(end);
    $("pool-clock").textContent = clockWords(clock).replace("time: ", "");
    this.offerGames(settings);
    $("pool-enter").hidden = this.isWaiting || season === "closed" || (entry !== "open" && mine === null);
    $("pool-own").replaceChildren(...(own ? [ownCard(own)] : []));
    this.others = rows.reduce((sum, { entrant }) => sum + (entrant.entrant === mine ? 0 : entrant.waiting), 0);
    $("pool-games-played").textContent = `${counted(games, "rated game")} so far`;
    const isEmpty = games === 0;
    $("standings").replaceChildren(
      ...(isEmpty ? [emptyState("No rated games yet", "Play the first one. Built-in players are always there.")] : []),
      standingsTable(rows, mine),
    );
    $("pool-count").textContent = playing > tables.length ? `${counted(playing, "game")} running.` : "";
    $("pool-tables").replaceChildren(
      ...(tables.length ? tables.map(liveTable) : [make("li", "none quiet", "No game is being played.")]),
    );
    this.tick();
  }

  /** Show the pool's games and numbers of players as checkboxes. Select the last selection of this browser, by default all.
   * @param {Page.PoolSetting[]} settings */
  offerGames(settings) {
    const text = JSON.stringify(settings);
    if (text === this.listed) return;
    this.listed = text;
    /** @type {Wish} */ const kept = { games: [], players: [], ...load("pool.wish") };
    const box = (/** @type {string} */ words, /** @type {string} */ value, /** @type {boolean} */ isChosen) => {
      const field = make("input");
      field.type = "checkbox";
      field.value = value;
      field.checked = isChosen;
      return make("label", "pick", field, make("span", "", words));
    };
    const titles = new Map(settings.map(({ game, title }) => [game, title]));
    const sizes = [...new Set(settings.map(({ players }) => players))].sort((one, other) => one - other);
    $("pool-games").replaceChildren(
      ...[...titles].map(([game, title]) => box(title, game, kept.games.length === 0 || kept.games.includes(game))),
    );
    $("pool-players").replaceChildren(
      ...sizes.map((size) =>
        box(`${size} players`, String(size), kept.players.length === 0 || kept.players.includes(size)),
      ),
    );
    $("pool-players-part").hidden = sizes.length < 2;
    $("pool-games-part").hidden = titles.size < 2;
  }

  /** @returns {Wish} The selected games and numbers of players. An empty list means all. */
  wish() {
    const chosen = (/** @type {HTMLElement} */ holder) => {
      const fields = [...holder.querySelectorAll("input")];
      const found = fields.filter(({ checked }) => checked).map(({ value }) => value);
      return found.length === fields.length ? [] : found;
    };
    return { games: chosen($("pool-games")), players: chosen($("pool-players")).map(Number) };
  }

  showEntrant(/** @type {Page.EntrantPage} */ { row, versions, curve, games, faults, check, next_check: next }) {
    $("entrant-words").replaceChildren();
    $("entrant-facts").replaceChildren(...entrantFacts(row));
    const others = versions.flatMap((one, number) => [
      number ? ", " : "Other versions: ",
      link(one.entrant, entrantWay(one.entrant)),
      ` (${one.rating === null ? "not rated yet" : wholePoints(one.rating)})`,
    ]);
    $("entrant-versions").replaceChildren(...others);
    this.curve = curve;
    this.showCurve();
    const isMine = row.entrant.entrant === this.held()?.entrant;
    const step = ({ before, after } = /** @type {Page.PoolGameInfo} */ (games[0])) => `${before}/${after}`;
    const items = games.map((game, number) => {
      const isShownLater = number > 0 && step(games[number - 1]) === step(game);
      return gameItem(game, isMine, isShownLater ? 0 : games.filter((one) => step(one) === step(game)).length);
    });
    $("entrant-games").replaceChildren(...(items.length ? items : [make("li", "none quiet", "None yet.")]));
    const lines = faults.map(({ id, action, code, message }) => {
      const way = labelled(link("Replay", replayWay(id)), `Replay of the game with the fault: ${message}`);
      return make("li", "", make("b", "", code), ` at action ${action}: ${message} `, way);
    });
    $("entrant-faults").replaceChildren(...lines);
    $("entrant-faults-part").hidden = lines.length === 0;
    $("entrant-check-part").hidden = !check;
    if (check) $("entrant-check").replaceChildren(...checkParts(check, next, row.entrant.person));
  }

  showCurve() {
    this.curveWidth = $("curve").clientWidth;
    $("curve").replaceChildren(
      this.curve.length < 2
        ? emptyState("No curve yet", "It begins with the second rating.")
        : drawCurve(this.curve, this.curveWidth),
    );
  }

  // The queue

  get isWaiting() {
    return this.since !== null;
  }

  /** @returns {Held | null} */
  held() {
    const held = load("pool");
    return typeof held?.entrant === "string" && typeof held?.token === "string" ? held : null;
  }

  async enter() {
    const name = $("pool-name").value.trim();
    const wish = this.wish();
    const boxes = [$("pool-games"), $("pool-players")];
    if (boxes.some((holder) => holder.childElementCount && !holder.querySelector(":checked"))) {
      this.say("Choose at least one game and one number of players.");
      return;
    }
    try {
      await this.free();
      let held = this.held();
      if (held === null || held.entrant !== name) {
        const { entrant, token } = await this.wire.ask({ type: "register", name, person: true });
        held = { entrant, token };
        save("pool", held);
        save("name", entrant);
      }
      await this.wire.ask({ type: "enter", token: held.token, ...wish });
      this.wait(performance.now());
      $("pool-stop").focus();
    } catch (error) {
      if (error instanceof Refusal && error.code === "forbidden") save("pool", null);
      this.say(`${reason(error)}.`);
    }
  }

  // Enter the queue again after a game. `open` shows the stored selection of games, which `enter` reads.
  async next() {
    await this.open();
    if (this.held() && this.listed) this.enter();
  }

  // Enter the queue again after a reconnect, if the player was waiting.
  enterAgain() {
    const held = this.held();
    this.endOffer();
    if (this.isWaiting && held) this.wire.say({ type: "enter", token: held.token, ...this.wish() });
  }

  withdraw() {
    this.wire.say({ type: "withdraw" });
    this.wait(null);
  }

  // Show that the player entered the queue at the time `since`, or left it if `since` is null.
  wait(/** @type {number | null} */ since) {
    this.since = since;
    this.say("");
    if (since === null) this.endOffer();
    $("pool-enter").hidden = this.isWaiting;
    $("pool-waiting").hidden = !this.isWaiting;
    clearInterval(this.ticking);
    this.ticking = this.isWaiting ? setInterval(() => this.tick(), TICK_MS) : undefined;
    this.tick();
  }

  say(/** @type {string} */ words) {
    $("pool-state").textContent = words;
  }

  tick() {
    if (this.since !== null) {
      const seconds = Math.floor((performance.now() - this.since) / 1000);
      $("pool-time").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      const others = ["Nobody else is waiting.", "One other is waiting."][this.others];
      $("pool-others").textContent =
        `${others ?? `${this.others} others are waiting.`} Built-in players fill free seats.`;
    }
    if (this.offer === null) return;
    const left = Math.max(0, (this.offerEnds - performance.now()) / 1000);
    $("offer-time").value = left;
    $("offer-left").textContent = `${Math.ceil(left)} s`;
  }

  // Offers

  hear(/** @type {import("./wire.js").Heard} */ message) {
    if (!this.isWaiting) return;
    if (message.type === "offered") this.onOffer(message);
    else if (message.type === "error" && !message.fatal) this.say(`${capital(message.message)}.`);
    else if (message.type === "offer_over" && message.offer === this.offer?.offer) {
      this.endOffer();
      this.say(`The game did not begin: ${message.why}. You are still waiting.`);
    } else if (message.type === "withdrawn") {
      this.wait(null);
      this.say(`${message.why}.`);
    } else if (message.type === "seated") {
      this.withdraw(); // one game at a time: the player enters the queue again by a button
      this.seated(message.table.table);
    }
  }

  onOffer(/** @type {Page.Offered} */ offer) {
    this.offer = offer;
    this.offerEnds = performance.now() + 1000 * offer.answer_within_s;
    const { game, players, clock, rated, check } = offer;
    const facts = [
      `${players} players`,
      clockWords(clock).replace("time: ", ""),
      rated ? "rated, without hints" : "not rated",
    ];
    $("offer-title").textContent = `${this.title(game)} is ready`;
    $("offer-words").textContent = facts.join(" · ");
    $("offer-check").hidden = !check;
    $("offer-time").max = offer.answer_within_s;
    $("offer-accept").disabled = false;
    $("offer-accept").textContent = "Play";
    this.tick();
    if (!$("game-offer").open) $("game-offer").showModal();
    $("offer-accept").focus();
    this.alerts.call(this.title(game), `offer/${offer.offer}`, "A game is ready");
  }

  accept() {
    if (this.offer === null) return;
    this.wire.say({ type: "ready", offer: this.offer.offer });
    $("offer-accept").disabled = true;
    $("offer-accept").textContent = "Waiting for the others …";
  }

  decline() {
    if (this.offer === null) return;
    this.wire.say({ type: "decline", offer: this.offer.offer });
    this.endOffer();
    this.say("You declined. You are now at the end of the queue.");
  }

  endOffer() {
    if (this.offer === null) return;
    this.offer = null;
    $("game-offer").close();
    this.alerts.rest("Rated pool: rails-cli");
  }
}
