"use strict";
// The question that is put to this seat. Steps are collected and shown as the server imagines them; nothing is played
// before they are sent, so that the last can be taken back.

class Choosing {
  static PREVIEW_MS = 250;

  constructor({ wire, places, notice }) {
    Object.assign(this, { wire, places, notice });
    this.box = document.getElementById("asked");
    this.hover = document.getElementById("hover");
    // A key that is held down answers once.
    this.box.addEventListener("keydown", (event) => { if (event.repeat && (event.key === "Enter" || event.key === " ")) event.preventDefault(); });
    this.reset();
  }

  reset() {
    this.shown = null;
    this.collect(null, null);
    this.wanted = [];
    this.queue = [];
    this.answered = 0;
    this.sent = null;
    this.place = null;
    this.advice = [];
    this.focusNext = null;
    this.kept = null;
    this.rendered = "";
    clearTimeout(this.timer);
  }

  collect(question, supposed) {
    this.question = question;
    this.supposed = supposed?.steps.length ? supposed : null;
    this.steps = this.supposed?.steps ?? [];
  }

  // What the server shows: a real position, or an imagined one.
  show(shown) {
    const isSame = this.isMine && shown.question?.number === this.question.number;
    this.shown = shown;
    if (!shown.supposed && isSame && this.wanted.length) {
      // Shown again to one who has collected steps: they are imagined again, and stay as they are until then.
      this.imagine(this.wanted, this.focusNext);
      return;
    }
    this.collect(shown.question, shown.supposed);
    if (!isSame) this.wanted = [];
    if (!shown.supposed && this.sent && this.queue.length === 0 && shown.question?.number !== this.sent.number) this.sent = null;
    if (this.isRendered(isSame)) {
      if (this.places.targets.size === 0) this.offer();
      return;
    }
    this.place = null;
    if (this.supposed || !isSame) this.advice = [];
    this.render();
    this.restore();
  }

  // Whether all this stands on the page already, with what may have been typed or opened there.
  isRendered(isSame) {
    const { stage, result, names, asked, auction } = this.shown;
    const written = JSON.stringify([this.question, this.supposed, stage, result, names, asked, auction, this.hand()]);
    const isKnown = isSame && written === this.rendered && this.place === null;
    this.rendered = written;
    if (isKnown) this.focusNext = null;
    return isKnown;
  }

  // The connection is gone: nothing can be done until the table is shown again. What was collected is kept, and what
  // was sent without the server having been heard since.
  pause() {
    if (this.sent) this.kept = { ...this.sent, isSent: true };
    else if (this.question && this.wanted.length) this.kept = { number: this.question.number, actions: this.wanted, isSent: false };
    this.queue = [];
    this.answered = 0;
    this.sent = null;
    this.wanted = [];
    this.rendered = "";
    this.collect(null, null);
    if (this.shown !== null) this.render();
  }

  // After the connection was lost. Nothing is sent that is not confirmed again.
  restore() {
    const { kept, shown } = this;
    const isWaiting = shown.question === null && shown.asked === shown.seat && shown.seat !== null && !shown.result;
    if (kept === null || isWaiting) return;
    this.kept = null;
    const isOpen = this.isMine && kept.number === this.question.number;
    if (isOpen) this.imagine(kept.actions);
    if (isOpen && kept.isSent) this.notice("The connection was lost before the server heard your answer. It is not sent; confirm it again.");
    else if (!isOpen && !kept.isSent) this.notice("The game went on without the steps you had collected; they are dropped.");
    else if (!isOpen && kept.actions.length > 1) this.notice("The connection was lost between your steps; those that were not sent yet are dropped.");
  }

  // The pieces in one's own hand, where a game has such.
  hand() {
    const { tables, seat } = this.shown;
    const column = tables[0].columns.findIndex(([name]) => name === "Hand");
    return seat === null || column < 0 ? null : tables[0].cells[seat][column];
  }

  get isMine() {
    return this.question !== null && this.queue.length === 0 && this.question.number > this.answered;
  }

  // Rendering

