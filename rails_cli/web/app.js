"use strict";
// Puts the page together: which part of it is shown, the connection, colours and keys.

(async () => {
  const $ = (id) => document.getElementById(id);
  const PARTS = ["lobby", "new", "table"];
  const STATES = { connecting: "Connecting …", open: "Connected", lost: "The connection is lost; trying again …" };
  let place = null;
  let noticeTimer = null;
  let view = null;

  function notice(words, look = "") {
    clearTimeout(noticeTimer);
    $("notice").textContent = words;
    $("notice").className = look;
    noticeTimer = setTimeout(() => { $("notice").textContent = ""; }, 12_000);
  }

  // Colours

  function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  function nameTheme() {
    $("theme").textContent = isDark() ? "Light" : "Dark";
  }

  const theme = Memory.get("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  $("theme").addEventListener("click", () => {
    const wanted = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = wanted;
    Memory.set("theme", wanted);
    nameTheme();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", nameTheme);
  nameTheme();

  // The connection

  function tellState(state, last) {
    const words = state === "ended" ? "" : (STATES[state] ?? "");
    $("state").textContent = state === "lost" && last?.code === "shutdown" ? "The server is stopped; trying again …" : words;
    $("state").className = state;
    if (state !== "open") view?.choosing.pause();
    if (state !== "ended") return;
    const why = last.code === "replaced" ? "This seat is played from elsewhere now. " : `${last.message}. `;
    $("state").append(why, Parts.button("Play here", () => wire.open()));
  }

  const wire = new Wire({
    greet: () => (place === "table" ? view.enter() : place === "lobby" ? lobby.look() : null),
    hear: (message) => {
      if (message.type === "error" && message.fatal && message.code !== "replaced") notice(message.message);
      view?.hear(message);
    },
    tell: tellState,
  });

  let about;
  try {
    about = await (await fetch("games.json")).json();
  } catch {
    $("state").textContent = "The server does not answer; load the page again in a moment.";
    return;
  }
  const title = (game) => about.games.find(({ name }) => name === game)?.title ?? game;
  view = new TableView(wire, { notice, title });
  const lobby = new Lobby(wire, about);
  const newTable = new NewTable(wire, about, {
    free: () => (isSeated() ? leaveBehind() : null),
    done: (table) => { location.hash = `table/${encodeURIComponent(table)}`; },
    fail: notice,
  });

  // A connection holds one seat; who goes elsewhere takes a new one, and comes back with the token of the seat.
  function isSeated() {
    return view.id !== null && view.seat !== null;
  }

  async function leaveBehind() {
    view.reset(null, null);
    await wire.renewed();
  }

  // Where one is

  function show(part) {
    for (const one of PARTS) $(one).hidden = one !== part;
    $("notice").textContent = "";
    document.title = { lobby: "rails-cli", new: "New table: rails-cli" }[part] ?? document.title;
    if (part !== "lobby") lobby.close();
    place = part;
    view.isOpen = part === "table";
  }

  function route(isFirst = false) {
    const [part, id, word, invite] = location.hash.slice(1).split("/").map((piece) => { try { return decodeURIComponent(piece); } catch { return ""; } });
    if (part === "table" && id) {
      // The token of an invitation is not left in the address, where it could be seen or copied.
      if (word === "invite" && invite) history.replaceState(null, "", `#table/${encodeURIComponent(id)}`);
      const isElsewhere = view.id !== id && isSeated();
      show("table");
      if (isElsewhere) wire.open();
      if (view.id !== id) view.reset(id, invite ?? null);
      else if (invite) view.open(id, invite);
      if (wire.isReady) view.enter();
      if (!isFirst) $("table-title").focus();
    } else if (part === "new") {
      show("new");
      newTable.open();
    } else {
      show("lobby");
      lobby.open();
    }
  }

  addEventListener("hashchange", () => route());
  $("skip").addEventListener("click", () => $("main").focus());

  // Keys

  function toggleKeys() {
    $("keys").hidden = !$("keys").hidden;
    $("help").setAttribute("aria-expanded", String(!$("keys").hidden));
  }

  const keys = {
    b: () => view.places.focus(),
    c: () => (document.querySelector("#asked .confirm, #asked .choices button, #asked input") ?? $("ask")).focus(),
    u: () => view.choosing.undo(),
    h: () => view.choosing.hint(),
    l: () => $("log").focus(),
    z: () => view.zoom(),
  };

  $("help").addEventListener("click", toggleKeys);
  $("shortcuts").checked = Memory.get("shortcuts") ?? true;
  $("shortcuts").addEventListener("change", () => Memory.set("shortcuts", $("shortcuts").checked));
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select, textarea") || event.ctrlKey || event.altKey || event.metaKey || !$("shortcuts").checked) return;
    if (event.key === "?") toggleKeys();
    else if (place !== "table") return;
    else if (/^[1-9]$/.test(event.key)) event.repeat || view.choosing.takeNumber(event.key);
    else if (Object.hasOwn(keys, event.key)) keys[event.key]();
    else return;
    event.preventDefault();
  });

  route(true);
  wire.open();
})();
