"""The whole tray as one JSON object, for screens, clients and a replay's lines. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias, cast

from device.game import snapshot_model as seen
from device.game.dice.overrides import may_confirm
from device.game.dice.role_mapping import camera_troubles, offered_roles, read_sides
from device.game.display import fault_title, shown_body
from device.game.lamps import ALL_DARK, LampView, LightPlan, plan_lights
from device.game.mending import suggest_fix
from device.game.next_act import next_act
from device.game.presses import Action, actions_of, push_action
from device.game.redaction import redact
from device.game.result_lines import result_lines
from device.game.state.die_history import Whereabouts
from device.game.state.exploding_die import pending_die
from device.game.state.layout import Layout, LyingDie
from device.game.state.problems import MAYBE_MORE, TYPED_DIE_MISSING, Issue
from device.game.state.states import (
    AwaitingPush,
    DiceState,
    Empty,
    Resolved,
    Result,
    Rolling,
    Scored,
    ThrownWithoutPush,
    UnreadPush,
    Unscored,
)
from device.game.state.tray import Tray
from device.game.table.odds import odds_body
from device.game.table.view import table_body
from device.rule_messages import fact_json, system_title
from rules.dice import Role, face_name
from rules.system import JsonValue, Outcome, RuleSystem, find_system, systems
from vision.types.reading import Unread

Fingerprint: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    # number that rises with every change and never falls while the program runs; `body["version"]` is the same number
    version: int
    body: seen.Snapshot
    whole: seen.Snapshot
    lights: LightPlan = ALL_DARK  # what the lamps do; everybody sees them, so they reveal nothing of a hidden result


@dataclass(frozen=True, slots=True)
class TrayMetadata:
    """What a screen shows of the tray in addition to its state."""

    camera: str
    profile: str | None
    colours: Mapping[str, str]
    idle_min: float = 5.0  # minutes without a touch after which a display shows its idle screen; 0 for never
    undo_s: float = 10.0  # how long a press can be undone, in seconds
    taught: frozenset[tuple[str, int]] = frozenset()  # taught dice with more than six sides: colour class and sides
    faults: tuple[tuple[str, str], ...] = ()  # parts that the tray can play without: which one, and the cure
    knocks: tuple[tuple[int, str, str], ...] = ()  # phones that ask to be let in: id, word, device
    is_lesson: bool = False  # whether dice are being taught, so that throws are no rolls

    @property
    def is_simulated(self) -> bool:
        return self.camera == "simulated"


@dataclass(frozen=True, slots=True)
class _Facts:
    """A state, taken apart for a screen."""

    push: Action
    layout: Layout | None = None
    roles: Mapping[str, Role] | None = None
    result: Result | None = None
    troubles: tuple[Issue, ...] = ()
    gone: tuple[int, ...] = ()
    awaiting: bool = False
    thrown: bool = False
    moving: bool = False
    empty_over: tuple[LyingDie, ...] = ()

    @property
    def ignored(self) -> tuple[LyingDie, ...]:
        return self.empty_over if self.layout is None else self.layout.ignored


def _facts(tray: Tray, push: Action) -> _Facts:
    facts = _facts_of(tray.dice, push)
    return facts if tray.fault is None else replace(facts, awaiting=False, moving=False)


def _facts_of(state: DiceState, push: Action) -> _Facts:
    match state:
        case Empty():
            over = state.over
            return _Facts(push, troubles=state.troubles, empty_over=() if over is None or over.dice else over.ignored)
        case Rolling():
            return _Facts(push, moving=True)
        case Unscored() | UnreadPush() | ThrownWithoutPush():
            return _Facts(push, state.layout, troubles=state.troubles, moving=state.moving)
        case AwaitingPush():
            return _Facts(
                push,
                state.lying,
                {die.id: die.role for die in state.first.roll},
                state.first,
                (*state.troubles, *camera_troubles(state.lying)),
                state.picked_up,
                awaiting=True,
                thrown=state.after is not None,
                moving=state.moving,
            )
        case Scored() | Resolved():
            return _Facts(
                push,
                state.layout,
                {die.id: die.role for die in state.roll},
                state,
                camera_troubles(state.layout),
                gone=state.die_history.only(Whereabouts.GONE),
                moving=state.moving,
            )


def _light_plan(state_name: str, facts: _Facts, *, is_hidden: bool) -> LightPlan:
    success = facts.result is not None and facts.result.outcome.success is True and not is_hidden
    trouble = any(not _is_unread(item) for item in facts.troubles)
    waits = {item.code for item in facts.troubles} in ({TYPED_DIE_MISSING}, {MAYBE_MORE})
    return plan_lights(LampView(state_name, facts.push.allowed, success, trouble, waits=waits))


def tray_body(tray: Tray) -> seen.TrayPart:
    return _tray_body(tray, _facts(tray, push_action(tray)))


def _tray_body(tray: Tray, facts: _Facts) -> seen.TrayPart:
    push = facts.push.as_json()
    outcome = None if facts.result is None else facts.result.outcome
    codes: dict[str, None] = {item.code: None for item in facts.troubles if not _is_unread(item)}
    details: list[seen.Problem] = [
        {"code": item.code, "text": item.text, "dice": list(item.dice)} for item in facts.troubles
    ]
    return {
        "state": tray.state_name,
        "dice": _dice(facts),
        "outcome": None if outcome is None else cast("seen.Outcome", outcome_json(outcome)),
        "push": {
            "eligible": push["allowed"],
            "reason": push["reason"],
            "reason_text": push["text"],
            "must_reroll": [] if outcome is None else [int(die_id) for die_id in outcome.must_reroll],
            "locked": [] if outcome is None else [int(die_id) for die_id in outcome.locked],
        },
        "problems": list(codes),
        "problem_details": details,
        "confirmable": may_confirm(tray.dice),
        "ignored_dice": [
            {
                "id": die.id,
                "read_value": die.reading.value,
                "read_colour": die.reading.colour,
                "center_px": _point(die.reading.center_px),
                "top_quad_px": [_point(point) for point in die.reading.top_quad_px],
            }
            for die in facts.ignored
        ],
    }


def outcome_json(outcome: Outcome) -> dict[str, JsonValue]:
    value, word = outcome.headline
    return {**outcome.facts, "headline": {"value": value, "word": word}, "success": outcome.success}


def take_snapshot(
    version: int, tray: Tray, metadata: TrayMetadata, undo: seen.Undo | None = None, log_revision: int = 0
) -> Snapshot:
    whole, lights = _whole_tray(version, tray, metadata, undo, log_revision)
    return Snapshot(version, redact(whole), whole, lights)


def snapshot_body(version: int, tray: Tray, metadata: TrayMetadata) -> seen.Snapshot:
    return _whole_tray(version, tray, metadata, None, 0)[0]


def _whole_tray(
    version: int, tray: Tray, metadata: TrayMetadata, undo: seen.Undo | None, log_revision: int
) -> tuple[seen.Snapshot, LightPlan]:
    presses = actions_of(tray, is_simulated=metadata.is_simulated)
    facts = _facts(tray, presses["push"])
    table = tray.table
    system = find_system(table.system)
    layout = facts.layout
    fault: seen.Fault | None = None
    if tray.fault is not None:
        fault = {"part": tray.fault.part, "text": tray.fault.text, "retry_in_s": round(tray.fault.retry_in_s, 1)}
    about_table = table_body(tray)
    is_hidden = about_table["hidden"]
    offered = [role.value for role in offered_roles(system, table)]
    lights = _light_plan(tray.state_name, facts, is_hidden=is_hidden)
    read = _read_sides(tray, metadata)
    body: seen.Unworded = {
        "version": version,
        **_tray_body(tray, facts),
        **about_table,
        "lines": result_lines(tray, about_table),
        "odds": odds_body(tray, is_hidden=is_hidden),
        "roll": None if facts.result is None else facts.result.number,
        "next": next_act(tray, metadata.colours, is_simulated=metadata.is_simulated, read=read).as_json(),
        "read_sides": [*sorted(read)],
        "system": system.id,
        "system_title": system_title(system.id),
        "systems": [*_systems()],
        "pool_roles": [*offered],
        "example_pool": _example_pool(system, offered),
        "roll_facts": [*_roll_facts(system.id)],
        "camera": metadata.camera,
        "simulated": metadata.is_simulated,
        "mend": _mend(tray) if metadata.is_simulated else None,
        "profile": metadata.profile,
        "idle_min": metadata.idle_min,
        "pool": None if table.pool is None else table.pool.as_json(),
        "context": dict(table.context),
        "colours": dict(metadata.colours),
        "frame": None
        if layout is None or not layout.width_px
        else {"width": layout.width_px, "height": layout.height_px},
        "lamps": lights.to_json(),
        "fault": fault,
        "faults": [{"part": part, "title": fault_title(part), "text": text} for part, text in metadata.faults],
        "knocks": [{"id": id_, "word": word, "device": device} for id_, word, device in metadata.knocks],
        "lesson": metadata.is_lesson,
        "hand_in_view": facts.moving,
        "presses": {name: action.as_json() for name, action in presses.items()},
        "undo": undo,
        "log_revision": log_revision,
    }
    return shown_body(body), lights


def _read_sides(tray: Tray, metadata: TrayMetadata) -> frozenset[int]:
    """Return which dice with more than six sides need not be entered now: a push keeps the way of its first throw."""
    is_pushed = isinstance(tray.dice, AwaitingPush | UnreadPush)
    return frozenset() if is_pushed or metadata.is_simulated else read_sides(tray.table, metadata.taught)


def _example_pool(system: RuleSystem, offered: list[str]) -> dict[str, int]:
    pool: dict[str, int] = {role.value: count for role, count in system.example_pool.items() if role.value in offered}
    return pool or {offered[0]: 4}


@cache
def _roll_facts(system_id: str) -> tuple[seen.Tile, ...]:
    return tuple(cast("seen.Tile", fact_json(system_id, tile)) for tile in find_system(system_id).roll_facts)


@cache
def _systems() -> tuple[seen.System, ...]:
    return tuple({"id": known.id, "title": system_title(known.id)} for known in systems())


def _mend(tray: Tray) -> seen.Mend | None:
    mend = suggest_fix(tray)
    return None if mend is None else {"kind": mend.kind.value, "text": mend.text, "dice": list(mend.dice)}


def fingerprints(body: seen.Snapshot) -> tuple[Fingerprint, Fingerprint]:
    """Return the fingerprints of a press and of a throw; while they stay the same, neither is stale."""
    dice = [(die["id"], die["colour"], die["value"], die["locked"], die["must_reroll"]) for die in body["dice"]]
    typed = [(die["id"], die["value"]) for die in body["typed_dice"]]
    request = None if body["asked"] is None else body["asked"]["id"]
    rest = body["roll"], body["system"], request, tuple(dice), tuple(typed)
    is_clear = not dice and body["state"] in ("empty", "rolling")
    return (body["state"], *rest), ("empty" if is_clear else body["state"], *rest)


def _dice(facts: _Facts) -> list[seen.SeenDie]:
    if facts.layout is None:
        return []
    outcome = None if facts.result is None else facts.result.outcome
    locked = () if outcome is None else outcome.locked
    again = None if outcome is None else pending_die(outcome)
    is_eligible = facts.push.allowed
    exploding = None if facts.result is None else facts.result.exploding
    must_go = outcome.must_reroll if outcome is not None and (is_eligible or facts.awaiting) else ()
    must_go = must_go if again is None else (str(again),)
    wrong = {die_id for item in facts.troubles if not _is_unread(item) for die_id in item.dice}
    dice: list[seen.SeenDie] = []
    for die, face in zip(facts.layout.dice, facts.layout.faces, strict=True):
        reading = die.reading
        name = str(die.id)
        role = None if facts.roles is None else facts.roles.get(name)
        dice.append(
            {
                "id": die.id,
                "colour": face.colour,
                "role": None if role is None else role.value,
                "value": face.value,
                "face": face_name(face.value),
                "sides": face.sides,
                "confidence": round(reading.confidence, 4),
                "unread": _unread(face.value, face.colour, reading.unread),
                "read_value": reading.value,
                "read_colour": reading.colour,
                "corrected": die.correction is not None,
                "added": die.added,
                "moved": die.moved,
                "locked": name in locked,
                "must_reroll": name in must_go,
                "mark": None
                if outcome is None or (facts.awaiting and (facts.thrown or name not in locked))
                else outcome.marks.get(name),
                "ask": None,
                "picked_up": die.id in facts.gone,
                "earlier": list(exploding.earlier) if exploding is not None and exploding.die_id == die.id else [],
                "wrong": die.id in wrong,
                "center_px": _point(reading.center_px),
                "box_px": cast("tuple[float, float, float, float]", tuple(round(part, 1) for part in reading.box_px)),
                "top_quad_px": [_point(point) for point in reading.top_quad_px],
            }
        )
    return dice


def _point(point: tuple[float, float]) -> seen.Point:
    return round(point[0], 1), round(point[1], 1)


def _unread(value: int | None, colour: str | None, reason: Unread | None) -> str | None:
    """Return why a die has no value or colour yet; None once a person has settled it."""
    if value is not None and colour is not None:
        return None
    if reason is None:
        reason = Unread.PIPS_UNCLEAR if value is None else Unread.COLOUR_UNCLEAR
    return reason.value


def _is_unread(trouble: Issue) -> bool:
    """Return whether a problem is only an unread die, which the die itself shows."""
    return trouble.code in {reason.value for reason in Unread}
