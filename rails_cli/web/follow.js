// @ts-check
// Animated display of other players' moves, one event after another, at a selectable pace. Web animations do all
// timing.

import { svgNode } from "./board.js";
import { isShortcut } from "./controls.js";
import { load, save } from "./memory.js";
import { $, make, money } from "./parts.js";

const STEP_MS = 800;
const OTHER_MS = 400; // for an event that changes neither the board nor money
const TRACK_MS = 350;
const SLIDE_MS = 400;
const MONEY_MS = 900;
const PAYMENT_MS = 600;
const APART_MS = 120;
const FLASH_MS = 900;
const FINALE_MS = 1_800;
const RING_MS = 2_000;
const RISE_PX = 22;
const MANY = 8;
const MOST_WAITING = 24; // with more events than this in the queue, older ones are no longer animated
const MOST_SEGMENTS = 24;
const EASING = "cubic-bezier(.3,.7,.2,1)";
/** @type {Record<string, number>} */
const SPEEDS = { normal: 1, fast: 2, instant: Infinity };

/** @typedef {Page.EventShown & { words: string }} Step */
/**
 * The visible parts of a position that is earlier than the last presented one.
 * @typedef {{ marks: Map<number, Page.SvgMark>, tables: Page.TableShown[], players: Page.PlayerShown[] }} Frame
 */
/**
 * A message whose events are shown one after another. `at` is the number of events shown so far. `isPresented`: the
 * rest of the message is on the page already, so only the board and the panels still change.
 * @typedef {{ shown: Page.Shown, steps: Step[], at: number, isPresented: boolean }} Item
 */

const prefersStill = matchMedia("(prefers-reduced-motion: reduce)");

export class Follow {
  /**
   * `present` shows a whole message at once. `since` requests the events since the player's last turn. `panels` shows
   * tables and possessions of an earlier position, and hides the last lines of the story. With null, it shows those of
   * the last message again.
   * @param {import("./places.js").Places} places
   * @param {{
   *   present: (shown: Page.Shown) => void,
   *   since: () => Promise<Page.SinceShown | null>,
   *   panels: (earlier: Pick<Frame, "tables" | "players"> | null, hiddenLines: number) => void,
   * }} ways
   */
  constructor(places, ways) {
    this.places = places;
    this.ways = ways;
    /** @type {Set<Animation>} */ this.motions = new Set();
    /** @type {Item[]} */ this.queue = [];
    /** @type {Animation | null} */ this.timer = null;
    this.reset();
    $("play-skip").addEventListener("click", () => this.finish());
    $("play-again").addEventListener("click", () => this.replay());
    $("pace").value = Object.hasOwn(SPEEDS, load("pace")) ? load("pace") : "normal";
    $("pace").addEventListener("change", () => {
      save("pace", $("pace").value);
      if ($("pace").value === "instant") this.finish();
    });
    $("board-holder").addEventListener("click", () => this.finish());
    document.addEventListener("visibilitychange", () => document.hidden && this.finish());
    document.addEventListener("keydown", (event) => {
      if (event.key !== " " || !this.isPlaying || !isShortcut(event)) return;
      event.preventDefault();
      this.finish();
    });
  }

  get isPlaying() {
    return this.queue.length > 0;
  }

  // Number of events that have not been shown yet.
  get waiting() {
    return this.queue.reduce((sum, { steps, at }) => sum + steps.length - at, 0);
  }

  // Reset the state, because another table is shown.
  reset() {
    this.queue = [];
    /** The last position presented. @type {Page.Shown | null} */
    this.last = null;
    /** The position that is shown while `last` is a later one. @type {Frame | null} */
    this.frame = null;
    /** Events since the player's last turn, and the position before. @type {{ before: Frame, steps: Step[] } | null} */
    this.since = null;
    /** Whether `since` begins at the player's last turn. If the page was loaded after it, `since` begins later. */
    this.isWhole = false;
    this.wasAsked = false;
    this.stop();
  }

