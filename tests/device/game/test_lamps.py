import itertools
import json
from dataclasses import fields, replace
from typing import Any

import pytest

from device.game.lamps import LAMP_NAMES, STATES, LampView, Pattern, PatternParams, lamp_level, plan_lights, shine

FLAGS = [field.name for field in fields(LampView) if field.name != "state"]
VIEWS = [LampView(state, *flags) for state in STATES for flags in itertools.product((False, True), repeat=len(FLAGS))]


def shown(view: LampView) -> dict[str, str]:
    return {name: lamp.pattern.value for name, lamp in plan_lights(view).lamps() if lamp.lit}


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_every_state_and_flag_follows_the_table(view: LampView) -> None:
    expected = {
        "empty": {"ready": "steady"},
        "rolling": {"reading": "fast"},
        "unclear": {"reading": "slow", "trouble": "slow"},
        "scored": {"ready": "steady"},
        "awaiting_push": {"push_allowed": "slow"},
        "resolved": {"ready": "steady"},
        "fault": {"trouble": "fast"},
    }[view.state]
    if view.state in ("unclear", "scored", "resolved") and view.push_eligible:
        expected = {**expected, "push_allowed": "steady"}
    if view.state in ("scored", "resolved") and view.success:
        expected = {**expected, "success": "steady"}
    if view.trouble and view.state != "fault":
        expected = {**expected, "trouble": "slow"}
    if view.waits and view.state == "unclear":
        del expected["trouble"]
    assert shown(view) == expected


def test_states_are_distinguished_by_place_and_pattern_alone() -> None:
    plain = {state: shown(LampView(state)) for state in STATES}
    # A resolved roll and an empty tray both wait for the next throw: they may look alike, and so may a roll that cannot
    # be pushed. Every other pair must differ.
    waiting = {"empty", "scored", "resolved"}
    for one, other in itertools.combinations(STATES, 2):
        if not {one, other} <= waiting:
            assert plain[one] != plain[other], (one, other)
    assert shown(LampView("scored", push_eligible=True)) != plain["empty"]


def test_unknown_state_is_refused() -> None:
    with pytest.raises(ValueError, match="'confused'"):
        plan_lights(LampView("confused"))


@pytest.mark.parametrize("flag", FLAGS)
def test_each_flag_shows_in_some_state(flag: str) -> None:
    flags: dict[str, Any] = {flag: True}
    assert any(shown(replace(LampView(state), **flags)) != shown(LampView(state)) for state in STATES)


@pytest.mark.parametrize("name", LAMP_NAMES)
def test_each_lamp_shines_in_some_state(name: str) -> None:
    assert any(name in shown(view) for view in VIEWS)


def test_plan_as_json_has_every_lamp() -> None:
    plan = plan_lights(LampView("scored", push_eligible=True)).to_json()
    assert list(plan) == ["ready", "reading", "push_allowed", "success", "trouble"], "programs rely on these names"
    assert json.loads(json.dumps(plan))["push_allowed"] == {"lit": True, "pattern": "steady", "brightness": 1.0}
    assert plan["trouble"] == {"lit": False, "pattern": "steady", "brightness": 0.0}


@pytest.mark.parametrize(("pattern", "blinks"), [(Pattern.STEADY, 0), (Pattern.SLOW, 7), (Pattern.FAST, 28)])
def test_patterns_blink_at_their_rate(pattern: Pattern, blinks: int) -> None:
    levels = [lamp_level(shine(pattern), step / 100.0, PatternParams()) for step in range(1000)]
    ons = sum(1 for before, after in itertools.pairwise([*levels, levels[0]]) if before == 0.0 and after > 0.0)
    assert ons == blinks
    assert max(levels) == 1.0


@pytest.mark.parametrize(
    "rhythm", [{"slow_hz": 1.5}, {"slow_hz": 0.0}, {"on_fraction": 1.0}, {"fast_hz": float("nan")}]
)
def test_rhythms_that_cannot_be_distinguished_are_refused(rhythm: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"must|should"):
        PatternParams(**rhythm)


def test_lit_lamp_has_some_brightness() -> None:
    with pytest.raises(ValueError, match="brightness"):
        shine(brightness=0.0)
