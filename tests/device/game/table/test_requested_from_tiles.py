"""A roll requested from tiles is the roll that its player would prepare: the same dice, facts, price and sheet."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from device.game.machine import step
from device.game.state.campaign import Campaign
from device.game.state.effects import Refuse
from device.game.state.events import (
    DiceSettled,
    Event,
    MotionSeen,
    PoolDeclared,
    PushPressed,
    ResetPressed,
    SystemChosen,
)
from device.game.state.linked_rolls import LinkKind
from device.game.state.states import Empty
from device.game.state.table_events import (
    ConsequencesCarried,
    CounterSet,
    LinkedRollsRequested,
    RollPrepared,
    RollRequested,
    SheetEdited,
    SheetRemoved,
)
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.game.table.preparing import prepare_roll, rules_answer
from rules.dice import Role
from rules.errors import RulesError
from rules.sheet import Counter, Kind, Sheet
from rules.sheet_edit import edit_sheet
from rules.sheet_file import new_sheet
from rules.system import JsonValue, RuleSystem, systems
from rules.tiles import Prepared, Tile, TileKind
from tests.device.conftest import Dice
from tests.narrowing import there


def play(state: Tray, *events: Event) -> Tray:
    for event in events:
        state, _ = step(state, event)
    return state


def refused(state: Tray, event: Event) -> str | None:
    return next((one.reason for one in step(state, event)[1] if isinstance(one, Refuse)), None)


MORE = (Counter("Climb", Kind.SKILL, 7), Counter("Rope", Kind.GEAR, 2, 2), Counter("spare", Kind.RESOURCE, 9, 10))


def sheet_of(title: str, system: str) -> Sheet:
    """Return a new character with a counter of each kind that a tile may name, and enough ammunition."""
    full = edit_sheet(new_sheet(title, system), added=MORE)
    return edit_sheet(full, counters=((Kind.RESOURCE, "ammo", 10, None),)) if system == "step-dice" else full


def tray_of(system: str) -> Tray:
    """Return an empty tray with two alike sheets; the first, Bo's, is in use, so that a cost on it would be wrong."""
    return Tray(Empty(), Table(system), Campaign().filed(sheet_of("Bo", system)).filed(sheet_of("Ann", system)))


def values_of(tile: Tile, sheet: Sheet) -> list[JsonValue]:
    match tile.kind:
        case TileKind.COUNTER:
            named = [one.name for one in sheet.counters if one.kind in tile.counter_kinds]
            return [*([None] if tile.optional else []), *named, max(tile.low, 1), 7, *tile.choices]
        case TileKind.CHOICE:
            return [None, *tile.choices]
        case TileKind.FLAG:
            return [None, True]
        case TileKind.NUMBER:
            return [None, *dict.fromkeys((tile.low, min(tile.high, tile.low + 2)))]
        case _:
            return [None, "pick the lock"]


def tapped(system: RuleSystem, sheet: Sheet) -> Iterator[dict[str, Any]]:
    """Yield every combination of counters, and every value of every other tile with one counter of each kind."""
    counters = [tile for tile in system.tiles if tile.kind is TileKind.COUNTER]
    for picked in product(*(values_of(tile, sheet) for tile in counters)):
        yield {tile.name: value for tile, value in zip(counters, picked, strict=True) if value is not None}
    base = {tile.name: next(one for one in values_of(tile, sheet) if one is not None) for tile in counters}
    for tile in system.tiles:
        for value in values_of(tile, sheet) if tile not in counters else ():
            if value is not None:
                yield {**base, tile.name: value}


