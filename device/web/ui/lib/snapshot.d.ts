// Made from device/game/snapshot_model.py by `python -m device.game.snapshot_model`.

/** Dice that must be thrown again by the rules. */
export interface Awaiting {
  kind: string;
  reason: string;
  dice: number[];
  text: string;
}

/** A change of one counter. */
export interface Change {
  kind: string;
  name: string | null;
  by: number;
  to: number | null;
  most_to: number | null;
  text: string;
}

/** A way to take consequences: a sheet and, where the rules leave a choice, what it is; null: chosen on it. */
export interface Choice {
  sheet: number;
  choice: string[] | null;
  text: string;
}

/** One of the table's clocks. */
export interface Clock {
  id: number;
  name: string;
  segments: number;
  filled: number;
  opposed_to: number | null;
  linked_to: number | null;
  locked: boolean;
}

/** The clocks that the table shares. */
export interface Clocks {
  clocks: Clock[];
  undo: string | null;
  last: Tick | null;
}

/** The headline texts; `lead` is empty where a problem's own text says what to do. */
export interface Display {
  title: string;
  lead: string;
  act: string;
  hint: string;
}

/** The consequences of a result for a sheet. */
export interface Due {
  items: Change[];
  carried: boolean;
  sheet: number | null;
  payer: number | null;
  effects: string[];
  choices: Choice[];
  can_undo: boolean;
  missed: string[];
  unpaid: string[];
}

/** The part that does not answer. */
export interface Fault {
  part: string;
  text: string;
  retry_in_s: number;
}

/** Size of the picture that dice are placed in. */
export interface FrameSize {
  width: number;
  height: number;
}

/** The number that a display shows large, and its word. */
export interface Headline {
  value: number;
  word: string;
}

/** An object that a person dismissed as not a die. */
export interface IgnoredDie {
  id: number;
  read_value: number | null;
  read_colour: string | null;
  center_px: [number, number];
  top_quad_px: [number, number][];
}

/** A phone that asks to be let in; it shows the same word. */
export interface Knock {
  id: number;
  word: string;
  device: string;
}

/** A lamp of the panel. */
export interface Lamp {
  lit: boolean;
  pattern: string;
  brightness: number;
}

/** A sheet as the snapshot lists it. */
export interface ListedSheet {
  id: number;
  title: string;
  system: string;
}

/** How far a roll met or missed its target. */
export interface Measured {
  met: boolean;
  by: number | null;
  text: string;
}

/** One of several linked rolls. */
export interface Member {
  asked: number;
  owner: string | null;
  thrower: string | null;
  hidden: boolean;
  roll: number | null;
  count: number | null;
  word: string;
  success: boolean | null;
  turn: "rolled" | "now" | "waits";
}

/** What the simulated hand would fix. */
export interface Mend {
  kind: string;
  text: string;
  dice: number[];
}

/** The one next thing to do. */
export interface NextStep {
  code: string;
  text: string;
  wrong: boolean;
}

/** The odds that a display shows, or the reason why there are none. */
export interface Odds {
  is_of_push: boolean;
  title: string | null;
  rows: OddsRow[];
  note: string | null;
}

/** A row of odds: an exact chance, or a mean, as a fraction. */
export interface OddsRow {
  text: string;
  kind: "good" | "bad" | "plain" | "mean";
  fraction: string;
}

/** What the rules make of a roll; each system adds facts of its own. */
export interface Outcome {
  headline: Headline;
  success: boolean | null;
  [fact: string]: any;
}

/** A part that the tray can play without, such as the panel, does not work. */
export interface PartFault {
  part: string;
  title: string;
  text: string;
}

/** The tiles chosen for the next roll, and what they make. */
export interface PreparedRoll {
  roll: number;
  take: string;
  sheet: number | null;
  tiles: Record<string, any>;
  warnings: Warning[];
}

/** A button: whether this tray has it, whether it is enabled, and why not. */
export interface Press {
  offered: boolean;
  allowed: boolean;
  reason: string;
  text: string;
}

/** What is wrong, with its cure. */
export interface Problem {
  code: string;
  text: string;
  dice: number[];
}

/** Whether the roll may be pushed, and which dice stay or go. */
export interface PushState {
  eligible: boolean;
  reason: string;
  reason_text: string;
  must_reroll: number[];
  locked: number[];
}

/** A line under a result. */
export interface ResultLine {
  kind: "good" | "bad" | "plain";
  about: "asked" | "result";
  text: string;
}

/** A requested roll. */
export interface RollRequest {
  id: number;
  owner: string | null;
  label: string | null;
  thrower: string | null;
  text: string;
  aim: Record<string, any>;
  aim_text: string | null;
  hidden: boolean;
  together: number | null;
  roll?: number | null;
  take?: Taken[] | null;
}

