// @ts-check
// The question that is put to this seat. Steps are collected and shown as the server imagines them; nothing is played
// before they are sent, so that the last can be taken back.

import { tile } from "./hand.js";
import { load, save } from "./memory.js";
import { $, button, labelled, make, money, swatch } from "./parts.js";
import { reason } from "./wire.js";

const PREVIEW_MS = 250;
const DONE_KEY = "d";
const PRICE_LENGTH = 4;
const NO_CONNECTION = "There is no connection to the server at the moment.";

/** @typedef {{ number: number, actions: any[] }} Sent */

export class Prompt {
  /**
   * @param {import("./wire.js").Wire} wire
   * @param {import("./places.js").Places} places
   * @param {(words: string, look?: string) => void} notice
   */
  constructor(wire, places, notice) {
    this.wire = wire;
    this.places = places;
    this.notice = notice;
    this.box = $("asked");
    /** @type {number | undefined} */ this.timer = undefined;
    // A key that is held down answers once.
    this.box.addEventListener("keydown", (event) => {
      if (event.repeat && (event.key === "Enter" || event.key === " ")) event.preventDefault();
    });
    addEventListener("resize", () => this.fit());
    this.reset();
  }

  reset() {
    /** @type {Page.Shown | null} */ this.shown = null;
    /** @type {Page.TableInfo | null} */ this.info = null;
    /** @type {Page.QuestionShown | null} */ this.question = null;
    /** @type {Page.SupposedShown | null} */ this.supposed = null;
    /** @type {Page.StepShown[]} */ this.steps = [];
    /** @type {any[]} */ this.wanted = [];
    /** @type {any[]} */ this.queue = [];
    /** @type {number} */ this.answered = 0;
    /** @type {Sent | null} */ this.sent = null;
    /** @type {string | null} */ this.place = null;
    /** @type {string[]} */ this.advice = [];
    /** @type {Page.ChoiceShown[]} */ this.listed = [];
    /** @type {string | null} */ this.focusNext = null;
    /** @type {(Sent & { isSent: boolean }) | null} */ this.unconfirmed = null;
    /** @type {Map<string, string>} */ this.labels = new Map();
    this.rendered = "";
    clearTimeout(this.timer);
  }

  collect(/** @type {Page.QuestionShown | null} */ question, /** @type {Page.SupposedShown | null} */ supposed) {
    this.question = question;
    this.supposed = supposed?.steps.length ? supposed : null;
    this.steps = this.supposed?.steps ?? [];
  }

  // What the server shows: a real position, or an imagined one.
  show(/** @type {Page.Shown} */ shown) {
    const isSame = this.mine !== null && shown.question?.number === this.mine.number;
    this.shown = shown;
    if (!shown.supposed && isSame && this.wanted.length) {
      // Shown again to one who has collected steps: they are imagined again, and stay as they are until then.
      this.imagine(this.wanted, this.focusNext);
      return;
    }
    this.collect(shown.question, shown.supposed);
    if (!isSame) this.wanted = [];
    if (!shown.supposed && !this.unconfirmed) this.remember(shown);
    const isHeard = this.sent && this.queue.length === 0 && shown.question?.number !== this.sent.number;
    if (!shown.supposed && isHeard) this.sent = null;
    if (this.unconfirmed && this.unconfirmed.number === this.mine?.number) {
      this.restore(shown);
      return;
    }
    if (this.isRendered(shown, isSame)) {
      if (this.places.targets.size === 0) this.offer();
      return;
    }
    this.place = null;
    if (this.supposed || !isSame) this.advice = [];
    this.render();
    this.restore(shown);
  }

  // Steps that were collected before the page was loaded again, if they answer the same question.
  remember(/** @type {Page.Shown} */ { question, table }) {
    const kept = load(`steps.${table}`);
    if (!kept || !question) return;
    const isGood = kept.number === question.number && Array.isArray(kept.actions) && kept.actions.length > 0;
    if (isGood && this.wanted.length === 0) this.unconfirmed = { ...kept, isSent: false };
    else if (kept.number !== question.number) this.keep([]);
  }

  // So that they are still there when the page is loaded again.
  keep(/** @type {any[]} */ actions) {
    if (!this.shown) return;
    save(`steps.${this.shown.table}`, actions.length ? { number: this.question?.number, actions } : null);
  }

