// What the tray sends its pages, as far as they read it. For the type checker alone: no browser loads this file.

import type { Outcome, SeenDie, Snapshot, Tile } from "./snapshot.js";

export type * from "./snapshot.js";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Point = [number, number];
export type Counts = Record<string, number>;
export type Colours = Record<string, string>;

/** A die: all of it in the tray, less in a row of the log. */
export type Die = { id: number; colour: string | null; value: number | null } & Partial<SeenDie>;

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
  pins_renewed: boolean;
}

export type Value = null | boolean | number | string | (number | string)[];

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

/** What the rules played offer in addition to dice. */
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

/** What the rules say of sheets. */
export interface SheetRules {
  /** Counters at which a ready character may be best. */
  best: string[];
  tops: Record<string, number>;
  /** Kinds whose `most` is a full value, from which harm takes. */
  full: string[];
  /** How attributes and skills are written, from 0 on. */
  scale: string[];
  /** Counters of a new sheet. */
  names: string[];
}

export interface Sheets {
  chosen: number | null;
  carry: string;
  kinds: { kind: string; bounded: boolean }[];
  rules: Record<string, SheetRules>;
  sheets: Sheet[];
}

/** One check of the calibration's look. */
export interface Check {
  part: string;
  verdict: string;
  text: string;
  cure?: string | null;
}

/** What the calibration sees, and how far it is. */
export interface Calibration {
  width: number;
  height: number;
  floor: { outline_px: Point[] } | null;
  checks: Check[];
  can_focus: boolean;
  can_measure_light: boolean;
  has_dice: boolean;
  has_empty: boolean;
  labels: string[];
  dice: Record<string, unknown>;
  path: string;
}

/** The parts of a tray that is set up. */
export interface BringUp {
  cameras: { name: string; title: string; in_use: boolean }[];
  ring: boolean;
  panel: boolean;
  mains: { hz: number; by: "setting" | "zone" | "nothing"; zone: string | null } | null;
  presses: Counts;
}

/** What each colour class plays, system by system. */
export interface Roles {
  classes: string[];
  systems: { id: string; allowed: string[]; roles: Record<string, string | null>; chosen: string[] }[];
}

export type SettingValue = string | number | boolean | string[] | null;

/** A setting of the settings file or of an integration. */
export interface Setting {
  key: string;
  title: string;
  help: string;
  kind: "word" | "switch" | "whole" | "number" | "text" | "texts" | "secret";
  words: { value: string | number; title: string }[];
  suggested: string[];
  low: number | null;
  high: number | null;
  /** Whether the least number itself is too small. */
  is_open: boolean;
  usual: SettingValue;
  /** What the file says; null: nothing. */
  value: SettingValue;
  /** What the tray runs with. */
  holds: SettingValue;
  /** Whether a change holds at once. */
  live: boolean;
  /** Whether the file says something that holds from the next start on. */
  pending: boolean;
  /** Whether the command line says something else. */
  overridden: boolean;
  /** Whether a secret is kept that no page shows. */
  kept?: boolean;
}

/** Every setting, and how many wait for a restart. */
export interface Settings {
  file: string;
  restart: string[];
  may_change: boolean;
  groups: { name: string; title: string; settings: Setting[] }[];
}

/** How an integration does. */
export interface Integration {
  name: string;
  title: string;
  about: string;
  on: boolean;
  where: string | null;
  connected: boolean | null;
  sent: number;
  last_sent: string | null;
  waiting: number;
  refused: number;
  dropped: number;
  last_error: string | null;
  retry_in_s: number | null;
  tray?: { id: string; name: string };
  form?: Setting[];
}

/** What became of a request. */
export type Answer =
  | { ok: true; snapshot: any; reason?: undefined; text?: undefined; nearest?: undefined }
  | { ok: false; reason?: string; text: string; snapshot?: undefined; nearest?: any };

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
  correction?: { word?: string } | null;
  /** The roll is shown to the game master alone so far. */
  hidden?: boolean;
}

/** One player's newest rolls, and how all of them went. */
export interface OwnRolls {
  rolls: HistoryRow[];
  counts: {
    rolls: number;
    succeeded: number;
    failed: number;
    pushed: number;
    pushed_succeeded: number;
    faces: number[];
    blanks: number;
  };
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
export type SoundName = "settled" | "pushable" | "person" | "wrong" | "pushed" | "reset" | "turn";

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
  corrections: {
    die: number | null;
    value: number | null;
    colour: string | null;
    word?: string;
    read_value?: number | null;
    read_colour?: string | null;
  }[];
}

/** Faces of one colour of dice, judged. */
export interface FacesSummary {
  colour: string;
  /** Values in order, how many of a die's faces have each, and how often it was expected and came up. */
  faces: number[];
  times: number[];
  expected: number[];
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
  text: string;
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
