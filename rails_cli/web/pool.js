// @ts-check
// The rated pool: who stands where, each entrant with its games, and a place in the queue.

import { svgNode } from "./board.js";
import { roundStep } from "./charts.js";
import { load, ownName, save } from "./memory.js";
import { $, clockWords, labelled, link, make, money } from "./parts.js";
import { Refusal, reason } from "./wire.js";

const STANDINGS_AGAIN_MS = 4000;
const CURVE_WIDTH = 640;
const CURVE_HEIGHT = 220;
const CURVE_LEFT = 66;
const CURVE_TOP = 16;
const EDGE = 24;
const FAR = 1500; // where an interval ends farther away, it is cut off

/** @typedef {{ entrant: string, token: string }} Held */

export class PoolView {
  /**
   * @param {import("./wire.js").Wire} wire
   * @param {(words: string) => void} notice
   * @param {object} ways
   * @param {() => Promise<void> | null} ways.free
   * @param {(table: string) => void} ways.seated
   */
  constructor(wire, notice, { free, seated }) {
    this.wire = wire;
    this.notice = notice;
    this.free = free;
    this.seated = seated;
    /** @type {number | undefined} */ this.timer = undefined;
    /** @type {string | null} The entrant that is shown. */ this.shown = null;
    this.isWaiting = false;
    this.wasWaiting = false;
    this.drawn = "";
    $("pool-enter").addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.isWaiting) this.withdraw();
      else this.enter();
    });
  }

  // What is shown

  open() {
    this.shown = null;
    $("pool-name").value = this.held()?.entrant ?? ownName();
    this.start();
  }

  openEntrant(/** @type {string} */ name) {
    this.shown = name;
    $("entrant-title").textContent = name;
    document.title = `${name}: rails-cli`;
    this.start();
  }

  start() {
    this.drawn = "";
    this.look();
    this.timer ??= setInterval(() => document.visibilityState === "visible" && this.look(), STANDINGS_AGAIN_MS);
  }

  close() {
    clearInterval(this.timer);
    this.timer = undefined;
    if (this.isWaiting) this.withdraw();
  }

  async look() {
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
    const played = settings.map(({ title, players }) => `${title} for ${players}`).join(", ");
    const count = `${games.toLocaleString("en-US")} rated game${games === 1 ? "" : "s"} so far`;
    const end = ends_at === null ? [] : [`ends at ${new Date(ends_at * 1000).toLocaleString()}`];
    $("pool-words").textContent = [played, clockWords(clock), count, `${season}: ${words}`, ...end].join(" · ");
    $("pool-enter").hidden = season === "closed" || (entry !== "open" && this.held() === null);
    const ends = rows.flatMap(({ standing: { rating, low, high } }) => [rating, low, high]);
    const known = ends.flatMap((end) => (end !== null && Math.abs(end) < FAR ? [end] : []));
    const scale = scaled(Math.min(0, ...known), Math.max(0, ...known));
    const mine = this.held()?.entrant;
    const body = rows.map((row) => standingRow(row, scale, row.entrant.entrant === mine));
    $("standings").replaceChildren(standingsTable(body));
    $("pool-count").textContent = playing === 0 ? "No game is being played." : `${counted(playing, "game")} running.`;
    $("pool-tables").replaceChildren(...tables.map(liveTable));
  }

  showEntrant(/** @type {Page.EntrantPage} */ { row, versions, curve, games, faults, check, next_check: next }) {
    const { standing, entrant } = row;
    const place = standing.place === null ? (standing.anchor ? "anchor" : "provisional") : `place ${standing.place}`;
    const rating = standing.rating === null ? "not rated yet" : `rating ${ratingWords(standing)}`;
    const whose = standing.anchor ? "built-in player" : entrant.person ? "person" : `bot of ${standing.owner}`;
    const state = entrant.state === "active" ? "" : entrant.state;
    const words = [whose, rating, place, counted(standing.games, "rated game"), nowWords(row), state];
    $("entrant-words").textContent = words.filter(Boolean).join(" · ");
    const others = versions.flatMap((one, number) => [
      number ? ", " : "Other versions: ",
      link(one.entrant, entrantWay(one.entrant)),
      ` (${one.rating === null ? "not rated yet" : Math.round(one.rating)})`,
    ]);
    $("entrant-versions").replaceChildren(...others);
    $("curve").replaceChildren(curve.length < 2 ? make("p", "quiet", "Too few points yet.") : drawCurve(curve));
    const items = games.map(gameItem);
    $("entrant-games").replaceChildren(...(items.length ? items : [make("li", "quiet", "None yet.")]));
    const told = faults.map(({ id, action, code, message }) => {
      const way = labelled(link("replay", replayWay(id)), `Replay of the game with the fault: ${message}`);
      return make("li", "", make("b", "", code), ` at action ${action}: ${message} `, way);
    });
    $("entrant-faults").replaceChildren(...(told.length ? told : [make("li", "quiet", "None.")]));
    $("entrant-check-part").hidden = !check;
    if (check) $("entrant-check").replaceChildren(...checkParts(check, next, entrant.person));
  }

  // Waiting for opponents

  /** @returns {Held | null} */
  held() {
    const held = load("pool");
    return typeof held?.entrant === "string" && typeof held?.token === "string" ? held : null;
  }

  async enter() {
    const name = $("pool-name").value.trim();
    try {
      await this.free();
      let held = this.held();
      if (held === null || held.entrant !== name) {
        const { entrant, token } = await this.wire.ask({ type: "register", name, person: true });
        held = { entrant, token };
        save("pool", held);
        save("name", entrant);
      }
      await this.wire.ask({ type: "enter", token: held.token });
      this.isWaiting = true;
      this.tick();
    } catch (error) {
      if (error instanceof Refusal && error.code === "forbidden") save("pool", null);
      $("pool-state").textContent = `${reason(error)}.`;
    }
  }

  // The connection is new; who waited goes on waiting.
  enterAgain() {
    const held = this.held();
    if (this.isWaiting && held) this.wire.say({ type: "enter", token: held.token });
  }

  withdraw() {
    this.isWaiting = false;
    this.wire.say({ type: "withdraw" });
    this.tick();
  }

  tick() {
    $("pool-wait").textContent = this.isWaiting ? "Stop waiting" : "Wait for opponents";
    $("pool-name").readOnly = this.isWaiting;
    const words = this.isWaiting ? "Waiting for opponents; the game opens automatically." : "";
    if (this.isWaiting || this.wasWaiting) $("pool-state").textContent = words;
    this.wasWaiting = this.isWaiting;
  }

  hear(/** @type {import("./wire.js").Heard} */ message) {
    if (!this.isWaiting) return;
    if (message.type === "offered") this.wire.say({ type: "ready", offer: message.offer });
    else if (message.type === "withdrawn") {
      this.isWaiting = false;
      this.tick();
      $("pool-state").textContent = `${message.why}.`;
    } else if (message.type === "seated") {
      this.withdraw(); // one game at a time: the next begins when somebody asks for it
      this.seated(message.table.table);
    }
  }
}

