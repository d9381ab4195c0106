"""Messages for the rule systems' names and reasons: the rules have ids, the catalogue has the words."""

from collections.abc import Mapping

from device.body import BodyValue
from device.message import Message, Text, message, message_of, message_or, name_key, word
from rules.errors import RulesError
from rules.facts import Facts, JsonValue
from rules.report import Line, Lines, shown_chances
from rules.system import Outcome, RuleSystem, Ruling
from rules.tiles import ExtendedTest, Prepared, Question, Standing, Tile, describe_tile


def system_title(system: str) -> Message:
    return message(f"rules.{system}.title")


def looks_json(system: RuleSystem) -> dict[str, BodyValue]:
    """Return a rule system's sentence and an example, with its dice and their result."""
    dice, context = system.example
    answer = system.score(dice, context, {})
    value = answer.headline[0] if isinstance(answer, Outcome) else 0
    return {
        "about": message(f"rules.{system.id}.about"),
        "example": message(f"rules.{system.id}.example", value=value),
        "dice": [{"role": die.role.value, "value": die.value, "sides": die.sides} for die in dice],
    }


def tile_json(system: str, tile: Tile) -> dict[str, BodyValue]:
    """Return a tile of a roll as a JSON object, with its label."""
    return _titled(tile, f"rules.{system}.tiles")


def fact_json(system: str, tile: Tile) -> dict[str, BodyValue]:
    """Return a fact of a roll that a table sets by hand, as a JSON object with its title."""
    return _titled(tile, f"rules.{system}.facts")


def ask_json(system: str, ask: Question) -> dict[str, BodyValue]:
    """Return a question about a roll, with the labels of it and its fields."""
    place = f"rules.{system}.asks.{ask.op}"
    return {
        "op": ask.op,
        "title": message(f"{place}.title"),
        "fields": [_titled(one, f"{place}.fields") for one in ask.fields],
    }


def ask_title(system: str, ask: Question) -> Message:
    return message(f"rules.{system}.asks.{ask.op}.title")


def extended_test_json(system: str, kind: ExtendedTest) -> dict[str, BodyValue]:
    """Return an extended test, with the labels of it and its settings."""
    place = f"rules.{system}.series.{kind.op}.settings"
    return {
        "op": kind.op,
        "title": extended_test_title(system, kind),
        "settings": [_titled(one, place) for one in kind.settings],
    }


def extended_test_title(system: str, kind: ExtendedTest) -> Message:
    return message(f"rules.{system}.series.{kind.op}.title")


def extended_test_text(system: str, kind: ExtendedTest, standing: Standing) -> Message:
    return message(f"rules.{system}.{kind.op}.{standing.word}", **standing.values)


def ruling_words(system: str, ruling: Ruling) -> dict[str, BodyValue]:
    """Return a house ruling's name, and the reason for the choice."""
    place = f"rules.{system}.rulings.{ruling.name}"
    return {"title": message(f"{place}.title"), "why": message(f"{place}.why")}


def reason_text(system: str, prepared: Prepared) -> Message | None:
    """Return why a roll cannot be made; None if it can."""
    if prepared.reason is None:
        return None
    return message(f"rules.{system}.reasons.{prepared.reason}", **_for_people(prepared.reason_values))


def warning_text(system: str, code: str) -> Message:
    return message(f"rules.{system}.warnings.{code}")


def line_text(system: str, line: Line, *, brief: bool = False) -> Message:
    """Return the text of a line; a brief one omits the new value of its counter."""
    name = line.name if brief or line.after is None else f"{line.name}_to"
    values = {key: word(value) if isinstance(value, str) else value for key, value in line.values.items()}
    return message(f"rules.{system}.lines.{name}", count=line.count, after=line.after, **values)


def harm_texts(system: str, lines: Lines | None) -> list[Message]:
    return [line_text(system, line, brief=True) for line in lines or () if line.is_harm]


def odds_rows(system: RuleSystem, odds: JsonValue) -> list[BodyValue]:
    """Return the rows of odds for a display: label, kind, exact fraction."""
    if not isinstance(odds, Mapping):
        return []
    return [
        {
            "text": message(f"rules.{system.id}.odds.{chance.line.name}", count=chance.count),
            "kind": chance.line.tone.value,
            "fraction": chance.fraction,
        }
        for chance in shown_chances(system.odds_lines, odds)
    ]


def counter_name(name: str) -> Message:
    """Return the label of a sheet's counter, which people may have made up."""
    return message_or(name, f"counter.{name_key(name)}")


def refusal_text(error: Exception, system: RuleSystem | None = None) -> Text:
    """Return why the rules refuse an input, with the labels that a person knows; a program's mistake in its own words.

    Args:
        system: The rules whose labels are meant; None if only sheets and clocks can be wrong.
    """
    if not isinstance(error, RulesError) or error.kind is None:
        return message_of(error)
    values: dict[str, object] = {**error.values}
    if system is not None and isinstance(values.get("name"), str):
        values["name"] = _label(system, str(values["name"]))
    if isinstance(values.get("counter"), str):
        values["counter"] = counter_name(str(values["counter"]))
    if isinstance(value := values.get("value"), str):
        values["value"] = word(value.strip("'"))
    if isinstance(choices := values.get("choices"), list):
        values["choices"] = [word(str(one).lower() if isinstance(one, bool) else str(one)) for one in choices]
    return message(f"tray.refused.rules.{error.kind}", **values)


def _label(system: RuleSystem, name: str) -> Message:
    """Return the label of a tile, a fact, a question's field, a test's setting or a ruling of this name."""
    place = f"rules.{system.id}"
    keys = [f"{place}.tiles.{name}", f"{place}.facts.{name}", f"{place}.rulings.{name}.title"]
    keys += [f"{place}.asks.{ask.op}.fields.{name}" for ask in system.asks]
    keys += [f"{place}.series.{test.op}.settings.{name}" for test in system.extended_tests]
    label = word(name)
    for key in reversed(keys):
        label = message_or(label, key)
    return label


def _titled(tile: Tile, place: str) -> dict[str, BodyValue]:
    return {**describe_tile(tile), "title": message(f"{place}.{tile.name}")}


def _for_people(values: Facts) -> Mapping[str, BodyValue]:
    return {name: counter_name(value) if isinstance(value, str) else value for name, value in values.items()}