@pytest.mark.parametrize("system", systems(), ids=lambda system: system.id)
def test_a_requested_roll_becomes_the_state_of_a_prepared_one(system: RuleSystem) -> None:
    empty, rolled = tray_of(system.id), 0
    for tiles in tapped(system, empty.campaign.find(2)):
        request = RollRequested("Ann", "A roll", tiles=tiles, sheet=2)
        try:
            answer = rules_answer(empty, tiles, 2)
        except RulesError:
            assert refused(empty, request) == "bad_value"
            continue
        assert isinstance(answer, Prepared)
        roll = prepare_roll(system.id, tiles, 2, answer)
        if isinstance(roll, Refuse):
            assert refused(empty, request) == roll.reason
            continue
        rolled += 1
        prepared = play(empty, RollPrepared(roll, "Ann", "A roll"))
        assert play(empty, request) == prepared
        waiting = play(empty, RollRequested("Bo"), request)
        later = play(waiting, ResetPressed())
        assert (later.table.pool, later.table.context, later.table.typed, later.campaign.prepared) == (
            prepared.table.pool,
            prepared.table.context,
            prepared.table.typed,
            prepared.campaign.prepared,
        ), "one that waited is no other roll"
    assert rolled > 10


def thrown(turn: int, *faces: tuple[str, int]) -> tuple[Event, ...]:
    lying = (
        Dice.die(number, colour, face, (100 * number, 200 + 150 * turn), moved=True)
        for number, (colour, face) in enumerate(faces, start=1)
    )
    return MotionSeen(), DiceSettled(Dice.rest(*lying))


ROLLS: dict[str, tuple[dict[str, Any], tuple[tuple[Event, ...], ...], dict[tuple[Kind, str], int]]] = {
    "push-pool": (
        {"attribute": "STR", "skill": 1, "gear": "Rope"},
        (
            thrown(0, *[("base", 3)] * 3, ("skill", 3), *[("gear", 3)] * 2),
            (PushPressed(), *thrown(1, ("base", 1), *[("base", 4)] * 2, ("skill", 4), ("gear", 1), ("gear", 4))),
        ),
        {(Kind.ATTRIBUTE, "STR"): -1, (Kind.GEAR, "Rope"): -1},
    ),
    "step-dice": (
        {"attribute": "AGL", "ammo": 2},
        (thrown(0, ("base", 3), ("gear", 4), ("gear", 2)), ()),
        {(Kind.RESOURCE, "ammo"): -6},
    ),
    "highest-die": (
        {"attribute": 1, "own_dice": 1},
        (thrown(0, ("base", 5), ("gear", 2)), ()),
        {(Kind.GRIT, "grit"): -2},
    ),
    "die-code": (
        {"code": "2d", "luck": True},
        (thrown(0, *[("base", 4)] * 3, ("gear", 3)), ()),
        {(Kind.LUCK, "luck"): -1},
    ),
}
"""Of each system with costs: what is tapped, first throw and push, and what they cost."""
COLOURS = {"highest-die": {"gear": "grit"}}


def start(system: str) -> Tray:
    tray = tray_of(system)
    return replace(tray, table=replace(tray.table, colour_roles=COLOURS))


def moved(before: Tray, after: Tray, sheet: int) -> dict[tuple[Kind, str], int]:
    was, now = before.campaign.find(sheet), after.campaign.find(sheet)
    return {
        (one.kind, one.name): there(now.find(one.kind, one.name)).now - one.now
        for one in was.counters
        if there(now.find(one.kind, one.name)).now != one.now
    }


@pytest.mark.parametrize("system", ROLLS)
def test_the_cost_of_a_requested_roll_reaches_the_players_sheet(system: str) -> None:
    tiles, (throw, push), cost = ROLLS[system]
    before = start(system)
    state = play(before, RollRequested("Ann", tiles=tiles, sheet=2), *throw, *push)
    state = play(state, ConsequencesCarried(2))
    assert (moved(before, state, 2), moved(before, state, 1)) == (cost, {})
    assert there(state.campaign.carried).missed == ()


def test_a_roll_without_costs_keeps_its_facts() -> None:
    state = play(start("hits-pool"), RollRequested("Ann", tiles={"ability": "Climb", "threshold": 2}, sheet=2))
    assert (state.table.context, there(state.campaign.prepared).sheet) == ({"threshold": 2}, 2)
    assert there(state.table.pool).total == 7


FIGHT: dict[str, Any] = {"attribute": "STR", "skill": "Climb"}
ANN = RollRequested("Ann", tiles=FIGHT, sheet=2)


def dice(state: Tray) -> dict[str, int]:
    return {
        role: count for role, count in there(state.table.pool).as_json().items() if isinstance(count, int) and count
    }


