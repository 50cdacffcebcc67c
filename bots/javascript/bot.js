// @ts-check
// A bot for rails-cli: answers every request with a random legal action.

/** State of the random number generator. At first, the seed of the match. */
let state = 0;

/** Return a random number from 0 to 1 (mulberry32). `Math.random` cannot be seeded. */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/**
 * Return the index in request.legal of the action to play. Replace the random choice with your own.
 * @param {{ legal: any[], view: any }} request
 */
function decide(request) {
  return Math.floor(random() * request.legal.length);
}

/** @param {string} line */
function read(line) {
  const message = JSON.parse(line);
  if (message.type === "start") state = message.seed;
  if (message.type === "request") {
    const answer = { type: "action", number: message.number, choice: decide(message) };
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}

let unread = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (unread + chunk).split("\n");
  unread = lines.pop() ?? "";
  lines.forEach(read);
});
