// @ts-check
// Parts of the pages of the rated pool: rows of the standings, games, curves.

import { svgNode } from "./board.js";
import { roundStep } from "./charts.js";
import { initial, labelled, link, make, scored } from "./parts.js";

/** Smallest distance of two lines of a curve, in rating points. */
const LEAST_CURVE_STEP = 25;
const LEAST_CURVE_WIDTH = 320;
const CURVE_HEIGHT = 220;
const CURVE_LEFT = 66;
const CURVE_TOP = 16;
const EDGE = 24;
const FAR = 1500; // distance from 0 in rating points beyond which intervals are cut off
const COLOURS = 6;
/** @type {Intl.DateTimeFormatOptions} */ const WHEN = { dateStyle: "medium", timeStyle: "short" };

/** @param {number} number @param {string} what */
export function counted(number, what) {
  return `${number.toLocaleString("en-US")} ${what}${number === 1 ? "" : "s"}`;
}

export function entrantWay(/** @type {string} */ name) {
  return `#pool/${encodeURIComponent(name)}`;
}

export function replayWay(/** @type {string} */ id) {
  return `replay/${id}`;
}

/** Return a disc with the first letter of a name. Its colour depends on the name only. */
export function disc(/** @type {string} */ name) {
  const sum = [...name].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  const node = make("span", `disc paint-seat-${sum % COLOURS}`, initial(name));
  node.setAttribute("aria-hidden", "true");
  return node;
}

/** Return a placeholder for an empty list: a picture of unfinished track, a title and a sentence.
 * @param {string} title @param {string} words */
export function emptyState(title, words) {
  const svg = svgNode("svg", { viewBox: "0 0 176 22", class: "unbuilt", "aria-hidden": "true" });
  for (let at = 0; at < 15; at++) {
    svg.append(svgNode("path", { class: at < 10 ? "tie" : "tie open", d: `M${6 + at * 12} 3V19` }));
  }
  svg.append(svgNode("path", { class: "rail", d: "M0 7H122M0 15H122" }));
  return make("div", "empty", /** @type {any} */ (svg), make("h3", "", title), make("p", "quiet", words));
}

/** Return a change of a rating, such as "+12", in the colour of a gain or a loss. @param {number} before @param {number} after */
export function ratingStep(before, after) {
  const step = Math.round(after) - Math.round(before);
  const words = step > 0 ? `+${step}` : step < 0 ? `−${-step}` : "±0";
  return make("span", `step ${step > 0 ? "gain" : step < 0 ? "loss" : ""}`.trim(), words);
}

/** Return a rating as whole points. */
export function wholePoints(/** @type {number} */ rating) {
  return String(Math.round(rating)).replace("-", "−");
}

function intervalWords(/** @type {Page.StandingInfo} */ { low, high }) {
  if (low === null) return high === null ? "not known yet" : `up to ${wholePoints(high)}`;
  return high === null ? `from ${wholePoints(low)}` : `${wholePoints(low)} to ${wholePoints(high)}`;
}

function nowWords(/** @type {Page.PoolRow} */ { standing, entrant: { waiting, playing, state } }) {
  if (standing.anchor) return "always there";
  const some = (/** @type {number} */ number, /** @type {string} */ what) => (number > 1 ? `${number} ${what}` : what);
  const words = [playing ? some(playing, "playing") : "", waiting ? some(waiting, "waiting") : ""].filter(Boolean);
  return words.join(", ") || (state === "active" ? "away" : state);
}

function kindWords(/** @type {Page.PoolRow} */ { standing, entrant }) {
  return standing.anchor ? "built-in player" : entrant.person ? "person" : `bot of ${standing.owner}`;
}

/** @returns {[string, string][]} Names and values of facts about an entrant. */
function factsOf(/** @type {Page.PoolRow} */ row) {
  const { standing } = row;
  const { rating, place, anchor, provisional } = standing;
  const placeWords = place === null ? (provisional ? "provisional" : "none") : String(place);
  /** @type {[string, string][]} */ const facts = [["Rating", rating === null ? "none yet" : wholePoints(rating)]];
  if (rating !== null) facts.push(["Interval", intervalWords(standing)]);
  if (rating !== null && !anchor) facts.push(["Place", placeWords]);
  return [...facts, ["Rated games", standing.games.toLocaleString("en-US")]];
}

function factList(/** @type {[string, string][]} */ facts) {
  return make(
    "dl",
    "facts",
    ...facts.map(([name, value]) => make("div", "", make("dt", "", name), make("dd", "", value))),
  );
}

/** Return the player's own standing, for the top of the page. @param {Page.PoolRow} row */
export function ownCard(row) {
  const name = row.entrant.entrant;
  return make("div", "own", disc(name), link(name, entrantWay(name)), factList(factsOf(row)));
}

/** Return facts about an entrant, for the top of its page. @param {Page.PoolRow} row */
export function entrantFacts(row) {
  const state = row.entrant.state === "active" ? "" : row.entrant.state;
  const words = [kindWords(row), nowWords(row), state].filter((one, number, all) => one && all.indexOf(one) === number);
  return [make("p", "quiet", words.join(" · ")), factList(factsOf(row))];
}

