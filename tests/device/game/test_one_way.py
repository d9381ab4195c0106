"""`step` goes one way: no module calls back into one that called it, and each part of the way is asked once."""

import sys
from collections import Counter
from types import FrameType

import pytest

from device.game.machine import step
from device.game.state.events import DiceCorrected, Event
from device.game.state.linked_rolls import LinkKind
from device.game.state.states import State
from device.game.state.table_events import (
    DieTyped,
    HiddenRollShown,
    RolesChosen,
    RollAsked,
    RollPrepared,
    RollsAsked,
    RulingsChosen,
)
from device.game.state.table_state import Pool
from rules.dice import Role
from tests.device.game.sample_states import EVENTS, states

TABLE_EVENTS: dict[str, Event] = {
    "rulings": RulingsChosen("push-pool", {"skill_ones_locked": True}),
    "roles": RolesChosen("push-pool", {"gear": Role.SKILL}),
    "prepared": RollPrepared(Pool(((Role.BASE, 2),)), (), {"attribute": 2}, "Take 2.", None, {}),
    "asked": RollAsked("Ann", "Strength", {Role.BASE: 2}),
    "together": RollsAsked(LinkKind.OPPOSED, (RollAsked("Ann"), RollAsked("Ben", hidden=True)), "Arms"),
    "shown": HiddenRollShown(1),
    "typed": DieTyped("A", 3, Role.BASE),
}
PARTS = {
    "device.game.dice.overrides",
    "device.game.dice.rest_transitions",
    "device.game.dice.results",
    "device.game.table.bookkeeping",
    "device.game.table.transitions",
}
MAKING = ("__init__", "__post_init__", "__eq__", "__hash__", "__new__")
"""Making and comparing a value leads nowhere."""


class Way:
    """Which modules of ours a walk leads through."""

    def __init__(self) -> None:
        self.entered: Counter[str] = Counter()
        self.turned_back: set[tuple[str, ...]] = set()

    def see(self, frame: FrameType, event: str, _argument: object) -> None:
        """Take note of a call; a profile function."""
        module = _module(frame)
        if event != "call" or module is None or frame.f_code.co_name in MAKING:
            return
        path = _path(frame)
        if len(path) > 1 and path[-1] in path[:-1]:
            self.turned_back.add(path)
        if len(path) > 1 and path[-1] != _module_before(frame):
            self.entered[module] += 1


def _module(frame: FrameType) -> str | None:
    name = str(frame.f_globals.get("__name__", ""))
    return name if name.partition(".")[0] in ("device", "rules", "vision") else None


def _module_before(frame: FrameType) -> str | None:
    back = frame.f_back
    while back is not None and _module(back) is None:
        back = back.f_back
    return None if back is None else _module(back)


def _path(frame: FrameType) -> tuple[str, ...]:
    """The modules from `step` down to a call, each stay once."""
    path: list[str] = []
    back: FrameType | None = frame
    while back is not None:
        module = _module(back)
        if module is not None and (not path or path[-1] != module):
            path.append(module)
        back = back.f_back
    return tuple(reversed(path))


def walked(state: State, event: Event) -> Way:
    way = Way()
    before = sys.getprofile()
    sys.setprofile(way.see)
    try:
        step(state, event)
    finally:
        sys.setprofile(before)
    return way


@pytest.mark.parametrize("name", states())
def test_no_module_calls_back_and_each_part_is_asked_once(name: str) -> None:
    state = states()[name]
    for event in (*EVENTS.values(), *TABLE_EVENTS.values()):
        way = walked(state, event)
        assert not way.turned_back, event
        steps = len(event.dice) if isinstance(event, DiceCorrected) else 1
        assert {part: way.entered[part] for part in PARTS if way.entered[part] > steps} == {}, event