// Pieces

function counted(/** @type {number} */ number, /** @type {string} */ what) {
  return `${number.toLocaleString("en-US")} ${what}${number === 1 ? "" : "s"}`;
}

function entrantWay(/** @type {string} */ name) {
  return `#pool/${encodeURIComponent(name)}`;
}

function replayWay(/** @type {string} */ id) {
  return `replay/${id}`;
}

function intervalWords(/** @type {Page.StandingInfo} */ { low, high }) {
  if (low === null && high === null) return "open";
  if (low === null) return `up to ${Math.round(/** @type {number} */ (high))}`;
  return high === null ? `from ${Math.round(low)}` : `${Math.round(low)} to ${Math.round(high)}`;
}

function ratingWords(/** @type {Page.StandingInfo} */ standing) {
  return `${Math.round(standing.rating ?? 0)} (${intervalWords(standing)})`;
}

function nowWords(/** @type {Page.PoolRow} */ { standing, entrant: { waiting, playing, state } }) {
  if (standing.anchor) return "always there";
  const words = [playing ? `${playing} playing` : "", waiting ? `${waiting} waiting` : ""].filter(Boolean);
  return words.join(", ") || (state === "active" ? "away" : state);
}

function scaled(/** @type {number} */ low, /** @type {number} */ high) {
  const span = Math.max(high - low, 1);
  return (/** @type {number} */ value) => 3 + (114 * (Math.min(Math.max(value, low), high) - low)) / span;
}