// Standings

/** @param {Page.PoolRow[]} rows @param {string | null} mine */
export function standingsTable(rows, mine) {
  const ends = rows.flatMap(({ standing: { rating, low, high } }) => [rating, low, high]);
  const known = ends.flatMap((end) => (end !== null && Math.abs(end) < FAR ? [end] : []));
  const scale = scaled(Math.min(0, ...known), Math.max(0, ...known));
  const head = make("tr");
  for (const words of ["", "Entrant", "Rating", "Interval", "Games", "24 hours", "Now"]) {
    const cell = make(words ? "th" : "td", "", words);
    if (words) cell.setAttribute("scope", "col");
    head.append(cell);
  }
  const table = make("table", "", make("thead", "", head));
  const groups = /** @type {const} */ ([
    ["", rows.filter(({ standing }) => standing.rating !== null && !standing.provisional)],
    ["Provisional", rows.filter(({ standing }) => standing.rating !== null && standing.provisional)],
    ["No rating yet", rows.filter(({ standing }) => standing.rating === null)],
  ]);
  for (const [title, members] of groups) {
    if (members.length === 0) continue;
    const body = make("tbody");
    if (title) {
      const cell = make("th", "group", title);
      cell.colSpan = 7;
      cell.scope = "rowgroup";
      body.append(make("tr", "", cell));
    }
    body.append(...members.map((row) => standingRow(row, scale, row.entrant.entrant === mine)));
    table.append(body);
  }
  table.setAttribute("aria-labelledby", "standings-title");
  return table;
}

function scaled(/** @type {number} */ low, /** @type {number} */ high) {
  const span = Math.max(high - low, 1);
  return (/** @type {number} */ value) => 3 + (114 * (Math.min(Math.max(value, low), high) - low)) / span;
}

/** @param {Page.PoolRow} row @param {(value: number) => number} scale @param {boolean} isMine */
function standingRow(row, scale, isMine) {
  const { standing, entrant } = row;
  const { rating, low, high, place, anchor } = standing;
  const name = make("span", "named", link(standing.entrant, entrantWay(standing.entrant)));
  if (isMine) name.append(" ", make("span", "tag", "you"));
  name.append(make("span", "quiet", kindWords(row)));
  const head = make("th", "", make("span", "who", disc(standing.entrant), name));
  head.scope = "row";
  const named = (/** @type {string} */ title, /** @type {string} */ words, look = "") => {
    const cell = make("td", look, words);
    cell.dataset.name = title;
    return cell;
  };
  const interval = named("Interval", "", "interval");
  if (rating !== null) {
    const svg = svgNode("svg", { viewBox: "0 0 120 12", class: "span", "aria-hidden": "true" });
    const ends = [low ?? -1e9, high ?? 1e9].map(scale);
    svg.append(
      svgNode("path", { class: "zero", d: `M${scale(0)} 0V12` }),
      svgNode("path", { d: `M${ends[0]} 6H${ends[1]}` }),
      svgNode("circle", { cx: scale(rating), cy: 6, r: 3.5 }),
    );
    interval.append(svg, make("span", "ends", intervalWords(standing)));
  }
  const placeCell = make("td", "place", place === null ? "" : String(place));
  const ratingCell = named("Rating", rating === null ? "" : wholePoints(rating), "rating");
  const games = named("Games", standing.games.toLocaleString("en-US"));
  games.dataset.unit = standing.games === 1 ? "game" : "games";
  const today = make("td", "today", String(entrant.games_today));
  const look = [isMine ? "mine" : "", anchor ? "anchor" : ""].join(" ").trim();
  return make("tr", look, placeCell, head, ratingCell, interval, games, today, make("td", "now", nowWords(row)));
}

// Games

export function liveTable(/** @type {Page.PoolTable} */ { table, title, names, actions }) {
  const way = link("Watch", `#table/${encodeURIComponent(table)}`, "action");
  const discs = make("span", "discs", ...names.map(disc));
  const words = make("span", "quiet", `${title} · ${counted(actions, "action")}`);
  const what = make("span", "what", make("b", "", names.join(", ")), words);
  return make("li", "", discs, what, labelled(way, `Watch ${names.join(", ")}`));
}

/** Return the result of the last check of a quarantined entrant.
 * @param {Page.PoolCheck} check @param {number?} next @param {boolean} person */
