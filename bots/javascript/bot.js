// @ts-check
// A bot for rails-cli: answers every request with a random legal action.

/**
 * The index in request.legal of the action to play. Replace the random choice with your own.
 * @param {{ legal: any[], view: any }} request
 */
function decide(request) {
  return Math.floor(Math.random() * request.legal.length);
}

/** @param {string} line */
function read(line) {
  const message = JSON.parse(line);
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
