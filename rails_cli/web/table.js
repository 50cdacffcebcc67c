// @ts-check
// The page of one table, before, during and after the game, for players and spectators.

import { isConfirmed } from "./dialogs.js";
import { Follow } from "./follow.js";
import { linksAfterLesson } from "./lesson.js";
import { forgetSeat, heldSeat, keepSeat, load, ownName, save } from "./memory.js";
import {
  $,
  button,
  capital,
  clockWords,
  colourKey,
  copyButton,
  fitTables,
  gauges,
  link,
  make,
  scoredIn,
  tableFrame,
  writeCells,
} from "./parts.js";
import { Places } from "./places.js";
import { poolLinks, showRatingChange } from "./pool_result.js";
import { Prompt } from "./prompt.js";
import { studyLinks } from "./result.js";
import { Seats } from "./seats.js";
import { calendarItems } from "./track.js";
import { REFUSALS, Refusal, reason } from "./wire.js";

const FRESH = 12;

/** @typedef {{ number: number, values: import("./parts.js").Cell[] }} Asked */

export class TableView {
  /**
   * @param {import("./wire.js").Wire} wire
   * @param {typeof import("./dialogs.js").notice} notice
   * @param {(info: Page.TableInfo) => string[]} described
   * @param {import("./alerts.js").Alerts} alerts
   * @param {import("./chat.js").Chat} chat
   * @param {import("./tabs.js").Tabs} tabs
   */
  constructor(wire, notice, described, alerts, chat, tabs) {
    this.wire = wire;
    this.notice = notice;
    this.described = described;
    this.alerts = alerts;
    this.chat = chat;
    this.tabs = tabs;
    this.places = new Places($("board-holder"), {
      pick: (place, isKey) => this.prompt.pick(place, isKey),
      point: (place) => this.prompt.point(place),
      why: (place) => this.prompt.why(place),
      redraw: () => this.isOpen && this.shown && this.wire.say(this.places.wish()),
    });
    this.prompt = new Prompt(wire, this.places, notice, () => this.sayUndo("ask"));
    tabs.listeners.push(fitTables, () => this.prompt.fit());
    tabs.opened.story = () => {
      $("story").scrollTop = 0; // scroll to the end: the style sheet reverses the direction of the pane
      this.countUnread(0);
    };
    this.follow = new Follow(this.places, {
      present: (shown) => this.present(shown),
      since: () => this.since(),
      panels: (earlier, hiddenLines) => this.showPanels(earlier, hiddenLines),
    });
    this.seats = new Seats({
      sit: (seat) => this.act(() => this.sit(seat)),
      invite: (seat) => this.act(() => this.inviteTo(seat)),
    });
    this.isOpen = false;
    /** The seat that a connection holds. @type {{ socket: WebSocket | null, seated: Page.Seated } | null} */
    this.sitting = null;
    this.reset("", null);
  }

  // Clear the page for another table, or for none.
  reset(/** @type {string} */ id, /** @type {string | null} */ invite) {
    /** @type {string} */ this.id = id;
    this.invited(invite ?? load(`invite.${id}`));
    this.chat.reset(id);
    /** @type {Page.TableInfo | null} */ this.info = null;
    /** @type {Page.Shown | null} */ this.shown = null;
    /** @type {Page.Shown | null} */ this.real = null;
    /** @type {number | null} */ this.seat = null;
    /** @type {number | null} */ this.asked = null;
    /** @type {string[]} */ this.story = [];
    /** Number of lines of the story when it was last open. @type {number} */ this.storyRead = 0;
    /** Message about the end of a standing order, until the moves before it have been shown. @type {Page.OrderNotice | null} */
    this.orderEnd = null;
    /** @type {import("./parts.js").Place[] | null} */ this.cells = null;
    /** @type {import("./parts.js").Cell[] | null} */ this.values = null;
    /** The values of the tables at the last two questions to this player, the latest first. @type {Asked[]} */
    this.valuesAsked = [];
    /** @type {string} */ this.shape = "";
    /** @type {HTMLElement} */ this.legend = make("p", "legend");
    this.isSubstituted = false;
    /** @type {number | null} */ this.question = null;
    /** @type {Page.UndoAsked | null} */ this.undo = null;
    this.hasAgreed = false;
    /** @type {string} */ this.followed = "";
    this.seats.reset();
    this.prompt.reset();
    this.tabs.callToMove(false);
    this.follow.reset();
    this.places.text = ""; // draw the board of another table again, with its own zoom
    this.tabs.select("move");
    $("watching").hidden = true;
    $("stage").hidden = $("since").hidden = $("goal").hidden = true;
    $("ask").classList.remove("over");
    document.body.classList.remove("staged", "ended");
    for (const part of [$("asked"), $("recent"), $("log"), $("glance"), $("position")]) part.replaceChildren();
    for (const part of [$("seat-list"), $("invites"), $("naming"), $("gauges")]) part.replaceChildren();
    $("calendar").hidden = true;
    for (const part of [$("table-buttons"), $("table-rare"), $("story-new")]) part.replaceChildren();
    for (const part of [$("game-title"), $("table-title"), $("table-words")]) part.textContent = "";
  }

