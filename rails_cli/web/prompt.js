// @ts-check
// The question card of this seat, and the answers that can be selected on the board.

import { Answering, hand, same } from "./answering.js";
import { Amount, auctionCard, earlyOrders, thenField } from "./bidding.js";
import { svgNode } from "./board.js";
import { barredTile, tile } from "./hand.js";
import { lessonEnd } from "./lesson.js";
import { $, button, make } from "./parts.js";
import { resultCard } from "./result.js";
import { inTrackOrder, trackFor, trackList } from "./track.js";

const PREVIEW_MS = 250;
const DONE_KEY = "d";
const STAR = "M8 1l2.1 4.6 5 .5-3.8 3.3 1.1 4.9L8 11.8 3.6 14.3l1.1-4.9L.9 6.1l5-.5z";
const PRICE_LENGTH = 4;
/** Number of answers that digit keys select. At most this many answers are always listed. */
const KEYS = 9;
const TITLE_LENGTH = 40;

export class Prompt extends Answering {
  /**
   * @param {import("./wire.js").Wire} wire
   * @param {import("./places.js").Places} places
   * @param {(words: string, look?: string) => void} notice
   * @param {() => void} takeBack Called to take back the player's last move, or to ask the others for it.
   */
  constructor(wire, places, notice, takeBack) {
    super(wire, places, notice);
    this.takeBack = takeBack;
    // A key that is held down must answer only once.
    this.box.addEventListener("keydown", (event) => {
      if (event.repeat && (event.key === "Enter" || event.key === " ")) event.preventDefault();
    });
    addEventListener("resize", () => this.fit());
    // The display of other players' moves takes space in the column, so adapt the card when it disappears.
    new ResizeObserver(() => $("play").hidden && this.fit()).observe($("play"));
  }

  // Rendering

  /** @override */
  render() {
    const { shown, mine } = this;
    const hadFocus = this.box.contains(document.activeElement);
    const parts = shown === null ? [] : this.head(shown);
    const sale = this.picked || this.supposed?.done ? this.real : shown; // without a preview of a bid or pass
    if (sale && !sale.result) parts.push(...auctionCard(sale));
    if (this.order?.order) parts.push(this.orderRow(this.order));
    if (shown !== null && mine) parts.push(...this.answers(mine));
    else if (shown !== null && !this.order?.order && this.queue.length === 0) parts.push(...this.early(shown));
    if (shown?.track && !mine && !shown.result && !shown.auction) {
      const idle = trackList({ shown, track: shown.track }, () => undefined);
      idle.className = "spaces idle";
      parts.push(idle);
    }
    this.box.replaceChildren(...parts);
    $("ask").classList.toggle("mine", mine !== null);
    $("ask").classList.toggle("over", Boolean(shown?.result));
    document.body.classList.toggle("ended", Boolean(shown?.result));
    this.fit();
    this.showTurn();
    this.offer();
    this.announce();
    this.places.tell("");
    const wanted = this.takeFocus() ?? (hadFocus ? ".confirm, .choices button, input" : null);
    /** @type {HTMLElement | null} */ const found = wanted && mine ? this.box.querySelector(wanted) : null;
    $("ask").scrollTop = 0;
    this.showAdvice();
    if (found) {
      found.focus({ preventScroll: true });
      if (found.closest(".choices")) found.scrollIntoView({ block: "nearest" }); // keeps the question visible
    } else if (hadFocus) $("ask").focus({ preventScroll: true });
  }

  // Update from the lobby's description of the table: who is connected, and for whom a bot plays.
  learn(/** @type {Page.TableInfo} */ info) {
    this.info = info;
    this.showTurn();
  }

