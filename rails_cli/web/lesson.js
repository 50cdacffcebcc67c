// @ts-check
// Lessons: a game at a private table. Each step explains one idea and asks for one action, which is highlighted.

import { heldLesson } from "./memory.js";
import { button, link, make } from "./parts.js";

const LESSON_PLAYERS = 3;

// The texts and actions of a lesson. At tables without a lesson, `shown` is null and the methods do nothing.
export class Lesson {
  /**
   * `changed` is called when another text is shown. `collect` is called with the actions of an unfinished turn, and
   * `send` with those of a whole turn.
   * @param {{ changed: () => void, collect: (actions: any[]) => void, send: (actions: any[]) => void }} ways
   */
  constructor(ways) {
    this.ways = ways;
    this.reset();
  }

  reset() {
    /** @type {Page.LessonShown | null} */ this.shown = null;
    /** Number of the open request. @type {number} */ this.number = 0;
    /** Number of steps of this turn that are collected. @type {number} */ this.done = -1;
    /** Index of the text that is shown. @type {number} */ this.at = 0;
    /** Why the last answer was refused. @type {string} */ this.refusal = "";
  }

  // Take the lesson from a position that the server sent.
  learn(/** @type {Page.Shown} */ { lesson, question }) {
    if (question?.number !== this.number) this.reset();
    this.shown = lesson;
    this.number = question?.number ?? 0;
  }

  // Return the step to take after `done` collected steps, or null.
  step(/** @type {number} */ done) {
    return this.shown?.steps[done] ?? null;
  }

  // Return all texts so far. After the last one, the card shows the action.
  texts() {
    const steps = this.shown?.steps.slice(0, this.done + 1) ?? [];
    return [...(this.shown?.earlier ?? []), ...steps.flatMap((step) => step.texts)];
  }

  // Whether a text is shown, not the action.
  get isReading() {
    return this.step(this.done) !== null && this.at < this.texts().length;
  }

  // Return the card with the text or the action, and buttons for other texts. Null if there is no lesson.
  card(/** @type {number} */ done) {
    if (!this.shown) return null;
    if (done !== this.done) this.begin(done);
    const step = this.step(done);
    const texts = this.texts();
    const { words = "", rules = [] } = texts[this.at] ?? {};
    const card = make("div", words ? "lesson reading" : "lesson");
    const progress = make("progress");
    progress.max = this.shown.total;
    progress.value = this.at;
    progress.setAttribute("aria-label", "Progress of the lesson");
    card.append(progress);
    if (words) card.append(make("p", "idea", words));
    if (words && this.at === 0) card.append(make("p", "quiet", "Moves that teach nothing new are made for you."));
    if (!words && step) card.append(...this.task(step));
    const row = make("p", "fields");
    if (this.at > 0) row.append(button("Previous text", () => this.turn(-1), "lesson-back"));
    if (words) row.append(button("Next", () => this.turn(1), "primary lesson-next"));
    else if (step) row.append(button("Do it for me", () => this.skip(), "lesson-skip"));
    row.append(link("Leave", "#", "quiet"));
    if (rules.length) row.append(rulesOf(rules));
    card.append(row);
    return card;
  }

  // Show the first text that is new after `done` collected steps.
  begin(/** @type {number} */ done) {
    const isBack = done < this.done;
    this.done = done;
    this.refusal = "";
    const fresh = this.step(done)?.texts.length ?? 0;
    const isFirst = done === 0 && this.shown?.earlier.length === 1;
    this.at = isFirst ? 0 : this.texts().length - (isBack ? 0 : fresh);
  }

  task(/** @type {Page.LessonStepShown} */ { words, why }) {
    const parts = [make("p", "task", "Do this: ", make("b", "", words))];
    if (this.refusal) parts.push(make("p", "refusal", this.refusal));
    else if (why.length) parts.push(make("p", "quiet", why.slice(0, 2).join(" ")));
    return parts;
  }

  turn(/** @type {number} */ by) {
    this.at += by;
    this.ways.changed();
  }

  // Take the step for the player. The last step of a turn sends the turn.
  skip() {
    const steps = this.shown?.steps ?? [];
    const actions = steps.slice(0, this.done + 1).map(({ action }) => action);
    if (actions.length < steps.length) this.ways.collect(actions);
    else this.ways.send(actions);
  }

  // Return whether the lesson asks for other actions than `actions`. If so, show which, and the caller must not send
  // them.
  refuses(/** @type {any[]} */ actions, /** @type {string} */ words) {
    const wrong = actions.findIndex((action, at) => {
      const step = this.step(at);
      return step !== null && JSON.stringify(step.action) !== JSON.stringify(action);
    });
    const step = this.step(wrong);
    if (step === null) return false;
    this.refusal = `“${words}” is allowed too, and you can try it in a real game. In this step: ${step.words}.`;
    this.ways.changed();
    return true;
  }

  // Text for screen readers: the text or the action that is shown.
  get words() {
    const step = this.step(this.done);
    if (!this.shown || !step) return "";
    const text = this.texts()[this.at]?.words ?? "";
    return this.refusal || [text, this.isReading ? "" : `Do this: ${step.words}.`].join(" ");
  }
}

function rulesOf(/** @type {string[]} */ rules) {
  const list = make("ul", "rules", ...rules.map((rule) => make("li", "", rule)));
  return make("details", "", make("summary", "", "Rules"), list);
}

// Return the closing sentence of a lesson.
export function lessonEnd() {
  return make("p", "idea", "That was a whole game, and you have seen its rules. Now play one by yourself.");
}

export function linksAfterLesson(/** @type {string} */ game) {
  const name = encodeURIComponent(game);
  return [
    link("Play a real game", `#play/${name}`, "action primary"),
    link("The game in six pictures", `guide/${name}`, "action"),
    link("All rules", `rules/${name}`, "action"),
    link("Repeat the lesson", `#learn/${name}/again`, "action"),
  ];
}

// Create the tables of lessons, and of real games after them.
export class Lessons {
  /**
   * @param {Page.GameOffer} offer
   * @param {(wish: Page.CreateTable) => Promise<void>} create
   */
  constructor({ games }, create) {
    this.games = games;
    this.create = create;
    /** The table to create when there is a connection. @type {Page.CreateTable | null} */ this.wanted = null;
  }

  // Return the table of a lesson that this browser has started. Otherwise, or if `isAgain`, return null and prepare a
  // new table for `start`.
  learn(/** @type {string} */ name, /** @type {boolean} */ isAgain) {
    const kept = isAgain ? null : heldLesson(name);
    const game = this.games.find((one) => one.name === name && one.has_lessons);
    this.wanted = kept || !game ? null : { type: "create", game: name, players: playersOf(game), lesson: true };
    return kept;
  }

  // Prepare a table against the weakest bots for `start`.
  play(/** @type {string} */ name) {
    const game = this.games.find((one) => one.name === name);
    if (!game) return;
    const players = playersOf(game);
    const bots = Array.from({ length: players - 1 }, () => `builtin:${game.levels[0] ?? "greedy"}`);
    this.wanted = { type: "create", game: name, players, seats: [null, ...bots] };
  }

  // Create the prepared table, if any.
  async start() {
    const { wanted } = this;
    this.wanted = null;
    if (wanted) await this.create(wanted);
  }
}

function playersOf(/** @type {Page.GameOffered} */ { players }) {
  return players.includes(LESSON_PLAYERS) ? LESSON_PLAYERS : players[0];
}
