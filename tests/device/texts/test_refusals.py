"""Refusals are sentences with the labels that a person knows, in every language."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from device.game.state.campaign import Campaign
from device.game.state.effects import Refuse
from device.game.state.events import Event
from device.game.state.states import Empty
from device.game.state.table_events import (
    ClockTicked,
    CounterSet,
    ExtendedTestBegun,
    ManualDieEntered,
    RolesChosen,
    RollRequested,
    RulingsChosen,
    SheetEdited,
    SheetRested,
)
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.game.table.transitions import step_table
from device.message import Message, Text
from device.rule_messages import refusal_text
from device.texts.catalogue import ENGLISH, catalogue, in_language, languages
from rules.clocks import MAX_CLOCKS, Clocks, add_clock, tick
from rules.dice import Die, Role
from rules.errors import RulesError
from rules.sheet import Counter, Kind, Sheet
from rules.sheet_edit import edit_sheet
from rules.sheet_file import new_sheet
from rules.system import RuleSystem, find_system

PUSH, STEP, HITS, HIGHEST, CODE = map(find_system, ("push-pool", "step-dice", "hits-pool", "highest-die", "die-code"))
ANN = new_sheet("Ann", "push-pool")
HP = Counter("HP", Kind.HP, 3)


def dice(*roles: Role, sides: int = 6) -> tuple[Die, ...]:
    return tuple(Die(id=str(at), role=role, value=1, sides=sides) for at, role in enumerate(roles))


def asks(op: str, system: RuleSystem, **context: Any) -> Callable[[], object]:
    return lambda: system.answer(op, {"context": context})


def full_of_clocks() -> None:
    clocks = Clocks()
    for _ in range(MAX_CLOCKS + 1):
        clocks = add_clock(clocks, "Alarm", 4)


KINDS: Mapping[str, tuple[RuleSystem, Callable[[], object]]] = {
    "missing": (PUSH, lambda: PUSH.prepare({}, ANN, {})),
    "number": (PUSH, lambda: PUSH.prepare({"attribute": 99}, ANN, {})),
    "flag": (PUSH, lambda: PUSH.prepare({"attribute": 2, "conflict": 3}, ANN, {})),
    "choice": (HIGHEST, lambda: HIGHEST.prepare({"attribute": 2, "risk": "none"}, None, {})),
    "not_on_sheet": (PUSH, lambda: PUSH.prepare({"attribute": "Charm"}, ANN, {})),
    "code": (CODE, lambda: CODE.prepare({"code": "3e"}, None, {})),
    "too_many_dice": (PUSH, asks("pool", PUSH, attribute=20, skill=20, gear=[20], modifiers=[20] * 3)),
    "dice_count": (HIGHEST, asks("creation", HIGHEST, dice=[1])),
    "counter_range": (PUSH, lambda: Counter("STR", Kind.ATTRIBUTE, 4, 3)),
    "counter_twice": (PUSH, lambda: Sheet("Ann", "push-pool", (HP, HP))),
    "counter_gone": (PUSH, lambda: edit_sheet(ANN, removed=((Kind.GEAR, "Axe"),))),
    "too_many_counters": (PUSH, lambda: Sheet("Ann", "push-pool", (HP,) * 500)),
    "too_many_marks": (PUSH, lambda: Sheet("Ann", "push-pool", (), ("tick",) * 500)),
    "name_length": (PUSH, lambda: new_sheet("", "push-pool")),
    "clock_gone": (PUSH, lambda: tick(Clocks(), 7, 1, carries=False)),
    "too_many_clocks": (PUSH, full_of_clocks),
    "sides": (PUSH, lambda: PUSH.score(dice(Role.BASE, sides=8), {}, {})),
    "two_dice": (HIGHEST, lambda: HIGHEST.score(dice(Role.PLAIN), {"zero_dice": True}, {})),
    "chance_die": (HITS, lambda: HITS.score(dice(Role.PLAIN, Role.PLAIN), {"chance_die": True}, {})),
    "wild_dice": (CODE, lambda: CODE.score(dice(Role.WILD, Role.WILD), {"code": "2d"}, {})),
    "no_base_die": (STEP, lambda: STEP.score(dice(Role.AMMO), {}, {})),
}
"""Of each kind that the rules name, an input that is refused for it."""


def texts_at(place: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield each text under a place in the catalogue, by its key, with every form it has."""
    for key, text in catalogue(language).texts.items():
        if key.startswith(place):
            yield from ((key, form) for form in (text.values() if isinstance(text, Mapping) else (text,)))


