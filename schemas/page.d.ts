// Written by .ci/page_types.py.
declare namespace Page {
type AdminCommand = {
  type: "admin";
  token: string;
  command: "ban" | "bans" | "end_table" | "shutdown" | "status" | "unban";
  table?: string | null;
  address?: string | null;
  minutes?: number | null;
  ref?: string | null;
};

type AdviceShown = {
  type: "advice";
  words: Array<string>;
  ref: string | null;
};

type AnalysisTold = {
  chances: Array<Array<number>>;
  moments: Array<MomentTold>;
};

type Answer = {
  type: "action";
  number: number;
  action?: any | null;
  choice?: number | null;
  info?: any;
};

type Auction = {
  start: number;
  company: string;
  what: string;
  minimum: number;
  bids: Array<[number, number | null, number]>;
  end: number | null;
  buyer: number | null;
  price: number | null;
};

type AuctionShown = {
  company: string;
  what: string;
  paint: string;
  letter: string;
  minimum: number;
  bids: Array<[number, number | null]>;
  leader: number | null;
  bid: number | null;
  still_in: Array<number>;
};

type BoardShown = {
  svg: string;
  legend: string;
};

type Chart = [string, number, number];

type Chat = {
  type: "chat";
  text?: string | null;
  on?: boolean;
  ref?: string | null;
};

type ChatLine = {
  number: number;
  seat: number | null;
  name: string;
  text: string;
};

type ChoiceOffered = {
  value: string;
  words: string;
};

type ChoiceShown = {
  words: string;
  command: string;
  preview: string;
  places: Array<string>;
  action: any;
  more: boolean;
  min: number | null;
  max: number | null;
};

type ClockLeft = {
  bank_s: number | null;
  move_s: number | null;
};

type Column = [string, "count" | "gauge" | "money" | "text", string, string];

type CreateTable = {
  type: "create";
  game: string;
  players: number;
  options?: Record<string, string>;
  clock?: string;
  name?: string;
  private?: boolean;
  seats?: Array<string | null>;
  watch_delay_s?: number;
  board?: string;
  openings?: "drawn" | "none";
  chat?: boolean;
  ref?: string | null;
};

type Elements = {
  "alert-note": HTMLElementTagNameMap["input"];
  "alert-sound": HTMLElementTagNameMap["input"];
  "alert-words": HTMLElementTagNameMap["p"];
  "alerting": HTMLElementTagNameMap["section"];
  "alerts": HTMLElementTagNameMap["button"];
  "announce": HTMLElementTagNameMap["p"];
  "ask": HTMLElementTagNameMap["section"];
  "ask-title": HTMLElementTagNameMap["h3"];
  "asked": HTMLElementTagNameMap["div"] | HTMLElementTagNameMap["p"];
  "auctions": HTMLElementTagNameMap["section"];
  "auctions-title": HTMLElementTagNameMap["h2"];
  "board-frame": HTMLElementTagNameMap["div"];
  "board-holder": HTMLElementTagNameMap["div"];
  "charts": HTMLElementTagNameMap["section"];
  "charts-title": HTMLElementTagNameMap["h2"];
  "chat": HTMLElementTagNameMap["section"];
  "chat-close": HTMLElementTagNameMap["button"];
  "chat-form": HTMLElementTagNameMap["form"];
  "chat-lines": HTMLElementTagNameMap["ul"];
  "chat-muted": HTMLElementTagNameMap["p"];
  "chat-new": HTMLElementTagNameMap["b"];
  "chat-open": HTMLElementTagNameMap["div"];
  "chat-phrases": HTMLElementTagNameMap["select"];
  "chat-show": HTMLElementTagNameMap["button"];
  "chat-text": HTMLElementTagNameMap["input"];
  "chat-whom": HTMLElementTagNameMap["p"];
  "chat-words": HTMLElementTagNameMap["p"];
  "count": HTMLElementTagNameMap["p"];
  "create": HTMLElementTagNameMap["form"];
  "data": HTMLElementTagNameMap["script"];
  "decisive": HTMLElementTagNameMap["div"];
  "ending": HTMLElementTagNameMap["div"];
  "game-filter": HTMLElementTagNameMap["select"];
  "gauges": HTMLElementTagNameMap["ul"];
  "glance": HTMLElementTagNameMap["section"];
  "heading": HTMLElementTagNameMap["p"];
  "help": HTMLElementTagNameMap["button"];
  "hover": HTMLElementTagNameMap["p"];
  "icon": HTMLElementTagNameMap["link"];
  "ids": HTMLElementTagNameMap["button"];
  "invites": HTMLElementTagNameMap["div"];
  "keys": HTMLElementTagNameMap["section"];
  "legend": HTMLElementTagNameMap["p"];
  "lobby": HTMLElementTagNameMap["div"];
  "log": HTMLElementTagNameMap["ol"];
  "main": HTMLElementTagNameMap["main"];
  "mine": HTMLElementTagNameMap["div"];
  "moments": HTMLElementTagNameMap["ol"];
  "more-tables": HTMLElementTagNameMap["p"];
  "my-tables": HTMLElementTagNameMap["ul"];
  "name": HTMLElementTagNameMap["input"];
  "naming": HTMLElementTagNameMap["div"];
  "new": HTMLElementTagNameMap["div"];
  "new-board": HTMLElementTagNameMap["select"];
  "new-board-label": HTMLElementTagNameMap["label"];
  "new-chat": HTMLElementTagNameMap["input"];
  "new-clock": HTMLElementTagNameMap["select"];
  "new-delay": HTMLElementTagNameMap["input"];
  "new-game": HTMLElementTagNameMap["select"];
  "new-name": HTMLElementTagNameMap["input"];
  "new-openings": HTMLElementTagNameMap["select"];
  "new-openings-label": HTMLElementTagNameMap["label"];
  "new-options": HTMLElementTagNameMap["div"];
  "new-other": HTMLElementTagNameMap["input"];
  "new-players": HTMLElementTagNameMap["select"];
  "new-private": HTMLElementTagNameMap["input"];
  "new-seats": HTMLElementTagNameMap["div"];
  "new-title": HTMLElementTagNameMap["h2"];
  "new-you": HTMLElementTagNameMap["input"];
  "notice": HTMLElementTagNameMap["p"];
  "now": HTMLElementTagNameMap["section"];
  "now-title": HTMLElementTagNameMap["h2"];
  "number": HTMLElementTagNameMap["input"];
  "of": HTMLElementTagNameMap["span"];
  "other-clock": HTMLElementTagNameMap["label"];
  "pj-board": HTMLElementTagNameMap["section"];
  "pj-count": HTMLElementTagNameMap["p"];
  "pj-game": HTMLElementTagNameMap["p"];
  "pj-side": HTMLElementTagNameMap["section"];
  "pj-story": HTMLElementTagNameMap["ul"];
  "pj-tables": HTMLElementTagNameMap["div"];
  "pj-title": HTMLElementTagNameMap["h1"];
  "pj-turn": HTMLElementTagNameMap["p"];
  "play": HTMLElementTagNameMap["button"];
  "play-icon": SVGElementTagNameMap["path"];
  "play-word": HTMLElementTagNameMap["span"];
  "position": HTMLElementTagNameMap["section"];
  "quick": HTMLElementTagNameMap["section"];
  "quick-games": HTMLElementTagNameMap["span"];
  "quick-level": HTMLElementTagNameMap["select"];
  "quick-title": HTMLElementTagNameMap["h2"];
  "search": HTMLElementTagNameMap["form"];
  "seat-list": HTMLElementTagNameMap["ul"];
  "seats": HTMLElementTagNameMap["section"];
  "seats-title": HTMLElementTagNameMap["h3"];
  "seer": HTMLElementTagNameMap["select"];
  "seer-label": HTMLElementTagNameMap["label"];
  "shortcuts": HTMLElementTagNameMap["input"];
  "since": HTMLElementTagNameMap["div"];
  "since-title": HTMLElementTagNameMap["h4"];
  "skip": HTMLElementTagNameMap["button"];
  "slider": HTMLElementTagNameMap["input"];
  "speed": HTMLElementTagNameMap["select"];
  "stage": HTMLElementTagNameMap["section"];
  "state": HTMLElementTagNameMap["p"];
  "state-filter": HTMLElementTagNameMap["select"];
  "step-title": HTMLElementTagNameMap["p"];
  "step-words": HTMLElementTagNameMap["ul"];
  "steps": HTMLElementTagNameMap["ol"];
  "story": HTMLElementTagNameMap["section"];
  "story-title": HTMLElementTagNameMap["h2"] | HTMLElementTagNameMap["h3"];
  "table": HTMLElementTagNameMap["div"];
  "table-buttons": HTMLElementTagNameMap["p"];
  "table-title": HTMLElementTagNameMap["h2"];
  "table-words": HTMLElementTagNameMap["p"];
  "tables": HTMLElementTagNameMap["section"];
  "tables-after": HTMLElementTagNameMap["button"];
  "tables-before": HTMLElementTagNameMap["button"];
  "tables-list": HTMLElementTagNameMap["ul"];
  "tables-title": HTMLElementTagNameMap["h2"];
  "theme": HTMLElementTagNameMap["button"];
  "told": HTMLElementTagNameMap["div"] | HTMLElementTagNameMap["ul"];
  "transport": HTMLElementTagNameMap["div"];
  "unsent": HTMLElementTagNameMap["p"];
  "words": HTMLElementTagNameMap["input"];
  "you-title": HTMLElementTagNameMap["h2"];
  "zoom": HTMLElementTagNameMap["button"];
  "zoom-in": HTMLElementTagNameMap["button"];
  "zoom-out": HTMLElementTagNameMap["button"];
};

type Error = {
  type: "error";
  code: string;
  message: string;
  fatal: boolean;
  ref: string | null;
};

type GameOffer = {
  games: Array<GameOffered>;
  seats: Array<string>;
  phrases: Array<string>;
};

type GameOffered = {
  name: string;
  title: string;
  players: Array<number>;
  options: Array<OptionOffered>;
  boards: Array<string>;
  has_openings: boolean;
  levels: Array<string>;
};

type Held = {
  type: "held_seats";
  seats: Array<HeldSeat | null>;
  ref: string | null;
};

type HeldSeat = {
  seat: number;
  table: TableInfo;
  ranks: Array<number> | null;
};

type Hello = {
  type: "hello";
  protocol: number;
  server: string;
  max_line: number;
};

type InviteTo = {
  type: "invite";
  table: string;
  owner: string;
  seat?: number | null;
  ref?: string | null;
};

type Invited = {
  type: "invited";
  table: string;
  seat: number;
  invite: string;
  ref: string | null;
};

type Join = {
  type: "join";
  protocol?: number;
  name?: string | null;
  view?: "full" | "none";
  push?: boolean;
  push_view?: boolean;
  board?: boolean;
};

type LeaveSeat = {
  type: "leave";
  ref?: string | null;
};

type Left = {
  type: "left";
  table: string;
  ref: string | null;
};

type ListHeld = {
  type: "held";
  tokens: Array<string>;
  ref?: string | null;
};

type ListTables = {
  type: "list";
  search?: string;
  game?: string | null;
  state?: "ended" | "open" | "playing" | null;
  skip?: number;
  ref?: string | null;
};

type LobbyAnswer = Tables | TableCreated | TableChanged | Seated | Held | Watching | Invited | Left | Said | Supposed | Shown | AdviceShown | Status | Hello | Error;

type LobbyRequest = ListTables | CreateTable | TakeSeat | ResumeSeat | ListHeld | InviteTo | StartTable | LeaveSeat | Rematch | WatchTable | Chat | Suppose | Show | AdminCommand;

type Mark = [string, "path" | "text" | "use", Array<[string, string]>, string];

type MarkStep = [Array<number>, Array<number>];

type MomentTold = {
  step: number;
  words: string;
};

type OptionOffered = {
  name: string;
  question: string;
  choices: Array<ChoiceOffered>;
};

type Perspective = {
  name: string;
  seat: number | null;
  steps: Array<StepTold>;
  ending: Array<string>;
};

type QuestionShown = {
  number: number;
  words: string;
  explained: string;
  rules: Array<string>;
  choices: Array<ChoiceShown>;
};

type Rejected = {
  type: "rejected";
  match: string;
  number: number;
  code: "bad_line" | "illegal_action" | "not_your_turn" | "stale_request" | "too_long" | "too_slow";
  message: string;
  strikes: number;
  strikes_left: number;
};

type Rematch = {
  type: "rematch";
  ref?: string | null;
};

type Request = {
  type: "request";
  match: string;
  number: number;
  seat: number;
  events: Array<any>;
  view: any | null;
  legal: Array<any>;
  default: number;
  clock: ClockLeft | null;
};

type ResultShown = {
  scores: Array<number>;
  ranks: Array<number>;
  words: Array<string>;
};

type ResumeSeat = {
  type: "resume";
  token: string;
  ref?: string | null;
};

type Row = [string, string, string];

type Said = {
  type: "said";
  table: string;
  lines: Array<ChatLine>;
  ref: string | null;
};

type SeatInfo = {
  seat: number;
  kind: "bot" | "builtin" | "open" | "player" | "reserved";
  name: string | null;
  connected: boolean;
  substitute: boolean;
};

type Seated = {
  type: "seated";
  table: TableInfo;
  seat: number;
  token: string;
  ref: string | null;
};

type SheetTold = {
  title: string;
  corner: string;
  columns: Array<Column>;
  rows: Array<Row>;
};

type Show = {
  type: "show";
  on?: boolean;
  number?: number | null;
  steps?: Array<any> | null;
  preview?: boolean;
  hint?: boolean;
  why?: string | null;
  ref?: string | null;
};

type Shown = {
  type: "shown";
  table: string;
  title: string;
  seat: number | null;
  names: Array<[string, string, string]>;
  board: BoardShown | null;
  put: Array<[number, string, "path" | "text" | "use", Array<[string, string]>, string]>;
  taken: Array<number>;
  tables: Array<TableShown>;
  told: number;
  story: Array<string>;
  fresh: number;
  stage: Array<string>;
  asked: number | null;
  auction: AuctionShown | null;
  clocks: Array<ClockLeft | null>;
  question: QuestionShown | null;
  supposed: SupposedShown | null;
  result: ResultShown | null;
  ref: string | null;
};

type StartTable = {
  type: "start_table";
  table: string;
  owner: string;
  fill?: string;
  ref?: string | null;
};

type Status = {
  type: "status";
  connections: number;
  tables: Record<string, number>;
  moves: number;
  ref: string | null;
  bans: Record<string, number | null>;
};

type StepShown = {
  words: string;
  action: any;
};

type StepTold = {
  title: string;
  words: Array<string>;
  asked: Array<string>;
  cells: Array<number | string | null>;
  is_landmark: boolean;
};

type Story = {
  heading: string;
  game: string;
  players: Array<Row>;
  perspectives: Array<Perspective>;
  tables: Array<SheetTold>;
  charts: Array<Chart>;
  auctions: Array<Auction>;
  marks: Array<Mark>;
  board: Array<MarkStep>;
  analysis: AnalysisTold | null;
};

type Suppose = {
  type: "suppose";
  number: number;
  lines: Array<Array<any>>;
  ref?: string | null;
};

type Supposed = {
  type: "supposed";
  number: number;
  results: Array<SupposedLine>;
  ref: string | null;
};

type SupposedLine = {
  events: Array<any>;
  view: any;
  legal: Array<any>;
  error: string | null;
};

type SupposedShown = {
  steps: Array<StepShown>;
  total: string;
  events: Array<string>;
  done: boolean;
};

type TableChanged = {
  type: "table";
  table: TableInfo;
  ref: string | null;
};

type TableCreated = {
  type: "created";
  table: TableInfo;
  owner: string;
  ref: string | null;
};

type TableInfo = {
  table: string;
  name: string;
  game: string;
  players: number;
  options: Record<string, any>;
  clock: string;
  state: "ended" | "open" | "playing";
  private: boolean;
  seats: Array<SeatInfo>;
  actions: number;
  scores: Array<number> | null;
  board: string;
  openings: "drawn" | "none" | "book";
  to_move: number | null;
  chat: boolean;
};

type TableShown = {
  title: string;
  corner: string;
  columns: Array<[string, string, string, string]>;
  rows: Array<[string, string, string]>;
  cells: Array<Array<number | string | null>>;
};

type Tables = {
  type: "tables";
  tables: Array<TableInfo>;
  ref: string | null;
  total: number;
};

type TakeSeat = {
  type: "sit";
  table: string;
  seat?: number | null;
  name?: string | null;
  invite?: string | null;
  ref?: string | null;
};

type WatchTable = {
  type: "watch";
  table: string;
  pace_s?: number;
  ref?: string | null;
};

type Watching = {
  type: "watching";
  table: TableInfo;
  ref: string | null;
};
}