  // Show who is to move, and which seats bots play as substitutes.
  showTurn() {
    const { shown, info } = this;
    const { asked = null, seat = null } = shown ?? {};
    const seats = info?.seats ?? [];
    const other = asked === null || asked === seat ? undefined : seats[asked];
    const isAway = other?.kind === "player" && !other.connected && !other.substitute;
    let words = "Now";
    if (shown?.result) words = "The end";
    else if (this.mine) words = ["Your move", ...this.facts()].join(" · ");
    else if (other) words = `Waiting for ${other.name}${isAway ? ", who is away" : ""}`;
    else if (info?.state === "open") words = "Waiting for players";
    $("ask-title").textContent = words;
    const stoodIn = info?.state === "playing" ? seats.filter(({ substitute }) => substitute) : [];
    const whose = stoodIn.map((one) => (one.seat === seat ? "Your" : `${one.name}'s`));
    $("stand-ins").textContent = whose.map((one) => `${one} seat is played by a bot.`).join(" ");
  }

  // Update the text for screen readers, if it has changed.
  announce() {
    const { shown, supposed, mine } = this;
    let words = "";
    if (shown?.result) words = "The game has ended.";
    else if (mine && supposed?.done) words = `Selected: ${this.act()}. ${supposed.total} Enter sends it.`;
    else if (mine && this.lesson.shown) words = `${this.lesson.words} ${mine.words}`;
    else if (mine) words = `Your move. ${mine.words}${supposed?.total ? ` So far: ${supposed.total}` : ""}`;
    if ($("announce").textContent !== words) $("announce").textContent = words;
  }

  /** @param {Page.Shown} shown @returns {HTMLElement[]} */
  head(shown) {
    const { stage, result } = shown;
    if (result) return [...resultCard(shown, result, this.info), ...(this.info?.lesson ? [lessonEnd()] : [])];
    if (this.mine) return [];
    const words = this.queue.length ? "Sending …" : stage.slice(1).join(" ");
    return [make("p", "quiet stage", stage[0] ?? ""), make("p", "waiting", words)];
  }

  // Return what the title contains besides the player to move: the stage of the game and the hand. An auction has its
  // own card.
  facts() {
    const { auction = null, stage = [] } = this.shown ?? {};
    const words = (stage[0] ?? "").replace(/ \(.*\)$|[.]$/, "");
    const facts = auction || !words || words.length > TITLE_LENGTH ? [] : [words];
    const held = this.shown && !this.question?.choices.some(({ tile }) => tile) ? hand(this.shown) : "";
    return held ? [...facts, `Hand: ${held}`] : facts;
  }

  answers(/** @type {Page.QuestionShown} */ { words, choices, explained, rules }) {
    const lesson = this.lesson.card(this.steps.length);
    this.listed = [];
    if (lesson && this.lesson.isReading) return [lesson];
    /** @type {HTMLElement[]} */ const parts = lesson ? [lesson] : [];
    parts.push(make("p", "question", words), ...(lesson ? [] : [this.adviceBox()]));
    if (this.supposed) parts.push(this.collected(this.supposed));
    const bid = choices.find(({ max }) => max !== null);
    const pass = this.pass();
    const isHere = (/** @type {Page.ChoiceShown} */ { places }) => this.place === null || places.includes(this.place);
    const found = choices.filter((choice) => choice !== bid && choice !== pass && isHere(choice));
    const tracked = trackFor(this.real, found);
    const listed = tracked ? inTrackOrder(found, tracked) : found;
    this.listed = bid ? [] : listed; // digit keys select answers, but in an auction each button sends
    if (listed.length && !bid) parts.push(make("ol", "choices"));
    if (this.place !== null) parts.push(button("All choices", () => this.showChoicesAt(null)));
    const box = bid ? this.bidForm(bid, listed) : this.acting(this.mainButton());
    if (explained && !lesson) box.querySelector(".help")?.append(explanation(explained, rules));
    parts.push(box);
    return parts;
  }

