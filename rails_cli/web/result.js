// @ts-check
// The card at the end of a game: who won and by how much, the chance of winning through the game, and what comes next.

import { LineChart } from "./charts.js";
import { botWords, copyButton, link, make, scored, swatch } from "./parts.js";

const ANALYSIS_AFTER_MS = 3_000;
const ANALYSIS_AGAIN_MS = 3_000;
const CHART_PX = 112;
/** Status codes after which to request the analysis again. With 404 the log of the game is not complete yet. */
const ANALYSIS_LATER = [202, 404, 429, 503];

/** The chances of winning in the game that is shown. @type {Chances | null} */ let chances = null;

/** Return the address of the position after an action of an ended game. */
export function replayAt(/** @type {string} */ table, /** @type {number} */ action) {
  return `replay/${encodeURIComponent(table)}#at=${action}`;
}

// Return the address of the analysis of an ended game, with the decisions of `seat` first.
function analysisOf(/** @type {string} */ table, /** @type {number | null} */ seat) {
  return `replay/${encodeURIComponent(table)}/analysis${seat === null ? "" : `?seat=${seat + 1}`}`;
}

/**
 * Return the content of the card for an ended game. `info` is the lobby's description of the table.
 * @param {Page.Shown} shown @param {Page.ResultShown} result @param {Page.TableInfo | null} info
 */
export function resultCard(shown, result, info) {
  const { seat, names, table, title } = shown;
  const place = seat === null ? 1 : result.ranks[seat];
  const isWhole = result.reason === "normal";
  const actions = `${result.actions} ${result.actions === 1 ? "action" : "actions"}`;
  const words = isWhole ? headline(shown, result) : result.words[0];
  const more = result.words.slice(1).join(" ");
  const head = make("div", "", make("p", "about", `${title} · ${actions}`), make("h4", "place", words));
  if (more) head.append(make("p", "quiet", more));
  const parts = [make("div", "outcome", ...(isWhole ? [medal(place)] : []), head), standings(shown, result, info)];
  if (!isWhole) return parts;
  if (chances?.table !== table || chances.seat !== seat) chances = new Chances(table, seat, names);
  return [...parts, chances.box];
}

/** Links from an ended game to its replay, its analysis, and a copied link to its last position. */
export function studyLinks(
  /** @type {string} */ table,
  /** @type {number | null} */ seat,
  /** @type {Page.ResultShown | undefined} */ result,
) {
  const replay = `replay/${encodeURIComponent(table)}`;
  const found = [link("Replay", replay, "action")];
  if (!result) return found;
  found.push(link("Why?", analysisOf(table, seat), "action"));
  const shared = new URL(replayAt(table, result.actions), new URL(".", location.href));
  return [...found, copyButton("Share", shared.href)];
}

// Return a sentence with the place of this seat and its distance to the next place, or for spectators with the winner.
/** @param {Page.Shown} shown @param {Page.ResultShown} result */
function headline({ names, seat, unit }, { ranks, scores, substituted }) {
  const first = ranks.flatMap((rank, one) => (rank === 1 ? [one] : []));
  const named = (/** @type {number[]} */ seats) => seats.map((one) => names[one][0]).join(" and ");
  const own = seat ?? first[0];
  const who = seat === null ? named(first) : "You";
  if (ranks[own] > 1) {
    const came = `You came ${ranks[own]}${suffix(ranks[own])}`;
    const gap = substituted.includes(own) ? -1 : scores[first[0]] - scores[own];
    if (gap > 0) return `${came}, ${scored(gap, unit)} behind ${named(first)}.`;
    return gap === 0 ? `${came}, level with ${named(first)}.` : `${came}.`;
  }
  if (first.length > 1) {
    const others = first.filter((one) => one !== seat);
    return seat === null ? `${who} share the first place.` : `You share the first place with ${named(others)}.`;
  }
  const next = ranks.indexOf(Math.min(...ranks.filter((rank) => rank > 1)));
  const lead = next < 0 ? 0 : scores[own] - scores[next];
  return lead > 0 ? `${who} won, ${scored(lead, unit)} ahead of ${names[next][0]}.` : `${who} won.`;
}

function suffix(/** @type {number} */ place) {
  return ["th", "st", "nd", "rd"][place] ?? "th";
}

function medal(/** @type {number} */ place) {
  const mark = make("p", `medal medal-${Math.min(place, 4)}`, make("b", "", String(place)), suffix(place));
  mark.setAttribute("aria-hidden", "true"); // the sentence beside it says the same
  return mark;
}

