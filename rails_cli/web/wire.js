// @ts-check
// Websocket connection to the server. It reconnects automatically, and calls `greet` after each connect.

/** @typedef {Page.LobbyAnswer | Page.PoolAnswer | Page.Request | Page.Rejected} Heard */
/** @typedef {Page.LobbyRequest | Page.PoolRequest | Page.Join | Page.Answer} Said */
/** @typedef {"connecting" | "open" | "lost" | "ended"} State */

/**
 * Type of the answer to each type of request.
 * @typedef {object} Answers
 * @property {Page.Tables} list
 * @property {Page.TableCreated} create
 * @property {Page.Seated} sit
 * @property {Page.Seated} resume
 * @property {Page.Held} held
 * @property {Page.SeatsShared} share_seats
 * @property {Page.SeatsFetched} fetch_seats
 * @property {Page.Watching} watch
 * @property {Page.Invited} invite
 * @property {Page.TableChanged} start_table
 * @property {Page.TableChanged} rematch
 * @property {Page.Left} leave
 * @property {Page.ChatLines} chat
 * @property {Page.UndoAsked} undo
 * @property {Page.OrderNotice} standing_order
 * @property {Page.Shown | Page.AdviceShown | Page.SinceShown} show
 * @property {Page.Registered} register
 * @property {Page.Entered} enter
 * @property {Page.Withdrawn} withdraw
 */

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 10_000;
const LONGEST_RETURN_S = 3600;
const HELLO = "hello"; // key in `waiting` for callers of `opened`
// Codes of errors after which the page must not reconnect automatically.
const FINAL_ERRORS = new Set(["replaced", "version", "bad_line", "banned"]);

/** Texts for answers that the server refused, by error code. @type {Record<string, string>} */
export const REFUSALS = {
  stale_request: "That question has already been answered.",
  too_slow: "Your time for that move ran out. A move was played for you.",
};

// Error message of the server in answer to a request.
export class Refusal extends Error {
  constructor(/** @type {Page.Error} */ { message, code }) {
    super(message);
    this.code = code;
  }
}

export function reason(/** @type {unknown} */ error) {
  if (error instanceof Refusal && REFUSALS[error.code]) return REFUSALS[error.code];
  return error instanceof Error ? error.message : String(error);
}

function address() {
  const url = new URL(".", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.hash = "";
  return url.href;
}

export class Wire {
  /**
   * @param {object} listeners
   * @param {() => void} listeners.greet
   * @param {(message: Heard) => void} listeners.hear
   * @param {(state: State, last: Page.Error | null) => void} listeners.tell
   */
  constructor({ greet, hear, tell }) {
    this.greet = greet;
    this.hear = hear;
    this.tell = tell;
    /** @type {Map<string, { resolve: (answer: any) => void, reject: (error: Error) => void }>} */
    this.waiting = new Map();
    this.count = 0;
    this.wait = FIRST_WAIT_MS;
    /** @type {number | undefined} */ this.timer = undefined;
    /** @type {WebSocket | null} */ this.socket = null;
    this.isReady = false;
    /** @type {Page.Error | null} */ this.last = null;
    addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.retryNow());
  }

  // Open a new connection. Close the old one, if any, so that its pending requests fail.
  open() {
    this.close();
    this.last = null;
    const socket = new WebSocket(address());
    this.socket = socket;
    this.tell("connecting", null);
    socket.addEventListener("message", (event) => socket === this.socket && this.receive(JSON.parse(event.data)));
    socket.addEventListener("close", () => socket === this.socket && this.lost());
  }

  /** Open a new connection, which holds no seat, and wait until it is open. @returns {Promise<void>} */
  renewed() {
    this.open();
    return this.opened();
  }

  /** Wait until the connection is open. Rejects if it is lost before. @returns {Promise<void>} */
  opened() {
    if (this.isReady || !this.socket) return Promise.resolve();
    return new Promise((resolve, reject) => this.waiting.set(HELLO, { resolve, reject }));
  }

  close() {
    clearTimeout(this.timer);
    this.timer = undefined;
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
    if (this.last && FINAL_ERRORS.has(this.last.code)) {
      this.tell("ended", this.last);
      return;
    }
    this.tell("lost", this.last);
    // A server that shuts down says when to reconnect. `setTimeout` fires at once for delays of more than 24 days.
    const returnS = Math.min(this.last?.retry_s ?? 0, LONGEST_RETURN_S);
    this.timer = setTimeout(() => this.open(), Math.max(this.wait, 1000 * returnS));
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
  }

  retryNow() {
    if (this.timer === undefined) return;
    this.wait = FIRST_WAIT_MS;
    this.open();
  }

  forget() {
    for (const { reject } of this.waiting.values()) reject(new Error("The connection was lost; try again."));
    this.waiting.clear();
  }

  receive(/** @type {Heard} */ message) {
    if (message.type === "hello") {
      this.isReady = true;
      this.wait = FIRST_WAIT_MS;
      this.tell("open", null);
      this.greet();
      this.waiting.get(HELLO)?.resolve(undefined);
      this.waiting.delete(HELLO);
      return;
    }
    if (message.type === "error" && message.fatal) this.last = message;
    const ref = "ref" in message && message.ref ? message.ref : "";
    const asked = this.waiting.get(ref);
    this.waiting.delete(ref);
    if (asked && message.type === "error") {
      asked.reject(new Refusal(message));
      return;
    }
    this.hear(message);
    asked?.resolve(message);
  }

  say(/** @type {Said} */ message) {
    if (this.isReady) this.socket?.send(JSON.stringify(message));
    return this.isReady;
  }

  /**
   * Send a request and wait for the answer. Rejects with `Refusal` if the server answers with an error.
   * @template {keyof Answers} Kind
   * @param {(Page.LobbyRequest | Page.PoolRequest) & { type: Kind }} message
   * @returns {Promise<Answers[Kind]>}
   */
  ask(message) {
    const ref = `p${++this.count}`;
    return new Promise((resolve, reject) => {
      this.waiting.set(ref, { resolve, reject });
      if (!this.say({ ...message, ref })) {
        this.waiting.delete(ref);
        reject(new Error("There is no connection to the server at the moment."));
      }
    });
  }
}
