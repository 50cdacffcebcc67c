// @ts-check
// Selection and sending of answers to the requests of this seat. A click on an answer, in the list or on the board,
// selects it and shows its effect. One button sends the selected answer and the steps before it. Nothing is sent before
// that.

import { orderTo } from "./bidding.js";
import { isConfirmed } from "./dialogs.js";
import { Lesson } from "./lesson.js";
import { load, save } from "./memory.js";
import { $ } from "./parts.js";
import { trackFor } from "./track.js";
import { reason } from "./wire.js";

const NO_CONNECTION = "There is no connection to the server at the moment.";

/** @typedef {{ number: number, actions: any[] }} Sent */

// The open question, the steps that are collected and sent, and the hints about it. The subclass `Prompt` draws them.
export class Answering {
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
    this.lesson = new Lesson({
      changed: () => this.render(),
      collect: (actions) => this.step(actions, null),
      send: (actions) => this.send(actions),
    });
    this.reset();
  }

  // Drawing, which the subclass implements

  render() {}

  offer() {}

  explain(/** @type {string[]} */ _words) {}

  // The question

  reset() {
    /** @type {Page.Shown | null} */ this.shown = null;
    /** The last real position. Others are previews of collected steps. @type {Page.Shown | null} */ this.real = null;
    /** @type {Page.TableInfo | null} */ this.info = null;
    /** @type {Page.QuestionShown | null} */ this.question = null;
    /** @type {Page.SupposedShown | null} */ this.supposed = null;
    /** @type {Page.StepShown[]} */ this.steps = [];
    /** Actions for which a preview was requested last. @type {any[]} */ this.wanted = [];
    /** Actions to send when the server requests them. @type {any[]} */ this.queue = [];
    /** Number of the last request that was answered. @type {number} */ this.answered = 0;
    /** @type {Sent | null} */ this.sent = null;
    /** The place whose choices are listed, or null for all. @type {string | null} */ this.place = null;
    /** The selected answer, which completes the turn. @type {Page.ChoiceShown | null} */ this.picked = null;
    /** @type {string[]} */ this.advice = [];
    /** Whether `advice` is about the selected answer. */ this.isWorth = false;
    /** Command of the answer that a hint suggests. @type {string | null} */ this.starred = null;
    /** Actions of the move that a hint suggests. @type {any[]} */ this.suggested = [];
    /** Limit of the order that a hint suggests, if any. @type {number | null} */ this.limit = null;
    this.isHinting = false;
    /** The amount in the field of a bid or an order. @type {string} */ this.typed = "";
    /** The player's standing order. @type {Page.OrderNotice | null} */ this.order = null;
    /** An order to give at the next question. @type {Page.BidUpTo | Page.PassUntil | null} */ this.orderNext = null;
    /** @type {Page.ChoiceShown[]} */ this.listed = [];
    /** Whether all answers are listed, although they do not fit into the card. */ this.isUnfolded = false;
    /** Selector of the element to focus after drawing. @type {string | null} */ this.focusNext = null;
    /** Actions to collect again after a reconnect. @type {(Sent & { isSent: boolean }) | null} */ this.unconfirmed =
      null;
    /** Descriptions of the choices at each place. @type {Map<string, string>} */ this.labels = new Map();
    this.rendered = "";
    this.lesson.reset();
    clearTimeout(this.timer);
  }

  // Set the question and the collected steps. If the selected answer completes the turn, keep the question, so that the
  // player can select another answer.
  collect(/** @type {Page.QuestionShown | null} */ question, /** @type {Page.SupposedShown | null} */ supposed) {
    const isWhole = supposed?.done || this.isPassing;
    const isPicked = this.picked && isWhole && supposed?.steps.length === this.steps.length + 1;
    this.supposed = supposed?.steps.length ? supposed : null;
    if (isPicked && question?.number === this.question?.number) return;
    const steps = this.supposed?.steps ?? [];
    if (question?.number !== this.question?.number || steps.length !== this.steps.length) {
      this.advice = this.suggested = [];
      this.starred = this.limit = null;
      this.isUnfolded = false;
      const bid = this.lesson.step(steps.length)?.action.amount;
      this.typed = bid === undefined ? "" : String(bid);
    }
    this.starred = this.lesson.step(steps.length)?.command ?? this.starred;
    this.question = question;
    this.steps = steps;
    this.picked = null;
  }

  // Process a position from the server: a real one, or a preview of collected steps (`shown.supposed`).
  show(/** @type {Page.Shown} */ shown) {
    const isSame = this.mine !== null && shown.question?.number === this.mine.number;
    this.shown = shown;
    if (!shown.supposed) {
      this.real = shown;
      this.lesson.learn(shown);
    }
    if (!shown.supposed && isSame && this.wanted.length) {
      // The server sent the same position again. Request the preview of the collected steps again, and change nothing
      // until it arrives.
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
    if (!this.picked) this.place = null;
    this.render();
    this.restore(shown);
  }

  // Load the steps that were collected before a reload of the page. Delete them if they answer another question.
  remember(/** @type {Page.Shown} */ { question, table }) {
    const kept = load(`steps.${table}`);
    if (!kept || !question) return;
    const isGood = kept.number === question.number && Array.isArray(kept.actions) && kept.actions.length > 0;
    if (isGood && this.wanted.length === 0) this.unconfirmed = { ...kept, isSent: false };
    else if (kept.number !== question.number) this.keep([]);
  }

  // Store the collected steps, so that they survive a reload of the page.
  keep(/** @type {any[]} */ actions) {
    if (!this.shown) return;
    save(`steps.${this.shown.table}`, actions.length ? { number: this.question?.number, actions } : null);
  }

  // Return whether the page already shows this position. Drawing it again would discard typed text and close opened
  // details.
  isRendered(/** @type {Page.Shown} */ shown, /** @type {boolean} */ isSame) {
    const { stage, result, names, asked, auction, track } = shown;
    const own = [this.question, this.supposed, this.picked, this.order];
    const text = JSON.stringify([...own, stage, result, names, asked, auction, track, hand(shown)]);
    const isKnown = isSame && text === this.rendered && this.place === null;
    this.rendered = text;
    if (isKnown) this.focusNext = null;
    return isKnown;
  }

  // Disable answers while the connection is lost. Keep in `unconfirmed` the collected steps, or the actions that were
  // sent without a later message of the server.
  pause() {
    if (this.sent) this.unconfirmed = { ...this.sent, isSent: true };
    else if (this.question && this.wanted.length) {
      this.unconfirmed = { number: this.question.number, actions: this.wanted, isSent: false };
    }
    this.queue = [];
    this.answered = 0;
    this.sent = null;
    this.wanted = [];
    this.picked = this.orderNext = null;
    this.rendered = "";
    this.collect(null, null);
    this.shown = this.real ?? this.shown; // show no preview
    if (this.shown !== null) this.render();
  }

  // Collect the steps in `unconfirmed` again, after a reconnect or a reload. The player has to confirm them before they
  // are sent.
  restore(/** @type {Page.Shown} */ { question, asked, seat, result }) {
    const { unconfirmed } = this;
    const isWaiting = question === null && asked === seat && seat !== null && !result;
    if (unconfirmed === null || isWaiting) return;
    this.unconfirmed = null;
    const isOpen = unconfirmed.number === this.mine?.number;
    if (isOpen) this.repeat(unconfirmed.actions);
    if (isOpen && unconfirmed.isSent) {
      this.notice("The connection was lost before your answer reached the server. Confirm it again.");
    } else if (!isOpen && !unconfirmed.isSent) {
      this.notice("The game continued without the steps you had collected; they were dropped.");
    } else if (!isOpen && unconfirmed.actions.length > 1) {
      this.notice("The connection was lost between your steps; those not sent yet were dropped.");
    }
  }

  // The question that the player can answer now, or null.
  get mine() {
    return this.question && this.queue.length === 0 && this.question.number > this.answered ? this.question : null;
  }

  // Whether the question asks for a bid.
  get isAuction() {
    return this.question?.choices.some(({ max }) => max !== null) ?? false;
  }

  // Return the answer "pass". Undefined in auctions and on action tracks, which show it among the other answers.
  pass() {
    const pass = this.question?.choices.find(({ command }) => command === "pass");
    return pass && !this.isAuction && !trackFor(this.real, [pass]) ? pass : undefined;
  }

  // Return the pass that ends a turn of several steps of the same type, if at least one of them is collected.
  stop() {
    const last = this.steps.at(-1)?.action.type;
    return this.question?.choices.some(({ action }) => action.type === last) ? this.pass() : undefined;
  }

  // Answering

  actions() {
    return this.steps.map(({ action }) => action);
  }

  // Return the actions of the collected steps and of the selected answer.
  chosen() {
    return this.picked ? [...this.actions(), this.picked.action] : this.actions();
  }

  // Select an answer and show its effect. An answer that leads to another question is collected as a step.
  select(/** @type {Page.ChoiceShown} */ choice, /** @type {string | null} */ focus = null) {
    if (!this.mine || choice.command === this.picked?.command) return;
    const actions = [...this.actions(), choice.action];
    if (this.lesson.refuses(actions, choice.words)) return;
    const isStep = choice.more && !this.isPassing;
    this.picked = isStep ? null : choice;
    this.clearWorth();
    if (this.picked) {
      this.focusNext = focus;
      this.render();
    }
    this.step(actions, isStep ? focus && ".choices button, input" : focus);
  }

  // Send the selected answer and the steps before it.
  confirm() {
    if (this.mine && (this.picked || this.supposed?.done)) this.send(this.chosen());
  }

  undo(focus = ".choices button, input") {
    if (!this.mine || (!this.picked && !this.steps.length)) return;
    const actions = this.chosen().slice(0, -1);
    this.picked = null;
    this.clearWorth();
    this.step(actions, focus);
  }

  // Remove the hint about an answer that is no longer selected.
  clearWorth() {
    if (this.isWorth) this.advice = this.suggested = [];
    this.isWorth = false;
  }

  // Remove the message about the previous attempt, and request a preview of `steps`.
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
      if (this.wanted === steps) {
        this.wanted = this.actions();
        this.picked = null;
      }
      this.notice(reason(error));
      if (this.mine) this.render();
    }
  }

  // Collect `actions` again. If the last one completes the turn, select it.
  async repeat(/** @type {any[]} */ actions, /** @type {string | null} */ focus = null) {
    const steps = actions.slice(0, -1);
    if (steps.length) await this.imagine(steps);
    const last = this.mine?.choices.find(({ action, more }) => !more && same(action, actions.at(-1)));
    if (last && last !== this.stop() && !this.isAuction && same(this.actions(), steps)) this.select(last, focus);
    else this.imagine(actions, focus);
  }

  // Send a request about the open question. Return the advice, which is empty if the server answers with a position.
  async ask(/** @type {Partial<Page.Show>} */ wish) {
    const answer = await this.wire.ask({ type: "show", number: this.question?.number, ...wish });
    return answer.type === "advice" ? answer : { words: [], command: null, steps: [], limit: null };
  }

  // Request a hint, which takes a few seconds. If the collected steps change in the meantime, request it again for the
  // new position.
  async hint() {
    if (!this.mine || this.isHinting || this.info?.hints === false) return;
    const { number } = this.mine;
    this.isHinting = true;
    this.keepFocus();
    this.render();
    try {
      /** @type {any[] | null} */ let steps = null;
      while (this.mine?.number === number && !same(steps, this.chosen())) {
        steps = this.chosen();
        const { words, command, steps: suggested, limit = null } = await this.ask({ hint: true, steps });
        if (this.mine?.number !== number || !same(steps, this.chosen())) continue;
        this.advice = words;
        this.isWorth = this.picked !== null || suggested.length === 0;
        this.starred = command ?? this.starred;
        this.suggested = suggested;
        this.limit = limit;
      }
    } catch (error) {
      this.notice(reason(error));
    }
    this.isHinting = false;
    this.keepFocus();
    this.render();
  }

  // Keep the focus on the hint button or in the bid field when the card is drawn next.
  keepFocus() {
    const at = document.activeElement;
    if (at && this.box.contains(at)) this.focusNext = [".hint", "input"].find((what) => at.matches(what)) ?? null;
  }

  // Return the selector of the element to focus after drawing, and clear it.
  takeFocus() {
    const wanted = this.focusNext;
    this.focusNext = null;
    return wanted;
  }

  // Collect the steps of this turn that lead to a place, such as a route, or explain why the place cannot be chosen.
  async why(/** @type {string} */ place) {
    const { question, steps } = this;
    if (!this.mine) return;
    try {
      const { words, steps: plan } = await this.ask({ why: place, steps: this.actions() });
      if (this.question !== question || this.steps !== steps) return;
      if (plan.length && !this.lesson.shown) {
        this.repeat([...this.actions(), ...plan]);
        return;
      }
      this.explain(this.places.targets.size ? [...words, "You can choose the outlined places."] : words);
      this.places.tell(words.join(" "));
    } catch (error) {
      this.notice(reason(error));
    }
  }

  // Send the first action now, and each later one when the server requests it.
  send(/** @type {any[]} */ actions) {
    const last = actions.at(-1);
    const words = this.question?.choices.find(({ action }) => action === last)?.words ?? `Bid $${last?.amount}`;
    if (this.lesson.refuses(actions, words)) return;
    if (!this.question || !this.answer(this.question.number, actions)) {
      this.notice(NO_CONNECTION);
      return;
    }
    this.notice("");
    this.keep([]);
    this.wanted = [];
    this.picked = null;
    this.collect(null, null);
    this.render();
  }

  asked(/** @type {Page.Request} */ { number }) {
    const order = this.queue.length ? null : this.orderNext;
    if (this.queue.length) this.answer(number, this.queue);
    this.orderNext = this.queue.length ? this.orderNext : null;
    if (order) this.give(order, number);
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
    this.wire.say(this.places.wish());
  }

  // Standing orders

  bidUpTo(/** @type {number} */ limit) {
    return this.giveAfterSteps(orderTo(limit), `bid up to $${limit}`);
  }

  passUntilChange() {
    return this.giveAfterSteps({ type: "pass_until", until: "choices_change" }, "pass until your choices change");
  }

  // Send the collected steps first, after a confirmation, because they lead to the question that the order answers.
  async giveAfterSteps(/** @type {Page.BidUpTo | Page.PassUntil} */ order, /** @type {string} */ orderWords) {
    if (!this.steps.length) {
      this.give(order);
      return;
    }
    const { question, steps } = this;
    const words = `${steps.map((step) => step.words).join(", ")}, then ${orderWords}.`;
    const asked = { title: "Send your steps?", words, yes: "Send", no: "Not yet", look: "primary" };
    if (!(await isConfirmed(asked))) return;
    if (this.question !== question || this.steps !== steps) return;
    this.orderNext = order;
    this.send(this.actions());
  }

  // Whether the server passes automatically at later questions. Then each answer completes the turn.
  get isPassing() {
    return this.order?.order?.type === "pass_until" && this.order.order.until === "choices_change";
  }

  // Send a standing order, or cancel it if `order` is null. `number`: the open request, which the order answers first.
  /** @param {Page.BidUpTo | Page.PassUntil | null} order @param {number | null} number */
  async give(order, number = this.mine?.number ?? null) {
    try {
      await this.wire.ask({ type: "standing_order", order, number: order ? number : null });
    } catch (error) {
      this.notice(reason(error));
    }
  }

  // Process a message about the standing order: it is active, or it has ended.
  ordered(/** @type {Page.OrderNotice} */ message) {
    this.order = message.order ? message : null;
    if (!message.order && message.words) this.notice(message.words, "quiet");
    if (this.shown) this.render();
  }
}

// Return the content of the column Hand for this seat, or an empty string.
export function hand(/** @type {Page.Shown} */ { tables, seat }) {
  const column = tables[0]?.columns.findIndex(([name]) => name === "Hand") ?? -1;
  return seat === null || column < 0 ? "" : String(tables[0].cells[seat]?.[column] ?? "");
}

export function same(/** @type {any} */ one, /** @type {any} */ other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