export function checkParts({ at, table, failed_in_a_row: failed }, next, person) {
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

// Return the faults in a game, such as `3 faults (2 timeout, 1 bad_line)`.
function faultWords(/** @type {Page.PoolGameInfo} */ { faults, fault_codes: codes = {} }) {
  const kinds = Object.entries(codes).map(([code, number]) => `${number} ${code}`);
  return `${counted(faults, "fault")}${kinds.length ? ` (${kinds.join(", ")})` : ""}`;
}

/**
 * Return the list item of a rated game of an entrant.
 * @param {Page.PoolGameInfo} game @param {boolean} isMine
 * @param {number} rated Number of games that changed the rating together with this one. 0 if a later game shows the change.
 */
export function gameItem(game, isMine, rated) {
  const { id, at, title, names, ranks, scores, unit, seat, lost, reason: why, has_replay: hasReplay } = game;
  const order = names.map((_, number) => number).sort((one, other) => ranks[one] - ranks[other]);
  const result = make("span", "quiet result");
  order.forEach((number, place) => {
    const words = `${ranks[number]}. ${names[number]} ${scored(scores[number], unit)}`;
    result.append(place ? ", " : "", number === seat ? make("b", "", words) : words);
  });
  if (why !== "normal") result.append(` (${why})`);
  const rank = make("span", `rank${ranks[seat] === 1 && !lost ? " first" : ""}`, String(ranks[seat]));
  const what = make(
    "span",
    "what",
    make("b", "", title),
    make("span", "quiet", ` ${new Date(at * 1000).toLocaleString([], WHEN)}`),
  );
  if (rated > 0 && game.before !== null && game.after !== null) {
    what.append(" ", ratingStep(game.before, game.after), rated > 1 ? ` from ${rated} games` : "");
  }
  what.append(result);
  if (game.faults || lost) {
    const whom = isMine ? "you" : "it";
    const end = lost ? `: lost ${isMine ? "your" : "its"} seat. A bot finished this game for ${whom}` : "";
    what.append(make("span", "fault", `${faultWords(game)}${end}.`));
  }
  if (!hasReplay) return make("li", "", rank, what, make("span", "how quiet", "The replay is no longer kept."));
  const label = `${title} against ${names.filter((_, number) => number !== seat).join(", ")}`;
  const replay = labelled(link("Replay", replayWay(id), "action"), `Replay: ${label}`);
  const words = ranks[seat] === 1 && !lost ? "What decided it?" : `Why did ${isMine ? "I" : "it"} lose?`;
  const analysis = labelled(link(words, `${replayWay(id)}/analysis?seat=${seat + 1}`, "action"), `${words} ${label}`);
  return make("li", "", rank, what, make("span", "how", replay, " ", analysis));
}

/** Draw the ratings of an entrant over time, with their intervals, about `room` pixels wide. */
export function drawCurve(/** @type {Page.RatingPoint[]} */ points, /** @type {number} */ room) {
  const width = Math.max(room, LEAST_CURVE_WIDTH);
  const values = points.map(([, rating]) => rating);
  const ends = points.flatMap(([, , low, high]) => [low, high]);
  const near = ends.flatMap((end) => (end !== null && Math.abs(end) < FAR ? [end] : []));
  const [least, most] = [Math.min(...values, ...near), Math.max(...values, ...near)];
  const each = Math.max(roundStep((most - least) / 4), LEAST_CURVE_STEP);
  const low = Math.floor(least / each) * each;
  const high = Math.max(Math.ceil(most / each) * each, low + each);
  const [first, last] = [points[0][0], points[points.length - 1][0]];
  const x = (/** @type {number} */ at) =>
    CURVE_LEFT + ((width - CURVE_LEFT - 12) * (at - first)) / Math.max(last - first, 1);
  const clipped = (/** @type {number} */ value) => Math.min(Math.max(value, low), high);
  const y = (/** @type {number} */ value) =>
    CURVE_TOP + ((CURVE_HEIGHT - EDGE - CURVE_TOP) * (high - clipped(value))) / (high - low);
  const spot = (/** @type {number} */ at, /** @type {number} */ value) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
  const now = points[points.length - 1][1];
  const words = `Rating over time: ${Math.round(points[0][1])} at first, now ${Math.round(now)}`;
  const svg = svgNode("svg", {
    viewBox: `0 0 ${width} ${CURVE_HEIGHT}`,
    class: "curve",
    role: "img",
    "aria-label": words,
  });
  const top = points.map(([at, , , end]) => spot(at, end ?? high));
  const bottom = points.map(([at, , end]) => spot(at, end ?? low)).reverse();
  svg.append(svgNode("path", { class: "band", d: `M${[...top, ...bottom].join("L")}Z` }));
  for (let value = low; value <= high; value += each) {
    svg.append(svgNode("path", { class: "rule", d: `M${CURVE_LEFT} ${y(value).toFixed(1)}H${width - 12}` }));
    const place = { class: "end", x: CURVE_LEFT - 5, y: (y(value) + 4).toFixed(1) };
    svg.append(svgNode("text", place, wholePoints(value)));
  }
  svg.append(svgNode("path", { class: "line", d: `M${points.map(([at, rating]) => spot(at, rating)).join("L")}` }));
  svg.append(svgNode("circle", { cx: x(last).toFixed(1), cy: y(now).toFixed(1), r: 3.5 }));
  const dates = [first, last].map((at) => new Date(at * 1000).toLocaleString([], WHEN));
  svg.append(svgNode("text", { x: CURVE_LEFT, y: CURVE_HEIGHT - 5 }, dates[0]));
  svg.append(svgNode("text", { class: "end", x: width - 12, y: CURVE_HEIGHT - 5 }, dates[1]));
  return svg;
}
