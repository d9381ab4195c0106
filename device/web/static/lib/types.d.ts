// What the tray sends its pages, as far as they read it. For the type checker alone: no browser loads this file.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Point = [number, number];
export type Counts = Record<string, number>;
export type Colours = Record<string, string>;

export type State = "empty" | "rolling" | "unclear" | "scored" | "awaiting_push" | "resolved" | "fault";

/** A die in the tray. */
export interface Die {
  id: number;
  colour: string | null;
  role?: string | null;
  value: number | null;
  unread?: string | null;
  locked?: boolean;
  must_reroll?: boolean;
  thrown?: boolean;
  corrected?: boolean;
  added?: boolean;
  wrong?: boolean;
  picked_up?: boolean;
  read_value?: number | null;
  read_colour?: string | null;
  earlier?: number[];
  confidence?: number;
  top_quad_px?: Point[];
  box_px?: [x: number, y: number, width: number, height: number];
}

/** What a device is to the table: the display, the game master's or a player's phone, or one that gave no PIN. */
export type Role = "table" | "game_master" | "player" | "guest";

/** What the tray says of this device. */
export interface Identity {
  asked: boolean;
  role: Role;
  id: number | null;
  name: string | null;
  sheets: number[];
  taken: number[];
}

/** A paired phone, as the display lists it. */
export interface Phone {
  id: number;
  name: string | null;
  device: string;
  game_master: boolean;
  sheets: { id: number; title: string }[];
}

/** Every phone, and what lets one in. */
export interface Phones {
  asked: boolean;
  address: string | null;
  address_by_name: string | null;
  pins: { player: string; game_master: string } | null;
  phones: Phone[];
  /** Whether the tray listens to the network; null where that is not changed here. */
  open: boolean | null;
  asks_pin: boolean;
}

/** A die that no camera reads. */
export interface TypedDie {
  id: number;
  level: string;
  sides: number;
  value: number | null;
  locked: boolean;
  must_reroll: boolean;
  declared?: boolean;
}

export interface Press {
  offered: boolean;
  allowed: boolean;
  reason: string;
  text: string;
}

export interface Problem {
  code: string;
  text: string;
  dice?: number[];
}

/** What the rules say of a roll; each system fills other fields. */
export interface Outcome {
  headline?: { value: number | string; word: string };
  success?: boolean | null;
  outcome?: string;
  pending?: string | null;
  trauma_type?: string | null;
  [fact: string]: any;
}

export interface Change {
  kind: string;
  name?: string | null;
  by?: number | null;
  to?: number | string | null;
  text: string;
}

export interface Due {
  items: Change[];
  carried: boolean;
  can_undo: boolean;
  sheet: number | null;
  missed?: string[];
  unpaid?: string[];
}

export interface Clock {
  id: number;
  name: string;
  segments: number;
  filled: number;
  locked: boolean;
  linked_to: number | null;
  opposed_to: number | null;
}

export interface Clocks {
  clocks: Clock[];
  undo: string | null;
  last?: Json;
}

export interface SeriesNow {
  title: string;
  text: string;
  rolls: { value: number | string }[];
  left?: number | null;
  ended: boolean;
}

export type Value = null | boolean | number | string | (number | string)[];

/** One thing to tap before a roll. */
export interface Tile {
  name: string;
  title: string;
  kind: "counter" | "number" | "choice" | "flag" | "text" | "dice";
  counter_kinds: string[];
  choices: string[] | null;
  low: number | null;
  high: number | null;
  default: Value;
  optional: boolean;
}

export interface SeriesKind {
  op: string;
  title: string;
  settings: Tile[];
}

export interface AskKind {
  op: string;
  title: string;
  fields: Tile[];
}

export interface Level {
  level: string;
  sides: number;
}

/** What the rules played offer beside the dice. */
export interface Tiles {
  system: string;
  tiles: Tile[];
  series?: SeriesKind[];
  asks?: AskKind[];
  typed_levels?: Level[];
  aims?: Tile[];
  /** The attribute that a skill is rolled with, by their names. */
  goes_with?: Record<string, string>;
}

