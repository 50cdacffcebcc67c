// @ts-check
// Answers as tiles, such as the pieces of track in a hand.

import { svgNode } from "./board.js";
import { button, make } from "./parts.js";

/** Return the content of the button for an answer with a tile, or null. @param {Page.ChoiceShown} choice */
export function tile({ tile }) {
  return tile && tileContent(tile);
}

/**
 * Return the button of a tile that cannot be played. A click explains why.
 * @param {Page.TileShown} tile
 * @param {() => void} explain
 */
export function barredTile(tile, explain) {
  const node = button("", explain, "barred");
  node.append(tileContent({ ...tile, effect: "Not now. Why?" }));
  node.title = tile.effect;
  node.setAttribute("aria-description", tile.effect);
  return node;
}

/** Return the picture, name and price of a tile, the places that it connects, and its effect. @param {Page.TileShown} tile */
function tileContent(tile) {
  const art = svgNode("svg", {
    viewBox: "-75 -17 150 34",
    preserveAspectRatio: "xMidYMid slice",
    "aria-hidden": "true",
  });
  art.append(svgNode("use", { href: `#${tile.picture}` }));
  const head = make("span", "tile-art", make("b", "", tile.title), " ", make("em", "", tile.price));
  head.prepend(art);
  const places = make("span", "tile-places");
  for (const [number, [name, paint]] of tile.places.entries()) {
    places.append(number ? " – " : " ", make("i", `paint-${paint}`), name);
  }
  const effect = make("span", "tile-effect", " ", tile.effect);
  if (tile.gain) effect.append(" ", make("b", "", tile.gain));
  return make("span", "tile", head, places, effect);
}
