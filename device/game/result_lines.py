"""The lines under a result: target met or missed, comparison, gains and costs. Pure."""

from typing import Literal, TypeAlias

from device.game.snapshot_model import ResultLine, TurnsPart
from device.game.state.states import AwaitingPush, Resolved, Scored
from device.game.state.tray import Tray
from device.message import Message, Text, message
from device.rule_messages import harm_texts, line_text
from rules.facts import Facts
from rules.report import Report, Tone
from rules.system import find_system

Rows: TypeAlias = list[ResultLine]


def result_lines(tray: Tray, compared: TurnsPart) -> Rows:
    lines, dice, system = compared_lines(compared), tray.dice, tray.table.system
    result = dice.first if isinstance(dice, AwaitingPush) else dice
    if not isinstance(result, Scored | Resolved) or (isinstance(dice, AwaitingPush) and dice.troubles):
        return lines
    context = dice.terms.context if isinstance(dice, AwaitingPush) else tray.table.context
    report = find_system(system).report(result.outcome.facts, context)
    lines += gain_lines(system, report, is_measured=compared["measured"] is not None)
    if isinstance(dice, AwaitingPush):
        lines += next_cost_lines(system, report, is_pressed=True)
    elif isinstance(result, Resolved):
        lines += cost_lines(system, report)
    elif result.outcome.push.eligible:
        lines += next_cost_lines(system, report, is_pressed=False)
    return lines


def compared_lines(body: TurnsPart) -> Rows:
    """Return whether a roll met its target, and the result of compared rolls."""
    request, measured = body["asked"], body["measured"]
    lines: Rows = []
    if measured is not None:
        aim = None if request is None else request["aim_text"]
        tone = Tone.GOOD if measured["met"] else Tone.BAD
        lines.append(_row(tone, message("tray.lines.measured", aim=aim, result=measured["text"]), "asked"))
    lines += [_row(Tone.PLAIN, one["text"], "asked") for one in body["together"] if one["text"]]
    return lines


def gain_lines(system: str, report: Report, *, is_measured: bool) -> Rows:
    """Return what an outcome brings, without its margin if the line about its target has it."""
    return [_row(line.tone, line_text(system, line)) for line in report.gains if not (line.is_margin and is_measured)]


def cost_lines(system: str, report: Report) -> Rows:
    """Return what a push cost; empty if the rules cannot tell."""
    if report.costs == ():
        return [_row(Tone.PLAIN, message("tray.lines.costs_nothing"))]
    return [_row(line.tone, line_text(system, line)) for line in report.costs or ()]


def next_cost_lines(system: str, report: Report, *, is_pressed: bool) -> Rows:
    costs = harm_texts(system, report.next_costs)
    text = message("tray.lines.push_costs" if is_pressed else "tray.lines.a_push_costs", costs=costs)
    return [_row(Tone.PLAIN, text)] if costs else []


def row_costs(system: str, outcome: Facts, context: Facts) -> list[Message]:
    return harm_texts(system, find_system(system).report(outcome, context).costs)


def _row(tone: Tone, text: Text, about: Literal["asked", "result"] = "result") -> ResultLine:
    return {"kind": tone.value, "about": about, "text": text}  # type: ignore[typeddict-item]
