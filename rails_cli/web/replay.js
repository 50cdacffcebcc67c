// @ts-check
// Page that steps through a logged game, which the page contains. Strings are inserted as text, never as HTML.

import { Board } from "./board.js";
import { LineChart } from "./charts.js";
import { isShortcut, offerThemes, toggleKeys } from "./controls.js";
import {
  $,
  button,
  colourKey,
  copyButton,
  drawn,
  labelled,
  link,
  make,
  scored,
  swatch,
  tableFrame,
  writeCells,
  written,
} from "./parts.js";
import { isMiddleInside, Zoom } from "./zoom.js";

/** @type {Page.Story} */ const game = JSON.parse($("data").textContent);
/** The game and its branches. Each branch includes the steps that it shares with the game. */
const games = [game, ...game.branches.map(whole)];
/** Index of the seat whose costliest decisions are listed: 1 for the address `?seat=2`. */
const firstSeat = Number(new URLSearchParams(location.search).get("seat")) - 1;
const LEAST_STORY_PX = 60;
const FOLDED_BIDS = 3; // auctions with at least this many bids and passes are folded into one line
const WIDE_PX = 1100; // width of the window from which the action is beside the board
let story = game;
let last = story.board.length - 1;
let boards = positions();
const board = new Board(/** @type {SVGSVGElement} */ (document.querySelector("svg.board")), story.players);
const zoom = new Zoom($("board-holder"));
zoom.drawn(board.svg);
const frames = story.tables.map(tableFrame);
const cells = frames.flatMap((frame) => frame.cells);
/** The first column of the table of players, which is also shown above the board. */
const [cashName, cashKind] = game.tables[0]?.corner === "Player" ? game.tables[0].columns[0] : [];
const cashCells = cashKind === undefined ? [] : game.players.map(() => ({ cell: make("b"), kind: cashKind }));
let seen = story.perspectives[0];
/** @type {import("./parts.js").Cell[][]} */ let values = [];
/** @type {LineChart[]} */ let charts = [];
let at = -1;
/** Whether the closing of the action, such as dividends, is not shown yet. */ let isBeforeClosing = false;
/** List item of each step. @type {HTMLElement[]} */ let items = [];
/** List items of the closing of each step: one or none. @type {HTMLElement[][]} */ let closings = [];
/** @type {number | undefined} */ let timer;

/** Return a branch as a whole game, with the steps that it shares with the game. @returns {Page.Story} */
function whole(/** @type {Page.BranchTold} */ { step, perspectives, board, marks, auctions, analysis, result }) {
  const seen = game.perspectives.map((one, number) => {
    const { steps, ending } = perspectives[number];
    return { ...one, steps: [...one.steps.slice(0, step + 1), ...steps], ending };
  });
  const all = { board: [...game.board.slice(0, step + 1), ...board], marks: [...game.marks, ...marks] };
  return { ...game, ...all, perspectives: seen, auctions, analysis, result };
}

// Return the fragment of the address that opens the position after action `step`.
function positionAt(/** @type {number} */ step) {
  return `#at=${step}`;
}

// Positions and values after each step

function positions() {
  /** @type {Map<number, Page.SvgMark>} */ let now = new Map();
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
  items = seen.steps.map(({ title, words }, number) => {
    const item = make("li", "", link(title, positionAt(number)), make("ul", "", ...sentences(words)));
    if (story === game) item.append(...branchesAt(number).map((branch) => branchButton(branch, "branch")));
    return item;
  });
  closings = seen.steps.map(({ closing }, number) => {
    if (!closing) return [];
    return [make("li", "", link(closing.title, positionAt(number)), make("ul", "", ...sentences(closing.words)))];
  });
  const headings = seen.steps.map(({ turn }) => (turn ? [make("li", "turn", make("h3", "", turn))] : []));
  $("steps").replaceChildren(...items.flatMap((item, number) => [...headings[number], item, ...closings[number]]));
  for (const auction of story.auctions) foldAuction(auction);
  $("ending").replaceChildren(...seen.ending.map((line) => make("p", "", line)));
}

