// Written by .ci/page_types.py.
declare namespace Page {
type ActionTrackShown = {
  about: string;
  columns: Array<string>;
  now: number;
  spaces: Array<SpaceShown>;
};

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
  command: string | null;
  steps: Array<any>;
  limit: number | null;
  ref: string | null;
};

type Analysis = {
  game: string;
  actions: number;
  is_finished: boolean;
  looks: number;
  players: Array<PlayerSummary>;
  moments: Array<TurningPoint>;
  auctions: Array<AuctionWorth>;
  curve: Array<Array<number>>;
  decisions: Array<JudgedDecision>;
  curve_title: string;
};

type AnalysisTold = {
  title: string;
  chances: Array<Array<number>>;
  moments: Array<MomentTold>;
  costliest: Array<Array<MomentTold>>;
  decisions: Array<DecisionTold>;
};

type Answer = {
  type: "action";
  number: number;
  action?: any | null;
  choice?: number | null;
  info?: any;
  match?: string | null;
};

type AskStanding = {
  type: "standing";
  entrant?: string | null;
  ref?: string | null;
};

type AskStandings = {
  type: "standings";
  ref?: string | null;
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
  symbol: string;
  minimum: number;
  bids: Array<[number, number | null]>;
  leader: number | null;
  bid: number | null;
  still_in: Array<number>;
};

type AuctionWorth = {
  first: number;
  share: string;
  worths: Array<number | null>;
  buyer: number | null;
  price: number | null;
};

type BanOwner = {
  type: "ban_owner";
  owner: string;
  token: string;
  lift?: boolean;
  ref?: string | null;
};

type BestMove = {
  first: number;
  edge: number;
  words: string;
};

type BidUpTo = {
  type: "bid_up_to";
  limit: number;
  then?: "ask" | "pass";
};

type BoardShown = {
  svg: string;
  legend: string;
  flexible: boolean;
};

type BranchPoint = {
  log: string;
  number: number;
};

type BranchTold = {
  number: number;
  name: string;
  players: string;
  step: number;
  perspectives: Array<Perspective>;
  auctions: Array<Auction>;
  marks: Array<SvgMark>;
  board: Array<MarkStep>;
  analysis: AnalysisTold | null;
  result: ResultTold | null;
};

type CalendarShown = {
  names: Array<string>;
  now: number;
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

type ChatLines = {
  type: "said";
  table: string;
  lines: Array<ChatLine>;
  ref: string | null;
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
  group: string;
  short: string;
  short_preview: string;
  act: string;
  paint: string;
  price: number | null;
  tile: TileShown | null;
};

type ClockLeft = {
  bank_s: number | null;
  move_s: number | null;
};

type ClosingTold = {
  title: string;
  words: Array<string>;
  paid: Array<number>;
};

type Column = [string, "count" | "gauge" | "money" | "owners" | "text", string, string];

type CostlyMove = {
  first: number;
  chance_lost: number;
  words: string;
  to_player: string;
};

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
  branch?: BranchPoint | null;
  undo?: boolean;
  hints?: boolean;
  lesson?: boolean;
  ref?: string | null;
};

type DecisionTold = {
  step: number;
  last: number;
  words: string;
};

type Decline = {
  type: "decline";
  offer: string;
  ref?: string | null;
};

