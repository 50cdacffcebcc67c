// @ts-check
// The action track of a game as the list of answers or as a table, and the bar of its years or rounds.

import { make } from "./parts.js";

/** @typedef {{ shown: Page.Shown, track: Page.ActionTrackShown }} Tracked */

/**
 * Return the action track if it shows all these answers, else null.
 * @param {Page.Shown | null} shown
 * @param {Page.ChoiceShown[]} choices
 * @returns {Tracked | null}
 */
export function trackFor(shown, choices) {
  const track = shown?.track;
  if (!shown || !track || choices.length === 0) return null;
  const isOnTrack = choices.every(({ command }) => track.spaces.some((space) => space.command === command));
  return isOnTrack ? { shown, track } : null;
}

/** The answers in the order of the spaces. @param {Page.ChoiceShown[]} choices @param {Tracked} tracked */
export function inTrackOrder(choices, { track }) {
  return track.spaces.flatMap((space) => choices.filter(({ command }) => command === space.command));
}

/**
 * The list of all spaces. `answer` returns the button that takes a space, or undefined if that is not possible now.
 * @param {Tracked} tracked
 * @param {(space: Page.SpaceShown, content: HTMLElement[]) => HTMLElement | undefined} answer
 */
export function trackList({ shown, track }, answer) {
  const rows = track.spaces.map((space) => {
    const isTaken = space.taken[track.now] !== null;
    const cells = space.taken.map((seat, column) => cell(shown.names, seat, track, column));
    const note = make("small", "", isTaken ? "Taken" : space.note);
    const content = [make("b", "", space.name), note, ...cells];
    const row = answer(space, content) ?? make("div", isTaken ? "space no" : "space", ...content);
    return make("li", "", row);
  });
  const half = Math.ceil(rows.length / 2);
  const list = make("ol", "choices spaces", head(track, ""), ...rows.slice(0, half));
  list.append(head(track, "second"), ...rows.slice(half));
  list.style.setProperty("--columns", String(track.columns.length));
  list.style.setProperty("--rows", String(half + 1));
  return list;
}

// Return the headings of the columns. Those with the class "second" are shown only if the list is split into two
// halves.
function head(/** @type {Page.ActionTrackShown} */ track, /** @type {string} */ look) {
  const names = track.columns.map((name) => make("span", "", name));
  const item = make("li", look, make("div", "space-heads", make("span", "", look ? "" : track.about), ...names));
  item.setAttribute("aria-hidden", "true");
  return item;
}

/** @param {Page.Row[]} names @param {number | null} seat @param {Page.ActionTrackShown} track @param {number} column */
function cell(names, seat, { columns, now }, column) {
  const look = column === now ? " now" : column > now ? " later" : "";
  const node = make("span", `slot${look}`);
  if (seat === null) return node;
  const [name, paint, symbol] = names[seat];
  const disc = make("i", `paint-${paint}`, symbol);
  disc.setAttribute("aria-hidden", "true");
  node.append(disc, make("span", "unseen", `${columns[column]}: ${name}`));
  node.title = name;
  return node;
}

/** The years or rounds of a game. The first, the current and the last have names. */
export function calendarItems(/** @type {Page.CalendarShown | null} */ calendar) {
  const { names, now } = calendar ?? { names: [], now: 0 };
  return names.map((name, number) => {
    const isNamed = number === 0 || number === now || number === names.length - 1;
    const item = make("li", isNamed ? "" : "dot", make("span", isNamed ? "" : "unseen", name));
    item.title = name;
    if (number === now) item.setAttribute("aria-current", "step");
    return item;
  });
}