  // Whether all this stands on the page already, with what may have been typed or opened there.
  isRendered(/** @type {Page.Shown} */ shown, /** @type {boolean} */ isSame) {
    const { stage, result, names, asked, auction } = shown;
    const text = JSON.stringify([this.question, this.supposed, stage, result, names, asked, auction, hand(shown)]);
    const isKnown = isSame && text === this.rendered && this.place === null;
    this.rendered = text;
    if (isKnown) this.focusNext = null;
    return isKnown;
  }

  // The connection is gone: nothing can be done until the table is shown again. What was collected is kept, and what
  // was sent without the server having been heard since.
  pause() {
    if (this.sent) this.unconfirmed = { ...this.sent, isSent: true };
    else if (this.question && this.wanted.length) {
      this.unconfirmed = { number: this.question.number, actions: this.wanted, isSent: false };
    }
    this.queue = [];
    this.answered = 0;
    this.sent = null;
    this.wanted = [];
    this.rendered = "";
    this.collect(null, null);
    if (this.shown !== null) this.render();
  }

  // After the connection was lost. Nothing is sent that is not confirmed again.
  restore(/** @type {Page.Shown} */ { question, asked, seat, result }) {
    const { unconfirmed } = this;
    const isWaiting = question === null && asked === seat && seat !== null && !result;
    if (unconfirmed === null || isWaiting) return;
    this.unconfirmed = null;
    const isOpen = unconfirmed.number === this.mine?.number;
    if (isOpen) this.imagine(unconfirmed.actions);
    if (isOpen && unconfirmed.isSent) {
      this.notice("The connection was lost before your answer reached the server. Confirm it again.");
    } else if (!isOpen && !unconfirmed.isSent) {
      this.notice("The game continued without the steps you had collected; they were dropped.");
    } else if (!isOpen && unconfirmed.actions.length > 1) {
      this.notice("The connection was lost between your steps; those not sent yet were dropped.");
    }
  }

  // The question that is to be answered here and now, if there is one.
  get mine() {
    return this.question && this.queue.length === 0 && this.question.number > this.answered ? this.question : null;
  }

  // Rendering

  render() {
    const { shown, mine } = this;
    const hadFocus = this.box.contains(document.activeElement);
    const parts = shown === null ? [] : [...this.head(shown), ...(shown.result ? [] : auction(shown))];
    if (shown !== null && mine) parts.push(...this.answers(shown, mine));
    this.box.replaceChildren(...parts);
    this.fit();
    this.showTurn();
    $("ask").classList.toggle("mine", mine !== null);
    this.offer();
    this.announce();
    $("hover").textContent = "";
    const wanted = this.focusNext ?? (hadFocus ? ".confirm, .choices button, input" : null);
    this.focusNext = null;
    /** @type {HTMLElement | null} */ const found = wanted && mine ? this.box.querySelector(wanted) : null;
    $("ask").scrollTop = 0;
    if (found) {
      found.focus({ preventScroll: true });
      found.scrollIntoView({ block: "nearest" }); // no further: the question stays in sight
    } else if (hadFocus) $("ask").focus({ preventScroll: true });
  }

  // What the lobby knows of the table: who is there, and for whom a bot plays.
  learn(/** @type {Page.TableInfo} */ info) {
    this.info = info;
    this.showTurn();
  }

  // Whom all wait for, and whose seats are not played by themselves.
  showTurn() {
    const { shown, info } = this;
    const { asked = null, seat = null } = shown ?? {};
    const seats = info?.seats ?? [];
    const other = asked === null || asked === seat ? undefined : seats[asked];
    const isAway = other?.kind === "player" && !other.connected && !other.substitute;
    let words = "Now";
    if (shown?.result) words = "The end";
    else if (this.mine) words = "Your move";
    else if (other) words = `Waiting for ${other.name}${isAway ? ", who is away" : ""}`;
    else if (info?.state === "open") words = "Waiting for players";
    $("ask-title").textContent = words;
    const stoodIn = info?.state === "playing" ? seats.filter(({ substitute }) => substitute) : [];
    const whose = stoodIn.map((one) => (one.seat === seat ? "Your" : `${one.name}'s`));
    $("stand-ins").textContent = whose.map((one) => `${one} seat is played by a bot.`).join(" ");
  }