// Fold the bids of an auction into one line that can be opened.
function foldAuction(/** @type {Page.Auction} */ auction) {
  const { company, what, start, end, bids } = auction;
  if (bids.length < FOLDED_BIDS) return;
  const steps = items.slice(start + 1, (end ?? last) + 1);
  const count = bids.filter(([, amount]) => amount !== null).length;
  const words = `${company}, ${what}: ${count} ${count === 1 ? "bid" : "bids"}, ${sold(auction)}`;
  const fold = make("details", "", make("summary", "", words));
  const item = make("li", "fold", fold);
  steps[0].before(item);
  fold.append(make("ol", "", ...steps));
}

// Return the index of the cell that a chart shows for `row`.
function cellOf(/** @type {Page.Chart} */ [, table, column], /** @type {number} */ row) {
  const before = game.tables.slice(0, table).reduce((sum, { columns, rows }) => sum + columns.length * rows.length, 0);
  return before + row * game.tables[table].columns.length + column;
}

// Build the charts. For a branch, also draw the values of the game, behind those of the branch.
function buildCharts() {
  const others = story === game ? null : valuesOf(game.perspectives[$("seer").selectedIndex].steps);
  charts = story.charts.map((chart) => {
    const [title, table, column] = chart;
    const { columns, rows } = story.tables[table];
    const series = rows.map(([name, paint], row) => {
      const line = (/** @type {import("./parts.js").Cell[][]} */ all) =>
        all.map((now) => /** @type {number | null} */ (now[cellOf(chart, row)]));
      return { name, paint, values: line(values), other: others ? line(others) : undefined };
    });
    return new LineChart(title, series, (value) => written(value, columns[column][1]), go);
  });
  if (story.analysis) charts.unshift(chanceChart(story.analysis));
  grid("charts").replaceChildren(...charts.map((chart) => chart.figure));
  for (const { step, name } of story === game ? game.branches : []) {
    charts[0]?.mark({ step, words: `Branch: ${name}`, look: "moment branch" });
  }
}

function chanceChart(/** @type {Page.AnalysisTold} */ { title, chances, moments }) {
  const others = story === game ? null : (game.analysis?.chances ?? null);
  const series = story.players.map(([name, paint], seat) => {
    return { name, paint, values: chances[seat], other: others?.[seat] };
  });
  const more = { marks: moments, high: 100 };
  const chart = new LineChart(title, series, (value) => `${value}%`, goByHand, more);
  chart.figure.classList.add("chances");
  return chart;
}

// List the moments that decided the game, after the costliest decisions of the seat in the address.
function buildMoments() {
  const item = (/** @type {Page.MomentTold} */ { step, words }) =>
    make("li", "", link(`Action ${step}`, positionAt(step)), `: ${words}`);
  const moments = story.analysis?.moments ?? [];
  const own = story.analysis?.costliest[firstSeat];
  const listed = new Set(own?.map(({ words }) => words));
  const short = moments.map((one) => (listed.has(one.words) ? { ...one, words: "see above." } : one));
  $("moments").replaceChildren(...short.map(item));
  $("decisive").hidden = moments.length === 0;
  $("own").hidden = own === undefined;
  $("why").hidden = own === undefined && moments.length === 0;
  if (own === undefined) return;
  const name = story.players[firstSeat][0];
  $("own-title").textContent = own.length
    ? `The costliest decisions of ${name}`
    : `No single mistake of ${name} decided the game`;
  $("own-costs").replaceChildren(...own.map(item));
}

// Branches

function branchesAt(/** @type {number} */ step) {
  return game.branches.flatMap((branch, number) => (branch.step === step ? [number + 1] : []));
}

function branchName(/** @type {number} */ number) {
  return number === 0 ? "The game" : `Branch ${game.branches[number - 1].number}`;
}

function branchButton(/** @type {number} */ number, look = "") {
  const { name, players, step } = game.branches[number - 1];
  const node = button(branchName(number), () => choose(number), look);
  return labelled(node, `${branchName(number)}: ${name}, after action ${step}, played by ${players}`);
}

