"use strict";
// One table: waiting for players, being played, or ended; seen from a seat or as a watcher.

class TableView {
  static FRESH = 12;
  static FINGER_PX = 24;

  constructor(wire, { notice, title }) {
    Object.assign(this, { wire, notice, gameTitle: title });
    this.$ = (id) => document.getElementById(id);
    this.places = new Places(this.$("board-holder"), {
      pick: (place) => this.choosing.pick(place),
      point: (place) => this.choosing.point(place),
      why: (place) => this.choosing.why(place),
    });
    this.choosing = new Choosing({ wire, places: this.places, notice });
    this.seats = new Seats({ act: (what, seat) => this.act(what, seat) });
    this.$("zoom").addEventListener("click", () => this.zoom());
    addEventListener("resize", () => this.fit());
    this.isOpen = false;
    this.isZoomChosen = false;
    this.reset(null, null);
  }

  reset(id, invite) {
    this.id = id;
    this.invite = invite;
    this.seats.invite = invite;
    this.info = null;
    this.shown = null;
    this.seat = null;
    this.asked = null;
    this.story = [];
    this.cells = null;
    this.isSubstituted = false;
    this.choosing.reset();
    for (const part of ["stage", "position", "story"]) this.$(part).hidden = true;
    for (const part of ["asked", "told", "log", "position", "chairs", "invites", "naming", "table-buttons"]) this.$(part).replaceChildren();
    this.$("table-title").textContent = "";
    this.$("table-words").textContent = "";
    this.$("since").hidden = true;
  }

  open(id, invite = null) {
    if (id !== this.id) this.reset(id, invite);
    else if (invite) this.invite = this.seats.invite = invite;
    this.enter();
  }

  // Said whenever the connection is (again) there.
  async enter() {
    const held = Memory.seat(this.id);
    this.wire.say({ type: "join", name: Memory.name() || null, view: "none", board: false });
    this.wire.say({ type: "show" });
    try {
      await this.wire.ask(held ? { type: "resume", token: held.token } : { type: "watch", table: this.id });
    } catch (error) {
      if (held && error.code === "forbidden") {
        Memory.keepSeat(this.id, null);
        this.enter();
      } else if (error.code) {
        this.nothingHere(error.message);
      }
    }
  }

  nothingHere(words) {
    if (this.shown !== null) {
      this.notice(words);
      return;
    }
    const back = Parts.make("a", "action", "To the lobby");
    back.href = "#";
    this.$("table-title").textContent = "No table";
    this.$("asked").replaceChildren(Parts.make("p", "waiting", `${words.charAt(0).toUpperCase()}${words.slice(1)}.`), Parts.make("p", "fields", back));
  }

  // What the server says

  hear(message) {
    const handler = this[`on_${message.type}`];
    if (handler) handler.call(this, message);
  }

  on_seated({ table, seat, token }) {
    Memory.keepSeat(table.table, { token, name: table.name, game: table.game, at: Date.now() });
    if (table.table !== this.id) {
      const isRematch = this.isOpen && this.info?.state === "ended";
      if (!isRematch) return;
      const owner = Memory.get(`owner.${this.id}`);
      if (owner) Memory.set(`owner.${table.table}`, owner);
      this.reset(table.table, null);
      history.replaceState(null, "", `#table/${encodeURIComponent(table.table)}`);
    }
    this.seat = seat;
    this.invite = this.seats.invite = null;
    this.learn(table);
  }

  on_watching({ table }) {
    this.seat = null;
    this.learn(table);
    if (table.state === "ended") this.wire.say({ type: "leave" });
  }

  on_table({ table }) {
    if (table.table === this.id) this.learn(table);
  }

  on_left() {
    // told by the place where it was asked for
  }

  on_request(message) {
    this.choosing.asked(message);
  }

  on_rejected({ message }) {
    this.choosing.refused(`The server did not take that: ${message}.`);
  }

  on_error({ code, message, fatal }) {
    if (fatal) return;
    if (code === "stale_request" || code === "too_slow") this.choosing.refused(`${message}.`);
    else if (code === "substituted") this.notice("A substitute plays for you now. You can take your seat back.");
    else this.notice(message);
    if (code === "substituted") this.isSubstituted = true;
    if (code === "closed") location.hash = "";
    this.buttons();
  }

