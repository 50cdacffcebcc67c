"use strict";
// Steps through a game that the page brings along. Text gets into the page by textContent only.

(() => {
  const $ = (id) => document.getElementById(id);
  const { make, written, swatch } = Parts;
  const story = JSON.parse($("data").textContent);
  const last = story.board.length - 1;
  const boards = positions();
  const board = new Board(document.querySelector("svg.board"));
  let seen = story.perspectives[0];
  let values = [];
  let cells = [];
  let charts = [];
  let at = -1;
  let timer = null;

  // What the steps tell, added up

  function positions() {
    const all = [];
    let now = new Map();
    for (const [put, taken] of story.board) {
      now = new Map(now);
      for (const number of taken) now.delete(number);
      for (const number of put) now.set(number, story.marks[number]);
      all.push(now);
    }
    return all;
  }

  function valuesOf(steps) {
    const all = [];
    let now = [];
    for (const { cells: changed } of steps) {
      now = now.slice();
      for (let i = 0; i < changed.length; i += 2) now[changed[i]] = changed[i + 1];
      all.push(now);
    }
    return all;
  }

  // Building the page

  function buildTables() {
    cells = [];
    for (const shape of story.tables) {
      const table = Parts.table(shape);
      cells.push(...table.cells);
      $("tables").append(table.holder);
    }
  }

  function buildStory() {
    const items = seen.steps.map(({ title, words }, number) => {
      const head = make("a", "", title);
      head.href = `#${number}`;
      return make("li", "", head, make("ul", "", ...words.map((line) => make("li", line.startsWith("! ") ? "fault" : "", line))));
    });
    $("steps").replaceChildren(...items);
    $("ending").replaceChildren(...seen.ending.map((line) => make("p", "", line)));
  }

  function buildCharts() {
    const first = [];
    let count = 0;
    for (const { columns, rows } of story.tables) {
      first.push(count);
      count += columns.length * rows.length;
    }
    charts = story.charts.map(([title, table, column]) => {
      const { columns, rows } = story.tables[table];
      const series = rows.map(([name, paint], row) => ({
        name,
        paint,
        values: values.map((now) => now[first[table] + row * columns.length + column]),
      }));
      return new LineChart(title, series, (value) => written(value, columns[column][1]), go);
    });
    $("charts").querySelector(".grid").replaceChildren(...charts.map((chart) => chart.figure));
  }

  function buildAuctions() {
    const name = (seat) => story.players[seat][0];
    const cards = story.auctions.map((auction) => {
      const link = make("a", "", `${auction.company}: ${auction.what}`);
      link.href = `#${auction.start}`;
      const bids = auction.bids.map(([seat, amount, step]) => {
        const bid = make("a", amount === null ? "pass" : "bid", swatch(story.players[seat]), ` ${name(seat)} `, make("b", "", amount === null ? "passes" : `$${amount}`));
        bid.href = `#${step}`;
        return make("li", "", bid);
      });
      const sold = auction.end === null ? "still open" : auction.buyer === null ? "not sold" : `${name(auction.buyer)} for $${auction.price}`;
      const card = make("article", "auction", make("h3", "", link), make("p", "quiet", `from action ${auction.start}, at least $${auction.minimum}`), make("ol", "", ...bids), make("p", "sold", sold));
      card.dataset.start = auction.start;
      card.dataset.end = auction.end ?? last;
      return card;
    });
    $("auctions").hidden = cards.length === 0;
    $("auctions").querySelector(".grid").replaceChildren(...cards);
  }

  function buildLegend() {
    const rows = story.tables[1].corner === "Company" ? story.tables[1].rows : story.players;
    $("legend").prepend(...rows.map((row) => make("span", "", swatch(row), ` ${row[0]}`)));
  }

  // Moving

  function go(step) {
    step = Math.min(Math.max(step, 0), last);
    if (step === at) return;
    at = step;
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
    $("step-words").replaceChildren(...words.map((line) => make("li", line.startsWith("! ") ? "fault" : "", line)));
    $("asked").replaceChildren(...asked.map((line) => make("span", "", line)));
    const before = values[Math.max(at - 1, 0)];
    cells.forEach(({ cell, kind }, number) => {
      const value = values[at][number];
      const text = written(value, kind);
      if (cell.textContent !== text) cell.textContent = text;
      cell.classList.toggle("changed", value !== before[number]);
    });
    for (const chart of charts) chart.show(at);
    for (const card of $("auctions").querySelectorAll(".auction")) {
      card.classList.toggle("running", at >= +card.dataset.start && at <= +card.dataset.end);
      card.classList.toggle("later", at < +card.dataset.start);
    }
    markStory();
    followBoard();
    $("slider").value = at;
    $("slider").setAttribute("aria-valuetext", title);
    if (document.activeElement !== $("number")) $("number").value = at;
    for (const [name, end] of [["first", 0], ["back", 0], ["on", last], ["last", last]]) {
      document.querySelector(`[data-go=${name}]`).setAttribute("aria-disabled", String(at === end));
    }
  }

  function markStory() {
    const list = $("steps");
    list.querySelector(".current")?.classList.remove("current");
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const item = list.children[at];
    item.classList.add("current");
    item.firstChild.setAttribute("aria-current", "step");
    list.scrollTop = item.offsetTop - list.clientHeight / 3;
  }

  // In an enlarged board, what just happened is kept in sight.
  function followBoard(other = null) {
    const holder = $("board-holder");
    const hot = holder.querySelector(".layer-hot > *") ?? other;
    if (!hot || !holder.classList.contains("enlarged")) return;
    const frame = holder.getBoundingClientRect();
    const box = hot.getBoundingClientRect();
    if (box.left < frame.left || box.right > frame.right) holder.scrollLeft += box.left + box.width / 2 - frame.left - frame.width / 2;
    if (box.top < frame.top || box.bottom > frame.bottom) holder.scrollTop += box.top + box.height / 2 - frame.top - frame.height / 2;
  }

  function zoom() {
    const isLarge = $("board-holder").classList.toggle("enlarged");
    $("zoom").setAttribute("aria-pressed", String(isLarge));
    followBoard(document.querySelector(".layer-pieces > :last-child"));
  }

  function fromHash() {
    const asked = /^#(\d+)$/.exec(location.hash);
    if (asked) { stop(); go(+asked[1]); }
  }

  function landmark(way) {
    for (let step = at + way; step >= 0 && step <= last; step += way) {
      if (seen.steps[step].is_landmark) return go(step);
    }
    return go(way > 0 ? last : 0);
  }

  function play() {
    if (timer !== null) return stop();
    if (at === last) go(0);
    timer = setInterval(() => (at < last ? go(at + 1) : stop()), 1000 / +$("speed").value);
    $("told").setAttribute("aria-live", "off");
    namePlay("Stop", "M4 4h12v12H4z");
  }

  function stop() {
    if (timer === null) return;
    clearInterval(timer);
    timer = null;
    $("told").setAttribute("aria-live", "polite");
    namePlay("Play", "M5 4v12l10-6z");
  }

  function namePlay(word, icon) {
    $("play-word").textContent = word;
    $("play").setAttribute("aria-label", word);
    $("play-icon").setAttribute("d", icon);
  }

  function changeSpeed(way) {
    const speed = $("speed");
    speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + way, 0), speed.options.length - 1);
    if (timer !== null) { stop(); play(); }
  }

  function see(number) {
    seen = story.perspectives[number];
    values = valuesOf(seen.steps);
    $("seer").selectedIndex = number;
    buildStory();
    buildCharts();
    if (at >= 0) show();
  }

  function toggleKeys() {
    $("keys").hidden = !$("keys").hidden;
    $("help").setAttribute("aria-expanded", String(!$("keys").hidden));
  }

  function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  function nameTheme() {
    $("theme").textContent = isDark() ? "Light" : "Dark";
  }

  const moves = {
    first: () => go(0),
    back: () => go(at - 1),
    play,
    on: () => go(at + 1),
    last: () => go(last),
  };

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
    z: zoom,
    "?": toggleKeys,
  };

  document.addEventListener("keydown", (event) => {
    const takesKeys = event.target.closest("input, select");
    const isPressed = event.key === " " && event.target.closest("button, a, summary");
    if (takesKeys || isPressed || event.ctrlKey || event.altKey || event.metaKey || !$("shortcuts").checked) return;
    if (!Object.hasOwn(keys, event.key)) return;
    if (event.key !== " " && event.key !== "+" && event.key !== "-") stop();
    keys[event.key](event);
    event.preventDefault();
  });
  for (const button of document.querySelectorAll("[data-go]")) {
    button.addEventListener("click", () => {
      if (button.dataset.go !== "play") stop();
      moves[button.dataset.go]();
    });
  }
  $("slider").addEventListener("input", () => { stop(); go(+$("slider").value); });
  $("number").addEventListener("change", () => { stop(); go(Math.trunc(+$("number").value) || 0); $("number").value = at; });
  $("speed").addEventListener("change", () => changeSpeed(0));
  $("seer").addEventListener("change", () => see($("seer").selectedIndex));
  $("help").addEventListener("click", toggleKeys);
  $("zoom").addEventListener("click", zoom);
  $("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", nameTheme);
  addEventListener("hashchange", fromHash);

  $("heading").textContent = story.heading;
  for (const { name } of story.perspectives) $("seer").append(make("option", "", name));
  $("seer-label").hidden = story.perspectives.length < 2;
  $("slider").max = last;
  $("number").max = last;
  $("of").textContent = `of ${last}`;
  nameTheme();
  buildTables();
  buildLegend();
  buildAuctions();
  see(0);
  fromHash();
  if (at < 0) go(0);
})();