function standingRow(
  /** @type {Page.PoolRow} */ { standing, entrant },
  /** @type {(value: number) => number} */ scale,
  /** @type {boolean} */ isMine,
) {
  const { rating, low, high, place, anchor } = standing;
  const head = make("th", "", link(standing.entrant, entrantWay(standing.entrant)));
  head.scope = "row";
  head.append(make("span", "quiet", ` ${anchor ? "built-in" : entrant.person ? "person" : standing.owner}`));
  const isRated = rating !== null;
  const picture = make("td");
  if (isRated) {
    const svg = svgNode("svg", { viewBox: "0 0 120 12", class: "span", "aria-hidden": "true" });
    const ends = [low ?? -1e9, high ?? 1e9].map(scale);
    svg.append(
      svgNode("path", { class: "zero", d: `M${scale(0)} 0V12` }),
      svgNode("path", { d: `M${ends[0]} 6H${ends[1]}` }),
      svgNode("circle", { cx: scale(rating), cy: 6, r: 3 }),
    );
    picture.append(svg);
  }
  const placeWords = place === null ? (anchor ? "anchor" : "provisional") : String(place);
  const cells = [placeWords, isRated ? String(Math.round(rating)) : "–", isRated ? intervalWords(standing) : "–"];
  const last = [String(standing.games), String(entrant.games_today), nowWords({ standing, entrant })];
  const row = make("tr", [isMine ? "mine" : "", anchor ? "anchor" : ""].join(" ").trim(), head);
  const named = (/** @type {string} */ name, /** @type {string} */ words) => {
    const cell = make("td", "", words);
    cell.dataset.name = name;
    return cell;
  };
  const [where, now, sure] = cells;
  row.append(named(place === null ? "" : "Place", where), named("Rating", now), named("Interval", sure), picture);
  row.append(named("Games", last[0]), ...last.slice(1).map((cell) => make("td", "", cell)));
  return row;
}

function liveTable(/** @type {Page.PoolTable} */ { table, title, names, actions }) {
  const way = link("Watch", `#table/${encodeURIComponent(table)}`, "action");
  const who = make("span", "who", ...names.map((name) => make("span", "chip", name)));
  const what = make("span", "what", make("b", "", title), make("span", "quiet", ` ${counted(actions, "action")}`));
  return make("li", "", what, who, make("span", "how", labelled(way, `Watch ${names.join(", ")}`)));
}

/** What came of the last check of one who was quarantined.
 * @param {Page.PoolCheck} check @param {number?} next @param {boolean} person */
function checkParts({ at, table, failed_in_a_row: failed }, next, person) {
  const when = new Date(at * 1000).toLocaleString();
  const then = next === null ? "" : ` The next one is at ${new Date(Math.max(next, at) * 1000).toLocaleTimeString()}.`;
  const words = failed
    ? `Failed ${when}: it lost its seat in the game.`
    : `Passed ${when}: it kept its seat in the game.`;
  const parts = [make("p", "", `${words}${then} `)];
  if (table) parts[0].append(labelled(link("Replay", replayWay(table)), "Replay of the last check"));
  if (failed && !person) parts.push(make("p", "", "To see what is wrong: ", make("code", "", "rails-cli check-bot")));
  return parts;
}