def error_of(cause: Callable[[], object]) -> RulesError:
    with pytest.raises(RulesError) as caught:
        cause()
    return caught.value


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_rules_refuse_is_told_with_labels(kind: str) -> None:
    system, cause = KINDS[kind]
    text = refusal_text(error_of(cause), system)
    assert isinstance(text, Message)
    assert text.key == f"tray.refused.rules.{kind}"
    for language in languages():
        assert_for_people(in_language(text, language))


def test_each_kind_of_the_catalogue_has_its_example() -> None:
    assert {key.rpartition(".")[2] for key, _ in texts_at("tray.refused.rules.", ENGLISH)} == set(KINDS)


CODE_LIKE = re.compile(r"\b\w+_\w+\b|\bcontext\.|\[\d|'\w+'|\b(STR|AGL|WIT|EMP)\b|[{}]")
"""What only a program would write: joined words, paths, quoted ids, abbreviations, places without their value."""


def assert_for_people(text: str) -> None:
    assert not CODE_LIKE.search(text), text
    assert text[0].isupper() or not text[0].isalpha(), text
    assert text.rstrip().endswith((".", "!", "?")), text


def refused(event: Event) -> Text:
    reached: Any = step_table(Tray(Empty(), Table("push-pool"), Campaign().filed(ANN)), event)  # type: ignore[arg-type]
    return next(one.text for one in reached.commands if isinstance(one, Refuse))


EVENTS: tuple[Event, ...] = (
    SheetEdited(1, counters=(CounterSet(Kind.ATTRIBUTE, "STR", 9, 3),)),
    SheetEdited(1, added=(Counter("STR", Kind.ATTRIBUTE, 1),)),
    SheetEdited(9, title="Bo"),
    SheetRested(1, "short"),
    RulingsChosen("push-pool", {"skill_ones_locked": 7}),
    RolesChosen("push-pool", {"gear": Role.GRIT}),
    RolesChosen("push-pool", {"dark_red": Role.SKILL}),
    RollRequested("Ann", tiles={"attribute": "Charm"}, sheet=1),
    RollRequested("Ann", tiles={"full_auto": True}, sheet=1),
    RollRequested("Ann", aim={"difficulty": 99}),
    RollRequested("Ann", dice={Role.GRIT: 1}),
    RollRequested("Ann", dice={Role.BASE: 999}),
    RollRequested("Ann", levels={"A": 1}),
    ManualDieEntered("A", 3),
    ExtendedTestBegun("extended", {}),
    ClockTicked(4, 1),
)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: f"{type(event).__name__}")
def test_a_refused_change_of_the_table_is_a_sentence_in_every_language(event: Event) -> None:
    text = refused(event)
    assert isinstance(text, Message)
    for language in languages():
        assert_for_people(in_language(text, language))


PARTS = {"no_levels", "no_rests", "none", "rules"}
"""Parts of other texts."""


@pytest.mark.parametrize("language", list(languages()))
@pytest.mark.parametrize("place", ["tray.refused.", "memory.refused.", "web.phone."])
def test_every_refusal_of_the_catalogue_is_a_sentence(place: str, language: str) -> None:
    others = {"web.phone.another", "web.phone.wrong_pin_from", *(f"tray.refused.{part}" for part in PARTS)}
    for key, text in texts_at(place, language):
        if key in others:
            continue
        assert text.rstrip().endswith((".", "!", "?", "}")), (key, text)
        assert text[0].isupper() or not text[0].isalpha(), (key, text)
