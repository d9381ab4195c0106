"""The next step: in every state of the diagram, under all five rule systems, one sentence that names it."""

import re

import pytest

from device.game.lamps import DARK
from device.game.machine import step
from device.game.next_act import next_act
from device.game.snapshot import TrayMetadata, take_snapshot
from device.game.state.effects import Refuse
from device.game.state.events import (
    CameraFailed,
    ContextSet,
    DiceSettled,
    Event,
    MotionSeen,
    PushPressed,
    ResetPressed,
    ThrowOrdered,
)
from device.game.state.states import Empty
from device.game.state.table_events import ManualDieEntered, RollRequested
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Tray
from device.message import Text, message
from device.texts.catalogue import ENGLISH, in_language, languages
from rules.dice import Role
from rules.system import find_system, systems
from tests.device.conftest import Dice
from tests.narrowing import english
from vision.types.reading import Problem, Unread

SYSTEMS = [system.id for system in systems()]
PUSHED = [system.id for system in systems() if system.has_push]
STATES = ("empty", "rolling", "unclear", "scored", "awaiting_push", "resolved", "fault")


def play(system: str, *events: Event, pool: dict[Role, int] | None = None) -> Tray:
    roles = find_system(system).pool_roles
    declared = None if pool is None else Pool(tuple((role, pool.get(role, 0)) for role in roles))
    state: Tray = Tray(Empty(), Table(system, declared))
    for event in events:
        state, commands = step(state, event)
        assert not [command for command in commands if isinstance(command, Refuse)], (event, commands)
    return state


def rest(*values: int | None, why: Unread | None = None, thrown: tuple[int, ...] = ()) -> DiceSettled:
    """Let dice come to rest, with ids from 1; a 0 is no die, and None an unread one.

    Args:
        values: What they show.
        why: Why they are unread.
        thrown: Ids of those that were thrown since and lie elsewhere.
    """
    dice = [
        Dice.die(
            place,
            "base" if value is not None else None,
            value,
            (60.0 + 90 * place, 500.0 if place in thrown else 200.0),
            moved=place in thrown,
            unread=why if value is None else None,
        )
        for place, value in enumerate(values, 1)
        if value != 0
    ]
    return DiceSettled(Dice.rest(*dice))


WILD = DiceSettled(Dice.rest(Dice.die(1, "gear", 6, (150.0, 200.0)), Dice.die(2, "base", 2, (240.0, 200.0))))
"""A wild die shows a six."""
FAILED = rest(2, 3)
"""No success: both dice may be thrown again."""
DARK_PICTURE = DiceSettled(Dice.rest(problems=[Problem.TOO_DARK]))
FOREIGN = DiceSettled(Dice.rest(Dice.die(1, "base", 2), problems=[Problem.FOREIGN_OBJECT]))
PUSH = (MotionSeen(), FAILED, PushPressed())
ALL_GONE = rest(0)
PICK_ONE = "Pick up the marked die and throw it again."
TAP_IN_D8 = message("tray.next.tap_in", dice="d8", count=1)
ONE_MORE, TWO_LESS = message("tray.next.throw_in", count=1), message("tray.next.take_out", count=2)
Case = tuple[str, Tray, str, bool, Text]


def of_each(system: str) -> list[Case]:
    """States of every system: the next step, whether something is wrong, and the text with its values."""
    wild = system == "die-code"
    pool = {Role.WILD: 1, Role.PLAIN: 1} if wild else {find_system(system).pool_roles[0]: 2}
    named = "dice" if Role.PLAIN in pool else next(iter(pool)).value
    role = "1 wild and 1 normal" if wild else f"2 {named}"
    return [
        ("empty", play(system), "throw_any", False, "Throw any dice."),
        ("declared", play(system, pool=pool), "throw", False, f"Throw {role}."),
        ("asked", play(system, RollRequested("Ann", dice=pool)), "owner_throws", False, f"Ann throws {role}."),
        ("asked, any", play(system, RollRequested("Ann")), "owner_throws_any", False, "Ann throws."),
        ("for another", play(system, RollRequested("Guard", thrower="Ann")), "owner_throws_any", False, "Ann throws."),
        ("too dark", play(system, DARK_PICTURE), "view", True, ""),
        ("something else", play(system, FOREIGN), "confirm", True, ""),
        ("reset", play(system, MotionSeen(), FAILED, ResetPressed()), "clear", False, ""),
        ("cleared", play(system, FAILED, ResetPressed(), MotionSeen()), "clearing", False, "Wait until nothing moves."),
        ("rolling", play(system, MotionSeen()), "clearing", False, message("tray.next.clearing")),
        ("thrown", play(system, ThrowOrdered(), MotionSeen()), "wait", False, message("tray.next.wait")),
        ("a hand over the cleared tray", play(system, rest(2), rest(), MotionSeen()), "clearing", False, ""),
        ("cocked", play(system, rest(2, None, why=Unread.COCKED)), "lay_flat", False, ""),
        ("two hidden", play(system, rest(2, None, None, why=Unread.OCCLUDED)), "settle", True, ""),
        ("fault", play(system, CameraFailed("gone", 1.0)), "fault_camera", True, ""),
        ("no profile", play(system, CameraFailed("size", 1.0, "profile")), "fault_profile", True, ""),
        ("disk", play(system, CameraFailed("full", 1.0, "history")), "fault_history", True, ""),
        ("hidden roll", play(system, RollRequested("Ann", hidden=True), rest(2, 3)), "show", False, ""),
    ]