function gameItem(/** @type {Page.PoolGameInfo} */ game) {
  const { id, at, title, names, ranks, scores, seat, faults, lost, reason: why, has_replay: hasReplay } = game;
  const when = make("span", "quiet", ` ${new Date(at * 1000).toLocaleString()}`);
  const order = names.map((_, number) => number).sort((one, other) => ranks[one] - ranks[other]);
  const result = make("span", "result");
  order.forEach((number, place) => {
    const words = `${ranks[number]}. ${names[number]} ${money(scores[number])}`;
    result.append(place ? ", " : "", number === seat ? make("b", "", words) : words);
  });
  if (why !== "normal") result.append(` (${why})`);
  if (faults || lost) {
    result.append(make("span", "fault", ` ${counted(faults, "fault")}${lost ? ": lost its seat" : ""}`));
  }
  if (!hasReplay) {
    const gone = make("span", "how quiet", "The replay is no longer kept.");
    return make("li", "", make("span", "what", title, when), result, gone);
  }
  const label = `${title} against ${names.filter((_, number) => number !== seat).join(", ")}`;
  const replay = labelled(link("Replay", replayWay(id), "action"), `Replay: ${label}`);
  const words = ranks[seat] === 1 ? "What decided it?" : "Why did it lose?";
  const analysis = labelled(link(words, `${replayWay(id)}/analysis?seat=${seat + 1}`, "action"), `${words} ${label}`);
  return make("li", "", make("span", "what", title, when), result, make("span", "how", replay, " ", analysis));
}

function standingsTable(/** @type {HTMLTableRowElement[]} */ rows) {
  const head = make("tr");
  for (const words of ["Entrant", "Place", "Rating", "Interval", "", "Games", "24 hours", "Now"]) {
    const cell = make(words ? "th" : "td", "", words);
    if (words) cell.setAttribute("scope", "col");
    head.append(cell);
  }
  const table = make("table", "", make("thead", "", head), make("tbody", "", ...rows));
  table.setAttribute("aria-labelledby", "standings-title");
  return table;
}

function drawCurve(/** @type {Page.RatingPoint[]} */ points) {
  const values = points.map(([, rating]) => rating);
  const ends = points.flatMap(([, , low, high]) => [low, high]);
  const near = ends.flatMap((end) => (end !== null && Math.abs(end) < FAR ? [end] : []));
  const [least, most] = [Math.min(...values, ...near), Math.max(...values, ...near)];
  const each = roundStep((most - least) / 4);
  const low = Math.floor(least / each) * each;
  const high = Math.max(Math.ceil(most / each) * each, low + each);
  const [first, last] = [points[0][0], points[points.length - 1][0]];
  const x = (/** @type {number} */ at) =>
    CURVE_LEFT + ((CURVE_WIDTH - CURVE_LEFT - 12) * (at - first)) / Math.max(last - first, 1);
  const clipped = (/** @type {number} */ value) => Math.min(Math.max(value, low), high);
  const y = (/** @type {number} */ value) =>
    CURVE_TOP + ((CURVE_HEIGHT - EDGE - CURVE_TOP) * (high - clipped(value))) / (high - low);
  const spot = (/** @type {number} */ at, /** @type {number} */ value) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
  const now = points[points.length - 1][1];
  const words = `Rating over time: ${Math.round(points[0][1])} at first, now ${Math.round(now)}`;
  const svg = svgNode("svg", {
    viewBox: `0 0 ${CURVE_WIDTH} ${CURVE_HEIGHT}`,
    class: "curve",
    role: "img",
    "aria-label": words,
  });
  const top = points.map(([at, , , end]) => spot(at, end ?? high));
  const bottom = points.map(([at, , end]) => spot(at, end ?? low)).reverse();
  svg.append(svgNode("path", { class: "band", d: `M${[...top, ...bottom].join("L")}Z` }));
  for (let value = low; value <= high; value += each) {
    svg.append(svgNode("path", { class: "rule", d: `M${CURVE_LEFT} ${y(value).toFixed(1)}H${CURVE_WIDTH - 12}` }));
    const place = { class: "end", x: CURVE_LEFT - 5, y: (y(value) + 4).toFixed(1) };
    svg.append(svgNode("text", place, String(value)));
  }
  svg.append(svgNode("path", { class: "line", d: `M${points.map(([at, rating]) => spot(at, rating)).join("L")}` }));
  svg.append(svgNode("circle", { cx: x(last).toFixed(1), cy: y(now).toFixed(1), r: 3.5 }));
  const dates = [first, last].map((at) => new Date(at * 1000).toLocaleString());
  svg.append(svgNode("text", { x: CURVE_LEFT, y: CURVE_HEIGHT - 5 }, dates[0]));
  svg.append(svgNode("text", { class: "end", x: CURVE_WIDTH - 12, y: CURVE_HEIGHT - 5 }, dates[1]));
  return svg;
}