type Elements = {
  "alert-note": HTMLElementTagNameMap["input"];
  "alert-sound": HTMLElementTagNameMap["input"];
  "alert-words": HTMLElementTagNameMap["p"];
  "announce": HTMLElementTagNameMap["p"];
  "ask": HTMLElementTagNameMap["section"];
  "ask-title": HTMLElementTagNameMap["h3"];
  "asked": HTMLElementTagNameMap["div"] | HTMLElementTagNameMap["p"];
  "auctions": HTMLElementTagNameMap["section"];
  "auctions-title": HTMLElementTagNameMap["h2"];
  "board-frame": HTMLElementTagNameMap["div"];
  "board-holder": HTMLElementTagNameMap["div"];
  "branch-list": HTMLElementTagNameMap["ul"];
  "branches": HTMLElementTagNameMap["section"];
  "branches-title": HTMLElementTagNameMap["h2"];
  "calendar": HTMLElementTagNameMap["ol"];
  "cash": HTMLElementTagNameMap["ul"];
  "charts": HTMLElementTagNameMap["section"];
  "charts-title": HTMLElementTagNameMap["h2"];
  "chat-close": HTMLElementTagNameMap["button"];
  "chat-form": HTMLElementTagNameMap["form"];
  "chat-lines": HTMLElementTagNameMap["ul"];
  "chat-muted": HTMLElementTagNameMap["p"];
  "chat-new": HTMLElementTagNameMap["b"];
  "chat-open": HTMLElementTagNameMap["section"];
  "chat-phrases": HTMLElementTagNameMap["select"];
  "chat-show": HTMLElementTagNameMap["button"];
  "chat-text": HTMLElementTagNameMap["input"];
  "chat-whom": HTMLElementTagNameMap["p"];
  "chat-words": HTMLElementTagNameMap["p"];
  "check-title": HTMLElementTagNameMap["h2"];
  "code": HTMLElementTagNameMap["input"];
  "compared": HTMLElementTagNameMap["div"];
  "confirm": HTMLElementTagNameMap["dialog"];
  "confirm-no": HTMLElementTagNameMap["button"];
  "confirm-title": HTMLElementTagNameMap["h2"];
  "confirm-words": HTMLElementTagNameMap["p"];
  "confirm-yes": HTMLElementTagNameMap["button"];
  "corner": HTMLElementTagNameMap["div"];
  "count": HTMLElementTagNameMap["span"];
  "create": HTMLElementTagNameMap["form"];
  "curve": HTMLElementTagNameMap["div"];
  "curve-title": HTMLElementTagNameMap["h2"];
  "data": HTMLElementTagNameMap["script"];
  "decisive": HTMLElementTagNameMap["div"];
  "details": HTMLElementTagNameMap["details"];
  "devices": HTMLElementTagNameMap["section"];
  "devices-title": HTMLElementTagNameMap["h2"];
  "ending": HTMLElementTagNameMap["div"];
  "entrant": HTMLElementTagNameMap["div"];
  "entrant-check": HTMLElementTagNameMap["div"];
  "entrant-check-part": HTMLElementTagNameMap["section"];
  "entrant-face": HTMLElementTagNameMap["span"];
  "entrant-facts": HTMLElementTagNameMap["div"];
  "entrant-faults": HTMLElementTagNameMap["ul"];
  "entrant-faults-part": HTMLElementTagNameMap["section"];
  "entrant-games": HTMLElementTagNameMap["ul"];
  "entrant-head": HTMLElementTagNameMap["section"];
  "entrant-title": HTMLElementTagNameMap["h2"];
  "entrant-versions": HTMLElementTagNameMap["p"];
  "entrant-words": HTMLElementTagNameMap["p"];
  "faint": HTMLElementTagNameMap["p"];
  "faults-title": HTMLElementTagNameMap["h2"];
  "fetch": HTMLElementTagNameMap["form"];
  "fetch-words": HTMLElementTagNameMap["p"];
  "friends-title": HTMLElementTagNameMap["h2"];
  "from-here": HTMLElementTagNameMap["div"];
  "game-filter": HTMLElementTagNameMap["select"];
  "game-offer": HTMLElementTagNameMap["dialog"];
  "game-title": HTMLElementTagNameMap["b"];
  "games-title": HTMLElementTagNameMap["h2"];
  "gauges": HTMLElementTagNameMap["ul"];
  "glance": HTMLElementTagNameMap["div"];
  "goal": HTMLElementTagNameMap["section"];
  "goal-state": HTMLElementTagNameMap["span"];
  "goal-title": HTMLElementTagNameMap["h3"];
  "goal-words": HTMLElementTagNameMap["p"];
  "heading": HTMLElementTagNameMap["p"];
  "help": HTMLElementTagNameMap["button"];
  "hero-map": HTMLElementTagNameMap["div"];
  "hero-play": HTMLElementTagNameMap["button"];
  "hero-title": HTMLElementTagNameMap["h2"];
  "hover": HTMLElementTagNameMap["p"];
  "icon": HTMLElementTagNameMap["link"];
  "ids": HTMLElementTagNameMap["button"];
  "invites": HTMLElementTagNameMap["div"];
  "keys": HTMLElementTagNameMap["section"];
  "learn-games": HTMLElementTagNameMap["ul"];
  "learn-show": HTMLElementTagNameMap["button"];
  "legend": HTMLElementTagNameMap["p"];
  "lobby": HTMLElementTagNameMap["div"];
  "log": HTMLElementTagNameMap["ol"];
  "main": HTMLElementTagNameMap["main"];
  "menu": HTMLElementTagNameMap["dialog"];
  "menu-close": HTMLElementTagNameMap["button"];
  "mine": HTMLElementTagNameMap["section"];
  "mine-all": HTMLElementTagNameMap["button"];
  "mine-title": HTMLElementTagNameMap["h2"];
  "minimap": HTMLElementTagNameMap["div"];
  "moments": HTMLElementTagNameMap["ol"];
  "more": HTMLElementTagNameMap["button"];
  "more-off": HTMLElementTagNameMap["button"];
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
  "new-from": HTMLElementTagNameMap["p"];
  "new-game": HTMLElementTagNameMap["select"];
  "new-game-label": HTMLElementTagNameMap["label"];
  "new-hints": HTMLElementTagNameMap["input"];
  "new-more": HTMLElementTagNameMap["details"];
  "new-name": HTMLElementTagNameMap["input"];
  "new-openings": HTMLElementTagNameMap["select"];
  "new-openings-label": HTMLElementTagNameMap["label"];
  "new-options": HTMLElementTagNameMap["div"];
  "new-other": HTMLElementTagNameMap["input"];
  "new-players": HTMLElementTagNameMap["select"];
  "new-players-label": HTMLElementTagNameMap["label"];
  "new-private": HTMLElementTagNameMap["input"];
  "new-seats": HTMLElementTagNameMap["div"];
  "new-title": HTMLElementTagNameMap["h2"];
  "new-undo": HTMLElementTagNameMap["input"];
  "new-you": HTMLElementTagNameMap["input"];
  "notice": HTMLElementTagNameMap["div"];
  "now": HTMLElementTagNameMap["section"];
  "now-title": HTMLElementTagNameMap["h2"];
  "number": HTMLElementTagNameMap["input"];
  "of": HTMLElementTagNameMap["span"];
  "offer-accept": HTMLElementTagNameMap["button"];
  "offer-check": HTMLElementTagNameMap["p"];
  "offer-decline": HTMLElementTagNameMap["button"];
  "offer-left": HTMLElementTagNameMap["span"];
  "offer-time": HTMLElementTagNameMap["progress"];
  "offer-title": HTMLElementTagNameMap["h2"];
  "offer-words": HTMLElementTagNameMap["p"];
  "other-clock": HTMLElementTagNameMap["label"];
  "own": HTMLElementTagNameMap["div"];
  "own-costs": HTMLElementTagNameMap["ol"];
  "own-title": HTMLElementTagNameMap["h3"];
  "pace": HTMLElementTagNameMap["select"];
  "panes": HTMLElementTagNameMap["section"];
  "pj-board": HTMLElementTagNameMap["section"];
  "pj-count": HTMLElementTagNameMap["p"];
  "pj-game": HTMLElementTagNameMap["p"];
  "pj-side": HTMLElementTagNameMap["section"];
  "pj-story": HTMLElementTagNameMap["ul"];
  "pj-tables": HTMLElementTagNameMap["div"];
  "pj-title": HTMLElementTagNameMap["h1"];
  "pj-turn": HTMLElementTagNameMap["p"];
  "play": HTMLElementTagNameMap["button"] | HTMLElementTagNameMap["section"];
  "play-again": HTMLElementTagNameMap["button"];
  "play-face": HTMLElementTagNameMap["span"];
  "play-icon": SVGElementTagNameMap["path"];
  "play-skip": HTMLElementTagNameMap["button"];
  "play-steps": HTMLElementTagNameMap["div"];
  "play-word": HTMLElementTagNameMap["span"];
  "play-words": HTMLElementTagNameMap["p"];
  "pool": HTMLElementTagNameMap["div"];
  "pool-card": HTMLElementTagNameMap["section"];
  "pool-card-title": HTMLElementTagNameMap["h2"];
  "pool-clock": HTMLElementTagNameMap["span"];
  "pool-count": HTMLElementTagNameMap["p"];
  "pool-enter": HTMLElementTagNameMap["form"];
  "pool-games": HTMLElementTagNameMap["div"];
  "pool-games-part": HTMLElementTagNameMap["fieldset"];
  "pool-games-played": HTMLElementTagNameMap["p"];
  "pool-live": HTMLElementTagNameMap["section"];
  "pool-name": HTMLElementTagNameMap["input"];
  "pool-others": HTMLElementTagNameMap["p"];
  "pool-own": HTMLElementTagNameMap["div"];
  "pool-play": HTMLElementTagNameMap["section"];
  "pool-players": HTMLElementTagNameMap["div"];
  "pool-players-part": HTMLElementTagNameMap["fieldset"];
  "pool-standings": HTMLElementTagNameMap["section"];
  "pool-state": HTMLElementTagNameMap["p"];
  "pool-stop": HTMLElementTagNameMap["button"];
  "pool-tables": HTMLElementTagNameMap["ul"];
  "pool-tables-title": HTMLElementTagNameMap["h2"];
  "pool-time": HTMLElementTagNameMap["time"];
  "pool-title": HTMLElementTagNameMap["h2"];
  "pool-wait": HTMLElementTagNameMap["button"];
  "pool-waiting": HTMLElementTagNameMap["div"];
  "pool-words": HTMLElementTagNameMap["p"];
  "position": HTMLElementTagNameMap["div"];
  "quick": HTMLElementTagNameMap["section"];
  "quick-bots": HTMLElementTagNameMap["select"];
  "quick-games": HTMLElementTagNameMap["ul"];
  "quick-level": HTMLElementTagNameMap["fieldset"];
  "quick-title": HTMLElementTagNameMap["h2"];
  "rating-change": HTMLElementTagNameMap["p"];
  "recent": HTMLElementTagNameMap["ul"];
  "rules-games": HTMLElementTagNameMap["ul"];
  "rules-link": HTMLElementTagNameMap["a"];
  "search": HTMLElementTagNameMap["form"];
  "seat-list": HTMLElementTagNameMap["ul"];
  "seats": HTMLElementTagNameMap["section"];
  "seats-title": HTMLElementTagNameMap["h3"];
  "seed": HTMLElementTagNameMap["span"];
  "seer": HTMLElementTagNameMap["select"];
  "seer-label": HTMLElementTagNameMap["label"];
  "settings-title": HTMLElementTagNameMap["h2"];
  "share": HTMLElementTagNameMap["button"];
  "share-code": HTMLElementTagNameMap["p"];
  "share-part": HTMLElementTagNameMap["div"];
  "shortcuts": HTMLElementTagNameMap["input"];
  "since": HTMLElementTagNameMap["section"];
  "since-title": HTMLElementTagNameMap["h3"];
  "skip": HTMLElementTagNameMap["button"];
  "slider": HTMLElementTagNameMap["input"];
  "speed": HTMLElementTagNameMap["select"];
  "stage": HTMLElementTagNameMap["section"];
  "stand-ins": HTMLElementTagNameMap["p"];
  "standings": HTMLElementTagNameMap["div"];
  "standings-link": HTMLElementTagNameMap["a"];
  "standings-title": HTMLElementTagNameMap["h2"];
  "state": HTMLElementTagNameMap["p"];
  "state-filter": HTMLElementTagNameMap["select"];
  "step": HTMLElementTagNameMap["div"];
  "step-title": HTMLElementTagNameMap["p"];
  "step-words": HTMLElementTagNameMap["ul"];
  "steps": HTMLElementTagNameMap["ol"];
  "story": HTMLElementTagNameMap["div"] | HTMLElementTagNameMap["section"];
  "story-new": HTMLElementTagNameMap["b"];
  "story-title": HTMLElementTagNameMap["h2"];
  "tab-move": HTMLElementTagNameMap["button"];
  "tab-players": HTMLElementTagNameMap["button"];
  "tab-story": HTMLElementTagNameMap["button"];
  "tab-tables": HTMLElementTagNameMap["button"];
  "table": HTMLElementTagNameMap["div"];
  "table-buttons": HTMLElementTagNameMap["p"];
  "table-menu": HTMLElementTagNameMap["section"];
  "table-menu-title": HTMLElementTagNameMap["h2"];
  "table-rare": HTMLElementTagNameMap["p"];
  "table-title": HTMLElementTagNameMap["h2"];
  "table-words": HTMLElementTagNameMap["p"];
  "tables": HTMLElementTagNameMap["section"];
  "tables-after": HTMLElementTagNameMap["button"];
  "tables-all": HTMLElementTagNameMap["button"];
  "tables-before": HTMLElementTagNameMap["button"];
  "tables-list": HTMLElementTagNameMap["ul"];
  "tables-title": HTMLElementTagNameMap["h2"];
  "tabs": HTMLElementTagNameMap["div"];
  "theme": HTMLElementTagNameMap["button"];
  "to-pool": HTMLElementTagNameMap["a"];
  "toasts": HTMLElementTagNameMap["div"];
  "transport": HTMLElementTagNameMap["div"];
  "turns": HTMLElementTagNameMap["ul"];
  "unsent": HTMLElementTagNameMap["p"];
  "watching": HTMLElementTagNameMap["span"];
  "where": HTMLElementTagNameMap["div"];
  "why": HTMLElementTagNameMap["div"];
  "words": HTMLElementTagNameMap["input"];
  "worth": HTMLElementTagNameMap["p"];
  "zoom": HTMLElementTagNameMap["button"];
  "zoom-in": HTMLElementTagNameMap["button"];
  "zoom-out": HTMLElementTagNameMap["button"];
};