function buildBranches() {
  const now = games.indexOf(story);
  const items = games.map((_, number) => {
    const way = number === 0 ? button(branchName(0), () => choose(0)) : branchButton(number);
    way.setAttribute("aria-pressed", String(number === now));
    if (number === 0) return make("li", "", way);
    const { name, players, step } = game.branches[number - 1];
    const from = link(`after action ${step}`, positionAt(step));
    return make("li", "", way, ` ${name}, `, from, `; ${players}`);
  });
  $("branch-list").replaceChildren(...items);
  $("branches").hidden = games.length < 2;
}

// Show the game (0) or a branch, at the same step if it has that many.
function choose(/** @type {number} */ number) {
  stop();
  const before = at;
  story = games[number];
  last = story.board.length - 1;
  boards = positions();
  $("slider").max = $("number").max = String(last);
  $("of").textContent = `of ${last}`;
  grid("auctions").replaceChildren(...story.auctions.map(auctionCard));
  $("auctions").hidden = story.auctions.length === 0;
  buildBranches();
  buildMoments();
  $("faint").hidden = number === 0;
  at = Math.min(before, last);
  isBeforeClosing = false;
  see(Math.max($("seer").selectedIndex, 0));
}

// Compare the players' values in the game and its branches: at the end, and after the action that is shown.
function compare() {
  if (games.length < 2) return;
  const seer = $("seer").selectedIndex;
  const rows = (/** @type {string} */ title, /** @type {(one: Page.Story, seat: number) => string} */ said) => [
    make("tr", "", labelHead(title, "colgroup")),
    ...game.players.map((player, seat) =>
      make("tr", "", labelHead(player[0], "row"), ...games.map((one) => make("td", "", said(one, seat)))),
    ),
  ];
  const parts = rows("At the end", ({ result }, seat) =>
    result ? `${result.ranks[seat]}. ${scored(result.scores[seat], game.unit)}` : "not over",
  );
  for (const chart of game.charts.filter(([, table]) => table === 0).slice(0, 2)) {
    const kind = game.tables[0].columns[chart[2]][1];
    const known = games.map((one) => valueAt(one, seer));
    parts.push(
      ...rows(`${chart[0].split(":")[0]} after action ${at}`, (one, seat) =>
        written(known[games.indexOf(one)][cellOf(chart, seat)], kind),
      ),
    );
  }
  const chances = games.find(({ analysis }) => analysis)?.analysis?.title;
  if (chances) {
    parts.push(
      ...rows(`${chances} after action ${at}`, ({ analysis }, seat) => {
        const chances = analysis?.chances[seat];
        return chances ? `${chances[Math.min(at, chances.length - 1)]}%` : "–";
      }),
    );
  }
  const names = games.map((one, number) => {
    const head = labelHead(branchName(number), "col");
    if (one === story) head.className = "chosen";
    return head;
  });
  const head = make("thead", "", make("tr", "", make("td"), ...names));
  $("compared").replaceChildren(make("table", "", head, make("tbody", "", ...parts)));
}

/** @param {string} words @param {"col" | "row" | "colgroup"} scope */
function labelHead(words, scope) {
  const node = make("th", scope === "colgroup" ? "part" : "", words);
  node.scope = scope;
  if (scope === "colgroup") node.colSpan = games.length + 1;
  return node;
}

// Return the cells of a game at the step that is shown, or at its end if that is earlier.
function valueAt(/** @type {Page.Story} */ one, /** @type {number} */ seer) {
  /** @type {import("./parts.js").Cell[]} */ const now = [];
  for (const { cells: changed } of one.perspectives[seer].steps.slice(0, at + 1)) {
    for (let i = 0; i < changed.length; i += 2) now[Number(changed[i])] = changed[i + 1];
  }
  return now;
}

// Return elements to continue the game after a step: a link on a server, otherwise a command.
function waysToPlay(/** @type {string} */ words, /** @type {number} */ step) {
  const { play_from: from } = game;
  if (!from || story !== game || seen.steps[step + 1] === undefined) return [];
  const way = `${from.words}${from.is_address ? step + 1 : step}`;
  if (from.is_address) return [link(words, way, "action")];
  const command = make("code", "", way);
  return [make("span", "quiet", `${words}: `), copyButton("Copy", way, command), command];
}