  render() {
    const hadFocus = this.box.contains(document.activeElement);
    const parts = this.shown === null ? [] : [...this.head(), ...this.auction(), ...(this.isMine ? this.mine() : [])];
    this.box.replaceChildren(...parts);
    document.getElementById("ask-title").textContent = this.shown?.result ? "The end" : this.isMine ? "Your move" : "Now";
    document.getElementById("ask").classList.toggle("mine", this.isMine);
    this.offer();
    this.announce();
    this.hover.textContent = "";
    const wanted = this.focusNext ?? (hadFocus ? ".confirm, .choices button, input" : null);
    this.focusNext = null;
    if (wanted && this.isMine) this.box.querySelector(wanted)?.focus();
    else if (hadFocus) document.getElementById("ask").focus({ preventScroll: true });
  }

  // Said by screen readers: only what is new.
  announce() {
    const { shown, supposed, isMine } = this;
    let words = "";
    if (shown?.result) words = "The game has ended.";
    else if (isMine && supposed?.done) words = `Send this? ${supposed.total}`;
    else if (isMine) words = `Your move. ${this.question.words}${supposed?.total ? ` So far: ${supposed.total}` : ""}`;
    const place = document.getElementById("announce");
    if (place.textContent !== words) place.textContent = words;
  }

  head() {
    const { make } = Parts;
    const { stage, result, names } = this.shown;
    if (result) return [Choosing.podium(result, names), ...result.words.map((line) => make("p", "quiet", line))];
    const parts = [make("p", "quiet stage", stage[0] ?? "")];
    if (!this.isMine) parts.push(make("p", "waiting", this.queue.length ? "Sending …" : stage.slice(1).join(" ")));
    return parts;
  }

  static podium({ ranks, scores }, names) {
    const order = ranks.map((rank, seat) => [rank, seat]).sort(([one], [other]) => one - other);
    const items = order.map(([rank, seat]) => Parts.make("li", rank === 1 ? "winner" : "", `${rank}. `, Parts.swatch(names[seat]), ` ${names[seat][0]} `, Parts.make("b", "", `$${scores[seat].toLocaleString("en-US")}`)));
    return Parts.make("ol", "podium", ...items);
  }

  auction() {
    const { make, swatch } = Parts;
    const { auction, names, asked } = this.shown;
    if (!auction) return [];
    const last = new Map(auction.bids.map(([seat, amount]) => [seat, amount]));
    const rows = names.map((name, seat) => {
      const isOut = !auction.still_in.includes(seat);
      const bid = last.get(seat);
      const words = isOut ? "passed" : seat === auction.leader ? `$${auction.bid}` : seat === asked ? "to bid" : bid ? `$${bid}` : "–";
      return make("li", `${isOut ? "out" : ""}${seat === auction.leader ? " leader" : ""}`, swatch(name), ` ${name[0]} `, make("b", "", words));
    });
    const standing = auction.bid === null ? `no bid yet, at least $${auction.minimum}` : `$${auction.bid} by ${names[auction.leader][0]}`;
    const card = make("article", "auction running", make("h4", "", swatch([auction.company, auction.paint, auction.letter]), ` ${auction.company}: ${auction.what}`), make("p", "standing", standing), make("ol", "", ...rows));
    card.setAttribute("aria-label", "Auction");
    return [card];
  }

  mine() {
    const { make, button } = Parts;
    const { words, choices } = this.question;
    const isDone = this.supposed?.done ?? false;
    const title = make("p", "question", isDone ? "Send this?" : words);
    const hand = this.hand();
    const parts = hand ? [make("p", "hand", "Your hand: ", make("b", "", hand)), title] : [title];
    const stop = this.steps.length ? choices.find(({ command }) => command === "pass") : undefined;
    if (this.steps.length) parts.push(this.collected(stop));
    const bid = choices.find(({ max }) => max !== null);
    if (bid) parts.push(this.bidForm(bid));
    const listed = choices.filter((choice) => choice !== bid && choice !== stop && (this.place === null || choice.places.includes(this.place)));
    if (listed.length) parts.push(this.list(listed));
    if (this.place !== null) parts.push(button("All choices", () => { this.place = null; this.render(); }));
    if (!isDone) parts.push(this.help());
    return parts;
  }

