"use strict";
// The lobby: which tables there are, and the form for a new one.

class Lobby {
  static LOOK_AGAIN_MS = 2500;
  static STATES = { open: "waiting for players", playing: "being played", ended: "ended" };

  constructor(wire, about) {
    this.wire = wire;
    this.about = about;
    this.timer = null;
    this.shown = "";
    const $ = (id) => document.getElementById(id);
    this.list = $("tables-list");
    this.filters = { search: $("words"), game: $("game-filter"), state: $("state-filter") };
    for (const { name, title } of about.games) {
      const option = Parts.make("option", "", title);
      option.value = name;
      this.filters.game.append(option);
    }
    for (const filter of Object.values(this.filters)) filter.addEventListener("input", () => this.look());
    $("search").addEventListener("submit", (event) => { event.preventDefault(); this.look(); });
    $("name").value = Memory.name() ?? "";
    $("name").addEventListener("change", () => Memory.set("name", $("name").value.trim()));
  }

  open() {
    document.getElementById("name").value = Memory.name() ?? "";
    this.showMine();
    this.shown = "";
    this.look();
    this.timer ??= setInterval(() => document.visibilityState === "visible" && this.look(), Lobby.LOOK_AGAIN_MS);
  }

  close() {
    clearInterval(this.timer);
    this.timer = null;
  }

  async look() {
    const { search, game, state } = this.filters;
    try {
      const { tables } = await this.wire.ask({ type: "list", search: search.value, game: game.value || null, state: state.value || null });
      if (this.timer !== null) this.show(tables);
    } catch {
      // the state of the connection is told elsewhere, and the next look is near
    }
  }

  show(tables) {
    const written = JSON.stringify(tables);
    if (written === this.shown) return;
    this.shown = written;
    const focused = document.activeElement?.closest("#tables-list [data-table]")?.dataset.table;
    this.list.replaceChildren(...tables.map((table) => this.item(table)));
    const words = tables.length === 0 ? "No table." : tables.length === 1 ? "One table." : `${tables.length} tables.`;
    document.getElementById("count").textContent = words;
    if (focused) this.list.querySelector(`[data-table="${CSS.escape(focused)}"] a`)?.focus();
  }

  title(game) {
    return this.about.games.find(({ name }) => name === game)?.title ?? game;
  }

  item(table) {
    const { make } = Parts;
    const free = table.seats.filter(({ kind }) => kind === "open").length;
    const name = make("b", "", table.name);
    const isOver = table.state === "ended";
    const isMine = !isOver && Memory.seat(table.table) !== null;
    const what = isMine ? "Go there" : { open: free ? "Sit down" : "Look", playing: "Watch", ended: "Replay" }[table.state];
    const link = make("a", "action", what);
    link.href = isOver ? `replay/${encodeURIComponent(table.table)}` : `#table/${encodeURIComponent(table.table)}`;
    link.setAttribute("aria-label", `${what}: ${table.name}`);
    const item = make(
      "li",
      `is-${table.state}`,
      make("span", "what", name, make("span", "quiet", ` ${this.title(table.game)}${Lobby.moreWords(table)}`)),
      make("span", "who", ...table.seats.map((seat, number) => Lobby.chip(seat, number, table.scores))),
      make("span", "how", make("span", `state ${table.state}`, Lobby.STATES[table.state]), " ", link),
    );
    item.dataset.table = table.table;
    return item;
  }

  static moreWords({ clock, actions, state }) {
    const time = clock === "none" ? "" : `, ${Seats.clockWords(clock)}`;
    return state === "open" ? time : `${time}, ${actions} actions`;
  }

  static chip({ kind, name, connected }, number, scores) {
    const words = { open: "free", reserved: "invited" }[kind] ?? name;
    const score = scores ? ` $${scores[number].toLocaleString("en-US")}` : "";
    return Parts.make("span", `chip ${kind}${connected || scores || kind === "open" || kind === "reserved" ? "" : " away"}`, `${words}${score}`);
  }

  showMine() {
    const seats = Object.entries(Memory.seats()).sort(([, one], [, other]) => other.at - one.at);
    document.getElementById("mine").hidden = seats.length === 0;
    const items = seats.map(([table, { name, game }]) => {
      const link = Parts.make("a", "action", "Go there");
      link.setAttribute("aria-label", `Go there: your seat at ${name}`);
      link.href = `#table/${encodeURIComponent(table)}`;
      const forget = Parts.button("Forget", () => { this.forget(table); });
      forget.setAttribute("aria-label", `Forget the seat at ${name}`);
      return Parts.make("li", "", Parts.make("span", "what", Parts.make("b", "", name), Parts.make("span", "quiet", ` ${this.title(game)}`)), forget, link);
    });
    document.getElementById("my-tables").replaceChildren(...items);
  }

