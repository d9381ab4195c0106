"""The typed shape of a snapshot, as every screen and client gets it.

While a result is hidden only `Open` fields are shown (`redaction.py`). `python -m device.game.snapshot_model` makes the
page's types from it. Tests check that every state, whole and redacted, has this shape.
"""

import sys
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict

Facts: TypeAlias = dict[str, Any]
Point: TypeAlias = tuple[float, float]
Mark: TypeAlias = Literal["counted", "cost", "wild", "highest", "discarded", "nothing"]
T = TypeVar("T")
_OPEN: Final = "shown to everyone while the result is hidden"
Open: TypeAlias = Annotated[T, _OPEN]
PAGE_TYPES: Final = Path(__file__).parents[1] / "web/ui/lib/snapshot.d.ts"


class _Part(BaseModel):
    # A tray needs the fields alone, not what checks them.
    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class SeenDie(_Part):
    """A die in the tray, as the camera sees it and as it counts."""

    id: Open[int]
    colour: Open[str | None]
    role: Open[str | None]
    value: int | None
    face: str | None = None
    sides: Open[int] = 6
    confidence: float
    unread: Open[str | None]
    read_value: int | None
    read_colour: Open[str | None]
    corrected: Open[bool]
    added: Open[bool]
    moved: Open[bool | None]
    locked: bool
    must_reroll: bool
    mark: Mark | None
    ask: Literal["wrong", "picked", "unread", "reroll", "stay"] | None
    picked_up: Open[bool]
    earlier: list[int]
    wrong: Open[bool]
    center_px: Open[Point]
    box_px: Open[tuple[float, float, float, float]]
    top_quad_px: Open[list[Point]]


class IgnoredDie(_Part):
    """An object that a person dismissed as not a die."""

    id: int
    read_value: int | None
    read_colour: str | None
    center_px: Point
    top_quad_px: list[Point]


class TypedDie(_Part):
    """A manual die: a person enters its value, unless it lies in the tray and is read."""

    id: Open[int]
    role: Open[str]
    level: Open[str]
    sides: Open[int]
    value: Open[int | None]
    locked: Open[bool]
    must_reroll: Open[bool]
    mark: Open[Mark | None]
    declared: Open[bool]


class Headline(_Part):
    """The number that a display shows large, and its word."""

    value: int
    word: str


class Outcome(BaseModel):
    """What the rules make of a roll; each system adds facts of its own."""

    model_config = ConfigDict(extra="allow", strict=True, defer_build=True)

    headline: Headline
    success: bool | None


class PushState(_Part):
    """Whether the roll may be pushed, and which dice stay or go."""

    eligible: Open[bool]
    reason: Open[str]
    reason_text: Open[str]
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

    kind: Open[str]
    reason: Open[str]
    dice: Open[list[int]]
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

    asked: Open[int]
    owner: Open[str | None]
    thrower: Open[str | None]
    hidden: Open[bool]
    roll: Open[int | None]
    count: int | None
    word: str
    success: bool | None
    turn: Open[Literal["rolled", "now", "waits"]]


class Together(_Part):
    """Linked rolls, which are compared."""

    id: Open[int]
    kind: Open[Literal["opposed", "group"]]
    label: Open[str | None]
    aim: Open[Facts]
    members: Open[list[Member]]
    done: Open[bool]
    result: str | None
    winner: int | None
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

    version: Open[int]
    state: Open[Literal["empty", "rolling", "unclear", "scored", "awaiting_push", "resolved", "fault"]]
    roll: Open[int | None]
    dice: list[SeenDie]
    outcome: Outcome | None
    push: PushState
    problems: Open[list[str]]
    problem_details: Open[list[Problem]]
    confirmable: Open[bool]
    ignored_dice: Open[list[IgnoredDie]]
    display: Display
    lines: Open[list[ResultLine]]
    odds: Odds
    typed_dice: list[TypedDie]
    awaiting: Awaiting | None
    prepared: Open[PreparedRoll | None]
    asked: Open[AskedRoll | None]
    take: Open[list[Taken]]
    asked_next: Open[list[AskedRoll]]
    measured: Measured | None
    together: Open[list[Together]]
    hidden: Open[bool]
    covered: Open[bool]
    unshown: Open[list[Unshown]]
    series: Open[SeriesNow | None]
    sheet: Open[int | None]
    sheets_revision: Open[int]
    sheets: Open[list[ListedSheet]]
    consequences: Due | None
    carry: Open[str]
    clocks: Open[Clocks]
    roles: Open[dict[str, str | None]]
    rulings: Open[Facts]
    next: Open[NextStep]
    read_sides: Open[list[int]]
    system: Open[str]
    system_title: Open[str]
    systems: Open[list[System]]
    pool_roles: Open[list[str]]
    example_pool: Open[dict[str, int]]
    roll_facts: Open[list[Tile]]
    camera: Open[str]
    simulated: Open[bool]
    mend: Mend | None
    profile: Open[str | None]
    idle_min: Open[float]
    pool: Open[dict[str, int] | None]
    context: Open[Facts]
    colours: Open[dict[str, str]]
    frame: Open[FrameSize | None]
    lamps: Open[dict[str, Lamp]]
    fault: Open[Fault | None]
    faults: Open[list[PartFault]]
    knocks: Open[list[Knock]]
    lesson: Open[bool]
    hand_in_view: Open[bool]
    presses: Open[dict[str, Press]]
    undo: Open[Undo | None]


def open_fields(part: type[BaseModel]) -> frozenset[str]:
    """Return the fields that everyone sees while the result is hidden."""
    return frozenset(name for name, field in part.model_fields.items() if _OPEN in field.metadata)


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