  // Store an invitation in the browser until it is used or refused, so that it survives a reload of the page.
  invited(/** @type {string | null} */ invite) {
    if (this.id) save(`invite.${this.id}`, invite);
    this.invite = invite;
    this.seats.invite = invite;
  }

  // Take the seat or watch the table. Called after each connect.
  async enter() {
    const held = heldSeat(this.id);
    const { sitting } = this;
    this.undo = null;
    this.wire.say(this.places.wish());
    this.chat.listen();
    if (sitting?.socket === this.wire.socket && sitting?.seated.table.table === this.id && !this.isSubstituted) {
      // The table may have changed since the seat was taken.
      this.onSeated({ ...sitting.seated, table: this.info ?? sitting.seated.table });
      return;
    }
    try {
      if (held) await this.wire.ask({ type: "resume", token: held.token });
      else await this.wire.ask({ type: "watch", table: this.id });
    } catch (error) {
      if (!(error instanceof Refusal)) return;
      if (held && error.code === "forbidden") {
        forgetSeat(this.id);
        await this.enter();
        this.notice("You were away too long, so your seat here was given away.");
      } else {
        this.nothingHere(error.message);
      }
    }
  }

  nothingHere(/** @type {string} */ words) {
    if (this.shown !== null) {
      this.notice(words);
      return;
    }
    const back = link("To the lobby", "#", "action");
    $("table-title").textContent = "No table";
    $("asked").replaceChildren(make("p", "waiting", `${capital(words)}.`), make("p", "fields", back));
  }

  // Messages of the server

  hear(/** @type {import("./wire.js").Heard} */ message) {
    if (message.type === "seated") this.onSeated(message);
    else if (message.type === "watching") this.onWatching(message);
    else if (message.type === "table" && message.table.table === this.id) this.learn(message.table);
    else if (message.type === "said") this.chat.hear(message);
    else if (message.type === "undo_asked" && message.table === this.id) this.onUndo(message);
    else if (message.type === "order" && message.table === this.id) this.onOrder(message);
    else if (message.type === "request") this.prompt.asked(message);
    else if (message.type === "rejected")
      this.prompt.refused(REFUSALS[message.code] ?? `The server refused that: ${message.message}.`);
    else if (message.type === "error" && !message.fatal) this.onError(message);
    else if (message.type === "shown" && message.table === this.id) {
      this.seats.time(message);
      this.follow.receive(message);
    }
  }

  onSeated(/** @type {Page.Seated} */ seated) {
    const { table, seat, token } = seated;
    this.sitting = { socket: this.wire.socket, seated };
    const isOther = table.table !== this.id;
    const isRematch = isOther && this.isOpen && this.info?.state === "ended";
    keepSeat(table, token, isRematch || undefined);
    if (isOther) {
      if (!isRematch) return;
      const owner = load(`owner.${this.id}`);
      if (owner) save(`owner.${table.table}`, owner);
      save(`rematch.${this.id}`, table.table);
      this.reset(table.table, null);
      history.replaceState(null, "", `#table/${encodeURIComponent(table.table)}`);
    }
    this.seat = seat;
    this.invited(null);
    this.learn(table);
  }

