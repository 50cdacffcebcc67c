// @ts-check
// Steps through a game that the page brings along. Text gets into the page by textContent only.

import { Board } from "./board.js";
import { LineChart } from "./charts.js";
import { isShortcut, offerThemes, toggleKeys } from "./controls.js";
import { $, colourKey, link, make, swatch, tableFrame, writeCells, written } from "./parts.js";
import { Zoom } from "./zoom.js";

/** @type {Page.Story} */ const story = JSON.parse($("data").textContent);
const last = story.board.length - 1;
const boards = positions();
const board = new Board(/** @type {SVGSVGElement} */ (document.querySelector("svg.board")));
const zoom = new Zoom($("board-holder"));
zoom.drawn(board.svg);
const frames = story.tables.map(tableFrame);
const cells = frames.flatMap((frame) => frame.cells);
let seen = story.perspectives[0];
/** @type {import("./parts.js").Cell[][]} */ let values = [];
/** @type {LineChart[]} */ let charts = [];
let at = -1;
/** @type {number | undefined} */ let timer;

// What the steps tell, added up

function positions() {
  /** @type {Map<number, Page.Mark>} */ let now = new Map();
  return story.board.map(([put, taken]) => {
    now = new Map(now);
    for (const number of taken) now.delete(number);
    for (const number of put) now.set(number, story.marks[number]);
    return now;
  });
}

function valuesOf(/** @type {Page.StepTold[]} */ steps) {
  /** @type {import("./parts.js").Cell[]} */ let now = [];
  return steps.map(({ cells: changed }) => {
    now = now.slice();
    for (let i = 0; i < changed.length; i += 2) now[Number(changed[i])] = changed[i + 1];
    return now;
  });
}

// Building the page

function sentences(/** @type {string[]} */ words) {
  return words.map((line) => make("li", line.startsWith("! ") ? "fault" : "", line));
}

function buildStory() {
  const items = seen.steps.map(({ title, words }, number) =>
    make("li", "", link(title, `#${number}`), make("ul", "", ...sentences(words))),
  );
  $("steps").replaceChildren(...items);
  $("ending").replaceChildren(...seen.ending.map((line) => make("p", "", line)));
}

function buildCharts() {
  /** @type {number[]} */ const first = [];
  let count = 0;
  for (const { columns, rows } of story.tables) {
    first.push(count);
    count += columns.length * rows.length;
  }
  charts = story.charts.map(([title, table, column]) => {
    const { columns, rows } = story.tables[table];
    const series = rows.map(([name, paint], row) => {
      const cell = first[table] + row * columns.length + column;
      return { name, paint, values: values.map((now) => /** @type {number | null} */ (now[cell])) };
    });
    return new LineChart(title, series, (value) => written(value, columns[column][1]), go);
  });
  if (story.analysis) charts.unshift(chanceChart(story.analysis));
  grid("charts").replaceChildren(...charts.map((chart) => chart.figure));
}

function chanceChart(/** @type {Page.AnalysisTold} */ { chances, moments }) {
  const series = story.players.map(([name, paint], seat) => ({ name, paint, values: chances[seat] }));
  return new LineChart("Chance of winning", series, (value) => `${value} %`, goByHand, moments);
}

function grid(/** @type {"charts" | "auctions"} */ section) {
  return /** @type {Element} */ ($(section).querySelector(".grid"));
}

function auctionCard(/** @type {Page.Auction} */ { company, what, start, end, bids, buyer, price, minimum }) {
  const name = (/** @type {number} */ seat) => story.players[seat][0];
  const items = bids.map(([seat, amount, step]) => {
    const bid = link("", `#${step}`, amount === null ? "pass" : "bid");
    const words = amount === null ? "passes" : `$${amount}`;
    bid.append(swatch(story.players[seat]), ` ${name(seat)} `, make("b", "", words));
    return make("li", "", bid);
  });
  const sold = end === null ? "still open" : buyer === null ? "not sold" : `${name(buyer)} for $${price}`;
  const title = make("h3", "", link(`${company}: ${what}`, `#${start}`));
  const terms = make("p", "quiet", `from action ${start}, at least $${minimum}`);
  return make("article", "auction", title, terms, make("ol", "", ...items), make("p", "sold", sold));
}

// Moving

function go(/** @type {number} */ step) {
  const wanted = Math.min(Math.max(step, 0), last);
  if (wanted === at) return;
  at = wanted;
  show();
  try {
    history.replaceState(null, "", `#${at}`);
  } catch {
    // a browser that counts these calls refuses some; the page works without
  }
}

function show() {
  const { title, words, asked } = seen.steps[at];
  board.show(boards[at]);
  board.svg.setAttribute("aria-label", `Board after action ${at}. ${title}`);
  $("step-title").textContent = title;
  $("step-words").replaceChildren(...sentences(words));
  $("asked").replaceChildren(...asked.map((line) => make("span", "", line)));
  writeCells(cells, values[at], values[Math.max(at - 1, 0)]);
  for (const chart of charts) chart.show(at);
  story.auctions.forEach(({ start, end }, number) => {
    const card = grid("auctions").children[number];
    card.classList.toggle("running", at >= start && at <= (end ?? last));
    card.classList.toggle("later", at < start);
  });
  markStory();
  follow();
  $("slider").value = String(at);
  $("slider").setAttribute("aria-valuetext", title);
  if (document.activeElement !== $("number")) $("number").value = String(at);
  for (const way of waysToGo) {
    const end = { first: 0, back: 0, on: last, last }[way.dataset.go ?? ""];
    if (end !== undefined) way.setAttribute("aria-disabled", String(at === end));
  }
}