/** @param {Page.Shown} shown @param {Page.ResultShown} result @param {Page.TableInfo | null} info */
function standings({ names, seat: own, players, unit }, { ranks, scores, substituted, sources = [] }, info) {
  const order = ranks.map((rank, seat) => ({ rank, seat })).sort((one, other) => one.rank - other.rank);
  const most = Math.max(1, ...scores);
  const items = order.map(({ rank, seat }) => {
    const [name, paint, symbol] = names[seat];
    const bot = botWords(info?.seats[seat]);
    const person = make("span", "called", make("b", "", name));
    if (seat === own) person.append(make("i", "", " you"));
    else if (bot) person.append(make("i", "", ` ${bot}`));
    if (substituted.includes(seat)) person.append(make("small", "", "by a bot at the end"));
    else if (players[seat]) person.append(holdings(players[seat]));
    const face = make("span", `face paint-${paint}`, symbol);
    face.setAttribute("aria-hidden", "true");
    const bar = make("i", `paint-${paint}`);
    bar.style.width = `${Math.max(0, (100 * scores[seat]) / most)}%`;
    const score = make("b", "score", scored(scores[seat], unit));
    const look = [rank === 1 ? "winner" : "", seat === own ? "me" : ""].filter(Boolean).join(" ");
    const item = make("li", look, make("span", "nth", String(rank)), face, person, make("span", "gauge", bar), score);
    if (sources[seat]) item.append(make("span", "sources", ...sources[seat].map(sourceWords)));
    return item;
  });
  return make("ol", "podium", ...items);
}

// Return the possessions of a player at the end.
function holdings(/** @type {Page.PlayerShown} */ { shares, note }) {
  const held = shares.map(([name, paint, symbol, count]) =>
    make("span", "", swatch([name, paint, symbol]), make("span", "unseen", `${name} `), count > 1 ? ` ×${count}` : ""),
  );
  return make("small", "", ...held, note);
}

// Return the words for a source of money and its amount, such as "dividends +$46" or "routes +$98k".
function sourceWords(/** @type {[string, number]} */ [kind, amount]) {
  const sign = kind !== "start" && amount > 0 ? "+" : "";
  const words = amount && amount % 1_000 === 0 ? `${scored(amount / 1_000)}k` : scored(amount);
  return make("span", "", `${kind} `, make("b", amount < 0 ? "loss" : "", `${sign}${words}`));
}

/** @param {{ words: string, done: number, usual: number }} answer @returns {[string, number | null]} */
function progressIn({ words, done, usual }) {
  return [words, done / usual];
}

/** The chance of winning through a game, and the decision that cost most of it. The server computes it on request. */
class Chances {
  /** @param {string} table @param {number | null} seat @param {Page.Row[]} names */
  constructor(table, seat, names) {
    this.table = table;
    this.seat = seat;
    this.names = names;
    this.box = make("div", "chances awaited");
    this.box.setAttribute("role", "status");
    this.wait("");
    setTimeout(() => this.askForAnalysis(), ANALYSIS_AFTER_MS);
  }

  // Request the analysis while the card is visible, and not otherwise, because the server needs some seconds for it.
  async askForAnalysis() {
    if (!this.box.isConnected) {
      if (chances === this) chances = null;
      return;
    }
    let wait = ANALYSIS_AGAIN_MS;
    if (this.box.checkVisibility() && !document.hidden) {
      const answer = await fetch(`api/analysis/${encodeURIComponent(this.table)}`).catch(() => null);
      if (answer?.status === 200) return this.draw(await answer.json());
      if (answer?.status === 202) this.wait(...progressIn(await answer.json()));
      if (answer && !ANALYSIS_LATER.includes(answer.status)) {
        this.box.classList.remove("awaited");
        return this.say("This game cannot be analysed here.");
      }
      wait = 1_000 * Number(answer?.headers.get("Retry-After") ?? 0) || ANALYSIS_AGAIN_MS;
    }
    setTimeout(() => this.askForAnalysis(), wait);
  }

  // Show the progress of the analysis: `done` is a share of 1, or null if it is not known.
  wait(/** @type {string} */ words, /** @type {number | null} */ done = null) {
    this.say(`The chance of winning through the game is being computed. ${words}`);
    const bar = make("progress", "");
    bar.setAttribute("aria-label", "Estimated progress");
    if (done !== null) bar.value = done;
    this.box.append(bar);
  }

  say(/** @type {string} */ words) {
    this.box.replaceChildren(make("p", "quiet", words));
  }

  draw(/** @type {Page.Analysis} */ { curve, curve_title: chartTitle, players, moments }) {
    const series = this.names.map(([name, paint], seat) => {
      return { name, paint, values: curve.map((chance) => Math.round(100 * chance[seat])) };
    });
    const own = this.seat === null ? undefined : players[this.seat].costliest[0];
    const marked = own ? { ...own, words: own.to_player } : moments[0];
    const title = own ? "Your costliest decision, " : "It turned at ";
    /** @type {HTMLElement[]} */ const parts = [];
    if (marked) {
      const { first, words } = marked;
      // The analysis opens at the costliest decision of its seat, and offers to make it again.
      const address = own ? analysisOf(this.table, this.seat) : replayAt(this.table, first);
      const way = link(`action ${first}`, address);
      parts.push(make("p", "turning", make("b", "", title, way), `: ${words}`));
    } else if (this.seat !== null) {
      parts.push(make("p", "turning", "No single mistake of yours decided the game."));
    }
    const marks = marked ? [{ step: marked.first, words: marked.words, look: "moment turned" }] : [];
    const chart = new LineChart(
      chartTitle,
      series,
      (value) => `${value}%`,
      (step) => chart.show(step),
      {
        ...{ marks, height: CHART_PX, high: 100 },
      },
    );
    chart.show(curve.length - 1);
    this.box.replaceChildren(chart.figure, ...parts);
  }
}