  onWatching(/** @type {Page.Watching} */ { table }) {
    this.seat = null;
    this.learn(table);
    if (table.state === "ended") this.wire.say({ type: "leave" });
  }

  // Process a change of a request to take back a move.
  onUndo(/** @type {Page.UndoAsked} */ asked) {
    const { seat, name, state, by } = asked;
    const isOwn = seat === this.seat;
    const isNew = this.undo === null;
    this.hasAgreed = state === "asked" && (by === this.seat || (!isNew && this.hasAgreed));
    this.undo = state === "asked" ? asked : null;
    if (state === "asked" && isOwn && isNew)
      this.notice("You ask to take back your last move; the others have to agree.", "quiet");
    if (state === "done")
      this.notice(`${isOwn ? "You" : name} took back a move; the game continues from before it.`, "quiet");
    if (state === "over") this.notice("Nothing is taken back: not everybody agreed in time.", "quiet");
    if (state === "refused") {
      const who = by === this.seat ? "you" : (this.info?.seats[by]?.name ?? "somebody");
      this.notice(`Nothing is taken back: ${who} refused.`, "quiet");
    }
    this.buttons();
  }

  // Process a message about a standing order. Show its end after the moves that led to it, which the server sends next.
  // An order belongs to one auction, so show the end before moves of the next one.
  onOrder(/** @type {Page.OrderNotice} */ message) {
    const isEnd = !message.order && message.words !== "" && this.prompt.order !== null;
    this.orderEnd = isEnd ? message : null;
    if (!isEnd) this.prompt.ordered(message);
  }

  showOrderEnd() {
    if (this.orderEnd) this.prompt.ordered(this.orderEnd);
    this.orderEnd = null;
  }

  sayUndo(/** @type {"ask" | "agree" | "refuse"} */ say) {
    return this.act(async () => void (await this.wire.ask({ type: "undo", say })));
  }

  onError(/** @type {Page.Error} */ { code, message }) {
    if (REFUSALS[code]) this.prompt.refused(REFUSALS[code]);
    else if (code === "substituted") this.notice("A substitute plays for you now. You can take your seat back.");
    else this.notice(sentence(message));
    if (code === "substituted") this.isSubstituted = true;
    if (code === "closed") {
      this.sitting = null;
      forgetSeat(this.id);
      addEventListener("hashchange", () => this.notice(`${capital(message)}.`), { once: true }); // the lobby clears earlier ones
      location.hash = "";
    }
    this.buttons();
  }

  // Show a position without animation.
  present(/** @type {Page.Shown} */ shown) {
    const isSold = !shown.supposed && isOver(this.real?.auction, shown.auction);
    this.shown = shown;
    this.seat = shown.seat;
    if (!shown.supposed) this.asked = shown.result ? null : shown.asked;
    if (shown.board) this.drawBoard(shown, shown.board);
    this.places.show(shown, `Board. ${shown.stage.join(" ")}`);
    this.showTables(shown);
    this.showGauges(shown);
    const isReal = !shown.supposed?.steps.length;
    if (isReal) this.real = shown;
    $("table").classList.toggle("supposed", !isReal);
    $("unsent").hidden = isReal;
    if (!shown.supposed) this.showStory(shown);
    if (this.info?.state === "open") this.info = { ...this.info, state: "playing" }; // the message about it may be late
    if (shown.result && this.info) this.info = { ...this.info, state: "ended" };
    if (shown.result && this.info?.lesson) forgetSeat(this.id); // the next lesson starts from the beginning
    if (shown.result && this.isSubstituted) this.notice(""); // there is no seat to take back any more
    if (shown.question || shown.result) this.isSubstituted = false;
    if (shown.question && shown.question.number !== this.question) this.tabs.showQuestion();
    this.question = shown.question?.number ?? null;
    this.tabs.callToMove(this.question !== null, shown.result !== null);
    if (isSold || (!shown.supposed && (shown.question || !this.follow.isPlaying))) this.showOrderEnd();
    this.prompt.show(shown);
    this.moveBoard(shown);
    if (this.info) this.learn(this.info);
    const name = this.info?.name ?? shown.title;
    if (!this.isOpen) return;
    if (this.real?.question) this.alerts.call(name, `${this.id}/${this.real.question.number}`);
    else this.alerts.rest(name);
  }