// Show links to continue from this position, and the branches that do. Offer to make a costly decision again.
function showFromHere() {
  const judged = story.analysis?.decisions.find((one) => one.step <= at && at <= one.last);
  const isIn = (/** @type {Page.MomentTold[]} */ list) => list.some(({ step }) => step === judged?.step);
  /** @type {(Node | string)[]} */ const items = [];
  if (judged && story.analysis?.costliest.some(isIn)) {
    items.push(...waysToPlay(`Decide action ${judged.step} again`, judged.step - 1));
  }
  items.push(...waysToPlay("Play from here", at));
  if (story === game) items.push(...branchesAt(at).map((number) => branchButton(number, "branch")));
  else items.push(button("Back to the game", () => choose(0)));
  $("from-here").replaceChildren(...items);
  $("from-here").hidden = items.length === 0;
  // The list of costliest decisions below says the same in full.
  const isTold = !judged || isIn(story.analysis?.costliest[firstSeat] ?? []);
  $("worth").textContent = isTold ? "" : `${judged.words}.`;
  $("worth").hidden = isTold;
}

function turningPoint(/** @type {1 | -1} */ way) {
  const steps = (story.analysis?.moments ?? []).map(({ step }) => step).filter((step) => (step - at) * way > 0);
  if (steps.length) go(way > 0 ? Math.min(...steps) : Math.max(...steps));
}

function grid(/** @type {"charts" | "auctions"} */ section) {
  return /** @type {Element} */ ($(section).querySelector(".grid"));
}

function sold(/** @type {Page.Auction} */ { end, buyer, price }) {
  if (end === null) return "still open";
  return buyer === null ? "not sold" : `${story.players[buyer][0]} for $${price}`;
}

function auctionCard(/** @type {Page.Auction} */ auction) {
  const { company, what, start, bids, minimum } = auction;
  const bidItems = bids.map(([seat, amount, step]) => {
    const bid = link("", positionAt(step), amount === null ? "pass" : "bid");
    const words = amount === null ? "passes" : `$${amount}`;
    bid.append(swatch(story.players[seat]), ` ${story.players[seat][0]} `, make("b", "", words));
    return make("li", "", bid);
  });
  const title = make("h3", "", link(`${company}: ${what}`, positionAt(start)));
  const terms = make("p", "quiet", `after action ${start}, at least $${minimum}`);
  const fold = make("details", "", make("summary", "", `${bids.length} bids and passes`), make("ol", "", ...bidItems));
  return make("article", "auction", title, terms, fold, make("p", "sold", sold(auction)));
}

// Navigation

function go(/** @type {number} */ step, isClosingLeft = false) {
  const wanted = Math.min(Math.max(step, 0), last);
  if (wanted === at && isBeforeClosing === isClosingLeft) return;
  at = wanted;
  isBeforeClosing = isClosingLeft;
  show();
  try {
    history.replaceState(null, "", positionAt(at));
  } catch {
    // some browsers limit how often this is called; the page works without it
  }
}

// Go one step forward. The closing of an action is a separate step.
function goOn() {
  if (isBeforeClosing) go(at);
  else go(at + 1, hasClosing(at + 1));
}

function goBack() {
  if (!isBeforeClosing && hasClosing(at)) go(at, true);
  else go(at - 1);
}

function hasClosing(/** @type {number} */ step) {
  return Boolean(seen.steps[step]?.closing);
}

