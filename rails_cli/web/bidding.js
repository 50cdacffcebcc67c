// @ts-check
// Auctions in the question card: the bids so far, the field for an amount, and orders to bid or pass automatically.

import { load, save } from "./memory.js";
import { button, labelled, make, option, swatch } from "./parts.js";

/** Largest number of bidders that are listed in one column. */
const MOST_IN_COLUMN = 3;

/** @typedef {{ min: number, max: number | null, value: string, changed: (amount: Amount) => void }} Limits */

// A field for a whole amount of dollars, with buttons beside it.
export class Amount {
  constructor(/** @type {Limits} */ { min, max, value, changed }, /** @type {string} */ label) {
    this.min = min;
    this.max = max;
    this.changed = changed;
    this.field = labelled(make("input", "bid"), label);
    this.field.type = "number";
    Object.assign(this.field, { min: `${min}`, step: "1", value: value || `${min}`, inputMode: "numeric" });
    if (max !== null) this.field.max = `${max}`;
    this.field.addEventListener("input", () => changed(this));
    // Select the old amount on focus, so that typing replaces it.
    this.field.addEventListener("pointerdown", (event) => {
      if (document.activeElement === this.field) return;
      event.preventDefault();
      this.field.focus();
    });
    this.field.addEventListener("focus", () => this.field.select());
    const less = labelled(
      button("−", () => this.add(-1)),
      "One dollar less",
    );
    const more = labelled(
      button("+", () => this.add(1)),
      "One dollar more",
    );
    this.node = make("span", "stepper", less, make("span", "amount", "$", this.field), more);
  }

  get value() {
    return +this.field.value;
  }

  get isGood() {
    const { value, min, max } = this;
    return Number.isInteger(value) && value >= min && (max === null || value <= max);
  }

  add(/** @type {number} */ more) {
    const { min, max } = this;
    const sum = Math.max(min, this.value + more);
    this.field.value = String(this.isGood ? Math.min(sum, max ?? sum) : min);
    this.changed(this);
  }
}

export function auctionCard(/** @type {Page.Shown} */ { auction, names, asked }) {
  if (!auction) return [];
  const { bid, leader, company, what, minimum } = auction;
  const last = new Map(auction.bids);
  const rows = names.map((name, seat) => {
    const [isOut, isLeader, own] = [!auction.still_in.includes(seat), seat === leader, last.get(seat)];
    const words = isOut ? "passed" : isLeader ? `$${bid}` : seat === asked ? "to bid" : own ? `$${own}` : "–";
    const look = isOut ? "out" : isLeader ? "leading" : "";
    const node = make("li", look, swatch(name), make("span", "bidder", name[0]), make("b", "", words));
    if (isLeader) node.append(make("em", "leads", "leads"));
    return node;
  });
  const standing = leader === null ? `no bid yet, at least $${minimum}` : `$${bid} by ${names[leader][0]}`;
  const mark = swatch([company, auction.paint, auction.symbol]);
  const title = make("h4", "", make("span", "", mark, ` ${company}: ${what}`), make("span", "standing", standing));
  const card = make(
    "article",
    "auction running",
    title,
    make("ol", rows.length > MOST_IN_COLUMN ? "two" : "", ...rows),
  );
  return [labelled(card, "Auction")];
}

// Return the order to bid automatically up to `limit`. Above it, the order passes or asks, as selected in `thenField`.
/** @param {number} limit @returns {Page.BidUpTo} */
export function orderTo(limit) {
  // biome-ignore lint/suspicious/noThenProperty: the protocol has this name
  return { type: "bid_up_to", limit, then: load("then") === "pass" ? "pass" : "ask" };
}

// Return the field that selects what happens when others bid more than the limit of an order. The browser stores it.
export function thenField() {
  const field = make("select", "", option("ask", "ask me"), option("pass", "pass"));
  field.value = orderTo(0).then ?? "ask";
  field.addEventListener("change", () => save("then", field.value));
  return make("label", "then", "Above the limit: ", field);
}

/**
 * Return the form for orders in an auction before the player's turn: bid up to an amount, or pass. Empty for others.
 * @param {Page.Shown} shown
 * @param {string} typed The amount that was typed before.
 * @param {(text: string) => void} keep Called with the typed amount.
 * @param {(order: Page.BidUpTo | Page.PassUntil) => void} give
 */
export function earlyOrders({ auction, seat, asked, result }, typed, keep, give) {
  const isIn = auction && seat !== null && asked !== seat && auction.still_in.includes(seat) && !result;
  if (!isIn) return [];
  const submit = make("button", "", "");
  const changed = (/** @type {Amount} */ amount) => {
    keep(amount.field.value);
    submit.textContent = amount.isGood ? `Bid up to $${amount.value}` : "Bid up to";
    submit.setAttribute("aria-disabled", String(!amount.isGood));
  };
  const least = auction.leader === seat ? (auction.bid ?? auction.minimum) : Math.max(auction.minimum, 1);
  const value = typed || `${auction.bid === null ? least : auction.bid + 1}`;
  const amount = new Amount({ min: least, max: null, value, changed }, "Highest bid that is made for you");
  changed(amount);
  const pass = button("Pass when asked", () => give({ type: "pass_until", until: "auction_ends" }));
  const form = make(
    "form",
    "ordering",
    make("p", "quiet", "When you are asked:"),
    amount.node,
    submit,
    pass,
    thenField(),
  );
  form.noValidate = true;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (amount.isGood) give(orderTo(amount.value));
  });
  return [form];
}
