// @ts-check
// Transfer of seats to another device, by a code that is shown here and entered there.

import { addSeats, heldSeats, ownName, save } from "./memory.js";
import { $, make } from "./parts.js";
import { reason } from "./wire.js";

/**
 * Add the listeners to show a code for the seats of this browser, and to enter the code of another device.
 * @param {import("./wire.js").Wire} wire
 * @param {() => void} onFetched Called when seats were added.
 */
export function offerDevices(wire, onFetched) {
  $("share").addEventListener("click", async () => {
    $("share-code").replaceChildren();
    try {
      const tokens = heldSeats().map(([, { token }]) => token);
      const { code, valid_s: validS, seats } = await wire.ask({ type: "share_seats", tokens });
      const words = `Enter it on the other device within ${Math.round(validS / 60)} minutes. It works once, for ${seats} ${seats === 1 ? "game" : "games"}.`;
      $("share-code").replaceChildren(make("b", "", code), make("span", "quiet", words));
    } catch (error) {
      $("share-code").textContent = reason(error);
    }
  });
  $("fetch").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const { seats } = await wire.ask({ type: "fetch_seats", code: $("code").value });
      addSeats(seats);
      const name = seats[0]?.held.table.seats[seats[0].held.seat].name;
      if (name && !ownName()) save("name", name);
      $("code").value = "";
      $("fetch-words").textContent = seats.length === 1 ? "1 game added." : `${seats.length} games added.`;
      onFetched();
    } catch (error) {
      $("fetch-words").textContent = reason(error);
    }
  });
}
