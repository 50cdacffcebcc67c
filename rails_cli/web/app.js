// @ts-check
// Entry point of the page: the connection, the part that is shown, and keyboard shortcuts.

import { Alerts } from "./alerts.js";
import { Chat } from "./chat.js";
import { isShortcut, offerThemes, toggleKeys } from "./controls.js";
import { offerDevices } from "./devices.js";
import { notice, offerMenu } from "./dialogs.js";
import { Lessons } from "./lesson.js";
import { Lobby } from "./lobby.js";
import { load, ownName, save } from "./memory.js";
import { NewTable } from "./new_table.js";
import { $, button, drawn, learnUnits, link, make } from "./parts.js";
import { PoolView } from "./pool.js";
import { QuickGames } from "./quick_game.js";
import { TableView } from "./table.js";
import { Tabs } from "./tabs.js";
import { Wire } from "./wire.js";

const STATES = {
  connecting: "Connecting …",
  open: "Connected",
  lost: "Connection lost. Trying again …",
  ended: "",
};
const FONTS = ["400 15px Archivo", "700 20px Besley"];
const FONTS_MS = 1_500;

function start(/** @type {Page.GameOffer} */ offer) {
  learnUnits(offer.games);
  /** @type {"lobby" | "new" | "pool" | "entrant" | "table"} */ let place = "lobby";

  const alerts = new Alerts();

  // The connection

  const wire = new Wire({
    greet: () => {
      // Sent before a seat is taken, so that the server sends boards and positions only in `shown` messages.
      wire.say({ type: "join", name: ownName() || null, view: "none", board: false, undo: true });
      if (place === "table") view.enter();
      else if (lessons.wanted) lessons.start();
      else if (place === "lobby") lobby.refresh();
      else pool.enterAgain();
    },
    hear: (message) => {
      const isForAll =
        message.type === "error" && (message.fatal ? message.code !== "replaced" : message.code === "draining");
      if (isForAll) notice(message.message);
      view.hear(message);
      pool.hear(message);
    },
    tell: (state, last) => {
      const isStopped = state === "lost" && last?.code === "shutdown";
      $("state").textContent = isStopped ? "The server has stopped. Trying again …" : STATES[state];
      $("state").className = state;
      if (state === "open") notice("");
      else view.pause();
      if (state !== "ended") return;
      const why = last?.code === "replaced" ? "This seat is now being played from elsewhere. " : `${last?.message}. `;
      $("state").append(
        why,
        button("Play here", () => wire.open()),
      );
    },
  });

  const tabs = new Tabs();
  const chat = new Chat(wire, offer.phrases, tabs);
  const view = new TableView(wire, notice, (info) => lobby.described(info), alerts, chat, tabs);
  const lobby = new Lobby(wire, offer, alerts, (table) => view.giveUp(table));
  const pool = new PoolView(wire, {
    title: (game) => lobby.title(game),
    alerts,
    free: () => (isSeated() ? leaveBehind() : null),
    seated: (table) => {
      location.hash = `table/${encodeURIComponent(table)}`;
    },
  });
  const newTable = new NewTable(wire, offer, {
    free: () => (isSeated() ? leaveBehind() : null),
    done: (table) => {
      location.hash = `table/${encodeURIComponent(table)}`;
    },
    fail: notice,
  });
  const lessons = new Lessons(offer, (wish) => newTable.create(wish, 0, ownName()));
  const quick = new QuickGames(offer, (wish, own, you) => newTable.create(wish, own, you));
  offerDevices(wire, () => lobby.open());

  // A connection holds at most one seat. To play elsewhere, open a new connection. The token of the seat allows the
  // player to return.
  function isSeated() {
    return view.id !== "" && view.seat !== null;
  }

  async function leaveBehind() {
    view.reset("", null);
    await wire.renewed();
  }

  // Navigation

  function show(/** @type {typeof place} */ part) {
    for (const one of /** @type {const} */ (["lobby", "new", "pool", "entrant", "table"])) $(one).hidden = one !== part;
    for (const one of [$("where"), $("table-menu"), $("rules-link")]) one.hidden = part !== "table";
    notice("");
    const titles = { lobby: "rails-cli", new: "New table: rails-cli", pool: "Rated pool: rails-cli" };
    if (part !== "table") alerts.rest({ ...titles, entrant: document.title }[part]);
    if (part !== "lobby") lobby.close();
    if (part !== "pool" && part !== "entrant") pool.close();
    place = part;
    document.body.dataset.part = part;
    view.isOpen = part === "table";
  }

  function route(isFirst = false) {
    const pieces = location.hash.slice(1).split("/");
    const [part, id, word, invite, , number] = pieces.map(decoded);
    if ((part === "learn" || part === "play") && id) {
      // Replace this address in the history, so that going back does not create another table.
      const kept = part === "learn" ? lessons.learn(id, word === "again") : null;
      if (part === "play") lessons.play(id);
      history.replaceState(null, "", kept ? `#table/${encodeURIComponent(kept)}` : "#");
      route(isFirst);
      if (wire.isReady) lessons.start();
      return;
    }
    if (part === "table" && id) {
      // Remove the token of the invitation from the address, where others could see it.
      if (word === "invite" && invite) history.replaceState(null, "", `#table/${encodeURIComponent(id)}`);
      const isElsewhere = view.id !== id && isSeated();
      show("table");
      if (isElsewhere) wire.open();
      if (view.id !== id) view.reset(id, invite ?? null);
      else if (invite) view.invited(invite);
      if (wire.isReady) view.enter();
      if (!isFirst) $("table-title").focus();
    } else if (part === "new" || (part === "from" && invite)) {
      show("new");
      const names = part === "from" ? pieces[3].split(",").map(decoded) : [];
      const bots = part === "from" ? (pieces[4] ?? "").split(",").map(decoded) : [];
      newTable.open(part === "from" ? { log: id, game: word, names, bots, number: +number } : null);
    } else if (part === "pool" && id) {
      show("entrant");
      pool.openEntrant(id);
      if (!isFirst) $("entrant-title").focus();
    } else if (part === "pool-next") {
      history.replaceState(null, "", "#pool");
      show("pool");
      pool.next();
    } else if (part === "pool" || part === "standings") {
      show("pool");
      pool.open();
      const title = part === "pool" ? $("pool-title") : $("standings-title");
      if (!isFirst || part === "standings") title.focus();
    } else {
      show("lobby");
      lobby.open();
      quick.loadCovers();
    }
  }

  addEventListener("hashchange", () => route());
  $("skip").addEventListener("click", () => $("main").focus());

  // Keys

  /** @type {Record<string, () => void>} */
  const keys = {
    b: () => view.places.focus(),
    c: () => {
      tabs.select("move");
      /** @type {HTMLElement} */ const first = $("asked").querySelector(".confirm, .choices button, input") ?? $("ask");
      first.focus();
    },
    u: () => view.prompt.undo(),
    h: () => view.prompt.hint(),
    l: () => {
      tabs.select("story");
      $("log").focus();
    },
    d: () => view.prompt.done(),
    Enter: () => view.prompt.confirm(),
    z: () => {
      view.places.zoom.toggle();
      view.places.follow();
    },
    i: () => view.places.zoom.showIds(),
    "+": () => view.places.zoom.by(1.25),
    "-": () => view.places.zoom.by(0.8),
  };

  function showKeys() {
    const isShown = $("menu").open && !$("keys").hidden;
    if (isShown === $("menu").open) toggleKeys();
    if (isShown) $("menu").close();
    else if (!$("menu").open) $("menu").showModal();
  }

  offerMenu();
  $("help").addEventListener("click", toggleKeys);
  $("shortcuts").checked = load("shortcuts") ?? true;
  $("shortcuts").addEventListener("change", () => save("shortcuts", $("shortcuts").checked));
  document.addEventListener("keydown", (event) => {
    if (!isShortcut(event)) return;
    if (event.key === "?") showKeys();
    else if (document.querySelector("dialog[open]")) return;
    else if (place !== "table") return;
    else if (/^[1-9]$/.test(event.key)) event.repeat || view.prompt.takeNumber(event.key);
    else if (Object.hasOwn(keys, event.key)) (event.repeat && event.key === "Enter") || keys[event.key]();
    else return;
    event.preventDefault();
  });

  $("pool-card").hidden = $("standings-link").hidden = !offer.has_pool;
  offerGuides(offer.games);
  route(true);
  wire.open();
  drawn();
}

