"""The typed shape of a snapshot, as every screen and client gets it.

`python -m device.game.snapshot_model` makes the page's types from it. Tests check that every state, whole and redacted,
has this shape.
"""

import sys
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

Facts: TypeAlias = dict[str, Any]
Point: TypeAlias = tuple[float, float]
Mark: TypeAlias = Literal["counted", "cost", "wild", "highest", "discarded", "nothing"]
PAGE_TYPES: Final = Path(__file__).parents[1] / "web/ui/lib/snapshot.d.ts"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class SeenDie(_Part):
    """A die in the tray, as the camera sees it and as it counts."""

    id: int
    colour: str | None
    role: str | None
    value: int | None
    face: str | None = None
    sides: int = 6
    confidence: float
    unread: str | None
    read_value: int | None
    read_colour: str | None
    corrected: bool
    added: bool
    moved: bool | None
    locked: bool
    must_reroll: bool
    mark: Mark | None
    ask: Literal["wrong", "picked", "unread", "reroll", "stay"] | None
    picked_up: bool
    earlier: list[int]
    wrong: bool
    center_px: Point
    box_px: tuple[float, float, float, float]
    top_quad_px: list[Point]


class IgnoredDie(_Part):
    """An object that a person dismissed as not a die."""

    id: int
    read_value: int | None
    read_colour: str | None
    center_px: Point
    top_quad_px: list[Point]


class TypedDie(_Part):
    """A manual die: a person enters its value, unless it lies in the tray and is read."""

    id: int
    role: str
    level: str
    sides: int
    value: int | None
    locked: bool
    must_reroll: bool
    mark: Mark | None
    declared: bool


class Headline(_Part):
    """The number that a display shows large, and its word."""

    value: int
    word: str


class Outcome(BaseModel):
    """What the rules make of a roll; each system adds facts of its own."""

    model_config = ConfigDict(extra="allow", strict=True)

    headline: Headline
    success: bool | None


class PushState(_Part):
    """Whether the roll may be pushed, and which dice stay or go."""

    eligible: bool
    reason: str
    reason_text: str
    must_reroll: list[int]
    locked: list[int]


class Problem(_Part):
    """What is wrong, with its cure."""

    code: str
    text: str
    dice: list[int]


class Press(_Part):
    """A button: whether this tray has it, whether it is enabled, and why not."""

    offered: bool
    allowed: bool
    reason: str
    text: str


class NextStep(_Part):
    """The one next thing to do."""

    code: str
    text: str
    wrong: bool


class ResultLine(_Part):
    """A line under a result."""

    kind: Literal["good", "bad", "plain"]
    about: Literal["asked", "result"]
    text: str


class Display(_Part):
    """The headline texts; `lead` is empty where a problem's own text says what to do."""

    title: str
    lead: str
    act: str
    hint: str


class OddsRow(_Part):
    """A row of odds: an exact chance, or a mean, as a fraction."""

    text: str
    kind: Literal["good", "bad", "plain", "mean"]
    fraction: str


class Odds(_Part):
    """The odds that a display shows, or the reason why there are none."""

    is_of_push: bool
    title: str | None
    rows: list[OddsRow]
    note: str | None


class Awaiting(_Part):
    """Dice that must be thrown again by the rules."""

    kind: str
    reason: str
    dice: list[int]
    text: str


class Warning(_Part):  # noqa: A001 - it is one
    """A warning about a prepared roll."""

    code: str
    text: str


class PreparedRoll(_Part):
    """The tiles chosen for the next roll, and what they make."""

    roll: int
    take: str
    sheet: int | None
    tiles: Facts
    warnings: list[Warning]


class Taken(_Part):
    """Dice of one kind to pick up; the colour class is null if several play the role."""

    role: str
    colour: str | None
    count: int
    sides: int | None = None


class AskedRoll(_Part):
    """A requested roll."""

    id: int
    owner: str | None
    label: str | None
    thrower: str | None
    text: str
    aim: Facts
    aim_text: str | None
    hidden: bool
    together: int | None
    roll: int | None = None
    take: list[Taken] | None = None


class Measured(_Part):
    """How far a roll met or missed its target."""

    met: bool
    by: int | None
    text: str


class Member(_Part):
    """One of several linked rolls."""

    asked: int
    owner: str | None
    thrower: str | None
    hidden: bool
    roll: int | None
    count: int | None
    word: str
    success: bool | None
    turn: Literal["rolled", "now", "waits"]


class Together(_Part):
    """Linked rolls, which are compared."""

    id: int
    kind: Literal["opposed", "group"]
    label: str | None
    aim: Facts
    members: list[Member]
    done: bool
    result: str | None
    winner: str | None
    margin: int | None
    total: int | None
    again: bool
    text: str | None


class Unshown(_Part):
    """A finished hidden roll that is not shown yet."""

    id: int
    roll: int
    owner: str | None
    label: str | None


class SeriesRoll(_Part):
    """One roll of an extended test."""

    roll: int
    value: int


class SeriesNow(_Part):
    """The extended test in progress."""

    op: str
    title: str
    settings: Facts | None = None
    rolls: list[SeriesRoll]
    answer: Facts
    ended: bool
    left: int | None = None
    text: str


class ListedSheet(_Part):
    """A sheet as the snapshot lists it."""

    id: int
    title: str
    system: str


class Change(_Part):
    """A change of one counter."""

    kind: str
    name: str | None
    by: int
    to: int | None
    most_to: int | None
    text: str


class Choice(_Part):
    """A way to take consequences: a sheet and, where the rules leave a choice, what it is; null: chosen on it."""

    sheet: int
    choice: list[str] | None
    text: str


