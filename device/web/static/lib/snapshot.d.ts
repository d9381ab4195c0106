// Made from device/game/snapshot_model.py by `python -m device.game.snapshot_model`.

/** A roll that somebody asked for. */
export interface AskedRoll {
  id: number;
  owner: string | null;
  label: string | null;
  thrower: string | null;
  aim: Record<string, any>;
  aim_text: string | null;
  hidden: boolean;
  together: number | null;
  roll?: number | null;
  take?: Taken[] | null;
}

/** Dice that the rules want thrown once more. */
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

/** The words at first sight; `brief` stands in place of the title where something is wrong. */
export interface Display {
  title: string;
  lead: string;
  brief: string | null;
  act: string;
  hint: string;
}

/** What a result does to a sheet. */
export interface Due {
  items: Change[];
  carried: boolean;
  sheet: number | null;
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

/** The one number that a display shows large, and its word. */
export interface Headline {
  value: number;
  word: string;
}

/** What a person dismissed as no die. */
export interface IgnoredDie {
  id: number;
  read_value: number | null;
  read_colour: string | null;
  center_px: [number, number];
  top_quad_px: [number, number][];
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

/** How a roll met its aim. */
export interface Measured {
  met: boolean;
  by: number | null;
  text: string;
}

/** One of the rolls that are compared. */
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

/** What the simulated hand would mend. */
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

/** The odds that a display shows, or why there are none. */
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

/** What was tapped together for the next roll. */
export interface PreparedRoll {
  roll: number;
  take: string;
  sheet: number | null;
  tiles: Record<string, any>;
  warnings: Warning[];
}

/** A button: whether this tray has it, whether it would work, and why not. */
export interface Press {
  offered: boolean;
  allowed: boolean;
  reason: string;
  text: string;
}

/** Every button. */
export interface Presses {
  push: Press;
  throw: Press;
  reset: Press;
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

/** A die in the tray, as the camera sees it and as it counts. */
export interface SeenDie {
  id: number;
  colour: string | null;
  role: string | null;
  value: number | null;
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

/** The test over several rolls that is under way. */
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

/** One roll of a test over several. */
export interface SeriesRoll {
  roll: number;
  value: number;
}

/** A rule system and its title. */
export interface System {
  id: string;
  title: string;
}

/** Dice of one kind to take into the hand; the colour class is null where more than one plays the role. */
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

/** One thing to tap before a roll. */
export interface Tile {
  name: string;
  kind: "counter" | "number" | "choice" | "flag" | "text" | "dice";
  counter_kinds: string[];
  choices: string[] | null;
  low: number | null;
  high: number | null;
  default: boolean | number | string | (number | string)[] | null;
  optional: boolean;
  title: string;
}

/** Rolls that are compared. */
export interface Together {
  id: number;
  kind: "opposed" | "group";
  label: string | null;
  aim: Record<string, any>;
  members: Member[];
  done: boolean;
  result: string | null;
  winner: string | null;
  margin: number | null;
  total: number | null;
  again: boolean;
  text: string | null;
}

/** A die that no camera reads. */
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

/** What was pressed last and can be taken back; `by` is the phone that did, null the display or a button. */
export interface Undo {
  id: number;
  action: string;
  label: string;
  by: number | null;
}

/** A hidden roll that is over and not shown yet. */
export interface Unshown {
  id: number;
  roll: number;
  owner: string | null;
  label: string | null;
}

/** What a prepared roll warns of. */
export interface Warning {
  code: string;
  text: string;
}

/** The whole tray at one moment: what GET /api/state answers. */
export interface Snapshot {
  version: number;
  state: "empty" | "rolling" | "unclear" | "scored" | "awaiting_push" | "resolved" | "fault";
  roll: number | null;
  dice: SeenDie[];
  outcome: Outcome | null;
  push: PushState;
  problems: string[];
  problem_details: Problem[];
  confirmable: boolean;
  ignored_dice: IgnoredDie[];
  display: Display;
  lines: ResultLine[];
  odds: Odds;
  typed_dice: TypedDie[];
  awaiting: Awaiting | null;
  prepared: PreparedRoll | null;
  asked: AskedRoll | null;
  take: Taken[];
  asked_next: AskedRoll[];
  measured: Measured | null;
  together: Together[];
  hidden: boolean;
  covered: boolean;
  unshown: Unshown[];
  series: SeriesNow | null;
  sheet: number | null;
  sheets_revision: number;
  sheets: ListedSheet[];
  consequences: Due | null;
  carry: string;
  clocks: Clocks;
  roles: Record<string, string | null>;
  rulings: Record<string, any>;
  next: NextStep;
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
  hand_in_view: boolean;
  presses: Presses;
  undo: Undo | null;
}