  // Present a message of the server after the messages before it. Events are animated, except those of the player, on a
  // hidden page, or if animations are off.
  receive(/** @type {Page.Shown} */ shown) {
    const steps = stepsOf(shown);
    if (steps.length) this.remember(shown, steps);
    if (!shown.supposed) this.wasAsked = shown.question !== null;
    const isOwn = steps.every(({ seat }) => seat === shown.seat && seat !== null);
    const isUnseen = document.hidden || $("table").hidden || this.last === null;
    const isInstant = SPEEDS[$("pace").value] === Infinity;
    if (isOwn || isUnseen || isInstant || prefersStill.matches) {
      this.finish();
      if (shown.board) {
        this.since = null;
        this.isWhole = false;
      }
      this.present(shown);
      if (prefersStill.matches) this.ring(steps);
      else if (!isUnseen && !isInstant) for (const step of steps) this.move(step, null);
      this.offerAgain();
      return;
    }
    const isUrgent = shown.question !== null && shown.seat !== null && shown.clocks[shown.seat] !== null;
    if (this.queue[0]?.isPresented || this.waiting > MOST_WAITING) this.finish();
    const isIdle = !this.isPlaying;
    this.queue.push({ shown, steps, at: 0, isPresented: false });
    if (isUrgent) this.presentAll();
    if (isIdle) this.advance();
  }

  present(/** @type {Page.Shown} */ shown) {
    if (!shown.supposed) this.last = shown;
    this.ways.present(shown);
  }

  // Present the rest of all messages now, because a clock is running. The board continues to show their events.
  presentAll() {
    const frame = this.frameNow();
    for (const item of this.queue) {
      if (item.isPresented) continue;
      this.present(rest(item));
      item.isPresented = true;
    }
    this.show(frame);
  }

  // Return the last presented position.
  frameNow() {
    const { tables = [], players = [] } = this.last ?? {};
    return { marks: new Map(this.places.marks), tables, players };
  }

  // Show a position that is earlier than the last presented one.
  show(/** @type {Frame} */ frame) {
    this.frame = frame;
    this.places.board?.show(frame.marks);
    this.ways.panels(frame, this.waiting);
  }

  remember(/** @type {Page.Shown} */ { seat }, /** @type {Step[]} */ steps) {
    if (seat === null) return;
    if (this.since === null || this.wasAsked) {
      const before = this.frameNow();
      for (const item of this.queue) if (!item.isPresented) for (const step of remaining(item)) change(before, step);
      this.since = { before, steps: [] };
      this.isWhole ||= this.wasAsked;
    }
    this.since.steps.push(...steps);
  }

  // Show the next event.
  advance() {
    while (this.queue.length) {
      const [item] = this.queue;
      const step = item.steps[item.at];
      if (!step) {
        this.queue.shift();
        if (!item.isPresented) this.present(rest(item));
        continue;
      }
      const auction = this.last?.auction ?? null;
      item.at += 1;
      if (item.isPresented && this.frame) {
        change(this.frame, step);
        this.show(this.frame);
      } else {
        this.present(between({ ...item, at: item.at - 1 }, this.last ?? item.shown));
      }
      this.move(step, auction);
      const ms = item.shown.seat !== null && step.seat === item.shown.seat ? 0 : lengthOf(step);
      if (ms === 0) continue;
      this.card(item, step);
      this.timer = $("play").animate([], { duration: ms / this.speed(item) });
      this.timer.onfinish = () => this.advance();
      return;
    }
    this.stop();
  }

  // End the animations and present all messages.
  finish() {
    const items = this.queue;
    this.queue = [];
    for (const item of items) if (!item.isPresented) this.present(rest(item));
    this.stop();
  }

  stop() {
    if (this.timer) this.timer.onfinish = null;
    this.timer?.cancel();
    this.timer = null;
    for (const motion of this.motions) motion.finish();
    this.motions.clear();
    $("play").hidden = true;
    if (this.last) this.places.board?.show(this.places.marks, this.places.real);
    if (this.frame) this.ways.panels(null, 0);
    this.frame = null;
    this.offerAgain();
  }

  // Show the events since the player's last turn again.
  async replay() {
    this.finish();
    const { last } = this;
    if (!this.isWhole && last?.others_moved) await this.fetchSince(last.table);
    if (!this.since || !this.last || this.isPlaying) return;
    const { before, steps } = this.since;
    if (prefersStill.matches) {
      this.ring(steps);
      return;
    }
    this.queue = [{ shown: this.last, steps, at: 0, isPresented: true }];
    this.show({ ...before, marks: new Map(before.marks) });
    this.advance();
  }

  // Fetch the events since the player's last turn, because the page was loaded after it.
  async fetchSince(/** @type {string} */ table) {
    const found = await this.ways.since();
    if (!found || this.last?.table !== table) return;
    const { put, tables = [], players = [] } = found;
    /** @type {Map<number, Page.SvgMark>} */ const marks = new Map();
    for (const [number, ...mark] of put) marks.set(number, mark);
    this.since = { before: { marks, tables, players }, steps: stepsOf(found) };
    this.isWhole = true;
  }

