// @ts-check
// A game against bots by one click: a button for each game, and how strong they are.

import { load, ownName, save } from "./memory.js";
import { option } from "./new_table.js";
import { $, button, capital, labelled, link, make } from "./parts.js";

const PLAYERS = 3;
const USUAL = "easy";

/** @param {Page.GameOffer} offer @param {(wish: Page.CreateTable, own: number, you: string) => Promise<void>} create */
export function offerQuickGames({ games }, create) {
  const levels = [...new Set(games.flatMap((game) => game.levels))];
  $("quick").hidden = levels.length === 0;
  $("quick-level").append(...levels.map((level) => option(level, capital(level))));
  const kept = load("level");
  $("quick-level").value = levels.includes(kept) ? kept : levels.includes(USUAL) ? USUAL : (levels[0] ?? "");
  $("quick-level").addEventListener("change", () => save("level", $("quick-level").value));
  let isMaking = false;
  const buttons = games
    .filter((game) => game.levels.length > 0)
    .map(({ name, title, about, players, levels: known, has_lessons: hasLessons }) => {
      const count = players.includes(PLAYERS) ? PLAYERS : players[0];
      const begin = async () => {
        if (isMaking) return; // however often it is clicked, one table is made
        isMaking = true;
        const level = known.includes($("quick-level").value) ? $("quick-level").value : known[0];
        const bots = Array.from({ length: count - 1 }, () => `builtin:${level}`);
        await create({ type: "create", game: name, players: count, seats: [null, ...bots] }, 0, ownName());
        isMaking = false;
      };
      const start = labelled(button(title, begin, "primary"), `Play ${title} against bots`);
      const rules = labelled(link("Rules", `guide/${encodeURIComponent(name)}`), `Rules of ${title}`);
      const learn = labelled(link("Learn", `#learn/${encodeURIComponent(name)}`), `Learn ${title}`);
      return make("li", "", start, make("span", "quiet", `${about} `, rules, ...(hasLessons ? [" ", learn] : [])));
    });
  $("quick-games").replaceChildren(...buttons);
}