  // Show only the real position while the connection is lost.
  pause() {
    this.follow.finish();
    this.showOrderEnd();
    this.prompt.pause();
    this.tabs.callToMove(false, Boolean(this.real?.result));
    if (!this.real) return;
    this.places.showReal();
    this.showTables(this.real);
    this.showGauges(this.real);
    $("table").classList.remove("supposed");
    $("unsent").hidden = true;
  }

  // Page content

  learn(/** @type {Page.TableInfo} */ info) {
    this.tellRematch(info);
    this.info = info;
    if (info.state !== "open" && this.invite) this.invited(null);
    showRatingChange(info, this.seat);
    if (this.isOpen && !this.real) this.alerts.rest(info.name);
    const [game, ...words] = this.described(info);
    $("game-title").textContent = game;
    $("table-title").textContent = info.name === `${game} for ${info.players}` ? words[0] : info.name;
    if (info.clock !== "none") words.push(clockWords(info.clock));
    if (info.board !== "standard") words.push(`board: ${info.board}`);
    if (info.branch) words.push(`continues after action ${info.branch.number - 1} of ${info.branch.log}`);
    if (info.private) words.push("private");
    const isWatching = this.seat === null && info.state === "playing";
    if (isWatching) words.push("you are watching");
    $("watching").hidden = !isWatching;
    const rules = `guide/${encodeURIComponent(info.game)}`;
    $("rules-link").href = rules;
    $("rules-link").hidden = false;
    $("table-words").textContent = [game, ...words].join(" · ");
    this.seats.show(info, this.shown, this.seat, this.asked);
    this.prompt.learn(info);
    this.chat.learn(info, this.seat !== null);
    this.buttons();
    if (info.state === "open") {
      const free = info.seats.filter(({ kind }) => kind === "open" || kind === "reserved").length;
      const sentence = `The game begins when all seats are taken; ${free} ${free === 1 ? "is" : "are"} free.`;
      const about = make("p", "quiet", [game, ...words].join(" · "));
      $("asked").replaceChildren(make("p", "waiting", sentence), about);
    }
    if (info.state === "ended" && !this.shown) {
      $("ask").classList.toggle("over", info.scores !== null);
      $("asked").replaceChildren(make("p", "waiting", "This game has ended."), ...scores(info));
    }
  }

  buttons() {
    const { info, seat } = this;
    if (!info) return;
    const found = [];
    const rare = [];
    if (info.state === "open") {
      if (this.invite && seat === null) {
        found.push(button("Take your seat", () => this.act(() => this.sit(null)), "primary"));
      }
      const isOwner = load(`owner.${info.table}`) !== null;
      if (isOwner) {
        found.push(button("Start now, bots take the free seats", () => this.act(() => this.start()), "primary"));
      }
      if (info.seats.every(({ kind }) => kind !== "open")) {
        const how = isOwner ? "Use Invite at a free seat." : "Ask the owner of the table for a link.";
        const isOutside = seat === null && !this.invite;
        if (isOutside || isOwner) found.push(make("span", "quiet", `Seats are by invitation only. ${how}`));
        found.push(copyButton("Copy link for spectators", this.link()));
      } else {
        found.push(copyButton("Copy link to this table", this.link()));
      }
    }
    if (this.isSubstituted && info.state === "playing") {
      found.push(button("Take my seat back", () => this.enter(), "primary"));
    }
    if (info.undo && info.state === "playing" && seat !== null && !this.isSubstituted) {
      const { undo } = this;
      const back = undo === null && this.asked !== seat ? this.prompt.backButton() : null;
      if (back) found.push(back);
      if (undo !== null && !this.hasAgreed) {
        found.push(make("span", "", `${undo.name} asks to take back their last move:`));
        found.push(button("Agree", () => this.sayUndo("agree"), "primary"));
        found.push(button("Refuse", () => this.sayUndo("refuse")));
      }
    }
    if (info.state === "ended") {
      if (info.lesson) {
        found.push(...linksAfterLesson(info.game));
      } else if (info.pool) found.push(...poolLinks(seat !== null));
      else if (seat !== null) found.push(...this.rematchButtons(info, seat));
      if (!info.lesson) found.push(...studyLinks(info.table, seat, this.shown?.result ?? undefined));
      if (!info.pool) found.push(link("Lobby", "#", "action ghost"));
    }
    if (seat !== null && info.state !== "ended") {
      const words = info.state === "open" ? "Leave the table" : "Give up the seat";
      rare.push(button(words, () => this.act(() => this.leave(info))));
    }
    replaceIfOther($("table-buttons"), found);
    replaceIfOther($("table-rare"), [...rare, newTab(link("Rules", $("rules-link").href, "action"))]);
  }