  // What is collected, what it would do, and the way back.
  collected(stop) {
    const { make, button } = Parts;
    const { total, events, done } = this.supposed;
    const steps = make("ol", "steps", ...this.steps.map(({ words }) => make("li", "", words)));
    const box = make("div", "collected", make("p", "quiet", "Not sent yet:"), steps);
    if (total) box.append(make("p", "total", total));
    const brought = events.slice(-4);
    if (done && brought.length) box.append(make("ul", "quiet", ...brought.map((line) => make("li", "", line))));
    const row = make("p", "fields");
    if (done) row.append(button(this.steps.length === 1 ? `Confirm: ${this.steps[0].words}` : "Confirm", () => this.send(this.actions()), "primary confirm"));
    if (stop) {
      const isEnd = stop.words !== "Pass";
      const node = button(isEnd ? "Done: send these steps" : "Pass, and send this", () => this.take(stop), isEnd ? "primary choice" : "choice");
      node.dataset.command = stop.command;
      row.append(node);
    }
    row.append(button("Undo", () => this.undo()));
    if (this.steps.length > 1) row.append(button("Undo all", () => this.imagine([])));
    box.append(row);
    return box;
  }

  list(choices) {
    const items = choices.map((choice, number) => {
      const node = Parts.button("", () => this.take(choice), "choice");
      node.append(Parts.make("span", "words", choice.words));
      if (choice.preview) node.append(Parts.make("span", "preview", choice.preview));
      if (number < 9) node.dataset.key = number + 1;
      node.dataset.command = choice.command;
      for (const name of ["pointerenter", "focus"]) node.addEventListener(name, () => this.places.light(choice.places));
      for (const name of ["pointerleave", "blur"]) node.addEventListener(name, () => this.places.light([]));
      return Parts.make("li", "", node);
    });
    return Parts.make("ol", "choices", ...items);
  }