/** A die in the tray, as the camera sees it and as it counts. */
export interface SeenDie {
  id: number;
  colour: string | null;
  role: string | null;
  value: number | null;
  face?: string | null;
  sides?: number;
  confidence: number;
  unread: string | null;
  read_value: number | null;
  read_colour: string | null;
  corrected: boolean;
  added: boolean;
  moved: boolean | null;
  locked: boolean;
  must_reroll: boolean;
  mark: "counted" | "cost" | "wild" | "highest" | "discarded" | "nothing" | null;
  ask: "wrong" | "picked" | "unread" | "reroll" | "stay" | null;
  picked_up: boolean;
  earlier: number[];
  wrong: boolean;
  center_px: [number, number];
  box_px: [number, number, number, number];
  top_quad_px: [number, number][];
}

/** The extended test in progress. */
export interface SeriesNow {
  op: string;
  title: string;
  settings?: Record<string, any> | null;
  rolls: SeriesRoll[];
  answer: Record<string, any>;
  ended: boolean;
  left?: number | null;
  text: string;
}

/** One roll of an extended test. */
export interface SeriesRoll {
  roll: number;
  value: number;
}

/** A rule system and its title. */
export interface System {
  id: string;
  title: string;
}

/** Dice of one kind to pick up; the colour class is null if several play the role. */
export interface Taken {
  role: string;
  colour: string | null;
  count: number;
  sides?: number | null;
}

/** What the latest tick did. */
export interface Tick {
  clock: number;
  overflow: number;
  full: boolean;
  emptied: number | null;
}

/** A choice before a roll. */
export interface Tile {
  name: string;
  kind: "counter" | "number" | "choice" | "flag" | "text" | "dice";
  counter_kinds: string[];
  choices: string[] | null;
  low: number | null;
  high: number | null;
  default: boolean | number | string | (number | string)[] | null;
  optional: boolean;
  unless: string | null;
  title: string;
}

/** Linked rolls, which are compared. */
export interface Together {
  id: number;
  kind: "opposed" | "group";
  label: string | null;
  aim: Record<string, any>;
  members: Member[];
  done: boolean;
  result: string | null;
  winner: number | null;
  margin: number | null;
  total: number | null;
  again: boolean;
  text: string | null;
}

/** A manual die: a person enters its value, unless it lies in the tray and is read. */
export interface TypedDie {
  id: number;
  role: string;
  level: string;
  sides: number;
  value: number | null;
  locked: boolean;
  must_reroll: boolean;
  mark: "counted" | "cost" | "wild" | "highest" | "discarded" | "nothing" | null;
  declared: boolean;
}

/** The last press, which can be undone; `by` is the phone that made it, null for the display or a button. */
export interface Undo {
  id: number;
  action: string;
  label: string;
  by: number | null;
}

/** A finished hidden roll that is not shown yet. */
export interface Unshown {
  id: number;
  roll: number;
  owner: string | null;
  label: string | null;
}

/** A warning about a prepared roll. */
export interface Warning {
  code: string;
  text: string;
}

/** The whole tray at one moment: what GET /api/state answers. */
export interface Snapshot {
  state: "empty" | "rolling" | "unclear" | "scored" | "awaiting_push" | "resolved" | "fault";
  dice: SeenDie[];
  outcome: Outcome | null;
  push: PushState;
  problems: string[];
  problem_details: Problem[];
  confirmable: boolean;
  ignored_dice: IgnoredDie[];
  asked: RollRequest | null;
  take: Taken[];
  asked_next: RollRequest[];
  measured: Measured | null;
  together: Together[];
  hidden: boolean;
  covered: boolean;
  unshown: Unshown[];
  typed_dice: TypedDie[];
  awaiting: Awaiting | null;
  prepared: PreparedRoll | null;
  series: SeriesNow | null;
  sheet: number | null;
  sheets_revision: number;
  sheets: ListedSheet[];
  consequences: Due | null;
  carry: string;
  clocks: Clocks;
  roles: Record<string, string | null>;
  rulings: Record<string, any>;
  version: number;
  roll: number | null;
  lines: ResultLine[];
  odds: Odds;
  next: NextStep;
  read_sides: number[];
  system: string;
  system_title: string;
  systems: System[];
  pool_roles: string[];
  example_pool: Record<string, number>;
  roll_facts: Tile[];
  camera: string;
  simulated: boolean;
  mend: Mend | null;
  profile: string | null;
  idle_min: number;
  pool: Record<string, number> | null;
  context: Record<string, any>;
  colours: Record<string, string>;
  frame: FrameSize | null;
  lamps: Record<string, Lamp>;
  fault: Fault | null;
  faults: PartFault[];
  knocks: Knock[];
  lesson: boolean;
  hand_in_view: boolean;
  presses: Record<string, Press>;
  undo: Undo | null;
  log_revision: number;
  display: Display;
}