function markStory() {
  const list = $("steps");
  list.querySelector(".current")?.classList.remove("current");
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const item = /** @type {HTMLElement} */ (list.children[at]);
  item.classList.add("current");
  item.firstElementChild?.setAttribute("aria-current", "step");
  list.scrollTop = item.offsetTop - list.clientHeight / 3;
}

// What changed last is brought into sight.
function follow() {
  zoom.center([...$("board-holder").querySelectorAll(".layer-hot > *")], true);
}

function fromHash() {
  const asked = /^#(\d+)$/.exec(location.hash);
  if (asked) goByHand(+asked[1]);
}

function goByHand(/** @type {number} */ step) {
  stop();
  go(step);
}

function landmark(/** @type {1 | -1} */ way) {
  let step = at + way;
  while (step > 0 && step < last && !seen.steps[step].is_landmark) step += way;
  go(step);
}

function play() {
  if (timer !== undefined) return stop();
  if (at === last) go(0);
  timer = setInterval(() => (at < last ? go(at + 1) : stop()), 1000 / +$("speed").value);
  $("told").setAttribute("aria-live", "off");
  namePlay("Stop", "M4 4h12v12H4z");
}

function stop() {
  if (timer === undefined) return;
  clearInterval(timer);
  timer = undefined;
  $("told").setAttribute("aria-live", "polite");
  namePlay("Play", "M5 4v12l10-6z");
}

function namePlay(/** @type {string} */ word, /** @type {string} */ icon) {
  $("play-word").textContent = word;
  $("play").setAttribute("aria-label", word);
  $("play-icon").setAttribute("d", icon);
}

function changeSpeed(/** @type {1 | 0 | -1} */ way) {
  const speed = $("speed");
  speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + way, 0), speed.options.length - 1);
  if (timer !== undefined) {
    stop();
    play();
  }
}

function see(/** @type {number} */ number) {
  seen = story.perspectives[number];
  values = valuesOf(seen.steps);
  $("seer").selectedIndex = number;
  buildStory();
  buildCharts();
  if (at >= 0) show();
}

/** @type {Record<string, () => void>} */
const moves = {
  first: () => go(0),
  back: () => go(at - 1),
  play,
  on: () => go(at + 1),
  last: () => go(last),
};

/** @type {Record<string, (event: KeyboardEvent) => void>} */
const keys = {
  ArrowRight: (event) => go(at + (event.shiftKey ? 10 : 1)),
  ArrowLeft: (event) => go(at - (event.shiftKey ? 10 : 1)),
  Home: moves.first,
  End: moves.last,
  " ": play,
  "+": () => changeSpeed(1),
  "-": () => changeSpeed(-1),
  d: () => landmark(1),
  D: () => landmark(-1),
  s: () => story.perspectives.length > 1 && see(($("seer").selectedIndex + 1) % story.perspectives.length),
  z: () => {
    zoom.toggle();
    follow();
  },
  i: () => zoom.showIds(),
  "?": toggleKeys,
};

document.addEventListener("keydown", (event) => {
  if (!isShortcut(event) || !Object.hasOwn(keys, event.key)) return;
  if (event.key !== " " && event.key !== "+" && event.key !== "-") stop();
  keys[event.key](event);
  event.preventDefault();
});

/** @type {NodeListOf<HTMLElement>} */ const waysToGo = document.querySelectorAll("[data-go]");
for (const way of waysToGo) {
  const { go: where = "" } = way.dataset;
  way.addEventListener("click", () => {
    if (where !== "play") stop();
    moves[where]();
  });
}
$("slider").addEventListener("input", () => goByHand(+$("slider").value));
$("number").addEventListener("change", () => {
  goByHand(Math.trunc(+$("number").value) || 0);
  $("number").value = String(at);
});
$("speed").addEventListener("change", () => changeSpeed(0));
$("seer").addEventListener("change", () => see($("seer").selectedIndex));
$("help").addEventListener("click", toggleKeys);
addEventListener("hashchange", fromHash);

offerThemes();
$("heading").textContent = story.heading;
$("seer").append(...story.perspectives.map(({ name }) => make("option", "", name)));
$("seer-label").hidden = story.perspectives.length < 2;
$("slider").max = $("number").max = String(last);
$("of").textContent = `of ${last}`;
$("tables").append(...frames.map(({ holder }) => holder));
$("legend").prepend(...colourKey(story.tables, story.players));
grid("auctions").replaceChildren(...story.auctions.map(auctionCard));
$("auctions").hidden = story.auctions.length === 0;
const moments = story.analysis?.moments ?? [];
$("moments").replaceChildren(
  ...moments.map(({ step, words }) => make("li", "", link(`Action ${step}`, `#${step}`), `: ${words}`)),
);
$("decisive").hidden = moments.length === 0;
see(0);
fromHash();
if (at < 0) go(0);
