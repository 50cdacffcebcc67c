"use strict";
// The connection to the server: comes back by itself when it is lost, and says then what has to be said first.

class Wire {
  static FIRST_WAIT_MS = 400;
  static LONGEST_WAIT_MS = 10_000;
  // Errors after which it would be wrong to come back unasked.
  static LAST_WORDS = new Set(["replaced", "version", "bad_line"]);

  constructor({ greet, hear, tell }) {
    this.greet = greet;
    this.hear = hear;
    this.tell = tell;
    this.waiting = new Map();
    this.count = 0;
    this.wait = Wire.FIRST_WAIT_MS;
    this.timer = null;
    this.socket = null;
    this.isReady = false;
    this.last = null;
    this.onReady = null;
    addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.hurry());
  }

  static address() {
    const url = new URL(".", location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.hash = "";
    return url.href;
  }

  // Begins anew: nothing that was said before counts.
  open() {
    this.close();
    this.last = null;
    const socket = new WebSocket(Wire.address());
    this.socket = socket;
    this.tell("connecting");
    socket.addEventListener("message", (event) => socket === this.socket && this.receive(JSON.parse(event.data)));
    socket.addEventListener("close", () => socket === this.socket && this.lost());
  }

  // A new connection, which holds no seat.
  renewed() {
    return new Promise((resolve) => {
      this.onReady = resolve;
      this.open();
    });
  }

  close() {
    clearTimeout(this.timer);
    this.timer = null;
    this.isReady = false;
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    this.forget();
  }

  lost() {
    this.socket = null;
    this.isReady = false;
    this.forget();
    if (this.last && Wire.LAST_WORDS.has(this.last.code)) {
      this.tell("ended", this.last);
      return;
    }
    this.tell("lost", this.last);
    this.timer = setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(this.wait * 2, Wire.LONGEST_WAIT_MS);
  }

  hurry() {
    if (this.timer === null) return;
    this.wait = Wire.FIRST_WAIT_MS;
    this.open();
  }

  forget() {
    for (const { reject } of this.waiting.values()) reject(new Error("The connection was lost; try again."));
    this.waiting.clear();
  }

  receive(message) {
    if (message.type === "hello") {
      this.isReady = true;
      this.wait = Wire.FIRST_WAIT_MS;
      this.tell("open");
      this.greet();
      this.onReady?.();
      this.onReady = null;
      return;
    }
    if (message.type === "error" && message.fatal) this.last = message;
    const asked = message.ref ? this.waiting.get(message.ref) : undefined;
    if (asked) this.waiting.delete(message.ref);
    if (asked && message.type === "error") {
      asked.reject(Object.assign(new Error(message.message), { code: message.code }));
      return;
    }
    this.hear(message);
    asked?.resolve(message);
  }

  say(message) {
    if (this.isReady) this.socket.send(JSON.stringify(message));
    return this.isReady;
  }

  // Says something and waits for the answer; fails with the server's words.
  ask(message) {
    const ref = `p${++this.count}`;
    return new Promise((resolve, reject) => {
      this.waiting.set(ref, { resolve, reject });
      if (!this.say({ ...message, ref })) {
        this.waiting.delete(ref);
        reject(new Error("There is no connection to the server just now."));
      }
    });
  }
}

// What this browser remembers: names, seats and tables that are one's own. Works, for one visit, without storage, too.
const Memory = (() => {
  const kept = new Map();
  const PREFIX = "rails-cli.";
  const MOST_SEATS = 20;
  const LONGEST_NAME = 40;

  function get(key) {
    try {
      return JSON.parse(localStorage.getItem(PREFIX + key)) ?? kept.get(key) ?? null;
    } catch {
      return kept.get(key) ?? null;
    }
  }

  function set(key, value) {
    kept.set(key, value);
    try {
      if (value === null) localStorage.removeItem(PREFIX + key);
      else localStorage.setItem(PREFIX + key, JSON.stringify(value));
    } catch {
      // a browser that keeps nothing: it is remembered until the page is closed
    }
    if (value === null) kept.delete(key);
  }

  // The seats held here, by table: { token, name, game, at }.
  const isSeat = (held) => held !== null && typeof held === "object" && [held.token, held.name, held.game].every((word) => typeof word === "string") && Number.isFinite(held.at);
  const seats = () => Object.fromEntries(Object.entries(get("seats") ?? {}).filter(([, held]) => isSeat(held)));
  const seat = (table) => {
    const held = seats();
    return Object.hasOwn(held, table) ? held[table] : null;
  };
  function keepSeat(table, held) {
    const now = seats();
    if (held === null) delete now[table];
    else now[table] = held;
    const latest = Object.entries(now).sort(([, one], [, other]) => other.at - one.at).slice(0, MOST_SEATS);
    set("seats", Object.fromEntries(latest));
  }

  function name() {
    const given = get("name");
    return typeof given === "string" ? given.slice(0, LONGEST_NAME) : null;
  }

  return { get, set, name, seats, seat, keepSeat };
})();
