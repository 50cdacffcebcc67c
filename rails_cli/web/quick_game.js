// @ts-check
// Games against bots with one click: a card for each game, the level of the bots and their number.

import { checkedBoard } from "./board.js";
import { load, ownName, save } from "./memory.js";
import { $, button, capital, labelled, link, make, option } from "./parts.js";

const USUAL_BOTS = 2;
const USUAL_LEVEL = "easy";
const ANY_LEVEL = "greedy"; // all games have this built-in player
const DIFFICULTIES = ["Easiest", "Easy", "Sharp", "Deep", "Deepest"];

export class QuickGames {
  /**
   * @param {Page.GameOffer} offer
   * @param {(wish: Page.CreateTable, own: number, you: string) => Promise<void>} create
   */
  constructor({ games }, create) {
    this.games = games;
    this.create = create;
    this.isMaking = false;
    /** @type {Map<string, HTMLElement>} Elements for pictures that have not been loaded, by game. */
    this.unloaded = new Map();
    $("quick").hidden = games.length === 0;
    this.offerLevels();
    this.offerBots();
    $("quick-games").replaceChildren(...games.map((game, number) => this.card(game, number === 0)));
    const [first] = games;
    if (!first) return;
    $("hero-play").hidden = false;
    $("hero-play").textContent = `Play ${first.title}`;
    $("hero-play").addEventListener("click", () => this.begin(first));
  }

  offerLevels() {
    const levels = [...new Set(this.games.flatMap((game) => game.levels))];
    const kept = load("level");
    const chosen = levels.includes(kept) ? kept : levels.includes(USUAL_LEVEL) ? USUAL_LEVEL : levels[0];
    $("quick-level").hidden = levels.length === 0;
    for (const level of levels) {
      const input = make("input");
      [input.type, input.name, input.value, input.checked] = ["radio", "level", level, level === chosen];
      input.addEventListener("change", () => save("level", level));
      $("quick-level").append(make("label", "", input, make("span", "", capital(level))));
    }
  }

  offerBots() {
    const most = Math.max(...this.games.flatMap(({ players }) => players), USUAL_BOTS + 1) - 1;
    for (let bots = 1; bots <= most; bots++) $("quick-bots").append(option(String(bots), String(bots)));
    const kept = load("bots");
    $("quick-bots").value = String(kept >= 1 && kept <= most ? kept : USUAL_BOTS);
    $("quick-bots").addEventListener("change", () => save("bots", +$("quick-bots").value));
    $("quick-bots").addEventListener("change", () => this.writeCounts());
  }

  // Return the number of players of a game that is nearest to the selected one.
  count(/** @type {Page.GameOffered} */ { players }) {
    const wanted = +$("quick-bots").value + 1;
    return players.reduce((best, one) => (Math.abs(one - wanted) < Math.abs(best - wanted) ? one : best));
  }

  async begin(/** @type {Page.GameOffered} */ game) {
    if (this.isMaking) return; // create one table, even after several clicks
    this.isMaking = true;
    const chosen = /** @type {HTMLInputElement | null} */ ($("quick-level").querySelector(":checked"))?.value ?? "";
    const level = game.levels.includes(chosen) ? chosen : (game.levels[0] ?? ANY_LEVEL);
    const players = this.count(game);
    const bots = Array.from({ length: players - 1 }, () => `builtin:${level}`);
    await this.create({ type: "create", game: game.name, players, seats: [null, ...bots] }, 0, ownName());
    this.isMaking = false;
  }

  card(/** @type {Page.GameOffered} */ game, /** @type {boolean} */ isFirst) {
    const { name, title, about, players, difficulty } = game;
    const cover = make("div", "cover");
    cover.setAttribute("aria-hidden", "true");
    if (game.has_cover) this.unloaded.set(name, cover);
    const dots = make("span", "dots");
    dots.setAttribute("aria-hidden", "true");
    dots.append(...DIFFICULTIES.map((_, number) => make("span", number < difficulty ? "on" : "")));
    const [least, most] = [players[0], players[players.length - 1]];
    const range = least === most ? `${least} players` : `${least}–${most} players`;
    const bots = make("span", "with-bots quiet");
    const words = DIFFICULTIES[Math.min(Math.max(difficulty, 1), DIFFICULTIES.length) - 1];
    const start = button("Play", () => this.begin(game), isFirst ? "brass" : "primary");
    const ways = make("div", "ways", labelled(start, `Play ${title} against bots`));
    if (game.has_lessons) {
      ways.append(labelled(link("Learn", `#learn/${encodeURIComponent(name)}`, "action"), `Learn ${title}`));
    }
    ways.append(labelled(link("Rules", `guide/${encodeURIComponent(name)}`, "ghost"), `Rules of ${title}`));
    const facts = make("p", "about-game", make("span", "", range), bots, make("span", "hardness", dots, words));
    const text = make("div", "text", make("h3", "", title), make("p", "quiet", about), facts, ways);
    const card = make("li", `card game${isFirst ? " first" : ""}`, cover);
    if (isFirst) card.append(make("span", "ribbon", "Start here"));
    card.append(text);
    card.dataset.game = name;
    this.writeCount(card, game);
    return card;
  }

  // Show on each card how many bots play, if the game does not allow the selected number.
  writeCounts() {
    for (const game of this.games) {
      const card = /** @type {HTMLElement | null} */ ($("quick-games").querySelector(`[data-game="${game.name}"]`));
      if (card) this.writeCount(card, game);
    }
  }

  writeCount(/** @type {HTMLElement} */ card, /** @type {Page.GameOffered} */ game) {
    const bots = this.count(game) - 1;
    const words = bots === +$("quick-bots").value ? "" : `with ${bots} ${bots === 1 ? "bot" : "bots"}`;
    /** @type {HTMLElement} */ (card.querySelector(".with-bots")).textContent = words;
  }

  // Load the missing pictures. One of them is also the background of the lobby's header.
  async loadCovers() {
    for (const [name, cover] of this.unloaded) {
      this.unloaded.delete(name);
      fetch(`board/${encodeURIComponent(name)}.svg`)
        .then(async (answer) => {
          if (!answer.ok) throw new Error(answer.statusText);
          const svg = checkedBoard(await answer.text());
          cover.replaceChildren(svg);
          if (name === (this.games.find((game, number) => number > 0 && game.has_cover) ?? this.games[0]).name) {
            $("hero-map").replaceChildren(wholeBoard(svg));
          }
        })
        .catch(() => this.unloaded.set(name, cover)); // retry when the lobby is opened again
    }
  }
}

// Return a copy of a picture that shows the whole board. If it is cropped, the upper part remains.
function wholeBoard(/** @type {SVGSVGElement} */ svg) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const sea = copy.querySelector(".sea");
  copy.setAttribute("viewBox", `0 0 ${sea?.getAttribute("width")} ${sea?.getAttribute("height")}`);
  copy.setAttribute("preserveAspectRatio", "xMidYMin slice");
  return copy;
}