  on_shown(shown) {
    if (shown.table !== this.id) return;
    this.shown = shown;
    this.seat = shown.seat;
    if (!shown.supposed) this.asked = shown.asked;
    if (shown.board) this.drawBoard(shown.board);
    this.places.show(shown, `Board. ${shown.stage.join(" ")}`);
    this.showTables(shown.tables);
    if (!shown.supposed) this.showStory(shown);
    if (shown.result && this.info) this.info = { ...this.info, state: "ended" };
    if (shown.question && this.isSubstituted) this.isSubstituted = false;
    this.choosing.show(shown);
    this.fit();
    this.places.follow();
    if (this.info) this.learn(this.info);
    document.title = shown.question ? `Your move: ${this.info?.name ?? shown.title}` : (this.info?.name ?? shown.title);
  }

  // Showing it

  learn(info) {
    this.info = info;
    this.$("table-title").textContent = info.name;
    const words = [this.gameTitle(info.game), `${info.players} players`];
    for (const [name, value] of Object.entries(info.options)) words.push(`${name.replaceAll("_", " ")}: ${String(value).replaceAll("_", " ")}`);
    if (info.clock !== "none") words.push(Seats.clockWords(info.clock));
    if (info.board !== "standard") words.push(`board: ${info.board}`);
    if (info.private) words.push("private");
    if (this.seat === null && info.state === "playing") words.push("you are watching");
    this.$("table-words").textContent = words.join(" · ");
    this.seats.show(info, this.shown, this.seat, this.asked);
    this.buttons();
    if (info.state === "open") {
      const free = info.seats.filter(({ kind }) => kind === "open" || kind === "reserved").length;
      this.$("asked").replaceChildren(Parts.make("p", "waiting", `The game begins when all seats are taken; ${free} ${free === 1 ? "is" : "are"} free.`));
    }
    if (info.state === "ended" && !this.shown) this.$("asked").replaceChildren(Parts.make("p", "waiting", "This game has ended."), ...TableView.scores(info));
  }

  static scores({ scores, seats }) {
    return scores ? [Parts.make("ol", "podium", ...seats.map(({ name }, seat) => Parts.make("li", "", `${name} `, Parts.make("b", "", `$${scores[seat].toLocaleString("en-US")}`))))] : [];
  }

  buttons() {
    const { button, make } = Parts;
    const { info, seat } = this;
    if (!info) return;
    const found = [];
    const isOwner = Memory.get(`owner.${info.table}`) !== null;
    if (info.state === "open") {
      if (this.invite && seat === null) found.push(button("Take your seat", () => this.act("sit", null), "primary"));
      if (isOwner) found.push(button("Start now, bots take the free seats", () => this.act("start"), "primary"));
      found.push(button("Copy link to this table", (event) => Seats.copy(this.link(), event.currentTarget)));
    }
    if (this.isSubstituted && info.state === "playing") found.push(button("Take my seat back", () => this.enter(), "primary"));
    if (info.state === "ended") {
      if (seat !== null) found.push(button("Rematch", () => this.act("rematch"), "primary"));
      const replay = make("a", "action", "Study the game");
      replay.href = `replay/${encodeURIComponent(info.table)}`;
      found.push(replay);
    }
    if (seat !== null && info.state !== "ended") found.push(button(info.state === "open" ? "Leave the table" : "Give up the seat", () => this.leave()));
    // The same buttons stay where they are, and one of them perhaps in focus.
    const words = (nodes) => [...nodes].map((node) => node.textContent).join("\n");
    if (words(found) !== words(this.$("table-buttons").children)) this.$("table-buttons").replaceChildren(...found);
  }

  link(invite = null) {
    const url = new URL(".", location.href);
    url.hash = `table/${encodeURIComponent(this.id)}${invite ? `/invite/${encodeURIComponent(invite)}` : ""}`;
    return url.href;
  }

  drawBoard({ svg, legend }) {
    this.places.draw(svg);
    const tables = this.shown.tables;
    const rows = tables[1].corner === "Company" ? tables[1].rows : this.shown.names;
    this.$("legend").replaceChildren(...rows.map((row) => Parts.make("span", "", Parts.swatch(row), ` ${row[0]}`)), Parts.make("span", "", legend));
    this.$("stage").hidden = false;
    if (!this.isZoomChosen) this.enlarge(false);
    this.cells = null;
    this.story = [];
  }