  // The keyboard goes on at the seat that moved up, or at what stands above the list.
  forget(table) {
    const list = document.getElementById("my-tables");
    const number = [...list.children].findIndex((item) => item.contains(document.activeElement));
    Memory.keepSeat(table, null);
    this.showMine();
    const next = list.children[Math.min(Math.max(number, 0), list.childElementCount - 1)];
    (next?.querySelector("button") ?? document.getElementById("name")).focus();
    this.shown = "";
    this.look();
  }
}

class NewTable {
  // `free` makes sure that this connection holds no seat elsewhere.
  constructor(wire, about, { free, done, fail }) {
    Object.assign(this, { wire, about, free, done, fail });
    this.$ = (id) => document.getElementById(id);
    for (const { name, title } of about.games) this.$("new-game").append(NewTable.option(name, title));
    this.$("new-game").addEventListener("change", () => this.chooseGame());
    this.$("new-players").addEventListener("change", () => this.choosePlayers());
    this.$("new-clock").addEventListener("change", () => { this.$("other-clock").hidden = this.$("new-clock").value !== ""; });
    this.$("create").addEventListener("submit", (event) => { event.preventDefault(); this.once(); });
    this.chooseGame();
  }

  static option(value, words) {
    const option = Parts.make("option", "", words);
    option.value = value;
    return option;
  }

  open() {
    this.$("new-you").value = Memory.name() ?? "";
    this.$("new-name").value = "";
    this.$("new-game").focus();
  }

  get game() {
    return this.about.games.find(({ name }) => name === this.$("new-game").value);
  }

  chooseGame() {
    const { players, options, boards } = this.game;
    this.$("new-players").replaceChildren(...players.map((count) => NewTable.option(count, String(count))));
    this.$("new-players").value = players.includes(3) ? 3 : players[0];
    this.$("new-board-label").hidden = boards.length === 0;
    this.$("new-board").replaceChildren(NewTable.option("", "standard"), ...boards.map((name) => NewTable.option(name, name)));
    const fields = options.map(({ name, choices, default: usual }) => {
      const select = Parts.make("select", "", ...choices.map((choice) => NewTable.option(choice, choice.replaceAll("_", " "))));
      select.value = usual;
      select.dataset.option = name;
      return Parts.make("label", "", `${NewTable.capital(name.replaceAll("_", " "))} `, select);
    });
    this.$("new-options").replaceChildren(...fields);
    this.choosePlayers();
  }

  static capital(words) {
    return words.charAt(0).toUpperCase() + words.slice(1);
  }

  choosePlayers() {
    const kinds = [["you", "you"], ["", "anybody"], ["reserved", "by invitation"], ...this.about.seats.map((kind) => [kind, kind.replace("builtin:", "built-in bot: ").replace("bot:", "bot: ")])];
    const before = [...this.$("new-seats").querySelectorAll("select")].map((select) => select.value);
    const fields = Array.from({ length: +this.$("new-players").value }, (_, seat) => {
      const select = Parts.make("select", "", ...kinds.map(([value, words]) => NewTable.option(value, words)));
      select.value = before[seat] ?? (seat === 0 ? "you" : "");
      return Parts.make("label", "", `Seat ${seat} `, select);
    });
    this.$("new-seats").replaceChildren(...fields);
  }

  // However often it is clicked, one table is made.
  async once() {
    const submit = this.$("create").querySelector(".primary");
    if (submit.getAttribute("aria-disabled") === "true") return;
    submit.setAttribute("aria-disabled", "true");
    await this.make();
    submit.removeAttribute("aria-disabled");
  }

  async make() {
    const $ = this.$;
    const seats = [...$("new-seats").querySelectorAll("select")].map((select) => select.value);
    const own = seats.indexOf("you");
    const you = $("new-you").value.trim();
    if (you) Memory.set("name", you);
    const wish = {
      type: "create",
      game: $("new-game").value,
      players: +$("new-players").value,
      options: Object.fromEntries([...$("new-options").querySelectorAll("select")].map((select) => [select.dataset.option, select.value])),
      clock: $("new-clock").value || $("new-other").value || "none",
      name: $("new-name").value,
      private: $("new-private").checked,
      seats: seats.map((kind) => (kind === "you" || kind === "" ? null : kind)),
      watch_delay_s: +$("new-delay").value || 0,
    };
    if ($("new-board").value) wish.board = $("new-board").value;
    try {
      if (own >= 0) await this.free();
      const { table, owner } = await this.wire.ask(wish);
      Memory.set(`owner.${table.table}`, owner);
      if (own >= 0) await this.sit(table, owner, own, you);
      this.done(table.table);
    } catch (error) {
      this.fail(error.message);
    }
  }

  async sit(table, owner, seat, name) {
    const wish = { type: "sit", table: table.table, seat, name: name || null };
    if (table.private) wish.invite = (await this.wire.ask({ type: "invite", table: table.table, owner, seat })).invite;
    const { token } = await this.wire.ask(wish);
    Memory.keepSeat(table.table, { token, name: table.name, game: table.game, at: Date.now() });
  }
}