  // Return the list of collected steps, and the effect of the selected answer.
  collected(/** @type {Page.SupposedShown} */ { total, events, done }) {
    const items = this.steps.map(({ words, short }) =>
      make("li", "", make("span", "whole", words), make("span", "brief", short), make("em", "", "not sent yet")),
    );
    const box = make("div", "collected");
    if (items.length) box.append(make("ol", items.length > 1 ? "steps several" : "steps", ...items));
    const { picked } = this;
    const isObvious = picked && (picked.tile || picked.command === "pass" || trackFor(this.real, [picked]));
    const brought = done && !isObvious ? events.slice(-4) : [];
    const so = done ? "Together" : "So far";
    if (total && (items.length || !done)) box.append(make("p", "total", `${so}: ${total}`));
    if (brought.length) box.append(make("ul", "quiet", ...brought.map((line) => make("li", "", line))));
    return box;
  }

  // Return the label of the button that sends the selected answer and the steps before it.
  act() {
    const count = this.steps.length + (this.picked ? 1 : 0);
    const isPass = this.picked && this.picked === this.pass();
    const last = (isPass ? this.picked?.words : this.picked?.act) ?? this.steps.at(-1)?.words ?? "";
    return count > 1 ? `${last.split(" for $")[0]} and send` : last; // the price of all steps is above
  }

  // Return the button that sends. Before an answer is selected, return the button for the pass, or a disabled one.
  mainButton() {
    if (this.picked || this.supposed?.done) return this.sendButton();
    const wanted = this.lesson.step(this.steps.length)?.command ?? "pass";
    const [pass, stop] = wanted === "pass" ? [this.pass(), this.stop()] : [];
    if (stop) return doneKey(this.sender(stop, `${stop.words} and send`, "primary choice"));
    if (pass) return this.choice(pass, pass.words, "");
    const node = button("Select an answer", () => {}, "primary");
    node.setAttribute("aria-disabled", "true");
    return node;
  }

  // Return a button that sends an answer and the steps before it, without selecting the answer first.
  sender(/** @type {Page.ChoiceShown} */ { command, action }, /** @type {string} */ words, /** @type {string} */ look) {
    const node = button(words, () => this.send([...this.actions(), action]), look);
    node.dataset.command = command;
    return node;
  }

  sendButton() {
    return doneKey(button(this.act(), () => this.confirm(), "primary confirm"));
  }

  // Return the buttons to send, to undo and for hints, and a note on whether the answer is final.
  /** @param {HTMLElement[]} main */
  acting(...main) {
    const row = make("p", "fields", ...main);
    if (this.picked || this.steps.length) row.append(button("Undo", () => this.undo(), "back"));
    if (this.info?.hints !== false) row.append(this.hintButton());
    const isReady = !this.lesson.shown && (this.picked || this.supposed?.done || this.stop() || main.length > 1);
    const isStart = !this.lesson.shown && !this.picked && this.steps.length === 0;
    const back = isStart ? this.backButton() : null;
    const help = make("div", "help", back ?? make("p", "final", isReady ? this.finality() : ""));
    const pass = this.picked && !this.lesson.shown ? this.pass() : undefined;
    if (pass && pass !== this.picked && !this.stop()) help.append(this.choice(pass, pass.words, ""));
    if (this.canPassUntilChange()) {
      const words = this.steps.length ? "Send, then pass until my choices change" : "Pass until my choices change";
      help.append(button(words, () => this.passUntilChange()));
    }
    return make("div", "acting", row, help);
  }

  // Return the button that takes back the player's last move. Null if the move cannot be taken back.
  backButton() {
    if (!this.info?.undo || !this.real?.revocable) return null;
    return button(this.hasOthers() ? "Ask to take back" : "Take back my last move", this.takeBack);
  }

  // Return a sentence on whether the answer can be taken back. Empty until the server has sent a preview of it.
  finality() {
    const isFinal = !this.info?.undo || this.supposed?.revocable === false;
    if (this.info?.undo && this.picked && !same(this.supposed?.steps.at(-1)?.action, this.picked.action)) return "";
    if (isFinal) return "Final: it cannot be taken back.";
    return this.hasOthers() ? "Final, unless all agree to take it back." : "You can take it back.";
  }