type Enter = {
  type: "enter";
  token: string;
  games?: Array<string>;
  players?: Array<number>;
  meets_own?: boolean;
  single?: boolean;
  ref?: string | null;
};

type Entered = {
  type: "entered";
  entrant: string;
  state: "active" | "quarantined" | "revoked";
  standing: StandingInfo;
  season: "closed" | "closing" | "frozen" | "open" | "paused";
  ref: string | null;
};

type EntrantInfo = {
  entrant: string;
  owner: string;
  state: "active" | "quarantined" | "revoked";
  person: boolean;
  follows: string | null;
  waiting: number;
  playing: number;
  games_today: number;
  faults_in_a_row: number;
  lag_ms: number | null;
};

type EntrantPage = {
  row: PoolRow;
  versions: Array<StandingInfo>;
  curve: Array<RatingPoint>;
  games: Array<PoolGameInfo>;
  faults: Array<PoolFaultInfo>;
  check: PoolCheck | null;
  next_check: number | null;
};

type Entrants = {
  type: "entrants";
  entrants: Array<EntrantInfo>;
  ref: string | null;
};

type EntrantsInvited = {
  type: "entrants_invited";
  invites: Array<string>;
  ref: string | null;
};

type Error = {
  type: "error";
  code: string;
  message: string;
  fatal: boolean;
  ref: string | null;
  retry_s?: number;
};