function show() {
  const { title, words, asked, closing } = seen.steps[at];
  const isClosed = closing && !isBeforeClosing;
  board.show(boards[at]);
  board.svg.setAttribute("aria-label", `Board after action ${at}. ${title}`);
  $("step-title").textContent = title;
  $("step-words").replaceChildren(
    ...sentences(words),
    ...(isClosed ? [make("li", "unmarked", make("b", "", closing.title)), ...sentences(closing.words)] : []),
    ...(at === last && !isBeforeClosing ? seen.ending.map((line) => make("li", "unmarked", line)) : []),
  );
  $("asked").replaceChildren(...(isBeforeClosing ? [] : asked).map((line) => make("span", "", line)));
  const [now, before] = isClosed ? [values[at], unpaid(at)] : [unpaid(at), values[Math.max(at - 1, 0)]];
  writeCells(cells, now, before);
  writeCells(cashCells, cashIn(now), cashIn(before));
  for (const chart of charts) chart.show(at);
  story.auctions.forEach(({ start, end }, number) => {
    const card = grid("auctions").children[number];
    card.classList.toggle("running", at >= start && at <= (end ?? last));
    card.classList.toggle("later", at < start);
  });
  follow();
  showFromHere();
  compare();
  markStory();
  $("slider").value = String(at);
  $("slider").setAttribute("aria-valuetext", title);
  if (document.activeElement !== $("number")) $("number").value = String(at);
  for (const way of waysToGo) {
    const end = { first: 0, back: 0, on: last, last }[way.dataset.go ?? ""];
    if (end !== undefined) way.setAttribute("aria-disabled", String(at === end && !isBeforeClosing));
  }
}

/** @returns {import("./parts.js").Cell[]} */
function cashIn(/** @type {import("./parts.js").Cell[]} */ now) {
  return cashCells.map((_, seat) => now[seat * game.tables[0].columns.length]);
}

// Return the values after an action, but with the cash before its closing.
function unpaid(/** @type {number} */ step) {
  const now = values[step].slice();
  (seen.steps[step].closing?.paid ?? []).forEach((amount, seat) => {
    const cell = seat * game.tables[0].columns.length;
    if (cashCells.length && typeof now[cell] === "number") now[cell] -= amount;
  });
  return now;
}

function markStory() {
  const list = $("steps");
  for (const one of list.querySelectorAll(".current")) one.classList.remove("current");
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  /** @type {HTMLElement | null} */ const fold = items[at].closest(".fold");
  const closing = isBeforeClosing ? undefined : closings[at][0];
  const item = closing ?? (fold?.querySelector("details:not([open])") ? fold : items[at]);
  for (const one of [item, closing ?? items[at]]) one.classList.add("current");
  (closing ?? items[at]).firstElementChild?.setAttribute("aria-current", "step");
  fitStory();
  // Scroll the item to a third of the list's height, or higher if it would not fit below that.
  const above = Math.max(0, Math.min(list.clientHeight / 3, list.clientHeight - item.offsetHeight));
  list.scrollTop = item.offsetTop - above;
}

// Beside the board, limit the list to the space above the bar. Below the board, the style sheet sets its height.
function fitStory() {
  const list = $("steps");
  const room = $("transport").offsetTop - list.getBoundingClientRect().top - scrollY - 12;
  list.style.maxHeight = innerWidth >= WIDE_PX && room > LEAST_STORY_PX ? `${room}px` : "";
}

// Scroll to what changed last. If nothing did, scroll to the pieces on the board, or to the names on an empty board.
function follow() {
  const [hot, pieces] = ["hot", "pieces"].map((layer) => [...board.svg.querySelectorAll(`.layer-${layer} > *`)]);
  const frame = $("board-holder").getBoundingClientRect();
  const isSeen = !hot.length && pieces.some((one) => isMiddleInside(one, frame));
  const names = [...board.svg.querySelectorAll(".names")];
  if (!isSeen) zoom.center([hot, pieces, names].find((found) => found.length) ?? [], true);
}

function fromHash() {
  const asked = /^#(?:at=)?(\d+)$/.exec(location.hash); // older links have the number only
  if (asked) goByHand(+asked[1]);
}

// Scroll to the board in a small window. After a click on a link, do so in any window if the board's top is not
// visible.
function reveal(isLink = false) {
  if (innerWidth < WIDE_PX || (isLink && $("stage").getBoundingClientRect().top < 0)) $("stage").scrollIntoView();
}