  // Said by screen readers: only what is new.
  announce() {
    const { shown, supposed, mine } = this;
    let words = "";
    if (shown?.result) words = "The game has ended.";
    else if (mine && supposed?.done) words = `Send this? ${supposed.total}`;
    else if (mine) words = `Your move. ${mine.words}${supposed?.total ? ` So far: ${supposed.total}` : ""}`;
    if ($("announce").textContent !== words) $("announce").textContent = words;
  }

  /** @param {Page.Shown} shown @returns {HTMLElement[]} */
  head({ stage, result, names }) {
    if (result) return [podium(result, names), ...result.words.map((line) => make("p", "quiet", line))];
    const parts = [make("p", "quiet stage", stage[0] ?? "")];
    if (!this.mine) parts.push(make("p", "waiting", this.queue.length ? "Sending …" : stage.slice(1).join(" ")));
    return parts;
  }

  answers(/** @type {Page.Shown} */ shown, /** @type {Page.QuestionShown} */ { words, choices, explained, rules }) {
    const isDone = this.supposed?.done ?? false;
    const held = hand(shown);
    /** @type {HTMLElement[]} */ const parts = held ? [make("p", "hand", "Your hand: ", make("b", "", held))] : [];
    parts.push(make("p", "question", isDone ? "Send this?" : words));
    const stop = this.steps.length ? choices.find(({ command }) => command === "pass") : undefined;
    if (this.supposed) parts.push(this.collected(this.supposed, stop));
    const bid = choices.find(({ max }) => max !== null);
    if (bid) parts.push(this.bidForm(bid));
    const isHere = (/** @type {Page.ChoiceShown} */ { places }) => this.place === null || places.includes(this.place);
    const listed = choices.filter((choice) => choice !== bid && choice !== stop && isHere(choice));
    this.listed = listed;
    if (listed.length) parts.push(make("ol", "choices"));
    if (this.place !== null) parts.push(button("All choices", () => this.look(null)));
    parts.push(isDone ? this.adviser("What is it worth?") : this.help(explained, rules));
    return parts;
  }

  // What is collected, what it would do, and the way back.
  /** @param {Page.SupposedShown} supposed @param {Page.ChoiceShown} [stop] */
  collected({ total, events, done, steps }, stop) {
    const items = steps.map(({ words, short }) =>
      make("li", "", make("span", "whole", words), make("span", "brief", short)),
    );
    const list = make("ol", "steps", ...items);
    const head = make("p", "", make("span", "quiet", "Not sent yet: "), make("span", "total", total));
    const box = make("div", "collected", head, list);
    const brought = events.slice(-4);
    if (done && brought.length) box.append(make("ul", "quiet", ...brought.map((line) => make("li", "", line))));
    const row = make("p", "fields");
    if (done) {
      const words = steps.length === 1 ? `Confirm: ${steps[0].words}` : "Confirm";
      row.append(doneKey(button(words, () => this.send(this.actions()), "primary confirm")));
    }
    if (stop) {
      const isEnd = stop.words !== "Pass" || steps.length > 1;
      const words = isEnd ? "Done: send these steps" : "Pass, and send this";
      const node = button(words, () => this.take(stop), isEnd ? "primary choice" : "choice");
      node.dataset.command = stop.command;
      row.append(doneKey(node));
    }
    row.append(button("Undo", () => this.undo()));
    if (steps.length > 1) row.append(button("Undo all", () => this.step([], null)));
    box.append(row);
    return box;
  }

  list(/** @type {Page.ChoiceShown[]} */ choices) {
    const items = choices.map((choice) => make("li", "", this.choice(choice, choice.words, choice.preview)));
    return make("ol", "choices", ...items);
  }