  rematchButtons(/** @type {Page.TableInfo} */ { table, rematch, seats }, /** @type {number} */ seat) {
    const ask = () => this.act(() => this.rematch());
    const others = rematch.filter((one) => one !== seat).map((one) => seats[one].name);
    if (rematch.includes(seat)) return [make("span", "quiet", "You offer a rematch. It starts when the others agree.")];
    const next = load(`rematch.${table}`);
    if (others.length === 0 && next) {
      return [link("To the rematch", `#table/${encodeURIComponent(next)}`, "primary"), button("Another rematch", ask)];
    }
    if (others.length === 0) return [button("Rematch", ask, "primary")];
    return [make("span", "", offerWords(others)), button("Accept rematch", ask, "primary")];
  }

  // Announce the rematch offers of others that were not known before.
  tellRematch(/** @type {Page.TableInfo} */ { table, rematch, seats }) {
    const known = this.info?.table === table ? this.info.rematch : [];
    const others = rematch.filter((one) => one !== this.seat && !known.includes(one)).map((one) => seats[one].name);
    if (this.seat === null || others.length === 0 || rematch.includes(this.seat)) return;
    this.notice(offerWords(others), "quiet", [{ words: "Accept rematch", act: () => this.act(() => this.rematch()) }]);
  }

  link(/** @type {string | null} */ invite = null) {
    const url = new URL(".", location.href);
    url.hash = `table/${encodeURIComponent(this.id)}${invite ? `/invite/${encodeURIComponent(invite)}` : ""}`;
    return url.href;
  }

  drawBoard(/** @type {Page.Shown} */ { tables, names }, /** @type {Page.BoardShown} */ board) {
    $("stage").hidden = false; // hidden elements have no size
    document.body.classList.add("staged");
    this.places.draw(board, names);
    this.legend = make("p", "legend", ...colourKey(tables, names), make("span", "", board.legend));
    this.cells = null;
    this.story = [];
  }

  showTables(/** @type {Page.Shown} */ shown) {
    const { tables } = shown;
    this.showGoal(shown); // before the tabs, which depend on it
    const shape = JSON.stringify(tables.map(({ title, rows, columns }) => [title, rows, columns]));
    let { cells } = this;
    if (cells === null || this.shape !== shape) {
      const built = tables.map(tableFrame);
      cells = built.flatMap((one) => one.cells);
      this.values = null;
      this.shape = shape;
      const holders = built.map(({ holder }) => holder);
      const isOne = tables.length === 1; // then the second tab would contain only the legend
      $("glance").replaceChildren(...holders.slice(0, 1), ...(isOne ? [this.legend] : []));
      $("position").replaceChildren(...holders.slice(1), ...(isOne ? [] : [this.legend]));
      $("tab-tables").textContent = tables[1]?.title ?? "";
      $("tab-tables").hidden = isOne;
      this.tabs.show();
    }
    if (tables.length) markBest(cells, tables[0]);
    const values = valuesOf(tables);
    writeCells(cells, values, this.valuesBefore(shown, values));
    this.cells = cells;
    this.values = values;
  }

  // Return the values to compare with `values`, so that changes are highlighted. For a question, they are from the
  // player's previous question, and for a preview from the real position. Otherwise they are from the latest question,
  // or the values shown before.
  valuesBefore(/** @type {Page.Shown} */ { question, supposed }, /** @type {import("./parts.js").Cell[]} */ values) {
    if (supposed?.steps.length) return this.real && valuesOf(this.real.tables);
    if (question && question.number !== this.valuesAsked[0]?.number) {
      this.valuesAsked = [{ number: question.number, values }, ...this.valuesAsked.slice(0, 1)];
    }
    const before = this.valuesAsked[question ? 1 : 0]?.values ?? this.values;
    return before?.length === values.length ? before : null;
  }