  bidForm(choice) {
    const { make, button } = Parts;
    const field = make("input", "bid");
    Object.assign(field, { type: "number", min: choice.min, max: choice.max, step: 1, value: choice.min, inputMode: "numeric" });
    field.setAttribute("aria-label", `Your bid, $${choice.min} to $${choice.max}`);
    const preview = make("p", "preview", choice.preview);
    preview.setAttribute("role", "status");
    const amount = () => Math.min(Math.max(Math.trunc(+field.value) || choice.min, choice.min), choice.max);
    const range = `from $${choice.min} to $${choice.max}, all you have`;
    const submit = make("button", "primary", `Bid $${choice.min}`);
    const changed = () => {
      submit.textContent = `Bid $${amount()}`;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.previewBid(amount(), preview), Choosing.PREVIEW_MS);
    };
    const by = (more) => button(`+${more}`, () => { field.value = Math.min(amount() + more, choice.max); changed(); });
    field.addEventListener("input", changed);
    const form = make("form", "fields bidding", "$", field, by(1), by(5), submit);
    form.noValidate = true;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      clearTimeout(this.timer);
      if (+field.value !== amount() || field.value === "") this.notice(`Bids are ${range}; this one is $${amount()} now.`, "quiet");
      field.value = amount();
      this.imagine([...this.actions(), { type: "bid", amount: amount() }], ".confirm");
    });
    return make("div", "", form, preview, make("p", "quiet", range));
  }

  help() {
    const { make, button } = Parts;
    const { explained, rules } = this.question;
    const more = make("details", "", make("summary", "", "What is this about?"), make("p", "", explained), make("ul", "rules", ...rules.map((rule) => make("li", "", rule))));
    const advice = make("div", "advice", ...this.advice.map((line) => make("p", "", line)));
    advice.setAttribute("role", "status");
    const hint = button("Hint", () => this.hint());
    return make("div", "help", make("p", "fields", hint), advice, more);
  }

  // The board

  offer() {
    const labels = new Map();
    if (this.isMine && !this.supposed?.done) {
      for (const { words, preview, places } of this.question.choices) {
        for (const place of places) {
          const told = preview ? `${words}: ${preview}` : words;
          labels.set(place, labels.has(place) ? `${labels.get(place)}; or ${told}` : told);
        }
      }
    }
    this.labels = labels;
    this.places.offer(labels);
  }

  point(place) {
    this.hover.textContent = place === null ? "" : (this.labels.get(place) ?? "");
    for (const node of this.box.querySelectorAll(".choice")) node.classList.toggle("lit", false);
    if (place === null) return;
    for (const { command } of this.question?.choices.filter(({ places }) => places.includes(place)) ?? []) {
      this.box.querySelector(`[data-command="${CSS.escape(command)}"]`)?.classList.add("lit");
    }
  }

  pick(place) {
    if (!this.isMine) return;
    const fitting = this.question.choices.filter(({ places }) => places.includes(place));
    if (fitting.length === 1) {
      this.imagine([...this.actions(), fitting[0].action], fitting[0].more ? null : ".confirm");
    } else if (fitting.length) {
      this.place = place;
      this.focusNext = ".choices button";
      this.render();
    }
  }

  // Answering

  actions() {
    return this.steps.map(({ action }) => action);
  }

  take(choice) {
    if (!this.isMine) return;
    const actions = [...this.actions(), choice.action];
    const isStop = choice.command === "pass";
    if (choice.more) this.imagine(actions, ".choices button, input");
    else if (this.steps.length && !isStop) this.imagine(actions, ".confirm");
    else this.send(actions);
  }

  takeNumber(number) {
    this.box.querySelector(`[data-key="${number}"]`)?.click();
  }

  undo() {
    if (this.isMine && this.steps.length) this.imagine(this.actions().slice(0, -1), ".choices button, input");
  }

  async imagine(steps, focus = null) {
    this.focusNext = focus;
    this.wanted = steps;
    try {
      await this.wire.ask({ type: "show", number: this.question.number, steps });
    } catch (error) {
      if (this.wanted === steps) this.wanted = this.actions();
      this.notice(error.message);
    }
  }

  async previewBid(amount, preview) {
    const steps = [...this.actions(), { type: "bid", amount }];
    try {
      const { words } = await this.wire.ask({ type: "show", number: this.question.number, steps, preview: true });
      preview.textContent = words.join(", ");
    } catch {
      preview.textContent = "";
    }
  }

  async hint() {
    if (!this.isMine) return;
    await this.advise({ hint: true, steps: this.actions() });
  }

  async why(place) {
    if (this.isMine) await this.advise({ why: place });
  }

  async advise(wish) {
    try {
      const { words } = await this.wire.ask({ type: "show", number: this.question.number, ...wish });
      this.advice = words;
      const box = this.box.querySelector(".advice");
      box?.replaceChildren(...words.map((line) => Parts.make("p", "", line)));
      if (wish.why) this.hover.textContent = words.join(" ");
    } catch (error) {
      this.notice(error.message);
    }
  }

  // One action after another, each when the server asks for it.
  send(actions) {
    const [first, ...rest] = actions;
    if (!this.wire.say({ type: "action", number: this.question.number, action: first })) {
      this.notice("There is no connection to the server just now.");
      return;
    }
    this.queue = [...rest];
    this.answered = this.question.number;
    this.sent = { number: this.question.number, actions };
    this.wanted = [];
    this.collect(null, null);
    this.render();
  }

  asked({ number }) {
    const next = this.queue.shift();
    if (!next) return;
    this.answered = number;
    this.sent = { number, actions: [next, ...this.queue] };
    this.wire.say({ type: "action", number, action: next });
  }

  refused(words) {
    const left = this.queue.length;
    this.queue = [];
    this.answered = 0;
    this.sent = null;
    this.notice(left ? `${words} The steps after it were not sent.` : words);
    this.wire.say({ type: "show" });
  }
}
