// @ts-check
// The list of seats at a table: players, clocks, possessions, and buttons to take a seat or to invite somebody.

import { load } from "./memory.js";
import { $, botWords, button, copyButton, initial, labelled, make, money, scored, swatch, timeWords } from "./parts.js";

const SHORT_S = 30;

/** @typedef {{ clock: HTMLElement, left: Page.ClockLeft, isRunning: boolean }} Ticking */

export class Seats {
  constructor(/** @type {{ sit: (seat: number) => void, invite: (seat: number) => void }} */ ways) {
    this.ways = ways;
    /** @type {string | null} */ this.invite = null;
    /** @type {Ticking[]} */ this.clocks = [];
    this.reset();
    /** @type {Map<string, string>} */ this.links = new Map();
    setInterval(() => this.tick(), 250);
  }

  reset() {
    /** @type {(Page.ClockLeft | null)[]} */ this.left = [];
    /** @type {number | null} */ this.running = null;
    /** @type {number} */ this.since = 0;
  }

  // Store the clocks in a message of the server and the time of its arrival. The message itself may be shown later.
  time(/** @type {Page.Shown} */ { clocks, asked, result, supposed }) {
    this.left = result ? [] : clocks;
    if (!supposed) this.running = result ? null : asked;
    this.since = performance.now();
  }

  // `info` is the lobby's description of the table, `shown` the last position. `asked` is the seat to move in the real
  // position, which `shown` may not have reached.
  /** @param {Page.TableInfo} info @param {Page.Shown | null} shown @param {number | null} seat @param {number | null} asked */
  show(info, shown, seat, asked) {
    this.clocks = [];
    const items = info.seats.map((one) => {
      const item = this.item(one, shown, seat, asked);
      if (info.state === "open") item.append(...this.buttons(info, one, seat));
      return item;
    });
    $("seat-list").replaceChildren(...items);
    this.showInvites(info);
    this.tick();
  }

  /** @param {Page.SeatInfo} one @param {Page.Shown | null} shown @param {number | null} seat @param {number | null} asked */
  item(one, shown, seat, asked) {
    const { seat: number, kind, name: taken, connected, substitute } = one;
    const name = kind === "open" ? "Free seat" : kind === "reserved" ? "Invitation only" : (taken ?? "");
    const isTaken = kind !== "open" && kind !== "reserved";
    const mark = shown?.names[number]?.[2] ?? (isTaken ? initial(name) : String(number + 1));
    const face = make("span", `face paint-seat-${number % 6}`, mark);
    face.setAttribute("aria-hidden", "true");
    const person = make("div", "person", make("b", "", name));
    const isNow = asked === number && !shown?.result;
    if (number === seat) person.append(make("span", "note self", "you"));
    if (substitute) person.append(make("span", "note stands-in", shown?.result ? "a bot finished" : "a bot plays"));
    else if (kind === "player" && !connected) person.append(make("span", "note absent", "away"));
    else if (botWords(one)) person.append(make("span", "note level", botWords(one)));
    if (isNow) person.append(make("span", "tag", number === seat ? "your move" : "to move"));
    const item = make("li", `seat${isTaken ? " taken" : ""}${isNow ? " now" : ""}`, face, person);
    item.title = name;
    const left = this.left[number];
    if (left) {
      const clock = labelled(make("time", "clock"), "time left");
      this.clocks.push({ clock, left, isRunning: this.running === number });
      item.append(clock);
    }
    const own = shown?.players[number];
    if (own) item.append(...possessions(own, shown?.unit));
    return item;
  }

  /** @param {Page.TableInfo} info @param {Page.SeatInfo} one @param {number | null} seat */
  buttons(info, { seat: number, kind }, seat) {
    const found = [];
    if (seat === null && (kind === "open" || (kind === "reserved" && this.invite))) {
      found.push(button("Sit here", () => this.ways.sit(number), "primary"));
    }
    if (load(`owner.${info.table}`) !== null && (kind === "open" || kind === "reserved")) {
      const invite = button("Invite", () => this.ways.invite(number));
      found.push(labelled(invite, `Invite someone to seat ${number + 1}`));
    }
    return found;
  }

  addLink(/** @type {string} */ table, /** @type {number} */ seat, /** @type {string} */ link) {
    this.links.set(`${table}/${seat}`, link);
  }

  showInvites(/** @type {Page.TableInfo} */ info) {
    const items = [];
    for (const { seat, kind } of info.seats) {
      const link = this.links.get(`${info.table}/${seat}`);
      if (!link || kind !== "reserved" || info.state !== "open") continue;
      const field = labelled(make("input", "link"), `Link for seat ${seat + 1}, works once`);
      field.value = link;
      field.readOnly = true;
      field.addEventListener("focus", () => field.select());
      items.push(make("p", "fields", `Seat ${seat + 1}: `, field, copyButton("Copy", link, field)));
    }
    if (items.length) items.unshift(make("p", "quiet", "Send this link to one person; it works once."));
    if ($("invites").childElementCount !== items.length) $("invites").replaceChildren(...items);
  }

  tick() {
    for (const { clock, left, isRunning } of this.clocks) {
      const used = isRunning ? (performance.now() - this.since) / 1000 : 0;
      const times = [left.bank_s, left.move_s].filter((time) => time !== null).map((time) => Math.max(0, time - used));
      const time = Math.min(...times);
      clock.textContent = timeWords(time);
      clock.classList.toggle("short", isRunning && time < SHORT_S);
    }
  }
}

// Return a player's cash, what the next dividend would add to it, and shares or other possessions.
/** @param {Page.PlayerShown} own @param {string} [unit] */
function possessions({ cash, due, shares, note }, unit) {
  const parts = [make("div", "cash", cash === null ? "hidden" : scored(cash, unit))];
  if (due) {
    const next = make("small", "", `next +${money(due)}`);
    next.title = "What the next dividend would pay, if nothing changed";
    parts[0].append(next);
  }
  const held = shares.map(([name, paint, symbol, count]) => {
    const mark = swatch([name, paint, symbol]);
    return make("span", "share", mark, make("span", "unseen", `${name} `), count > 1 ? `×${count}` : "");
  });
  parts.push(make("div", "holds", ...held, note));
  return parts;
}