  // Show how close the end of the game is.
  showGoal(/** @type {Page.Shown} */ { goal = null }) {
    $("goal").hidden = goal === null;
    for (const part of /** @type {const} */ (["title", "state", "words"])) {
      $(`goal-${part}`).textContent = goal?.[part] ?? "";
    }
  }

  // Show the years or rounds, on the board and in a small window before the gauges.
  showGauges(/** @type {Page.Shown} */ { tables, calendar = null }) {
    $("calendar").replaceChildren(...calendarItems(calendar));
    $("calendar").hidden = calendar === null;
    const years = calendar ? [make("li", "", make("ol", "calendar", ...calendarItems(calendar)))] : [];
    $("gauges").replaceChildren(...years, ...gauges(tables));
  }

  // Show an earlier position in the panels, without the last `hiddenLines` lines of the story. With null, show the
  // current position.
  /** @param {Pick<Page.Shown, "tables" | "players"> | null} earlier @param {number} hiddenLines */
  showPanels(earlier, hiddenLines) {
    if (!this.shown || !this.info) return;
    const shown = { ...this.shown, ...earlier };
    this.showTables(shown);
    this.showGauges(shown);
    this.seats.show(this.info, shown, this.seat, this.asked);
    for (const { children } of [$("log"), $("recent")]) {
      const told = children.length - hiddenLines;
      for (const [number, line] of [...children].entries()) line.toggleAttribute("hidden", number >= told);
    }
  }

  showStory(/** @type {Page.Shown} */ { sent_before: sentBefore, story, fresh }) {
    this.story = [...this.story.slice(0, sentBefore), ...story];
    const list = $("log");
    while (list.childElementCount > sentBefore) list.lastChild?.remove();
    list.append(...story.map((line) => make("li", "", line)));
    const from = this.story.length - fresh;
    [...list.children].forEach((item, number) => {
      item.classList.toggle("fresh", number >= from && from > 0);
    });
    this.countUnread(from > 0 ? fresh : 0);
    const recent = this.story.slice(Math.max(from, this.story.length - FRESH));
    $("since").hidden = recent.length === 0;
    $("since-title").textContent = this.seat === null ? "What happened" : "Since your last turn";
    const items = recent.map((line) => make("li", "", line));
    const hidden = fresh - recent.length;
    if (hidden > 0) items.unshift(make("li", "quiet", `${hidden} more in the story`));
    replaceIfOther($("recent"), items);
  }

  // Show how many of the last `fresh` lines of the story were added while the story was not open.
  countUnread(/** @type {number} */ fresh) {
    const { length } = this.story;
    this.storyRead = this.tabs.shown === "story" ? length : Math.min(this.storyRead, length);
    const unread = Math.min(fresh, length - this.storyRead);
    $("story-new").textContent = unread ? ` ${unread}` : "";
  }

  // Scroll an enlarged board to the places to choose, or to the last change. Do not scroll again for the same content,
  // because the player may have scrolled elsewhere. After the end, show the whole board.
  moveBoard(/** @type {Page.Shown} */ { sent_before: sentBefore, story, question, result }) {
    const seen = JSON.stringify([sentBefore + story.length, question?.number, [...this.places.targets.keys()]]);
    if (seen === this.followed) return;
    this.followed = seen;
    this.places.zoom.refit();
    if (result) this.places.showWhole();
    else this.places.follow();
  }

  // Request the events since the player's last turn. Return null if that fails.
  async since() {
    try {
      const answer = await this.wire.ask({ type: "show", since: true });
      return answer.type === "since" ? answer : null;
    } catch (error) {
      this.notice(sentence(reason(error)));
      return null;
    }
  }

  // Actions of the player besides moves

  async act(/** @type {() => Promise<void>} */ what) {
    try {
      await what();
    } catch (error) {
      this.notice(sentence(reason(error)));
    }
  }

  get owner() {
    return load(`owner.${this.id}`);
  }

  async start() {
    await this.wire.ask({ type: "start_table", table: this.id, owner: this.owner });
  }

  async rematch() {
    await this.wire.ask({ type: "rematch" });
  }