  // Return whether other people play at the table.
  hasOthers() {
    const seats = this.info?.seats ?? [];
    return seats.some(({ seat, kind, substitute }) => kind === "player" && !substitute && seat !== this.shown?.seat);
  }

  // Return whether to offer automatic passes.
  canPassUntilChange() {
    const isOff = this.lesson.shown || this.picked || !this.question?.repeats_pass;
    const choices = isOff ? [] : (this.question?.choices ?? []);
    return choices.length > 1 && choices.some(({ command }) => command === "pass");
  }

  hintButton() {
    const words = this.picked || this.supposed?.done ? "Worth?" : "Hint";
    const node = button(this.isHinting ? "Thinking …" : words, () => this.hint(), "hint");
    node.setAttribute("aria-busy", String(this.isHinting));
    return node;
  }

  list(/** @type {Page.ChoiceShown[]} */ choices) {
    const tracked = trackFor(this.real, choices);
    if (tracked) {
      return trackList(tracked, ({ command }, content) => {
        const choice = choices.find((one) => one.command === command);
        return choice && this.choice(choice, choice.words, choice.preview, content);
      });
    }
    const words = (/** @type {Page.ChoiceShown} */ { group, short, words }) => (group ? `${group}: ${short}` : words);
    const items = choices.map((choice) => make("li", "", this.choice(choice, words(choice), choice.preview)));
    for (const held of this.question?.barred ?? []) {
      items.push(
        make(
          "li",
          "",
          barredTile(held, () => this.explain([held.effect])),
        ),
      );
    }
    return make("ol", "choices", ...items);
  }

  // Return the button for an answer. `content` replaces the words and the preview on it.
  /** @param {Page.ChoiceShown} choice @param {string} words @param {string} preview @param {HTMLElement[]} [content] */
  choice(choice, words, preview, content) {
    const node = button("", ({ detail }) => {
      const isAgain = choice.command === this.picked?.command;
      if (!isAgain) this.select(choice, `[data-command="${CSS.escape(choice.command)}"], .confirm`);
      else if (detail === 0) this.confirm(); // pressed by a key
    });
    node.className = "choice";
    const art = tile(choice);
    if (content) node.append(...content);
    else node.append(art ?? make("span", "words", words));
    if (preview && !art && !content) node.append(" ", make("span", "preview", preview));
    if (choice.command === this.starred) (node.querySelector(".words") ?? node).append(star());
    if (words !== choice.words) node.title = choice.preview ? `${choice.words}: ${choice.preview}` : choice.words;
    node.dataset.command = choice.command;
    node.setAttribute("aria-pressed", String(choice.command === this.picked?.command));
    for (const name of ["pointerenter", "focus"]) {
      node.addEventListener(name, () => this.places.light(choice.places));
    }
    for (const name of ["pointerleave", "blur"]) node.addEventListener(name, () => this.places.light([]));
    return node;
  }

  // Return a compact list of answers: two in a row, in short words.
  pairs(/** @type {Page.ChoiceShown[]} */ choices) {
    const items = choices.map((choice) => {
      const words = choice.group ? `${choice.group}: ${choice.short}` : choice.short || choice.words;
      return make("li", "", this.choice(choice, words, choice.short_preview));
    });
    return make("ol", "choices pairs", ...items);
  }

  // List the choices so that all are visible. The layouts are tried in this order: effects below the choices, effects
  // beside them, two choices in a row, narrow letters. An action track is split into two halves. Of further choices
  // that are also on the board, as many are listed as fit. If the list is still too long, a shadow above the buttons
  // shows that it can be scrolled.
  fit() {
    const list = this.box.querySelector(".choices");
    this.box.classList.remove("paired", "long");
    this.box.querySelector(".unfold")?.remove();
    if (!list) {
      this.box.classList.toggle("paired", this.isTooLong());
      return;
    }
    const command = list.contains(document.activeElement) ? this.command(document.activeElement) : null;
    const whole = this.list(this.listed);
    list.replaceWith(whole);
    const isTrack = whole.classList.contains("spaces");
    if (this.isTooLong()) whole.classList.add(isTrack ? "halves" : "low");
    const isFixed = isTrack || this.listed.some(({ tile }) => tile);
    if (this.isTooLong() && !isFixed) {
      const pairs = this.pairs(this.listed);
      whole.replaceWith(pairs);
      this.box.classList.add("paired");
      pairs.classList.toggle("close", this.isTooLong());
      if (this.isTooLong() && this.listed.length > KEYS) this.fold(pairs);
    }
    this.box.classList.toggle("long", this.isTooLong());
    [...this.box.querySelectorAll(".choices .choice")].slice(0, KEYS).forEach((node, number) => {
      if (node instanceof HTMLElement) node.dataset.key = String(number + 1);
    });
    if (command) this.button(command)?.focus({ preventScroll: true });
  }