  offerAgain() {
    const { since, last, isWhole } = this;
    const isNews = isWhole ? since?.steps.some(({ seat }) => seat !== last?.seat) : last?.others_moved;
    $("play-again").hidden = this.isPlaying || !isNews;
  }

  // Return the factor by which the events of a message are shown faster than normal.
  speed(/** @type {Item} */ { shown, steps, isPresented }) {
    const isUrgent = isPresented && shown.seat !== null && shown.clocks[shown.seat] !== null;
    const set = SPEEDS[$("pace").value];
    return (set === Infinity ? 1 : set) * (Math.max(steps.length, this.waiting) > MANY ? 2 : 1) * (isUrgent ? 2 : 1);
  }

  card(/** @type {Item} */ { shown, steps, at, isPresented }, /** @type {Step} */ { words, seat }) {
    const [, paint = "", symbol = ""] = seat === null ? [] : shown.names[seat];
    $("play-face").className = `face paint-${paint}`;
    $("play-face").textContent = symbol;
    $("play-face").hidden = seat === null;
    $("play-words").textContent = words;
    const first = Math.max(0, Math.min(at - MOST_SEGMENTS / 2, steps.length - MOST_SEGMENTS));
    const segments = steps.slice(first, first + MOST_SEGMENTS).map((_, number) => {
      const place = first + number + 1;
      return make("i", place < at ? "on" : place === at ? "now" : "");
    });
    $("play-steps").replaceChildren(...segments);
    $("play").classList.toggle("beside", isPresented);
    $("play").hidden = false;
    $("play-again").hidden = true;
  }

  // Animations

  /** @param {Element} element @param {Keyframe[] | PropertyIndexedKeyframes} frames @param {KeyframeAnimationOptions} how */
  animate(element, frames, how) {
    const motion = element.animate(frames, { fill: "backwards", easing: EASING, ...how });
    this.motions.add(motion);
    motion.finished.then(() => this.motions.delete(motion)).catch(() => {});
    return motion;
  }

  // Animate the changes of an event: track is drawn, pieces slide to their places, and amounts of money rise. `auction`
  // is the auction before the event.
  move(/** @type {Step} */ { put, seat, kind, money: amounts }, /** @type {Page.AuctionShown | null} */ auction) {
    const from = seat === null ? null : $("seat-list").children[seat];
    const isLine = put.some(([, , tag]) => tag === "path");
    /** @type {SVGPathElement[]} */ const gleams = [];
    /** @type {SVGElement[]} */ const laid = [];
    for (const mark of put) {
      const [number, layer] = mark;
      const element = this.places.board?.shown.get(number);
      if (!element || layer === "hot") continue;
      if (element instanceof SVGPathElement && isGleam(mark)) gleams.push(element);
      else if (element instanceof SVGPathElement) this.drawLine(element);
      else if (layer === "rails") laid.push(element);
      else if (layer === "pieces" && from && !isLine) this.slide(element, from);
      else this.animate(element, { opacity: [0, 1] }, { duration: TRACK_MS, delay: isLine ? TRACK_MS : 0 });
    }
    if (gleams.length) this.gild(gleams, laid);
    else if (from) for (const piece of laid) this.slide(piece, from);
    for (const [place, [owner, amount]] of amounts.entries()) this.float(owner, amount, kind, place);
    if (kind === "sale") this.flash(seat, auction);
  }

  drawLine(/** @type {SVGPathElement} */ line, duration = TRACK_MS, delay = 0) {
    const { fill, strokeDasharray } = getComputedStyle(line);
    if (fill !== "none" || strokeDasharray !== "none") {
      this.animate(line, { opacity: [0, 1] }, { duration, delay: delay + duration / 2 });
      return;
    }
    const length = line.getTotalLength();
    const frames = { strokeDasharray: [`${length} ${length}`, `${length} ${length}`], strokeDashoffset: [length, 0] };
    this.animate(line, frames, { duration, delay });
  }

