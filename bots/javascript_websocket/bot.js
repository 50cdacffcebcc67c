// @ts-check
// A bot for rails-cli that plays on a server: node bot.js URL TABLE [INVITATION]
// With the token of an entrant in RAILS_POOL_TOKEN it plays in the server's rated pool, game after game: node bot.js URL
//
// It needs only Node.js. The first half is a bot. The second half is the part of a websocket (RFC 6455) that a client
// needs: one handshake, masked frames out, unmasked frames in. With the npm package `ws` it would be ten lines.

const crypto = require("node:crypto");
const net = require("node:net");
const tls = require("node:tls");

const [url, table, invite] = process.argv.slice(2);
const pool = process.env.RAILS_POOL_TOKEN;
if (!url || (!table && !pool)) {
  console.error(
    "usage: node bot.js ws://HOST:PORT TABLE [INVITATION], or RAILS_POOL_TOKEN=... node bot.js ws://HOST:PORT",
  );
  process.exit(2);
}

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

/** @type {string | null} */
let token = null; // secret of our seat, which takes it again after a disconnection
let isOver = false;
const SEAT_ENDS = new Set(["replaced", "forbidden"]);
const POOL_ENDS = new Set(["revoked", "forbidden", "closed", "no_pool"]);

/** @param {any} message @param {(message: object) => void} say */
function hear(message, say) {
  switch (message.type) {
    case "hello":
      if (pool)
        say({ type: "enter", token: pool }); // also resumes an interrupted game
      else if (token) say({ type: "resume", token });
      else say({ type: "sit", table, name: "node", ...(invite ? { invite } : {}) });
      break;
    case "offered":
      say({ type: "ready", offer: message.offer });
      break;
    case "seated":
      token = message.token;
      break;
    case "start":
      state = message.seed;
      break;
    case "request":
      say({ type: "action", number: message.number, choice: decide(message) });
      break;
    case "error":
      console.error(`${message.code}: ${message.message}`);
      if (pool ? POOL_ENDS.has(message.code) : !token || SEAT_ENDS.has(message.code)) process.exit(1);
      break;
    case "end":
      console.log(`ended: ${message.reason}, scores ${JSON.stringify(message.scores)}`);
      if (pool) break; // the server sends the next offer
      isOver = true;
      process.exit(0);
  }
}

function play() {
  const { protocol, hostname, port, pathname } = new URL(url);
  const isSecure = protocol === "wss:";
  const options = { host: hostname.replace(/^\[|\]$/g, ""), port: +port || (isSecure ? 443 : 80) };
  const socket = isSecure ? tls.connect({ ...options, servername: hostname }) : net.connect(options);
  const key = crypto.randomBytes(16).toString("base64");
  let unread = Buffer.alloc(0);
  let isOpen = false;

  socket.setNoDelay(true);
  socket.write(
    `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${options.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  );

  socket.on("data", (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    if (!isOpen) isOpen = shakeHands();
    while (isOpen && readFrame());
  });
  socket.on("error", (error) => console.error(error.message));
  socket.on("close", () => {
    if (isOver) return;
    if (!token && !pool) process.exit(1);
    setTimeout(play, 500);
  });

  function shakeHands() {
    const end = unread.indexOf("\r\n\r\n");
    if (end < 0) return false;
    const head = unread.subarray(0, end).toString();
    const proof = crypto.createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
    if (!head.startsWith("HTTP/1.1 101") || !head.includes(proof)) {
      console.error(head.split("\r\n")[0]);
      process.exit(1);
    }
    unread = unread.subarray(end + 4);
    return true;
  }

  function readFrame() {
    if (unread.length < 2) return false;
    let size = unread[1] & 127;
    let start = 2;
    if (size === 126) start = 4;
    if (size === 127) start = 10;
    if (unread.length < start) return false;
    if (size === 126) size = unread.readUInt16BE(2);
    if (size === 127) size = Number(unread.readBigUInt64BE(2));
    if (unread.length < start + size) return false;
    const opcode = unread[0] & 15;
    const content = unread.subarray(start, start + size);
    unread = unread.subarray(start + size);
    if (opcode === 1) hear(JSON.parse(content.toString()), (message) => send(1, Buffer.from(JSON.stringify(message))));
    if (opcode === 9) send(10, content); // answer a ping with a pong
    if (opcode === 8) socket.end();
    return true;
  }

  /** @param {number} opcode @param {Buffer} content */
  function send(opcode, content) {
    const mask = crypto.randomBytes(4);
    const long = content.length > 125;
    const head = Buffer.alloc(long ? 4 : 2);
    head[0] = 128 | opcode;
    head[1] = 128 | (long ? 126 : content.length); // up to 65,535 bytes, more than a bot ever sends
    if (long) head.writeUInt16BE(content.length, 2);
    socket.write(Buffer.concat([head, mask, content.map((byte, index) => byte ^ mask[index % 4])]));
  }
}

play();
