// @ts-check
// Local storage of this browser: the player's name, seats and settings. Without local storage, values last until the
// page is closed.

/** Result of an ended game, stored because the server deletes old games. @typedef {{ others: string[], words: string, at: number }} Past */
/** `at`: Unix time when the seat was taken, in milliseconds. @typedef {{ token: string, name: string, game: string, at: number, past?: Past, lesson?: boolean, rematch?: boolean }} HeldSeat */

/** @type {Map<string, any>} */ const unsaved = new Map();
const PREFIX = "rails-cli.";
const MOST_SEATS = 50; // the server's limit for one request
const LONGEST_NAME = 40;

export function load(/** @type {string} */ key) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + key) ?? "null") ?? unsaved.get(key) ?? null;
  } catch {
    return unsaved.get(key) ?? null;
  }
}

export function save(/** @type {string} */ key, /** @type {any} */ value) {
  unsaved.set(key, value);
  try {
    if (value === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // no local storage: `unsaved` keeps the value until the page is closed
  }
  if (value === null) unsaved.delete(key);
}

function isSeat(/** @type {any} */ held) {
  const words = [held?.token, held?.name, held?.game];
  return words.every((word) => typeof word === "string") && Number.isFinite(held.at);
}

/** Return pairs of table id and seat for the seats of this browser, newest first, without lessons. @returns {[string, HeldSeat][]} */
export function heldSeats() {
  return allSeats().filter(([, { lesson }]) => !lesson);
}

/** @returns {[string, HeldSeat][]} */
function allSeats() {
  /** @type {[string, HeldSeat][]} */ const held = Object.entries(load("seats") ?? {});
  return held.filter(([, seat]) => isSeat(seat)).sort(([, one], [, other]) => other.at - one.at);
}

export function heldSeat(/** @type {string} */ table) {
  return allSeats().find(([name]) => name === table)?.[1] ?? null;
}

// Return the id of the table where this browser started a lesson of `game`, or null.
export function heldLesson(/** @type {string} */ game) {
  return allSeats().find(([, seat]) => seat.lesson && seat.game === game)?.[0] ?? null;
}

/** Store a seat. `rematch`: whether the table is a rematch. A lesson replaces an earlier lesson of the same game. @param {Page.TableInfo} info @param {string} token @param {boolean} [rematch] */
export function keepSeat({ table, name, game, lesson }, token, rematch = heldSeat(table)?.rematch) {
  /** @type {[string, HeldSeat]} */ const held = [table, { token, name, game, at: Date.now(), lesson, rematch }];
  const others = otherSeats(table).filter(([, seat]) => !(lesson && seat.lesson && seat.game === game));
  save("seats", Object.fromEntries([held, ...others].slice(0, MOST_SEATS)));
}

/** Store the result of the game at `table`. @param {string} table @param {Past} past */
export function keepPast(table, past) {
  const seats = allSeats().map(([name, seat]) => [name, name === table ? { ...seat, past } : seat]);
  save("seats", Object.fromEntries(seats));
}

// Add the seats of another device. If this browser already has a seat at the same table, keep that one.
export function addSeats(/** @type {Page.SharedSeat[]} */ seats) {
  /** @type {[string, HeldSeat][]} */
  const added = seats.map(({ token, held: { table, created_at: made } }) => [
    table.table,
    { token, name: table.name, game: table.game, at: made * 1000 },
  ]);
  const all = Object.entries({ ...Object.fromEntries(added), ...Object.fromEntries(allSeats()) });
  all.sort(([, one], [, other]) => other.at - one.at);
  save("seats", Object.fromEntries(all.slice(0, MOST_SEATS)));
}

export function forgetSeat(/** @type {string} */ table) {
  save("seats", Object.fromEntries(otherSeats(table)));
}

function otherSeats(/** @type {string} */ table) {
  return allSeats().filter(([name]) => name !== table);
}

export function ownName() {
  const given = load("name");
  return typeof given === "string" ? given.slice(0, LONGEST_NAME) : "";
}