type EventShown = {
  seat: number | null;
  kind: "build" | "finale" | "other" | "payment" | "sale";
  places: Array<string>;
  money: Array<[number, number]>;
  put: Array<[number, string, "path" | "text" | "use", Array<[string, string]>, string]>;
  taken: Array<number>;
  auction: AuctionShown | null;
  cells: Array<[number, number, number, number | string | null]>;
  players: Array<[number, PlayerShown]>;
};

type Expectation = {
  money: Array<number>;
  chances: Array<number>;
};

type FetchSeats = {
  type: "fetch_seats";
  code: string;
  ref?: string | null;
};

type GameOffer = {
  games: Array<GameOffered>;
  seats: Array<string>;
  phrases: Array<string>;
  has_pool: boolean;
};

type GameOffered = {
  name: string;
  title: string;
  about: string;
  players: Array<number>;
  options: Array<OptionOffered>;
  boards: Array<string>;
  has_openings: boolean;
  levels: Array<string>;
  difficulty: number;
  has_cover: boolean;
  has_lessons: boolean;
  unit: string;
};

type GoalShown = {
  title: string;
  state: string;
  words: string;
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
  created_at: number;
  ended_at: number | null;
  reason: "disconnect" | "illegal" | "interrupted" | "normal" | "timeout" | null;
};