  // In little room: what several have in common, and what they all bring, is said once for all of them; a mere price
  // stands in each.
  tightList(/** @type {Page.ChoiceShown[]} */ choices) {
    /** @type {Map<string, Map<string, Page.ChoiceShown[]>>} */ const groups = new Map();
    for (const choice of choices) {
      const group = groups.get(choice.group) ?? new Map();
      groups.set(choice.group, group.set(choice.short_preview, [...(group.get(choice.short_preview) ?? []), choice]));
    }
    const items = [...groups].map(([name, group]) => {
      const count = [...group.values()].flat().length;
      const parts = [...group].flatMap(([preview, those]) => {
        const isShared = those.length > 1 && preview.length > PRICE_LENGTH;
        const [first, ...rest] = those.map((choice) => this.choice(choice, choice.short, isShared ? "" : preview));
        return [isShared ? make("span", "led", make("span", "shared", `${preview}:`), " ", first) : first, ...rest];
      });
      return make("li", "", ...(name ? [make("b", "", `${name} (${count})`)] : []), ...parts);
    });
    return make("ol", "choices tight", ...items);
  }

  choice(/** @type {Page.ChoiceShown} */ choice, /** @type {string} */ words, /** @type {string} */ preview) {
    const node = button("", () => this.take(choice), "choice");
    const picture = tile(choice);
    node.append(picture ?? make("span", "words", words));
    if (preview && !picture) node.append(" ", make("span", "preview", preview));
    if (words !== choice.words) node.title = choice.preview ? `${choice.words}: ${choice.preview}` : choice.words;
    const number = this.listed.indexOf(choice);
    if (number < 9) node.dataset.key = String(number + 1);
    node.dataset.command = choice.command;
    for (const name of ["pointerenter", "focus"]) {
      node.addEventListener(name, () => this.places.light(choice.places));
    }
    for (const name of ["pointerleave", "blur"]) node.addEventListener(name, () => this.places.light([]));
    return node;
  }

  // Lists the choices so that all are in sight, shortly if need be.
  fit() {
    const list = this.box.querySelector(".choices");
    this.box.classList.remove("tight");
    if (!list) return;
    const command = list.contains(document.activeElement) ? this.command(document.activeElement) : null;
    const whole = this.list(this.listed);
    list.replaceWith(whole);
    const help = this.box.querySelector(".help")?.getBoundingClientRect();
    const end = whole.getBoundingClientRect().bottom + $("ask").scrollTop;
    if (whole.scrollHeight > whole.clientHeight + 1 || (help && end > help.top + 1)) {
      this.box.classList.add("tight");
      whole.replaceWith(this.tightList(this.listed));
    }
    if (command) this.button(command)?.focus({ preventScroll: true });
  }

  command(/** @type {Element | null} */ node) {
    return node instanceof HTMLElement ? (node.dataset.command ?? null) : null;
  }

  /** @param {string} command @returns {HTMLElement | null} */
  button(command) {
    return this.box.querySelector(`[data-command="${CSS.escape(command)}"]`);
  }