  // Animate the line that ends the game: it turns gold from one end to the other. `laid` are its pieces of track.
  gild(/** @type {SVGPathElement[]} */ gleams, /** @type {SVGElement[]} */ laid) {
    const duration = FINALE_MS / gleams.length;
    for (const [place, gleam] of gleams.entries()) {
      this.drawLine(gleam, duration, place * duration);
      const box = gleam.getBoundingClientRect();
      const start = gleam.getPointAtLength(0).matrixTransform(gleam.getScreenCTM() ?? undefined);
      for (const piece of laid) {
        const [x, y] = centre(piece);
        if (x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
        const far = Math.hypot(x - start.x, y - start.y) / Math.hypot(box.width, box.height);
        const filter = ["grayscale(1) brightness(.5)", "none"];
        this.animate(piece, { filter }, { duration: TRACK_MS, delay: (place + far) * duration });
      }
    }
  }

  slide(/** @type {SVGElement} */ piece, /** @type {Element} */ from) {
    const [x, y] = distance(piece, from);
    const scale = /** @type {SVGGraphicsElement} */ (piece).getScreenCTM()?.a ?? 1;
    const transform = [`translate(${x / scale}px, ${y / scale}px)`, "none"];
    this.animate(piece, { transform, opacity: [0.2, 1] }, { duration: SLIDE_MS });
  }

  // Animate a payment: the amount rises beside the player's cash, which counts to its new value.
  /** @param {number} seat @param {number} amount @param {Page.EventShown["kind"]} kind @param {number} place */
  float(seat, amount, kind, place) {
    const item = $("seat-list").children[seat];
    const text = item?.querySelector(".cash")?.firstChild;
    if (!(text instanceof Text)) return;
    const range = document.createRange();
    range.selectNode(text);
    const { right: end, top } = range.getBoundingClientRect();
    const tag = item.querySelector(".tag")?.getBoundingClientRect().right ?? 0; // the amount rises beside it
    const right = tag < item.getBoundingClientRect().right ? Math.max(end, tag) : end;
    const words = `${amount < 0 ? "−" : "+"}${money(Math.abs(amount))}`;
    const label = overlay(`float ${amount < 0 ? "loss" : "gain"}`, words, right + 6, top);
    const frames = [
      { opacity: 0, transform: "translateY(6px)" },
      { opacity: 1, transform: "none", offset: 0.2 },
      { opacity: 1, offset: 0.6 },
      { opacity: 0, transform: `translateY(-${RISE_PX}px)` },
    ];
    const duration = kind === "payment" ? PAYMENT_MS : MONEY_MS;
    const motion = this.animate(label, frames, { duration, delay: place * APART_MS, easing: "ease-out", fill: "both" });
    motion.finished.finally(() => label.remove()).catch(() => {});
    const now = (this.frame ?? this.last)?.players[seat]?.cash ?? null;
    if (now !== null) count(text, now - amount, now, motion);
  }

  // Animate a sale: the card flashes, and a share moves to its owner.
  flash(/** @type {number | null} */ seat, /** @type {Page.AuctionShown | null} */ auction) {
    const colours = {
      backgroundColor: ["var(--brass)", "var(--brass)", "var(--card)"],
      color: ["var(--brass-ink)", "var(--brass-ink)", "var(--ink)"],
    };
    if (seat !== this.last?.seat) this.animate($("play"), colours, { duration: FLASH_MS, easing: "ease-out" });
    const to = seat === null ? null : $("seat-list").children[seat];
    if (!auction || !to) return;
    const { left, top } = $("ask").getBoundingClientRect();
    const token = overlay(`float token paint-${auction.paint}`, auction.symbol, left + 12, top + 12);
    const [x, y] = distance(token, to);
    const transform = ["none", `translate(${x}px, ${y}px)`];
    const motion = this.animate(token, { transform }, { duration: FLASH_MS, fill: "both" });
    motion.finished.finally(() => token.remove()).catch(() => {});
  }

  // Mark what changed with rings for a while, for users who prefer reduced motion.
  ring(/** @type {Step[]} */ steps) {
    for (const place of new Set(steps.flatMap(({ places }) => places))) {
      const shape = this.places.shapes.get(place);
      if (!shape) continue;
      const ring = /** @type {SVGElement} */ (shape.cloneNode(false));
      ring.setAttribute("class", "ring");
      ring.removeAttribute("id");
      const holder = svgNode("g", { class: "rings", "aria-hidden": "true" });
      holder.append(ring);
      this.places.board?.svg.append(holder);
      holder.animate([], { duration: RING_MS }).onfinish = () => holder.remove();
    }
    for (const seat of new Set(steps.flatMap(({ money: amounts }) => amounts.map(([owner]) => owner)))) {
      const item = $("seat-list").children[seat];
      item?.classList.add("ringed");
      if (item) item.animate([], { duration: RING_MS }).onfinish = () => item.classList.remove("ringed");
    }
  }
}

// Add a text above the page at a point of the window. The caller removes it.
/** @param {string} look @param {string} words @param {number} left @param {number} top */
function overlay(look, words, left, top) {
  const label = make("b", look, words);
  label.setAttribute("aria-hidden", "true");
  label.style.left = `${left}px`;
  label.style.top = `${top}px`;
  document.body.append(label);
  return label;
}

// Count the amount in `text` from `from` to `to`, in step with the animation `motion`.
/** @param {Text} text @param {number} from @param {number} to @param {Animation} motion */
function count(text, from, to, motion) {
  const tick = () => {
    const progress = motion.playState === "finished" ? 1 : (motion.effect?.getComputedTiming().progress ?? 1);
    text.data = money(Math.round(from + (to - from) * progress));
    if (progress < 1 && text.isConnected) requestAnimationFrame(tick);
  };
  tick();
}

function stepsOf(/** @type {Pick<Page.Shown, "events" | "story">} */ { events, story }) {
  const words = story.slice(story.length - events.length);
  return events.map((event, number) => ({ ...event, words: words[number] }));
}

function remaining(/** @type {Item} */ { steps, at }) {
  return steps.slice(at);
}

// Return whether a mark is a part of the line that ends the game.
function isGleam(/** @type {Page.EventShown["put"][number]} */ [, , , attributes]) {
  return attributes.some(([name, value]) => name === "class" && value === "gleam");
}

// Return the duration of an event in milliseconds.
function lengthOf(/** @type {Step} */ { kind, put, money: amounts }) {
  if (put.some(isGleam)) return FINALE_MS;
  return kind === "other" && put.length === 0 && amounts.length === 0 ? OTHER_MS : STEP_MS;
}

// Apply an event to a position.
function change(/** @type {Frame} */ frame, /** @type {Step} */ step) {
  for (const number of step.taken) frame.marks.delete(number);
  for (const [number, ...mark] of step.put) frame.marks.set(number, mark);
  Object.assign(frame, panelsAfter(frame, step));
}

// Return the tables and the players' possessions after an event.
/** @param {Pick<Frame, "tables" | "players">} before @param {Page.EventShown} event */
function panelsAfter({ tables, players }, { money: amounts, cells = [], players: changed = [] }) {
  const values = cells.length ? structuredClone(tables) : tables;
  for (const [table, row, column, value] of cells) values[table].cells[row][column] = value;
  const gained = (/** @type {number} */ owner) =>
    amounts.reduce((sum, [one, amount]) => sum + (one === owner ? amount : 0), 0);
  const known = new Map(changed);
  const after = players.map((player, owner) => {
    const cash = player.cash === null ? null : player.cash + gained(owner);
    return known.get(owner) ?? { ...player, cash };
  });
  return { tables: values, players: after };
}

// Return the position after the next event, as far as it is known, as a message without a question.
/** @param {Item} item @param {Page.Shown} last @returns {Page.Shown} */
function between({ shown, steps, at }, last) {
  const { put, taken, seat, auction } = steps[at];
  const first = shown.story.length - steps.length + at;
  return {
    ...last,
    ...panelsAfter(last, steps[at]),
    ...{ board: null, put, taken, auction, events: [], stage: [], asked: seat ?? last.asked, ref: null },
    ...{ question: null, supposed: null, result: null },
    sent_before: shown.sent_before + (at === 0 ? 0 : first),
    story: shown.story.slice(at === 0 ? 0 : first, first + 1),
    fresh: shown.fresh - (steps.length - at - 1),
  };
}

// Return the part of a message that has not been shown yet.
/** @param {Item} item @returns {Page.Shown} */
function rest(item) {
  const { shown, steps, at } = item;
  if (at === 0) return shown;
  /** @type {Map<number, Page.EventShown["put"][number]>} */ const put = new Map();
  /** @type {Set<number>} */ const taken = new Set();
  for (const step of remaining(item)) {
    for (const number of step.taken) if (!put.delete(number)) taken.add(number);
    for (const mark of step.put) put.set(mark[0], mark);
  }
  const first = shown.story.length - steps.length + at;
  return {
    ...shown,
    put: [...put.values()],
    taken: [...taken],
    sent_before: shown.sent_before + first,
    story: shown.story.slice(first),
  };
}

// Return the distance from the middle of `from` to the middle of `to`, in pixels.
function distance(/** @type {Element} */ from, /** @type {Element} */ to) {
  const [[x, y], [toX, toY]] = [centre(from), centre(to)];
  return [toX - x, toY - y];
}

function centre(/** @type {Element} */ element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}