export interface Counter {
  kind: string;
  name: string;
  now: number;
  most: number | null;
  least: number;
}

export interface Sheet {
  id: number;
  title: string;
  system: string;
  counters: Counter[];
  marks?: string[];
  rests?: string[];
  undo: string | null;
}

export interface Sheets {
  chosen: number | null;
  carry: string;
  kinds: { kind: string; bounded: boolean }[];
  sheets: Sheet[];
}

export interface System {
  id: string;
  title: string;
}

/** Dice of one kind to take into the hand; the colour class is null where more than one plays the role. */
export interface Taken {
  role: string;
  colour: string | null;
  count: number;
  /** Of dice that no camera reads. */
  sides?: number;
}

/** Rolls that are compared. */
export interface Together {
  id: number;
  kind: "opposed" | "group";
  label: string | null;
  members: { owner: string | null; turn: "rolled" | "now" | "waits"; roll: number | null; count: number | null; hidden: boolean }[];
  done: boolean;
  text: string | null;
}

/** A roll that somebody asked for. */
export interface AskedRoll {
  id: number;
  owner: string | null;
  label: string | null;
  thrower?: string | null;
  aim?: Record<string, Value>;
  aim_text?: string | null;
  hidden?: boolean;
  together?: number | null;
  take?: Taken[];
}

/** A hidden roll that is over and not shown yet. */
export interface Unshown {
  id: number;
  roll: number;
  owner: string | null;
  label: string | null;
}

/** The whole tray at one moment: what GET /api/state answers. */
export interface Snapshot {
  version: number;
  roll?: number | null;
  state: State;
  system: string;
  systems?: System[];
  simulated: boolean;
  profile?: string | null;
  pool: Counts | null;
  pool_roles?: string[];
  example_pool?: Counts;
  odds?: Odds;
  lines?: { kind: "good" | "bad" | "plain"; about: "asked" | "result"; text: string }[];
  roll_facts?: Tile[];
  context?: Record<string, any>;
  rulings?: Json;
  roles?: Record<string, string | null>;
  colours?: Colours;
  dice?: Die[];
  ignored_dice?: Die[];
  typed_dice?: TypedDie[];
  frame?: { width: number; height: number };
  outcome: Outcome | null;
  push?: { eligible?: boolean; must_reroll?: number[] };
  problems?: string[];
  problem_details?: Problem[];
  confirmable?: boolean;
  awaiting?: { kind: string; dice: number[]; text?: string } | null;
  prepared?: { take: string; tiles?: Record<string, Value> } | null;
  lamps?: Record<string, { lit: boolean; pattern: string; brightness?: number }>;
  fault?: { part: string; text: string; retry_in_s: number } | null;
  idle_min?: number;
  hand_in_view?: boolean;
  mend?: { kind: string; text: string } | null;
  presses: { push: Press; throw: Press; reset: Press };
  sheets_revision?: number;
  sheets?: ListedSheet[];
  sheet?: number | null;
  carry?: string;
  consequences?: Due | null;
  series?: SeriesNow | null;
  clocks?: Clocks;
  asked?: AskedRoll | null;
  asked_next?: AskedRoll[];
  next?: { code: string; text: string; wrong: boolean };
  measured?: { met: boolean; by: number | null; text: string } | null;
  together?: Together[];
  hidden?: boolean;
  covered?: boolean;
  unshown?: Unshown[];
  take?: Taken[];
}

/** A sheet as the snapshot lists it. */
export interface ListedSheet {
  id: number;
  title: string;
  system: string;
}

/** What became of a request. */
export type Answer =
  | { ok: true; snapshot: any; reason?: undefined; text?: undefined; nearest?: undefined }
  | { ok: false; reason?: string; text: string; snapshot?: undefined; nearest?: any };

/** A row of odds: an exact fraction, or a mean. */
export interface OddsRow {
  text: string;
  kind: "good" | "bad" | "plain" | "mean";
  fraction: string;
}