  bidForm(/** @type {Page.ChoiceShown} */ choice) {
    const [min, max] = [choice.min ?? 0, choice.max ?? 0];
    const field = labelled(make("input", "bid"), `Your bid, $${min} to $${max}`);
    field.type = "number";
    [field.min, field.max, field.step, field.value, field.inputMode] = [`${min}`, `${max}`, "1", `${min}`, "numeric"];
    const preview = make("p", "preview", choice.preview);
    preview.setAttribute("role", "status");
    const amount = () => +field.value;
    const isGood = () => Number.isInteger(amount()) && amount() >= min && amount() <= max;
    const range = `$${min} to $${max} (your cash)`;
    const submit = make("button", "primary", `Bid $${min}`);
    const changed = () => {
      submit.textContent = isGood() ? `Bid $${amount()}` : "Bid";
      submit.setAttribute("aria-disabled", String(!isGood()));
      preview.textContent = "";
      clearTimeout(this.timer);
      if (isGood()) this.timer = setTimeout(() => this.previewBid(amount(), preview), PREVIEW_MS);
    };
    const by = (/** @type {number} */ more) =>
      button(`+${more}`, () => {
        field.value = String(isGood() ? Math.min(amount() + more, max) : min);
        changed();
      });
    field.addEventListener("input", changed);
    // What is typed takes the place of what stands there.
    field.addEventListener("pointerdown", (event) => {
      if (document.activeElement === field) return;
      event.preventDefault();
      field.focus();
    });
    field.addEventListener("focus", () => field.select());
    const most = make("span", "quiet", `of your $${max}`);
    const form = make("form", "fields bidding", "$", field, by(1), by(5), submit, most);
    form.noValidate = true;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      clearTimeout(this.timer);
      if (isGood()) this.step([...this.actions(), { type: "bid", amount: amount() }], ".confirm");
      else this.notice(`Bids are ${range}.`, "quiet");
    });
    return make("div", "", form, preview);
  }

  help(/** @type {string} */ explained, /** @type {string[]} */ rules) {
    const list = make("ul", "rules", ...rules.map((rule) => make("li", "", rule)));
    const more = make("details", "", make("summary", "", "Explain this"), make("p", "", explained), list);
    const box = this.adviser("Hint");
    box.append(more);
    return box;
  }

  // A button that asks a strong player, and the answer.
  adviser(/** @type {string} */ words) {
    const advice = make("div", "advice", ...this.advice.map((line) => make("p", "", line)));
    advice.setAttribute("role", "status");
    const ask = button(words, () => this.hint());
    return make("div", "help", make("p", "fields", ask), advice);
  }

  // The board

  offer() {
    this.labels = new Map();
    if (this.mine && !this.supposed?.done) {
      for (const { words, preview, places } of this.mine.choices) {
        const told = preview ? `${words}: ${preview}` : words;
        for (const place of places) {
          const before = this.labels.get(place);
          this.labels.set(place, before ? `${before}; or ${told}` : told);
        }
      }
    }
    this.places.offer(this.labels);
    this.places.badge(this.mine?.choices ?? []);
  }

  point(/** @type {string | null} */ place) {
    $("hover").textContent = place === null ? "" : (this.labels.get(place) ?? "");
    for (const node of this.box.querySelectorAll(".choice")) node.classList.remove("lit");
    for (const { command } of this.choicesAt(place)) {
      this.button(command)?.classList.add("lit");
    }
  }

  pick(/** @type {string} */ place) {
    if (!this.mine) return;
    const fitting = this.choicesAt(place);
    if (fitting.length === 1) {
      this.step([...this.actions(), fitting[0].action], fitting[0].more ? null : ".confirm");
    } else if (fitting.length) {
      this.focusNext = ".choices button";
      this.look(place);
    }
  }

  // Lists the choices at one place only, or all of them.
  look(/** @type {string | null} */ place) {
    this.place = place;
    this.render();
  }

  choicesAt(/** @type {string | null} */ place) {
    return this.question?.choices.filter(({ places }) => place !== null && places.includes(place)) ?? [];
  }

  // Answering

  actions() {
    return this.steps.map(({ action }) => action);
  }

  take(/** @type {Page.ChoiceShown} */ choice) {
    if (!this.mine) return;
    const actions = [...this.actions(), choice.action];
    const isStop = choice.command === "pass";
    if (choice.more) this.step(actions, ".choices button, input");
    else if (this.steps.length && !isStop) this.step(actions, ".confirm");
    else this.send(actions);
  }

  takeNumber(/** @type {string} */ number) {
    /** @type {HTMLElement | null} */ const choice = this.box.querySelector(`[data-key="${number}"]`);
    choice?.click();
  }

  undo() {
    if (this.mine && this.steps.length) this.step(this.actions().slice(0, -1), ".choices button, input");
  }

  // Sends what is collected, if nothing is left to decide or no more is wanted.
  done() {
    /** @type {HTMLElement | null} */ const way = this.box.querySelector(`[data-key="${DONE_KEY}"]`);
    way?.click();
  }

  // What was said about the last try is over with the next.
  step(/** @type {any[]} */ steps, /** @type {string | null} */ focus) {
    this.notice("");
    this.imagine(steps, focus);
  }

  async imagine(/** @type {any[]} */ steps, /** @type {string | null} */ focus = null) {
    this.focusNext = focus;
    this.wanted = steps;
    try {
      await this.ask({ steps });
      if (this.wanted === steps) this.keep(steps);
    } catch (error) {
      if (this.wanted === steps) this.wanted = this.actions();
      this.notice(reason(error));
      if (this.mine && !this.box.querySelector(".question")) this.render();
    }
  }

  // Asks about the open question; the answer is advice in words, unless it is a position to be shown.
  async ask(/** @type {Partial<Page.Show>} */ wish) {
    const answer = await this.wire.ask({ type: "show", number: this.question?.number, ...wish });
    return answer.type === "advice" ? answer.words : [];
  }

  async previewBid(/** @type {number} */ amount, /** @type {HTMLElement} */ preview) {
    try {
      const words = await this.ask({ steps: [...this.actions(), { type: "bid", amount }], preview: true });
      preview.textContent = words.join(", ");
    } catch {
      preview.textContent = "";
    }
  }

  async hint() {
    if (this.mine) await this.advise({ hint: true, steps: this.actions() });
  }

  async why(/** @type {string} */ place) {
    if (this.mine) await this.advise({ why: place });
  }

  async advise(/** @type {Partial<Page.Show>} */ wish) {
    const { number } = this.question ?? {};
    try {
      const words = await this.ask(wish);
      if (this.question?.number !== number) return;
      this.advice = words;
      this.box.querySelector(".advice")?.replaceChildren(...words.map((line) => make("p", "", line)));
      if (wish.why) $("hover").textContent = words.join(" ");
    } catch (error) {
      this.notice(reason(error));
    }
  }

  // One action after another, each when the server asks for it.
  send(/** @type {any[]} */ actions) {
    if (!this.question || !this.answer(this.question.number, actions)) {
      this.notice(NO_CONNECTION);
      return;
    }
    this.notice("");
    this.keep([]);
    this.wanted = [];
    this.collect(null, null);
    this.render();
  }

  asked(/** @type {Page.Request} */ { number }) {
    if (this.queue.length) this.answer(number, this.queue);
  }

  answer(/** @type {number} */ number, /** @type {any[]} */ actions) {
    if (!this.wire.say({ type: "action", number, action: actions[0] })) return false;
    this.queue = actions.slice(1);
    this.answered = number;
    this.sent = { number, actions };
    return true;
  }

  refused(/** @type {string} */ words) {
    const left = this.queue.length;
    this.queue = [];
    this.answered = 0;
    this.sent = null;
    this.notice(left ? `${words} The steps after it were not sent.` : words);
    this.wire.say({ type: "show" });
  }
}