  showTables(tables) {
    const shape = JSON.stringify(tables.map(({ title, rows, columns }) => [title, rows, columns]));
    const isNew = this.cells === null || this.shape !== shape;
    if (isNew) {
      const built = tables.map((table) => Parts.table(table));
      this.cells = built.flatMap(({ cells }) => cells);
      this.values = null;
      this.shape = shape;
      this.$("position").replaceChildren(...built.map(({ holder }) => holder));
      this.$("position").hidden = false;
    }
    const values = tables.flatMap(({ cells }) => cells.flat());
    values.forEach((value, number) => {
      const { cell, kind } = this.cells[number];
      const text = Parts.written(value, kind);
      if (cell.textContent !== text) cell.textContent = text;
      cell.classList.toggle("changed", this.values !== null && this.values[number] !== value);
    });
    this.values = values;
  }

  showStory({ told, story, fresh }) {
    this.story.length = told;
    this.story.push(...story);
    const list = this.$("log");
    while (list.childElementCount > told) list.lastChild.remove();
    list.append(...story.map((line) => Parts.make("li", "", line)));
    const from = this.story.length - fresh;
    [...list.children].forEach((item, number) => item.classList.toggle("fresh", number >= from && from > 0));
    this.$("story").hidden = false;
    list.scrollTop = list.scrollHeight;
    const recent = this.story.slice(Math.max(from, this.story.length - TableView.FRESH));
    this.$("since").hidden = recent.length === 0;
    this.$("since-title").textContent = this.seat === null ? "What happened" : "Since you were last asked";
    const items = recent.map((line) => Parts.make("li", "", line));
    const hidden = fresh - recent.length;
    if (hidden > 0) items.unshift(Parts.make("li", "quiet", `${hidden} more in the story below`));
    const words = (nodes) => [...nodes].map((node) => node.textContent).join("\n");
    if (words(items) !== words(this.$("told").children)) this.$("told").replaceChildren(...items);
  }

  zoom() {
    this.isZoomChosen = true;
    this.enlarge(!this.$("board-holder").classList.contains("enlarged"));
    this.places.follow();
  }

  enlarge(isLarge) {
    this.$("board-holder").classList.toggle("enlarged", isLarge);
    this.$("zoom").setAttribute("aria-pressed", String(isLarge));
  }

  // On a small screen, places that are to be touched are not left too small for a finger.
  fit() {
    if (this.isZoomChosen || !this.isOpen || !this.choosing.isMine) return;
    this.enlarge(matchMedia("(max-width:699px)").matches && this.places.finest() < TableView.FINGER_PX);
    this.places.follow();
  }

  // What one can do here besides playing

  async act(what, seat) {
    const owner = Memory.get(`owner.${this.id}`);
    try {
      if (what === "sit") await this.sit(seat);
      if (what === "start") await this.wire.ask({ type: "start_table", table: this.id, owner });
      if (what === "rematch") {
        await this.wire.ask({ type: "rematch" });
        this.notice("You want a rematch; it begins when the others do, too.", "quiet");
      }
      if (what === "invite") {
        const { seat: kept, invite } = await this.wire.ask({ type: "invite", table: this.id, owner, seat });
        this.seats.addLink(this.id, kept, this.link(invite));
        this.invites = null;
        this.$("invites").replaceChildren();
        this.learn(this.info);
      }
    } catch (error) {
      this.notice(error.message);
    }
  }

  async sit(seat) {
    const name = Memory.name() || (await this.askName());
    if (name === null) return;
    const wish = { type: "sit", table: this.id, name };
    if (this.invite) wish.invite = this.invite;
    else wish.seat = seat;
    try {
      await this.wire.ask(wish);
    } catch (error) {
      if (error.code === "forbidden" && this.invite) {
        this.invite = this.seats.invite = null;
        this.learn(this.info);
      }
      throw error;
    }
  }

  // Asked once, and kept.
  askName() {
    const { make, button } = Parts;
    return new Promise((resolve) => {
      const field = make("input");
      field.maxLength = 40;
      const form = make("form", "fields", make("label", "", "What shall we call you? ", field), make("button", "primary", "Sit down"), button("Cancel", () => done(null)));
      const done = (name) => { form.remove(); resolve(name); };
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const name = field.value.trim();
        if (!name) return;
        Memory.set("name", name);
        done(name);
      });
      this.$("naming").replaceChildren(form);
      field.focus();
    });
  }

  async leave() {
    if (this.info.state === "playing" && !confirm("Give up your seat for good? A bot plays on for you.")) return;
    try {
      await this.wire.ask({ type: "leave" });
      Memory.keepSeat(this.id, null);
      this.id = null;
      location.hash = "";
    } catch (error) {
      this.notice(error.message);
    }
  }
}
