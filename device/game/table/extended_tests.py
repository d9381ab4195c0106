"""Tests that run over several physical rolls: every finished roll goes in, and the rules say where the test stands."""

from dataclasses import replace

from device.game.state.campaign import RunningSeries
from device.game.state.exploding_die import pending_die
from device.game.state.states import Result
from device.texts.catalogue import say
from device.texts.rule_words import series_text, series_title
from rules.errors import BadRequest
from rules.system import Facts, JsonValue, find_system


def with_result(series: RunningSeries, result: Result) -> RunningSeries:
    """Add a finished roll, or correct the one that is there.

    Args:
        series: The test.
        result: A result that lies in the tray; one of another system, from before the test began, or whose die has to
            be thrown again changes nothing.
    """
    if result.table.system != series.system or result.number < series.first_roll:
        return series
    if pending_die(result.outcome) is not None:
        return series
    value = result.outcome.facts.get(series.kind.counts)
    if not isinstance(value, int) or isinstance(value, bool):
        return series
    numbers = [number for number, _ in series.rolls]
    if result.number in numbers:
        rolls = tuple((number, value if number == result.number else old) for number, old in series.rolls)
        return series if rolls == series.rolls else replace(series, rolls=rolls)
    if has_ended(series, result.table.rulings.get(series.system, {})):
        return series
    return replace(series, rolls=(*series.rolls, (result.number, value)))


def answer_series(series: RunningSeries, rulings: Facts) -> Facts:
    """What the rules say of the rolls so far.

    Raises:
        BadRequest: The settings make no sense.
    """
    context = dict(series.kind.request(series.settings, series.values))
    return find_system(series.system).answer(series.op, {"context": context, "rulings": dict(rulings)})


def has_ended(series: RunningSeries, rulings: Facts) -> bool:
    """Whether no further roll belongs to the test."""
    return series.kind.has_ended(series.settings, series.values, answer_series(series, rulings))


def series_to_json(series: RunningSeries, rulings: Facts) -> dict[str, JsonValue]:
    """The test for a display."""
    kind = series.kind
    try:
        answer = answer_series(series, rulings)
    except BadRequest as error:
        return {
            "op": series.op,
            "title": series_title(series.system, kind),
            "ended": True,
            "text": f"{error}",
            "rolls": [],
            "answer": {},
        }
    ended = kind.has_ended(series.settings, series.values, answer)
    return {
        "op": series.op,
        "title": series_title(series.system, kind),
        "settings": dict(series.settings),
        "rolls": [{"roll": number, "value": value} for number, value in series.rolls],
        "answer": dict(answer),
        "ended": ended,
        "left": 0 if ended else kind.rolls_left(series.settings, series.values),
        "text": _text(series, answer, ended=ended),
    }


def _text(series: RunningSeries, answer: Facts, *, ended: bool) -> str:
    kind = series.kind
    if kind.pair is not None and not ended:
        if not series.rolls:
            return say("tray.series.first_side")
        return say("tray.series.other_side", value=series.values[0])
    text = series_text(series.system, kind, kind.tell(series.settings, answer))
    people = kind.check_size(series.settings) if kind.people is None else series.settings.get(kind.people)
    rolled = len(series.rolls) % kind.check_size(series.settings) if kind.people is None else len(series.rolls)
    if isinstance(people, int) and not ended and (rolled or kind.people is not None):
        return say("tray.series.rolled", text=text, rolled=rolled, people=people)
    return text