def of_push(system: str) -> list[Case]:
    """States of a push, whose text is the same in each system."""
    six = (rest(2, 3, 6), PushPressed())
    done = (*PUSH, ALL_GONE, rest(1, 4, thrown=(1, 2)))
    stays, again = (
        Dice.die(2, "base", 4, (240.0, 500.0), moved=False),
        Dice.die(1, "base", 5, (700.0, 300.0), moved=True),
    )
    return [
        ("scored", play(system, FAILED), "push_or_clear", False, ""),
        ("awaited", play(system, *PUSH), "pick_up", False, "Pick up the 2 marked dice and throw them again."),
        (
            "one is left",
            play(system, *PUSH, rest(2, 0)),
            "pick_up",
            False,
            "Pick up the marked die and throw it again.",
        ),
        ("in the hand", play(system, *PUSH, ALL_GONE), "throw_hand", False, "Throw the 2 dice in your hand."),
        (
            "one cocked",
            play(system, *PUSH, ALL_GONE, rest(4, None, why=Unread.COCKED, thrown=(1, 2))),
            "lay_flat",
            False,
            message("tray.next.lay_flat", count=1),
        ),
        ("one missing", play(system, *PUSH, rest(0, 3), rest(4, thrown=(1,))), "throw_in", True, ""),
        ("one too many", play(system, *PUSH, ALL_GONE, rest(4, 4, 4, thrown=(1, 2, 3))), "take_out", True, ""),
        ("one not rolled", play(system, *six, rest(0, 3, 6), rest(4, 3, 6, thrown=(1,))), "pick_up", True, ""),
        ("not asked for", play(system, *six[:1], rest(0, 0, 6), rest(4, 4, 6, thrown=(1, 2))), "was_push", True, ""),
        ("resolved", play(system, *done), "clear", False, "Take the dice out for the next roll."),
        (
            "another waits",
            play(system, *done, RollRequested("Zo")),
            "clear_for",
            False,
            "Take the dice out: Zo is next.",
        ),
        (
            "again",
            play(system, *done, DiceSettled(Dice.rest(stays)), DiceSettled(Dice.rest(stays, again))),
            "reset",
            True,
            "",
        ),
    ]


def of_one() -> dict[str, list[Case]]:
    """What only some systems wait for."""
    typed = RollRequested("Ann", levels={"C": 1, "B": 1})
    one = RollRequested("Ann", dice={Role.BASE: 1}, levels={"C": 1})
    tapped = ManualDieEntered("C", 3), ManualDieEntered("B", 4)
    failed = play("step-dice", one, rest(2), ManualDieEntered("C", 3), PushPressed())
    half = play("step-dice", typed, *tapped, PushPressed(), ManualDieEntered("C", 5))
    colours = play("push-pool", rest(2, 3, 4), pool={Role.BASE: 2, Role.SKILL: 1})
    turned = play("push-pool", rest(2, 6), PushPressed(), rest(0, 6), rest(3, 3, thrown=(1, 2)))
    facts = play("push-pool", ContextSet({"pushes": "many"}), rest(2))
    two = {Role.PLAIN: 2}
    return {
        "step-dice": [
            (
                "typed dice alone",
                play("step-dice", typed),
                "tap_in",
                False,
                message("tray.next.tap_in", dice="d10 and d8", count=2),
            ),
            (
                "a d8 to type",
                play("step-dice", one, rest(2)),
                "tap_in",
                False,
                TAP_IN_D8,
            ),
            ("all typed", play("step-dice", typed, *tapped), "push_or_reset", False, ""),
            ("the d6 lies there", failed, "pick_up", False, PICK_ONE),
            ("a d10 is left", half, "roll_typed", False, message("tray.next.roll_typed", dice="d10", count=1)),
        ],
        "die-code": [("wild die", play("die-code", WILD), "again", False, "")],
        "highest-die": [("another waits", play("highest-die", FAILED, RollRequested("Zo")), "clear_for", False, "")],
        "hits-pool": [
            ("scored", play("hits-pool", FAILED), "clear", False, ""),
            ("one missing", play("hits-pool", rest(2), pool=two), "throw_in", True, ONE_MORE),
            ("too many", play("hits-pool", rest(2, 3, 4, 5), pool=two), "take_out", True, TWO_LESS),
        ],
        "push-pool": [
            ("colours", colours, "exchange", True, ""),
            ("a six was turned", turned, "turn_back", True, ""),
            ("facts", facts, "facts", True, ""),
        ],
    }