type Hello = {
  type: "hello";
  protocol: number;
  server: string;
  max_line: number;
  at_once: number;
};

type InviteEntrants = {
  type: "invite_entrants";
  token: string;
  count?: number;
  ref?: string | null;
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
  view?: "delta" | "full" | "long_text" | "none" | "text";
  push?: boolean;
  push_view?: boolean;
  board?: boolean;
  undo?: boolean;
};

type JudgedDecision = {
  judgement: Judgement;
  words: string;
};

type Judgement = {
  first: number;
  last: number;
  seat: number;
  played: Array<any>;
  other: Array<any>;
  before: Expectation;
  after: Expectation;
  instead: Expectation;
  loss: number;
  chance_lost: number;
  edge: number;
  worths: Array<number | null> | null;
  outlook: Array<number>;
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

type LessonShown = {
  earlier: Array<LessonTextShown>;
  steps: Array<LessonStepShown>;
  total: number;
};

type LessonStepShown = {
  texts: Array<LessonTextShown>;
  action: any;
  command: string;
  words: string;
  why: Array<string>;
};

type LessonTextShown = {
  words: string;
  rules: Array<string>;
};

type ListEntrants = {
  type: "entrants";
  owner?: string | null;
  ref?: string | null;
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

type LobbyAnswer = Tables | TableCreated | TableChanged | Seated | Held | SeatsShared | SeatsFetched | Watching | Invited | Left | ChatLines | UndoAsked | OrderNotice | Supposed | Shown | SinceShown | AdviceShown | Status | Hello | Error;

type LobbyRequest = ListTables | CreateTable | TakeSeat | ResumeSeat | ListHeld | ShareSeats | FetchSeats | InviteTo | StartTable | LeaveSeat | Rematch | Undo | StandingOrder | WatchTable | Chat | Suppose | Show | AdminCommand;

type MarkStep = [Array<number>, Array<number>];

type MomentTold = {
  step: number;
  seat: number;
  words: string;
};

type OfferOver = {
  type: "offer_over";
  offer: string;
  why: string;
};

type Offered = {
  type: "offered";
  offer: string;
  game: string;
  players: number;
  options: Record<string, any>;
  clock: string;
  seat: number;
  rated: boolean;
  answer_within_s: number;
  check: boolean;
};

type OptionOffered = {
  name: string;
  question: string;
  choices: Array<ChoiceOffered>;
};

type OrderNotice = {
  type: "order";
  table: string;
  order: BidUpTo | PassUntil | null;
  words: string;
  ref: string | null;
};

type PassUntil = {
  type: "pass_until";
  until: "auction_ends" | "choices_change";
};

type Perspective = {
  name: string;
  seat: number | null;
  steps: Array<StepTold>;
  ending: Array<string>;
};

type PlayFrom = {
  words: string;
  is_address: boolean;
};

type PlayerShown = {
  cash: number | null;
  due: number | null;
  shares: Array<[string, string, string, number]>;
  note: string;
};

type PlayerSummary = {
  name: string;
  score: number;
  decisions: number;
  mistakes: number;
  money_lost: number;
  chance_lost: number;
  best: BestMove | null;
  lost_at: number | null;
  substitute: PlayerSummary | null;
  costliest: Array<CostlyMove>;
};

type PoolAnswer = Registered | Entered | Offered | OfferOver | Withdrawn | Standing | Standings | Entrants | EntrantsInvited | Season;

type PoolCheck = {
  at: number;
  table: string;
  failed_in_a_row: number;
};

type PoolFaultInfo = {
  id: string;
  action: number;
  code: string;
  message: string;
};

type PoolGameInfo = {
  id: string;
  at: number;
  title: string;
  names: Array<string>;
  ranks: Array<number>;
  scores: Array<number>;
  seat: number;
  faults: number;
  lost: boolean;
  reason: string;
  has_replay: boolean;
  table: string;
  before: number | null;
  after: number | null;
  fault_codes: Record<string, number>;
  unit: string;
};

type PoolOverview = {
  season: "closed" | "closing" | "frozen" | "open" | "paused";
  ends_at: number | null;
  words: string;
  entry: "closed" | "invitation" | "open";
  clock: string;
  settings: Array<PoolSetting>;
  games: number;
  now: number;
  rows: Array<PoolRow>;
  tables: Array<PoolTable>;
  playing: number;
};

type PoolRequest = Register | Enter | Ready | Decline | Withdraw | AskStanding | AskStandings | ListEntrants | Revoke | BanOwner | InviteEntrants | SetSeason;

type PoolRow = {
  standing: StandingInfo;
  entrant: EntrantInfo;
};

type PoolSetting = {
  game: string;
  title: string;
  players: number;
};

type PoolTable = {
  table: string;
  title: string;
  names: Array<string>;
  actions: number;
};

type QuestionShown = {
  number: number;
  words: string;
  explained: string;
  rules: Array<string>;
  choices: Array<ChoiceShown>;
  barred: Array<TileShown>;
  repeats_pass: boolean;
};

type RatingPoint = [number, number, number | null, number | null];

type Ready = {
  type: "ready";
  offer: string;
  ref?: string | null;
};

type Register = {
  type: "register";
  name: string;
  owner?: string | null;
  owner_token?: string | null;
  invite?: string | null;
  follows?: string | null;
  person?: boolean;
  ref?: string | null;
};

type Registered = {
  type: "registered";
  entrant: string;
  token: string;
  owner: string;
  owner_token: string | null;
  ref: string | null;
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
  delta: Record<string, any> | null;
  text: string | null;
};

type ResultShown = {
  scores: Array<number>;
  ranks: Array<number>;
  words: Array<string>;
  substituted: Array<number>;
  actions: number;
  reason: "disconnect" | "illegal" | "interrupted" | "normal" | "timeout";
  sources: Array<Array<[string, number]>>;
};

type ResultTold = {
  scores: Array<number>;
  ranks: Array<number>;
};

type ResumeSeat = {
  type: "resume";
  token: string;
  ref?: string | null;
};

type Revoke = {
  type: "revoke";
  entrant: string;
  token: string;
  renew?: boolean;
  ref?: string | null;
};

type Row = [string, string, string];

type Season = {
  type: "season";
  state: "closed" | "closing" | "frozen" | "open" | "paused";
  ends_at: number | null;
  final_games: number;
  ref: string | null;
};

type SeatInfo = {
  seat: number;
  kind: "bot" | "builtin" | "open" | "player" | "reserved";
  name: string | null;
  connected: boolean;
  substitute: boolean;
  player: string | null;
};

type Seated = {
  type: "seated";
  table: TableInfo;
  seat: number;
  token: string;
  ref: string | null;
  substituted_from: number | null;
};

type SeatsFetched = {
  type: "seats_fetched";
  seats: Array<SharedSeat>;
  ref: string | null;
};

type SeatsShared = {
  type: "seats_shared";
  code: string;
  valid_s: number;
  seats: number;
  ref: string | null;
};

type SetSeason = {
  type: "season";
  token: string;
  state?: "closed" | "closing" | "frozen" | "open" | "paused" | null;
  minutes?: number | null;
  finalists?: number | null;
  rounds?: number | null;
  ref?: string | null;
};

type ShareSeats = {
  type: "share_seats";
  tokens: Array<string>;
  ref?: string | null;
};

type SharedSeat = {
  token: string;
  held: HeldSeat;
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
  ratio?: number | null;
  since?: boolean;
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
  players: Array<PlayerShown>;
  sent_before: number;
  story: Array<string>;
  events: Array<EventShown>;
  fresh: number;
  moved: boolean;
  stage: Array<string>;
  asked: number | null;
  auction: AuctionShown | null;
  clocks: Array<ClockLeft | null>;
  question: QuestionShown | null;
  supposed: SupposedShown | null;
  result: ResultShown | null;
  lesson: LessonShown | null;
  others_moved: boolean;
  track: ActionTrackShown | null;
  calendar: CalendarShown | null;
  goal: GoalShown | null;
  revocable: boolean;
  unit: string;
  ref: string | null;
};

type SinceShown = {
  type: "since";
  put: Array<[number, string, "path" | "text" | "use", Array<[string, string]>, string]>;
  story: Array<string>;
  events: Array<EventShown>;
  tables: Array<TableShown>;
  players: Array<PlayerShown>;
  ref: string | null;
};

type SpaceShown = {
  name: string;
  note: string;
  command: string;
  taken: Array<number | null>;
};

type Standing = {
  type: "standing";
  standing: StandingInfo;
  ref: string | null;
};

type StandingInfo = {
  entrant: string;
  owner: string;
  games: number;
  rating: number | null;
  low: number | null;
  high: number | null;
  place: number | null;
  provisional: boolean;
  anchor: boolean;
  last_played: number | null;
};

type StandingOrder = {
  type: "standing_order";
  order: BidUpTo | PassUntil | null;
  number?: number | null;
  ref?: string | null;
};

type Standings = {
  type: "standings";
  standings: Array<StandingInfo>;
  season: "closed" | "closing" | "frozen" | "open" | "paused";
  entry: "closed" | "invitation" | "open";
  games: number;
  settings: Array<string>;
  clock: string;
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
  short: string;
};

type StepTold = {
  title: string;
  words: Array<string>;
  asked: Array<string>;
  cells: Array<number | string | null>;
  is_landmark: boolean;
  turn: string;
  closing: ClosingTold | null;
};

type Story = {
  heading: string;
  game: string;
  unit: string;
  seed: string | null;
  players: Array<Row>;
  perspectives: Array<Perspective>;
  tables: Array<SheetTold>;
  charts: Array<Chart>;
  auctions: Array<Auction>;
  marks: Array<SvgMark>;
  board: Array<MarkStep>;
  analysis: AnalysisTold | null;
  result: ResultTold | null;
  branches: Array<BranchTold>;
  play_from: PlayFrom | null;
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
  revocable: boolean;
};

type SvgMark = [string, "path" | "text" | "use", Array<[string, string]>, string];

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
  branch: BranchPoint | null;
  undo: boolean;
  hints: boolean;
  rematch: Array<number>;
  pool: "rated" | "unrated" | null;
  lesson: boolean;
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

type TileShown = {
  title: string;
  price: string;
  picture: string;
  places: Array<[string, string]>;
  effect: string;
  gain: string;
};

type TurningPoint = {
  first: number;
  last: number;
  seat: number;
  change: Array<number>;
  words: string;
};

type Undo = {
  type: "undo";
  say: "agree" | "ask" | "refuse";
  ref?: string | null;
};

type UndoAsked = {
  type: "undo_asked";
  table: string;
  seat: number;
  name: string;
  state: "asked" | "done" | "over" | "refused";
  by: number;
  ref: string | null;
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

type Withdraw = {
  type: "withdraw";
  ref?: string | null;
};

type Withdrawn = {
  type: "withdrawn";
  entrant: string;
  why: string;
  ref: string | null;
};
}