// Make the back link return to the page that the visitor came from. Browsers without the navigation API follow the
// link.
function offerBack() {
  /** @type {any} */ const { navigation } = window;
  document.querySelector("header .back")?.addEventListener("click", (event) => {
    const before = navigation?.entries().slice(0, navigation.currentEntry.index);
    const other = before?.findLast((/** @type {{ sameDocument: boolean }} */ entry) => !entry.sameDocument);
    if (!other) return;
    event.preventDefault();
    navigation.traverseTo(other.key);
  });
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
  if (at === last && !isBeforeClosing) go(0);
  timer = setInterval(() => (at < last || isBeforeClosing ? goOn() : stop()), 1000 / +$("speed").value);
  $("step").setAttribute("aria-live", "off");
  namePlay("Stop", "M4 4h12v12H4z");
}

function stop() {
  if (timer === undefined) return;
  clearInterval(timer);
  timer = undefined;
  $("step").setAttribute("aria-live", "polite");
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

// Add a share button, except to a page in a file, whose address others cannot open.
function offerSharing() {
  const share = copyButton("Share", () => location.href);
  share.title = "Copies a link to this position";
  if (location.protocol !== "file:") $("theme").before(share);
}

/** @type {Record<string, () => void>} */
const moves = {
  first: () => go(0),
  back: goBack,
  play,
  on: goOn,
  last: () => go(last),
};

/** @type {Record<string, (event: KeyboardEvent) => void>} */
const keys = {
  ArrowRight: (event) => (event.shiftKey ? go(at + 10) : goOn()),
  ArrowLeft: (event) => (event.shiftKey ? go(at - 10) : goBack()),
  Home: moves.first,
  End: moves.last,
  " ": play,
  "+": () => changeSpeed(1),
  "-": () => changeSpeed(-1),
  d: () => landmark(1),
  D: () => landmark(-1),
  s: () => story.perspectives.length > 1 && see(($("seer").selectedIndex + 1) % story.perspectives.length),
  t: () => turningPoint(1),
  T: () => turningPoint(-1),
  b: () => games.length > 1 && choose((games.indexOf(story) + 1) % games.length),
  z: () => {
    zoom.toggle();
    follow();
  },
  i: () => zoom.showIds(),
  "?": toggleKeys,
};

/** Keys that do not go to another action. */
const STAYING_KEYS = new Set(["+", "-", "s", "b", "z", "i", "?"]);

document.addEventListener("keydown", (event) => {
  if (!isShortcut(event) || !Object.hasOwn(keys, event.key)) return;
  if (event.key !== " " && event.key !== "+" && event.key !== "-") stop();
  keys[event.key](event);
  if (!STAYING_KEYS.has(event.key)) reveal();
  event.preventDefault();
});

/** @type {NodeListOf<HTMLElement>} */ const waysToGo = document.querySelectorAll("[data-go]");
for (const way of waysToGo) {
  const { go: where = "" } = way.dataset;
  way.addEventListener("click", () => {
    if (where !== "play") stop();
    moves[where]();
    reveal();
  });
}
$("slider").addEventListener("input", () => goByHand(+$("slider").value));
$("number").addEventListener("change", () => {
  goByHand(Math.trunc(+$("number").value) || 0);
  reveal();
  $("number").value = String(at);
});
$("speed").addEventListener("change", () => changeSpeed(0));
$("seer").addEventListener("change", () => see($("seer").selectedIndex));
$("help").addEventListener("click", toggleKeys);
offerSharing();
addEventListener("hashchange", () => {
  fromHash();
  reveal(true);
});
addEventListener("resize", markStory);
offerBack();

offerThemes();
$("heading").textContent = story.heading;
$("seer").append(...story.perspectives.map(({ name }) => make("option", "", name)));
$("seer-label").hidden = story.perspectives.length < 2;
labelled($("cash"), cashName ?? "").append(
  ...cashCells.map(({ cell }, seat) => make("li", "", swatch(game.players[seat]), ` ${game.players[seat][0]} `, cell)),
);
$("tables").append(...frames.map(({ holder }) => holder));
// The legend omits the players' colours if they are above the board with their cash.
if (cashName === undefined || story.tables.some(({ corner }) => corner === "Company")) {
  $("legend").prepend(...colourKey(story.tables, story.players));
}
$("seed").textContent = story.seed;
$("details").hidden = story.seed === null;
choose(0);
fromHash();
if (at < 0) go(story.analysis?.costliest[firstSeat]?.[0]?.step ?? 0);
drawn();