  // Remove choices that are also on the board from the list, the last ones first, until the rest fits. Choices with
  // only a price are removed before the others, also if they take space from the table of companies. A button lists all
  // choices, and then fewer again.
  fold(/** @type {Element} */ pairs) {
    const isNeeded = (/** @type {Page.ChoiceShown} */ { command, places }) =>
      places.length === 0 || command === this.starred || command === this.picked?.command;
    const found = this.listed.map((choice, number) => ({ choice, item: pairs.children[number] }));
    const offered = found.filter(({ choice }) => !isNeeded(choice));
    if (offered.length === 0) return;
    const words = this.isUnfolded ? "List fewer choices" : `List all ${this.listed.length} choices`;
    this.box.querySelector(".help")?.prepend(button(words, () => this.unfold(), "unfold"));
    if (this.isUnfolded) return;
    const worst = offered.toReversed();
    for (const { choice, item } of worst) {
      if (choice.short_preview.length <= PRICE_LENGTH && (this.isTooLong() || isTableCut())) item.remove();
    }
    for (const { item } of worst) if (this.isTooLong()) item.remove();
  }

  unfold() {
    this.isUnfolded = !this.isUnfolded;
    this.focusNext = ".choices button";
    this.render();
  }

  // Return whether the question card or the page must be scrolled to see all of the card.
  isTooLong() {
    const { scrollHeight, clientHeight } = $("ask");
    return scrollHeight > clientHeight + 2 || $("ask").getBoundingClientRect().bottom + scrollY > innerHeight + 2;
  }

  command(/** @type {Element | null} */ node) {
    return node instanceof HTMLElement ? (node.dataset.command ?? null) : null;
  }

  /** @param {string} command @returns {HTMLElement | null} */
  button(command) {
    return this.box.querySelector(`[data-command="${CSS.escape(command)}"]`);
  }