class Due(_Part):
    """The consequences of a result for a sheet."""

    items: list[Change]
    carried: bool
    sheet: int | None
    payer: int | None
    effects: list[str]
    choices: list[Choice]
    can_undo: bool
    missed: list[str]
    unpaid: list[str]


class Clock(_Part):
    """One of the table's clocks."""

    id: int
    name: str
    segments: int
    filled: int
    opposed_to: int | None
    linked_to: int | None
    locked: bool


class Tick(_Part):
    """What the latest tick did."""

    clock: int
    overflow: int
    full: bool
    emptied: int | None


class Clocks(_Part):
    """The clocks that the table shares."""

    clocks: list[Clock]
    undo: str | None
    last: Tick | None


class Tile(_Part):
    """A choice before a roll."""

    name: str
    kind: Literal["counter", "number", "choice", "flag", "text", "dice"]
    counter_kinds: list[str]
    choices: list[str] | None
    low: int | None
    high: int | None
    default: bool | int | str | list[int | str] | None
    optional: bool
    unless: str | None
    title: str


class System(_Part):
    """A rule system and its title."""

    id: str
    title: str


class Mend(_Part):
    """What the simulated hand would fix."""

    kind: str
    text: str
    dice: list[int]


class FrameSize(_Part):
    """Size of the picture that dice are placed in."""

    width: int
    height: int


class Lamp(_Part):
    """A lamp of the panel."""

    lit: bool
    pattern: str
    brightness: float


class Fault(_Part):
    """The part that does not answer."""

    part: str
    text: str
    retry_in_s: float


class Knock(_Part):
    """A phone that asks to be let in; it shows the same word."""

    id: int
    word: str
    device: str


class PartFault(_Part):
    """A part that the tray can play without, such as the panel, does not work."""

    part: str
    title: str
    text: str


class Undo(_Part):
    """The last press, which can be undone; `by` is the phone that made it, null for the display or a button."""

    id: int
    action: str
    label: str
    by: int | None


class Snapshot(_Part):
    """The whole tray at one moment: what GET /api/state answers."""

    version: int
    state: Literal["empty", "rolling", "unclear", "scored", "awaiting_push", "resolved", "fault"]
    roll: int | None
    dice: list[SeenDie]
    outcome: Outcome | None
    push: PushState
    problems: list[str]
    problem_details: list[Problem]
    confirmable: bool
    ignored_dice: list[IgnoredDie]
    display: Display
    lines: list[ResultLine]
    odds: Odds
    typed_dice: list[TypedDie]
    awaiting: Awaiting | None
    prepared: PreparedRoll | None
    asked: AskedRoll | None
    take: list[Taken]
    asked_next: list[AskedRoll]
    measured: Measured | None
    together: list[Together]
    hidden: bool
    covered: bool
    unshown: list[Unshown]
    series: SeriesNow | None
    sheet: int | None
    sheets_revision: int
    sheets: list[ListedSheet]
    consequences: Due | None
    carry: str
    clocks: Clocks
    roles: dict[str, str | None]
    rulings: Facts
    next: NextStep
    read_sides: list[int]
    system: str
    system_title: str
    systems: list[System]
    pool_roles: list[str]
    example_pool: dict[str, int]
    roll_facts: list[Tile]
    camera: str
    simulated: bool
    mend: Mend | None
    profile: str | None
    idle_min: float
    pool: dict[str, int] | None
    context: Facts
    colours: dict[str, str]
    frame: FrameSize | None
    lamps: dict[str, Lamp]
    fault: Fault | None
    faults: list[PartFault]
    knocks: list[Knock]
    lesson: bool
    hand_in_view: bool
    presses: dict[str, Press]
    undo: Undo | None


def page_types() -> str:
    schema = Snapshot.model_json_schema()
    parts = [_interface(name, part) for name, part in schema["$defs"].items()]
    head = "// Made from device/game/snapshot_model.py by `python -m device.game.snapshot_model`.\n\n"
    return head + "\n\n".join([*parts, _interface("Snapshot", schema)]) + "\n"


def _interface(name: str, part: dict[str, Any]) -> str:
    required = part.get("required", [])
    fields = [f"  {key}{'' if key in required else '?'}: {_type(of)};" for key, of in part["properties"].items()]
    if part.get("additionalProperties") is True:
        fields.append("  [fact: string]: any;")
    return "\n".join([f"/** {part['description']} */", f"export interface {name} {{", *fields, "}"])


def _type(of: dict[str, Any]) -> str:
    match of:
        case {"$ref": ref}:
            return str(ref).rsplit("/", 1)[-1]
        case {"anyOf": options}:
            return " | ".join(dict.fromkeys(_type(one) for one in options))
        case {"enum": words}:
            return " | ".join(f'"{word}"' for word in words)
        case {"type": "array", "prefixItems": items}:
            return f"[{', '.join(_type(one) for one in items)}]"
        case {"type": "array", "items": item}:
            inner = _type(item)
            return f"({inner})[]" if " | " in inner else f"{inner}[]"
        case {"type": "object", "additionalProperties": dict() as value}:
            return f"Record<string, {_type(value)}>"
        case {"type": "object"}:
            return "Record<string, any>"
        case {"type": "integer" | "number"}:
            return "number"
        case {"type": str(kind)}:
            return kind
        case _:
            return "any"


if __name__ == "__main__":
    PAGE_TYPES.write_text(page_types(), encoding="utf-8")
    sys.stdout.write(f"{PAGE_TYPES} is written\n")
