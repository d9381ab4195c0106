"""The types of a snapshot, as every screen and client gets it: what is built, worded and redacted has them.

While a result is hidden only `Open` fields are shown (`redaction.py`). `python -m device.game.snapshot_model` makes the
page's types from it. Tests check that the JSON of every state, whole and redacted, has this shape.
"""

import sys
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NotRequired, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, TypeAdapter, WithJsonSchema, with_config
from typing_extensions import TypedDict

from device.message import Message, Text
from rules.marks import Mark as DieMark

Facts: TypeAlias = dict[str, Any]
Point: TypeAlias = tuple[float, float]
Mark: TypeAlias = Annotated[DieMark, WithJsonSchema({"enum": [mark.value for mark in DieMark]})]
Ask: TypeAlias = Literal["wrong", "picked", "unread", "reroll", "stay"]
StateName: TypeAlias = Literal["empty", "rolling", "unclear", "scored", "awaiting_push", "resolved", "fault"]
T = TypeVar("T")
_OPEN: Final = "shown to everyone while the result is hidden"
Open: TypeAlias = Annotated[T, _OPEN]
PAGE_TYPES: Final = Path(__file__).parents[1] / "web/ui/lib/snapshot.d.ts"


class SeenDie(TypedDict):
    """A die in the tray, as the camera sees it and as it counts."""

    id: Open[int]
    colour: Open[str | None]
    role: Open[str | None]
    value: int | None
    face: NotRequired[str | None]
    sides: NotRequired[Open[int]]
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
    ask: Ask | None
    picked_up: Open[bool]
    earlier: list[int]
    wrong: Open[bool]
    center_px: Open[Point]
    box_px: Open[tuple[float, float, float, float]]
    top_quad_px: Open[list[Point]]


class IgnoredDie(TypedDict):
    """An object that a person dismissed as not a die."""

    id: int
    read_value: int | None
    read_colour: str | None
    center_px: Point
    top_quad_px: list[Point]


class TypedDie(TypedDict):
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


@with_config(ConfigDict(extra="forbid"))
class Headline(TypedDict):
    """The number that a display shows large, and its word."""

    value: int
    word: Text


@with_config(ConfigDict(extra="allow"))
class Outcome(TypedDict):
    """What the rules make of a roll; each system adds facts of its own."""

    headline: Headline
    success: bool | None


class PushState(TypedDict):
    """Whether the roll may be pushed, and which dice stay or go."""

    eligible: Open[bool]
    reason: Open[str]
    reason_text: Open[Text]
    must_reroll: list[int]
    locked: list[int]


class Problem(TypedDict):
    """What is wrong, with its cure."""

    code: str
    text: Text
    dice: list[int]


class Press(TypedDict):
    """A button: whether this tray has it, whether it is enabled, and why not."""

    offered: bool
    allowed: bool
    reason: str
    text: Text


class NextStep(TypedDict):
    """The one next thing to do."""

    code: str
    text: Text
    wrong: bool


class ResultLine(TypedDict):
    """A line under a result."""

    kind: Literal["good", "bad", "plain"]
    about: Literal["asked", "result"]
    text: Text


class Display(TypedDict):
    """The headline texts; `lead` is empty where a problem's own text says what to do."""

    title: Text
    lead: Text
    act: Text
    hint: Text


class OddsRow(TypedDict):
    """A row of odds: an exact chance, or a mean, as a fraction."""

    text: Text
    kind: Literal["good", "bad", "plain", "mean"]
    fraction: str


class Odds(TypedDict):
    """The odds that a display shows, or the reason why there are none."""

    is_of_push: bool
    title: Text | None
    rows: list[OddsRow]
    note: Text | None


class Awaiting(TypedDict):
    """Dice that must be thrown again by the rules."""

    kind: Open[str]
    reason: Open[str]
    dice: Open[list[int]]
    text: Text


class Warning(TypedDict):  # noqa: A001 - it is one
    """A warning about a prepared roll."""

    code: str
    text: Text


class PreparedRoll(TypedDict):
    """The tiles chosen for the next roll, and what they make."""

    roll: int
    take: Text
    sheet: int | None
    tiles: Facts
    warnings: list[Warning]


class Taken(TypedDict):
    """Dice of one kind to pick up; the colour class is null if several play the role."""

    role: str
    colour: str | None
    count: int
    sides: NotRequired[int | None]


class RollRequest(TypedDict):
    """A requested roll."""

    id: int
    owner: str | None
    label: Text | None
    thrower: str | None
    text: Text
    aim: Facts
    aim_text: Text | None
    hidden: bool
    together: int | None
    roll: NotRequired[int | None]
    take: NotRequired[list[Taken] | None]


class Measured(TypedDict):
    """How far a roll met or missed its target."""

    met: bool
    by: int | None
    text: Text


class Member(TypedDict):
    """One of several linked rolls."""

    asked: Open[int]
    owner: Open[str | None]
    thrower: Open[str | None]
    hidden: Open[bool]
    roll: Open[int | None]
    count: int | None
    word: Text
    success: bool | None
    turn: Open[Literal["rolled", "now", "waits"]]


