"""Extended tests: every finished roll is added, and the rules give the progress."""

from dataclasses import replace

from device.game import snapshot_model as seen
from device.game.state.campaign import RunningTest
from device.game.state.exploding_die import pending_die
from device.game.state.states import Result
from device.game.state.table_state import Table
from device.message import Message, message
from device.rule_messages import extended_test_text, extended_test_title, refusal_text
from rules.errors import BadRequest
from rules.system import Facts, find_system


def with_result(running: RunningTest, result: Result, table: Table) -> RunningTest:
    """Add a finished roll, or correct the one that is there.

    Args:
        result: The current result. One of another system, from before the test, or with an exploding die still to
            throw changes nothing.
    """
    if table.system != running.system or result.number < running.first_roll:
        return running
    if pending_die(result.outcome) is not None:
        return running
    value = result.outcome.facts.get(running.kind.counts)
    if not isinstance(value, int) or isinstance(value, bool):
        return running
    numbers = [number for number, _ in running.rolls]
    if result.number in numbers:
        rolls = tuple((number, value if number == result.number else old) for number, old in running.rolls)
        return running if rolls == running.rolls else replace(running, rolls=rolls)
    if has_ended(running, table.rulings.get(running.system, {})):
        return running
    return replace(running, rolls=(*running.rolls, (result.number, value)))


def answer_test(running: RunningTest, rulings: Facts) -> Facts:
    context = dict(running.kind.request(running.settings, running.values))
    return find_system(running.system).answer(running.op, {"context": context, "rulings": dict(rulings)})


def has_ended(running: RunningTest, rulings: Facts) -> bool:
    return running.kind.has_ended(running.settings, running.values, answer_test(running, rulings))


def running_test_json(running: RunningTest, rulings: Facts) -> seen.SeriesNow:
    kind = running.kind
    try:
        answer = answer_test(running, rulings)
    except BadRequest as error:
        return {
            "op": running.op,
            "title": extended_test_title(running.system, kind),
            "ended": True,
            "text": refusal_text(error, find_system(running.system)),
            "rolls": [],
            "answer": {},
        }
    ended = kind.has_ended(running.settings, running.values, answer)
    return {
        "op": running.op,
        "title": extended_test_title(running.system, kind),
        "settings": dict(running.settings),
        "rolls": [{"roll": number, "value": value} for number, value in running.rolls],
        "answer": dict(answer),
        "ended": ended,
        "left": 0 if ended else kind.rolls_left(running.settings, running.values),
        "text": _text(running, answer, ended=ended),
    }


def _text(running: RunningTest, answer: Facts, *, ended: bool) -> Message:
    kind = running.kind
    if kind.pair is not None and not ended:
        if not running.rolls:
            return message("tray.series.first_side")
        return message("tray.series.other_side", value=running.values[0])
    text = extended_test_text(running.system, kind, kind.standing_of(running.settings, answer))
    people = kind.check_size(running.settings) if kind.people is None else running.settings.get(kind.people)
    rolled = len(running.rolls) % kind.check_size(running.settings) if kind.people is None else len(running.rolls)
    if isinstance(people, int) and not ended and (rolled or kind.people is not None):
        return message("tray.series.rolled", text=text, rolled=rolled, people=people)
    return text