  // Return the form for a bid: a field for the amount, which shows its effect, and one button each for a bid and a
  // pass.
  bidForm(/** @type {Page.ChoiceShown} */ choice, /** @type {Page.ChoiceShown[]} */ others) {
    const [min, max] = [choice.min ?? 0, choice.max ?? 0];
    const preview = make("p", "preview");
    preview.setAttribute("role", "status");
    const submit = make("button", "primary", "");
    const upTo = button("", () => amount.isGood && this.bidUpTo(amount.value), "up-to");
    const changed = (/** @type {Amount} */ amount, isNew = true) => {
      this.typed = amount.field.value;
      submit.textContent = amount.isGood ? `Bid $${amount.value}` : "Bid";
      if (`bid ${amount.value}` === this.starred) submit.append(star());
      upTo.textContent = amount.isGood ? `Up to $${amount.value}` : "Up to";
      const isLimit = amount.value === this.limit; // then the hint is to bid up to this amount, not to bid it at once
      if (isLimit) upTo.append(star());
      upTo.classList.toggle("primary", isLimit);
      submit.classList.toggle("primary", !isLimit && !others.some(({ command }) => command === this.starred));
      for (const node of [submit, upTo]) node.setAttribute("aria-disabled", String(!amount.isGood));
      preview.classList.toggle("refusal", !amount.isGood);
      if (!amount.isGood)
        preview.textContent = amount.value > max ? `You cannot bid more than your $${max}.` : `Bid at least $${min}.`;
      if (!isNew) return;
      clearTimeout(this.timer);
      if (amount.isGood) this.timer = setTimeout(() => this.previewBid(amount, preview), PREVIEW_MS);
    };
    const amount = new Amount({ min, max, value: this.typed, changed }, `Your bid, $${min} to $${max}`);
    changed(amount, false);
    if (amount.value === min) preview.textContent = choice.preview;
    else if (amount.isGood) this.previewBid(amount, preview);
    upTo.title = "The server bids for you, as little as possible, until this amount";
    const orders = this.lesson.shown ? [] : [upTo];
    const ways = others.map((other) => {
      const isStarred = other.command === this.starred;
      const node = this.sender(other, other.words, isStarred ? "choice primary" : "choice");
      if (isStarred) node.append(star());
      return node;
    });
    const about = make("p", "bid-facts", `You have $${max}.`);
    const acting = this.acting(submit, ...orders, ...ways);
    if (orders.length) acting.querySelector(".help")?.prepend(thenField());
    const form = make("form", "bidding", make("div", "amounts", amount.node, about), preview, acting);
    form.noValidate = true;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      clearTimeout(this.timer);
      if (amount.isGood) this.send([...this.actions(), { type: "bid", amount: amount.value }]);
      else this.notice(`Bids are $${min} to $${max} (your cash).`, "quiet");
    });
    return form;
  }

  async previewBid(/** @type {Amount} */ amount, /** @type {HTMLElement} */ preview) {
    const { value } = amount;
    const steps = [...this.actions(), { type: "bid", amount: value }];
    const { words } = await this.ask({ steps, preview: true }).catch(() => ({ words: [] }));
    if (amount.value === value) preview.textContent = words.join(", "); // unless another amount was typed in the meantime
  }

  // Return the box with the hint about the question or the selected answer.
  adviceBox() {
    const advice = make("div", "advice", ...this.advice.map((line) => make("p", "", line)));
    advice.setAttribute("role", "status");
    const [first] = this.suggested;
    // In an auction, a star on a button marks what is suggested.
    const isMarked = this.isAuction && (first?.type !== "bid" || `${this.limit ?? first.amount}` === this.typed);
    if (first && !isMarked && !this.picked) advice.prepend(button("Take this hint", () => this.takeHint()));
    return advice;
  }

  // If the card is too long, scroll to the bid or the action track, but not past the first line of the advice.
  showAdvice() {
    const advice = this.box.querySelector(".advice:not(:empty):has(~ :is(.bidding, .halves))");
    if (advice) $("ask").scrollTop += advice.getBoundingClientRect().top - $("ask").getBoundingClientRect().top - 8;
  }

  /** @override */
  explain(/** @type {string[]} */ words) {
    this.advice = words;
    this.isWorth = true;
    this.suggested = [];
    const box = this.box.querySelector(".advice");
    box?.replaceChildren(...this.adviceBox().childNodes);
    if (box) this.showAdvice();
    else this.places.tell(words.join(" ")); // a lesson has no such box
  }

  // Collect all steps of the suggested move. For a bid, fill in the suggested amount or limit.
  takeHint() {
    const [{ type, amount }] = this.suggested;
    if (type !== "bid") {
      this.repeat([...this.actions(), ...this.suggested], ".confirm");
      return;
    }
    this.typed = String(this.limit ?? amount);
    this.focusNext = this.limit ? ".up-to" : ".bidding .primary";
    this.render();
  }

  // Standing orders

  // Return the form for standing orders, which the server carries out at later questions.
  early(/** @type {Page.Shown} */ shown) {
    if (this.info?.lesson) return [];
    return earlyOrders(
      shown,
      this.typed,
      (/** @type {string} */ text) => {
        this.typed = text;
      },
      (order) => this.give(order),
    );
  }

  orderRow(/** @type {Page.OrderNotice} */ { words }) {
    const isLater = this.mine !== null; // the open question is not one that the order answers
    const row = make("p", "order", make("span", "", isLater ? `Afterwards: ${lower(words)}` : words));
    row.append(button("Cancel", () => this.give(null)));
    return row;
  }

  // The board

  /** @override */
  offer() {
    this.labels = new Map();
    if (this.mine && !this.lesson.isReading) {
      for (const { words, preview, places } of this.mine.choices) {
        const label = preview ? `${words}: ${preview}` : words;
        for (const place of places) {
          const before = this.labels.get(place);
          this.labels.set(place, before ? `${before}; or ${label}` : label);
        }
      }
    }
    this.places.offer(this.labels, this.picked?.places ?? []);
    this.places.badge(this.mine?.choices ?? []);
    const step = this.lesson.step(this.steps.length);
    const wanted = step && this.mine?.choices.find((choice) => isSuggested(choice, step.command));
    this.places.want(wanted?.places ?? []);
  }

  point(/** @type {string | null} */ place) {
    this.places.tell(place === null ? "" : (this.labels.get(place) ?? ""));
    for (const node of this.box.querySelectorAll(".choice")) node.classList.remove("lit");
    for (const { command } of this.choicesAt(place)) {
      this.button(command)?.classList.add("lit");
    }
  }

  pick(/** @type {string} */ place, isKey = false) {
    if (!this.mine) return;
    const fitting = this.choicesAt(place);
    const isAgain = fitting.some(({ command }) => command === this.picked?.command);
    if (isAgain && isKey) this.confirm();
    else if (fitting.length === 1) this.select(fitting[0]);
    else if (fitting.length) {
      this.focusNext = ".choices button";
      this.showChoicesAt(place);
    }
  }

  // List the choices at `place`, or all choices if it is null.
  showChoicesAt(/** @type {string | null} */ place) {
    this.place = place;
    this.render();
  }

  choicesAt(/** @type {string | null} */ place) {
    return this.question?.choices.filter(({ places }) => place !== null && places.includes(place)) ?? [];
  }

  // Keys

  takeNumber(/** @type {string} */ number) {
    const command = this.command(this.box.querySelector(`.choices [data-key="${number}"]`));
    const choice = this.listed.find((one) => one.command === command);
    if (choice) this.select(choice);
  }

  // Press the button that sends the collected steps, if it is shown. It may also send the pass that ends the turn.
  done() {
    /** @type {HTMLElement | null} */ const way = this.box.querySelector(`[data-key="${DONE_KEY}"]`);
    way?.click();
  }
}

