"""Play a recording through the whole tray at full speed: the same watch and state table, without clock or disk."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TextIO

from device.body import Body, dicts
from device.camera.worker import TrayWatcher, seen_events
from device.errors import BadInput
from device.game.buttons import BUTTONS
from device.game.dice.role_mapping import merge_roles
from device.game.machine import step
from device.game.snapshot import tray_body
from device.game.state.effects import ForgetDice
from device.game.state.states import Empty
from device.game.state.table_state import Pool, Table, TableDefaults
from device.game.state.tray import Tray
from device.game.state_line import line_part, pack_line, seen_part
from device.recording.recording import Recording
from device.texts.catalogue import ENGLISH, error_text, in_language
from rules.errors import BadRequest
from rules.system import find_system


@dataclass(frozen=True, slots=True)
class Change:
    frame: int
    t_s: float
    tray: Tray

    def as_json(self) -> Body:
        return {"frame": self.frame, "t_s": round(self.t_s, 3), **line_part(tray_body(self.tray))}

    def as_text(self) -> str:
        body = self.as_json()
        dice = " ".join(_die_text(die) for die in dicts(body["dice"]))
        codes, outcome = body["problems"], body["outcome"]
        problems = " ".join(map(str, codes)) if isinstance(codes, list) else ""
        headline = ""
        if isinstance(outcome, dict) and isinstance(outcome["headline"], dict):
            headline = f"{outcome['headline']['value']} {outcome['headline']['word']}"
        parts = [f"{self.frame:6d} {self.t_s:8.2f} s  {body['state']!s:14}", headline, dice, problems]
        return "  ".join(part for part in parts if part)


def replay_table(recording: Recording, colours: Mapping[str, str] | None = None) -> Table:
    try:
        system = find_system(recording.system)
    except BadRequest as error:
        raise BadInput(f"{recording.folder}: {error}") from error
    classes = tuple(dict.fromkeys(("base", "skill", "gear", *(recording.colours if colours is None else colours))))
    try:
        pool = Pool.from_counts(recording.pool, system.pool_roles)
    except BadInput as error:
        raise BadInput(f"{recording.folder}: {error_text(error)}") from error
    table = Table(system.id, colour_classes=classes)
    pool = None if pool is None else merge_roles(pool, system, table)
    # A recording declares its pool for all of its rolls.
    return replace(table, pool=pool, usual=TableDefaults(system.id, pool))


def replay(recording: Recording, watch: TrayWatcher, table: Table) -> Iterator[Change]:
    tray = Tray(Empty(), table)
    shown = seen_part(tray_body(tray))
    for frame in recording.load_frames():
        for press in recording.presses_at(frame.sequence):
            tray, commands = step(tray, BUTTONS[press.button].event)
            if any(isinstance(command, ForgetDice) for command in commands):
                watch.forget()
            if (part := seen_part(tray_body(tray))) != shown:
                shown = part
                yield Change(frame.sequence, frame.t_s, tray)
        for event in seen_events(watch.see(frame)):
            tray, _ = step(tray, event)
            if (part := seen_part(tray_body(tray))) != shown:
                shown = part
                yield Change(frame.sequence, frame.t_s, tray)


def print_replay(changes: Iterator[Change], out: TextIO, *, as_json: bool) -> None:
    for change in changes:
        line = pack_line(in_language(change.as_json(), ENGLISH)) if as_json else change.as_text()
        out.write(line + "\n")
        out.flush()


def _die_text(die: Body) -> str:
    shown = die["face"] or ("?" if die["value"] is None else die["value"])
    mark = "*" if die["locked"] else "!" if die["wrong"] else ""
    return f"{die['id']}:{die['colour'] or '?'}={shown}{mark}"