class Together(TypedDict):
    """Linked rolls, which are compared."""

    id: Open[int]
    kind: Open[Literal["opposed", "group"]]
    label: Open[Text | None]
    aim: Open[Facts]
    members: Open[list[Member]]
    done: Open[bool]
    result: Text | None
    winner: int | None
    margin: int | None
    total: int | None
    again: bool
    text: Text | None


class Unshown(TypedDict):
    """A finished hidden roll that is not shown yet."""

    id: int
    roll: int
    owner: str | None
    label: Text | None


class SeriesRoll(TypedDict):
    """One roll of an extended test."""

    roll: int
    value: int


class SeriesNow(TypedDict):
    """The extended test in progress."""

    op: str
    title: Text
    settings: NotRequired[Facts | None]
    rolls: list[SeriesRoll]
    answer: Facts
    ended: bool
    left: NotRequired[int | None]
    text: Text


class ListedSheet(TypedDict):
    """A sheet as the snapshot lists it."""

    id: int
    title: str
    system: str


class Change(TypedDict):
    """A change of one counter."""

    kind: str
    name: str | None
    by: int
    to: int | None
    most_to: int | None
    text: Text


class Choice(TypedDict):
    """A way to take consequences: a sheet and, where the rules leave a choice, what it is; null: chosen on it."""

    sheet: int
    choice: list[str] | None
    text: Text


class Due(TypedDict):
    """The consequences of a result for a sheet."""

    items: list[Change]
    carried: bool
    sheet: int | None
    payer: int | None
    effects: list[Text]
    choices: list[Choice]
    can_undo: bool
    missed: list[Text]
    unpaid: list[Text]


class Clock(TypedDict):
    """One of the table's clocks."""

    id: int
    name: str
    segments: int
    filled: int
    opposed_to: int | None
    linked_to: int | None
    locked: bool


class Tick(TypedDict):
    """What the latest tick did."""

    clock: int
    overflow: int
    full: bool
    emptied: int | None


class Clocks(TypedDict):
    """The clocks that the table shares."""

    clocks: list[Clock]
    undo: str | None
    last: Tick | None


class Tile(TypedDict):
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
    title: Text


class System(TypedDict):
    """A rule system and its title."""

    id: str
    title: Text


class Mend(TypedDict):
    """What the simulated hand would fix."""

    kind: str
    text: Text
    dice: list[int]


class FrameSize(TypedDict):
    """Size of the picture that dice are placed in."""

    width: int
    height: int


class Lamp(TypedDict):
    """A lamp of the panel."""

    lit: bool
    pattern: str
    brightness: float


class Fault(TypedDict):
    """The part that does not answer."""

    part: str
    text: Text
    retry_in_s: float


class Knock(TypedDict):
    """A phone that asks to be let in; it shows the same word."""

    id: int
    word: Text
    device: str


class PartFault(TypedDict):
    """A part that the tray can play without, such as the panel, does not work."""

    part: str
    title: Text
    text: Text


class Undo(TypedDict):
    """The last press, which can be undone; `by` is the phone that made it, null for the display or a button."""

    id: int
    action: str
    label: Text
    by: int | None


class TrayPart(TypedDict):
    """The dice, and what the rules make of them."""

    state: Open[StateName]
    dice: list[SeenDie]
    outcome: Outcome | None
    push: PushState
    problems: Open[list[str]]
    problem_details: Open[list[Problem]]
    confirmable: Open[bool]
    ignored_dice: Open[list[IgnoredDie]]


class TurnsPart(TypedDict):
    """Whose turn it is, and what was requested."""

    asked: Open[RollRequest | None]
    take: Open[list[Taken]]
    asked_next: Open[list[RollRequest]]
    measured: Measured | None
    together: Open[list[Together]]
    hidden: Open[bool]
    covered: Open[bool]
    unshown: Open[list[Unshown]]


class TablePart(TurnsPart):
    """What the table keeps beyond a roll."""

    typed_dice: list[TypedDie]
    awaiting: Awaiting | None
    prepared: Open[PreparedRoll | None]
    series: Open[SeriesNow | None]
    sheet: Open[int | None]
    sheets_revision: Open[int]
    sheets: Open[list[ListedSheet]]
    consequences: Due | None
    carry: Open[str]
    clocks: Open[Clocks]
    roles: Open[dict[str, str | None]]
    rulings: Open[Facts]


class Unworded(TrayPart, TablePart):
    """A snapshot without its headline."""

    version: Open[int]
    roll: Open[int | None]
    lines: Open[list[ResultLine]]
    odds: Odds
    next: Open[NextStep]
    read_sides: Open[list[int]]
    system: Open[str]
    system_title: Open[Text]
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
    log_revision: Open[int]


class Snapshot(Unworded):
    """The whole tray at one moment: what GET /api/state answers."""

    display: Display


def open_fields(part: type) -> frozenset[str]:
    """Return the fields that everyone sees while the result is hidden."""
    hints = get_type_hints(part, include_extras=True)
    kinds = {name: get_args(kind)[0] if get_origin(kind) is NotRequired else kind for name, kind in hints.items()}
    return frozenset(name for name, kind in kinds.items() if _OPEN in getattr(kind, "__metadata__", ()))


def page_types() -> str:
    schema = TypeAdapter(Snapshot).json_schema()
    parts = [_interface(name, part) for name, part in schema["$defs"].items() if name != Message.__name__]
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
        case {"$ref": "#/$defs/Message"}:
            return "string"
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