/** @param {HTMLElement} way */
function doneKey(way) {
  way.dataset.key = DONE_KEY;
  return way;
}

function explanation(/** @type {string} */ words, /** @type {string[]} */ rules) {
  const list = make("ul", "rules", ...rules.map((rule) => make("li", "", rule)));
  const details = make("details", "", make("summary", "", "Explain this"), make("p", "", words), list);
  details.addEventListener("toggle", () => details.open && details.scrollIntoView({ block: "nearest" }));
  return details;
}

// Return whether the panel below the question cuts off the first table.
function isTableCut() {
  const table = document.querySelector("#position .table");
  const isSeen = table?.checkVisibility() ?? false;
  return isSeen && table !== null && table.getBoundingClientRect().bottom > $("panes").getBoundingClientRect().bottom;
}

// Return whether a hint suggests this answer. The suggested bid may have another amount than the lowest.
function isSuggested(/** @type {Page.ChoiceShown} */ { command, max }, /** @type {string | null} */ starred) {
  return command === starred || (max !== null && (starred?.startsWith("bid ") ?? false));
}

function lower(/** @type {string} */ words) {
  return words.charAt(0).toLowerCase() + words.slice(1);
}

// Return the star that marks a suggested answer.
function star() {
  const mark = svgNode("svg", { viewBox: "0 0 16 16", class: "star", role: "img", "aria-label": "Suggested" });
  mark.append(svgNode("path", { d: STAR }));
  return mark;
}