CASES = [
    *((system, case) for system in SYSTEMS for case in of_each(system)),
    *((system, case) for system in PUSHED for case in of_push(system)),
    *((system, case) for system, cases in of_one().items() for case in cases),
]


@pytest.mark.parametrize(("system", "case"), CASES, ids=[f"{system}: {case[0]}" for system, case in CASES])
def test_each_state_says_the_one_next_thing_to_do(system: str, case: Case) -> None:
    _, state, code, is_wrong, text = case
    assert state.table.system == system
    act = next_act(state, {}, is_simulated=False)
    assert (act.code, act.is_wrong) == (code, is_wrong)
    assert text == "" or english(text) == english(act.text)
    for language in languages():
        worded = in_language(act.text, language)
        # One sentence: it ends once, with a full stop, and is short enough for one look.
        assert re.fullmatch(r"[A-Z\u00c4\u00d6\u00dc][^.!?]+\.", worded), worded
        assert len(worded) <= 100
        assert "{" not in worded
        assert language == ENGLISH or worded != english(act.text)


def test_every_state_of_the_diagram_is_among_them_in_every_system_that_knows_it() -> None:
    for system in SYSTEMS:
        seen = {case[1].state_name for name, case in CASES if name == system}
        assert seen >= set(STATES) - (set() if system in PUSHED else {"awaiting_push", "resolved"}), system


def test_where_dice_are_thrown_by_a_button_it_is_named() -> None:
    state = play("push-pool", RollRequested("Ann", dice={Role.BASE: 2}))
    assert english(next_act(state, {}, is_simulated=True).text) == "Press Throw: 2 base go into the tray."
    assert next_act(play("push-pool", MotionSeen(), FAILED, ResetPressed()), {}, is_simulated=True).code == "choose"


def test_dice_to_throw_are_named_as_they_look() -> None:
    colours = {"base": "yellow", "skill": "green", "gear": "black"}
    requested = play("push-pool", RollRequested("Ann", dice={Role.BASE: 2, Role.NEGATIVE: 1}))
    assert english(next_act(requested, colours, is_simulated=False).text) == "Ann throws 2 yellow and 1 green."
    plain = play("hits-pool", RollRequested("Ann", dice={Role.PLAIN: 6}))
    assert english(next_act(plain, colours, is_simulated=False).text) == "Ann throws 6 dice."


def test_step_dice_are_thrown_where_they_are_read_and_entered_where_not() -> None:
    def worded(state: Tray, *read: int) -> tuple[str, str]:
        act = next_act(state, {}, is_simulated=False, read=frozenset(read))
        return act.code, english(act.text)

    requested = play("step-dice", RollRequested("Ann", levels={"C": 2, "B": 1}))
    assert worded(requested, 8, 10) == ("owner_throws", "Ann throws 1 d10 and 2 d8.")
    assert worded(requested, 8) == ("owner_throws", "Ann throws 2 d8.")
    assert worded(requested) == ("tap_in", english(message("tray.next.tap_in", dice="d10, d8 and d8", count=3)))
    half = play("step-dice", RollRequested("Ann", dice={Role.BASE: 1}, levels={"C": 1, "B": 1}), rest(2))
    both = english(message("tray.next.throw_or_enter", dice="d10 and d8", count=2))
    assert worded(half, 8, 10) == ("throw_or_enter", both)
    assert worded(half, 8) == ("tap_in", english(message("tray.next.tap_in", dice="d10", count=1)))


def test_waiting_for_a_typed_face_lights_no_lamp_of_trouble() -> None:
    waits = play("step-dice", RollRequested("Ann", dice={Role.BASE: 1}, levels={"C": 1}), rest(2))
    waiting, cocked = (
        take_snapshot(1, state, TrayMetadata("simulated", None, {})).lights.trouble
        for state in (waits, play("step-dice", rest(2, None, why=Unread.COCKED)))
    )
    assert waiting == DARK != cocked