def test_the_target_of_a_request_is_a_tile_like_the_others() -> None:
    state = play(start("push-pool"), replace(ANN, aim={"difficulty": 2}))
    assert dice(state) == {"base": 3, "skill": 9}
    assert there(state.campaign.prepared).tiles == {**FIGHT, "difficulty": 2}


def test_dice_that_the_game_master_changes_keep_the_players_attribute_and_sheet() -> None:
    state = play(start("push-pool"), replace(ANN, dice={Role.BASE: 3, Role.SKILL: 5}))
    note = there(state.campaign.prepared)
    assert (dice(state), note.sheet, state.table.context["attribute_name"]) == ({"base": 3, "skill": 5}, 2, "STR")
    weaker = SheetEdited(2, counters=(CounterSet(Kind.ATTRIBUTE, "STR", 2),))
    later = play(start("push-pool"), RollRequested("Bo"), replace(ANN, dice={Role.BASE: 3}), weaker, ResetPressed())
    assert (dice(later), later.table.context["attribute"]) == ({"base": 3}, 2)


def test_a_waiting_roll_follows_its_sheet_until_its_turn() -> None:
    waiting = play(start("push-pool"), RollRequested("Bo"), ANN)
    weaker = play(waiting, SheetEdited(2, counters=(CounterSet(Kind.ATTRIBUTE, "STR", 2),)))
    assert dice(play(weaker, ResetPressed())) == {"base": 2, "skill": 7}
    gone = play(waiting, SheetRemoved(2), ResetPressed())
    assert (dice(gone), there(gone.campaign.prepared).sheet) == ({"base": 3, "skill": 7}, None)
    other = play(waiting, SystemChosen("hits-pool"), ResetPressed())
    assert (other.table.pool, other.table.context, other.campaign.prepared) == (None, {}, None)


def test_a_roll_that_lets_another_go_first_keeps_all_its_parts() -> None:
    first = play(start("push-pool"), ANN)
    roll = there(first.campaign.prepared)
    other = play(first, RollPrepared(replace(roll, sheet=1), "Bo"))
    assert there(other.campaign.prepared).sheet == 1
    back = play(other, ResetPressed())
    assert (back.campaign.prepared, back.table.context, dice(back)) == (roll, first.table.context, dice(first))
    declared = play(first, PoolDeclared(None), RollPrepared(replace(roll, sheet=1), "Bo"), ResetPressed())
    assert (declared.table.pool, declared.campaign.prepared) == (None, None)


@pytest.mark.parametrize("kind", LinkKind)
def test_each_member_of_linked_rolls_has_the_dice_and_costs_of_its_own_sheet(kind: LinkKind) -> None:
    stronger = SheetEdited(1, counters=(CounterSet(Kind.ATTRIBUTE, "STR", 5, 5),))
    rolls = LinkedRollsRequested(kind, (ANN, replace(ANN, owner="Bo", sheet=1)))
    before = play(start("push-pool"), stronger)
    state = play(before, rolls)
    assert (dice(state), there(state.campaign.prepared).sheet) == ({"base": 3, "skill": 7}, 2)
    lies = play(state, *thrown(0, *[("base", 3)] * 3, *[("skill", 3)] * 7))
    state = play(lies, MotionSeen(), DiceSettled(Dice.rest()))
    assert (dice(state), there(state.campaign.prepared).sheet) == ({"base": 5, "skill": 7}, 1)


def test_a_request_that_cannot_be_rolled_is_refused() -> None:
    state = start("push-pool")
    broken = play(state, SheetEdited(2, counters=(CounterSet(Kind.ATTRIBUTE, "STR", 0),)))
    assert refused(broken, ANN) == "cannot_roll"
    assert refused(state, replace(ANN, sheet=7)) == "unknown_sheet"
    assert refused(state, replace(ANN, tiles={"attribute": "Charm"})) == "bad_value"
    assert refused(play(state, SystemChosen("hits-pool")), ANN) == "wrong_system"
    assert (
        refused(state, LinkedRollsRequested(LinkKind.GROUP, (ANN, replace(ANN, owner="Bo", sheet=7))))
        == "unknown_sheet"
    )
