// @ts-check
// Additions to the page of a table after a game of the rated pool: the change of the rating, and links.

import { load } from "./memory.js";
import { $, link, make } from "./parts.js";
import { ratingStep, wholePoints } from "./pool_parts.js";

const RATING_AGAIN_MS = 2000;
/** @type {{ table: string, timer: number } | null} */ let followed = null;

/** Return links to the next game and back to the pool. @returns {HTMLElement[]} */
export function poolLinks(/** @type {boolean} */ isPlayer) {
  const next = isPlayer ? [link("Next rated game", "#pool-next", "action primary")] : [];
  return [...next, link("Pool", "#pool", "action")];
}

/**
 * Show the change of the rating below the result of a rated game, as soon as it is computed. Hide it elsewhere.
 * @param {Page.TableInfo} info @param {number | null} seat
 */
export function showRatingChange({ table, state, pool, seats }, seat) {
  const own = seat === null ? null : seats[seat].name;
  const isShown = state === "ended" && pool === "rated" && own !== null && own === load("pool")?.entrant;
  const box = $("rating-change");
  box.hidden = !isShown;
  if (isShown && followed?.table === table) return;
  clearInterval(followed?.timer);
  followed = null;
  if (!isShown) return;
  box.replaceChildren(make("span", "quiet", "Your new rating is being computed."));
  const check = () => void showWhenRated(table, own, box);
  followed = { table, timer: setInterval(check, RATING_AGAIN_MS) };
  check();
}

async function showWhenRated(/** @type {string} */ table, /** @type {string} */ name, /** @type {HTMLElement} */ box) {
  const answer = await fetch(`api/pool/entrants/${encodeURIComponent(name)}`).catch(() => null);
  if (!answer?.ok) return;
  /** @type {Page.EntrantPage} */ const page = await answer.json();
  const game = page.games.find((one) => one.table === table);
  if (!game || game.after === null || followed?.table !== table) return;
  clearInterval(followed.timer);
  const { before, after } = game;
  const first = before === null ? "Your first rating: " : `Your rating: ${wholePoints(before)} → `;
  box.replaceChildren(first, make("b", "", wholePoints(after)), " ");
  if (before !== null) box.append(ratingStep(before, after));
}