  async inviteTo(/** @type {number} */ seat) {
    const { invite } = await this.wire.ask({ type: "invite", table: this.id, owner: this.owner, seat });
    this.seats.addLink(this.id, seat, this.link(invite));
    $("invites").replaceChildren();
    if (this.info) this.learn(this.info);
  }

  async sit(/** @type {number | null} */ seat) {
    const name = ownName() || (await askName());
    if (name === null) return;
    const where = this.invite ? { invite: this.invite } : { seat };
    try {
      await this.wire.ask({ type: "sit", table: this.id, name, ...where });
    } catch (error) {
      if (error instanceof Refusal && error.code === "forbidden" && this.invite) {
        this.invited(null);
        if (this.info) this.learn(this.info);
      }
      throw error;
    }
  }

  async leave(/** @type {Page.TableInfo} */ { table, state }) {
    const question = {
      title: "Give up your seat?",
      words: "A bot plays on for you. You cannot come back to this seat.",
      yes: "Give up the seat",
      no: "Keep playing",
    };
    if (state === "playing" && !(await isConfirmed(question))) return;
    await this.giveUp(table);
    forgetSeat(table);
    location.hash = "";
  }

  // Give up the seat at a table if this connection holds it. Otherwise the player is already disconnected from it.
  async giveUp(/** @type {string} */ table) {
    if (this.id !== table || this.seat === null) return;
    await this.wire.ask({ type: "leave" });
    this.sitting = null;
    this.id = "";
  }
}

// Return whether the auction `before` has ended when the auction `after` is shown.
/** @param {Page.AuctionShown | null | undefined} before @param {Page.AuctionShown | null} after */
function isOver(before, after) {
  return Boolean(before && (after?.company !== before.company || after.bids.length < before.bids.length));
}

function valuesOf(/** @type {Page.TableShown[]} */ tables) {
  return tables.flatMap((one) => one.cells.flat());
}

// Highlight the best estimated result in the table of players.
/** @param {import("./parts.js").Place[]} places @param {Page.TableShown} players */
function markBest(places, { columns, cells }) {
  const column = columns.findIndex(([name]) => name === "Estimated end");
  const ends = cells.map((row) => row[column]).map((value) => (typeof value === "number" ? value : -Infinity));
  const best = Math.max(...ends);
  ends.forEach((end, row) => {
    places[row * columns.length + column]?.cell.classList.toggle("best", end === best && end > -Infinity);
  });
}

function offerWords(/** @type {(string | null)[]} */ names) {
  return `${names.join(" and ")} ${names.length === 1 ? "offers a rematch" : "offer a rematch"}.`;
}

function scores(/** @type {Page.TableInfo} */ { scores, seats, game }) {
  if (!scores) return [];
  const items = seats.map(({ name, seat }) => make("li", "", `${name} `, make("b", "", scoredIn(scores[seat], game))));
  return [make("ol", "podium", ...items)];
}

// Replace the items in `holder` only if their texts differ, so that they keep the focus.
function replaceIfOther(/** @type {HTMLElement} */ holder, /** @type {HTMLElement[]} */ items) {
  const words = (/** @type {Iterable<Element>} */ nodes) => [...nodes].map((node) => node.textContent).join("\n");
  if (words(items) !== words(holder.children)) holder.replaceChildren(...items);
}

/** Ask for the player's name and store it. Resolves to null if the player cancels. @returns {Promise<string | null>} */
function askName() {
  return new Promise((resolve) => {
    const field = make("input");
    field.maxLength = 40;
    const label = make("label", "", "What is your name? ", field);
    const cancel = button("Cancel", () => done(null));
    const form = make("form", "fields", label, make("button", "primary", "Sit down"), cancel);
    const done = (/** @type {string | null} */ name) => {
      form.remove();
      resolve(name);
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const name = field.value.trim();
      if (!name) return;
      save("name", name);
      done(name);
    });
    $("naming").replaceChildren(form);
    field.focus();
  });
}

// Return a message of the server as a sentence.
function sentence(/** @type {string} */ words) {
  return `${capital(words).replace(/\.$/, "")}.`;
}

/** @param {HTMLAnchorElement} node */
function newTab(node) {
  node.target = "_blank";
  return node;
}