/** @param {HTMLElement} way */
function doneKey(way) {
  way.dataset.key = DONE_KEY;
  return way;
}

// The pieces in one's own hand, where a game has such.
function hand(/** @type {Page.Shown} */ { tables, seat }) {
  const column = tables[0].columns.findIndex(([name]) => name === "Hand");
  return seat === null || column < 0 ? "" : String(tables[0].cells[seat][column] ?? "");
}

function podium(/** @type {Page.ResultShown} */ { ranks, scores }, /** @type {Page.Row[]} */ names) {
  const order = ranks.map((rank, seat) => ({ rank, seat })).sort((one, other) => one.rank - other.rank);
  const items = order.map(({ rank, seat }) => {
    const [name, score] = [names[seat], make("b", "", money(scores[seat]))];
    return make("li", rank === 1 ? "winner" : "", `${rank}. `, swatch(name), ` ${name[0]} `, score);
  });
  return make("ol", "podium", ...items);
}

function auction(/** @type {Page.Shown} */ { auction, names, asked }) {
  if (!auction) return [];
  const { bid, leader, company, what, minimum } = auction;
  const last = new Map(auction.bids);
  const rows = names.map((name, seat) => {
    const [isOut, isLeader, own] = [!auction.still_in.includes(seat), seat === leader, last.get(seat)];
    const words = isOut ? "passed" : isLeader ? `$${bid}` : seat === asked ? "to bid" : own ? `$${own}` : "–";
    const look = `${isOut ? "out" : ""}${isLeader ? " leader" : ""}`;
    return make("li", look, swatch(name), ` ${name[0]} `, make("b", "", words));
  });
  const standing = leader === null ? `no bid yet, at least $${minimum}` : `$${bid} by ${names[leader][0]}`;
  const mark = swatch([company, auction.paint, auction.letter]);
  const title = make("h4", "", make("span", "", mark, ` ${company}: ${what}`), make("span", "standing", standing));
  const card = make("article", "auction running", title, make("ol", "", ...rows));
  return [labelled(card, "Auction")];
}