export interface Odds {
  title: string | null;
  rows: OddsRow[];
}

export interface HistoryRow {
  id: number;
  roll?: number;
  at: string;
  kind: string;
  owner?: string | null;
  label?: string | null;
  hidden?: boolean;
  dice?: Die[];
  outcome?: Outcome | null;
  costs?: string[];
  /** The roll is shown to nobody but the game master yet. */
  hidden?: boolean;
}

/** One player's newest rolls, and how all of them went. */
export interface OwnRolls {
  rolls: HistoryRow[];
  counts: { rolls: number; succeeded: number; failed: number; pushed: number; pushed_succeeded: number; faces: number[] };
}

/** What a stream brings: that it is open or broken, a snapshot, or a beat. */
export interface StreamNews {
  kind: "open" | "broken" | "snapshot" | "beat" | "here";
  text?: string;
  /** Pause until the next beat. */
  beatMs?: number;
  ageMs?: number;
}

export interface Stream {
  again(): void;
  close(): void;
}

export interface Link extends Stream {
  readonly rests: boolean;
}

/** A roll is scored; it is, and may be pushed; a person is needed; a push was played wrong; a push is done; the roll is over. */
export type SoundName = "settled" | "pushable" | "person" | "wrong" | "pushed" | "reset";

/** Shows a sentence for a few seconds. */
export type Say = (text: string) => void;

/** Tiles and sheets, and requests about them: lib/table-data.js. */
export interface Book {
  say: Say;
  onNews(listener: () => void): void;
  update(snapshot: Snapshot): void;
  readonly tiles: Tiles | null;
  readonly sheets: Sheets;
  readonly sheet: Sheet | null;
  /** Ids of this phone's own sheets, where it has no other to choose; null: the sheet in use is taken. */
  own: number[] | null;
  send(method: string, path: string, body?: object): Promise<any>;
  sendSeen(method: string, path: string, body?: object): Promise<any>;
}

/** An evening without its rolls. */
export interface Evening {
  id: number;
  name: string | null;
  begun: string;
  ended: string;
  over: boolean;
  rolls: number;
  pushes: number;
  players: string[];
  systems: { id: string; title: string }[];
}

/** One throw of a roll that is remembered: the first, or a push. */
export interface ThrowSummary {
  at: string;
  dice: Die[];
  thrown: number[] | null;
  result: number | null;
  word: string | null;
  headline: string | null;
  success: boolean | null;
  met: boolean | null;
  by: number | null;
  met_text: string | null;
  p_success: string | null;
  outcome: Outcome;
  picture: number | null;
}

/** One roll with all that belongs to it. */
export interface RollSummary {
  id: number;
  at: string;
  evening: number;
  roll: number;
  system: string;
  system_title: string;
  owner: string | null;
  label: string | null;
  thrower: string | null;
  whose: string | null;
  aim_text: string | null;
  compared: { text: string } | null;
  dice: Die[];
  throws: ThrowSummary[];
  corrections: { die: number | null; value: number | null; colour: string | null; word?: string; read_value?: number | null; read_colour?: string | null }[];
}

/** Faces of one colour of dice, judged. */
export interface FacesSummary {
  colour: string;
  counts: number[];
  throws: number;
  verdict: string;
  text: string;
  test: string;
}

export interface LuckSummary {
  player: string | null;
  rolls: number;
  won: number;
  expected: number;
  course: number[];
  text: string;
}

export interface PushSummary {
  player: string | null;
  pushes: number;
  ends: Record<string, number>;
  could_save: number;
  expected_saved: number;
  harm: { name: string; title: string; count: number }[];
}

/** One player's opposed rolls. */
export interface ContestTally {
  player: string;
  won: number;
  drawn: number;
  lost: number;
}

/** What people argue about. */
export interface Statistics {
  rolls: number;
  faces: FacesSummary[];
  faces_note: string | null;
  luck: LuckSummary[];
  pushes: PushSummary[];
  contests: ContestTally[];
}