// Fill the menus of the bar: the games with lessons, and the rules of all games.
function offerGuides(/** @type {Page.GameOffered[]} */ games) {
  const taught = games.filter(({ has_lessons }) => has_lessons);
  const items = (/** @type {Page.GameOffered[]} */ those, /** @type {string} */ path) =>
    those.map(({ name, title }) => make("li", "", link(title, `${path}/${encodeURIComponent(name)}`)));
  $("learn-games").replaceChildren(...items(taught, "#learn"));
  $("rules-games").replaceChildren(...items(games, "guide"));
  $("learn-show").hidden = taught.length === 0;
  for (const list of [$("learn-games"), $("rules-games")]) list.addEventListener("click", () => list.hidePopover());
}

function decoded(/** @type {string} */ piece) {
  try {
    return decodeURIComponent(piece);
  } catch {
    return "";
  }
}

offerThemes();

// Wait for the fonts, because texts are measured when they are drawn.
const fonts = Promise.allSettled(FONTS.map((font) => document.fonts.load(font)));
/** @type {Page.GameOffer | null} */
const offer = await fetch("games.json")
  .then((answer) => answer.json())
  .catch(() => null);
await Promise.race([fonts, new Promise((done) => setTimeout(done, FONTS_MS))]);
if (offer) start(offer);
else $("state").textContent = "The server does not answer; reload the page in a moment.";
