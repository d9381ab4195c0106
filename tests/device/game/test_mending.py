"""The fixes that the simulated hand offers: for each problem exactly what its text asks for, otherwise nothing."""

from collections.abc import Callable, Iterable, Mapping

import pytest

from device.game.machine import step
from device.game.mending import MendKind, suggest_fix
from device.game.state.events import CameraFailed, DiceSettled, DieDismissed, MotionSeen, PoolDeclared, PushPressed
from device.game.state.states import AwaitingPush, Empty, Resolved, Unclear
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Tray
from device.game.throw_orders import MendOrder
from device.message import message
from rules.dice import Role
from tests.device.conftest import Dice
from tests.narrowing import english, there
from vision.types.reading import Problem, Unread
from vision.types.sighting import TrackedDie

TABLE = Table("push-pool", colour_classes=("base", "skill", "gear"))


@pytest.fixture
def played() -> Callable[..., Tray]:
    """Return the state after rests of these dice; "push" among them presses the button."""

    def play(*rests: Iterable[TrackedDie] | str, pool: Mapping[Role, int] | None = None) -> Tray:
        state: Tray = Tray(Empty(), TABLE)
        if pool is not None:
            state, _ = step(state, PoolDeclared(Pool(tuple(pool.items()))))
        for lying in rests:
            if lying == "push":
                state, _ = step(state, PushPressed())
            else:
                state, _ = step(state, MotionSeen())
                state, _ = step(state, DiceSettled(Dice.rest(*lying)))
        return state

    return play


@pytest.fixture
def pushed(played: Callable[..., Tray]) -> Callable[..., Tray]:
    """Return the state after a push of `dice.FIRST` that came to rest like this."""
    return lambda *lying: played(Dice.FIRST, "push", Dice.LEFT, lying)


def codes(state: Tray) -> list[str]:
    assert isinstance(state.dice, AwaitingPush | Unclear)
    return [trouble.code for trouble in state.dice.troubles]


def without(lying: Iterable[TrackedDie], die_id: int) -> tuple[TrackedDie, ...]:
    return tuple(die for die in lying if die.id != die_id)


def test_a_locked_die_is_turned_back_to_the_face_it_had(pushed: Callable[..., Tray]) -> None:
    changed = Dice.die(2, "base", 3, (640, 200), moved=True)
    state = pushed(*without(Dice.THROWN, 2), changed)
    assert codes(state) == ["locked_die_changed"]
    mend = suggest_fix(state)
    assert mend is not None
    assert (mend.kind, mend.dice, english(mend.text)) == (MendKind.TURN_BACK, (2,), "Turn it back")
    assert mend.order == MendOrder(turned=(((640, 200), 6),))


def test_a_locked_die_that_was_given_another_id_is_turned_back_too(pushed: Callable[..., Tray]) -> None:
    state = pushed(*without(Dice.THROWN, 2), Dice.die(9, "base", 3, (640, 200), moved=True))
    assert codes(state) == ["locked_die_changed"]
    assert there(suggest_fix(state)).order == MendOrder(turned=(((640, 200), 6),))


def test_a_die_left_lying_is_picked_up_and_thrown(played: Callable[..., Tray]) -> None:
    left = Dice.die(3, "skill", 1, moved=False)
    state = played(Dice.FIRST, "push", (*Dice.LEFT, left), (*without(Dice.THROWN, 3), left))
    assert codes(state) == ["must_reroll_not_rolled"]
    mend = suggest_fix(state)
    assert mend is not None
    assert (mend.kind, mend.dice, english(mend.text)) == (MendKind.THROW_AGAIN, (3,), "Throw it again")
    assert mend.order == MendOrder(rethrown=((300, 300),))


def test_a_die_that_is_missing_is_thrown_in(pushed: Callable[..., Tray]) -> None:
    state = pushed(*without(Dice.THROWN, 4))
    assert codes(state) == ["wrong_dice_count"]
    mend = suggest_fix(state)
    assert mend is not None
    assert (mend.kind, mend.dice, english(mend.text)) == (MendKind.THROW_IN, (), "Throw in the missing die")
    assert mend.order == MendOrder(thrown_in=("gear",))
    state = pushed(*without(without(Dice.THROWN, 4), 3))
    assert there(suggest_fix(state)).order == MendOrder(thrown_in=("skill", "gear"))
    assert english(there(suggest_fix(state)).text) == "Throw in 2 missing dice"


def test_a_die_too_many_is_taken_out(pushed: Callable[..., Tray]) -> None:
    state = pushed(*Dice.THROWN, Dice.die(9, "base", 4, (500, 700), moved=True))
    assert codes(state) == ["wrong_dice_count"]
    mend = suggest_fix(state)
    assert mend is not None
    assert (mend.kind, mend.dice, english(mend.text)) == (MendKind.TAKE_OUT, (9,), "Take one out")
    assert mend.order == MendOrder(taken=((500, 700),))


def test_a_die_of_another_colour_is_exchanged(pushed: Callable[..., Tray]) -> None:
    state = pushed(*without(Dice.THROWN, 4), Dice.die(4, "skill", 2, (900, 500), moved=True))
    assert codes(state) == ["wrong_role_count"]
    mend = suggest_fix(state)
    assert mend is not None
    assert (mend.kind, mend.dice, mend.text) == (MendKind.EXCHANGE, (4,), message("tray.mend.exchange", count=1))
    assert mend.order == MendOrder(taken=((900, 500),), thrown_in=("gear",))


@pytest.mark.parametrize("unread", [Unread.COCKED, Unread.STACKED])
def test_a_die_that_does_not_lie_flat_is_laid_flat_before_and_after_a_push(
    played: Callable[..., Tray], pushed: Callable[..., Tray], unread: Unread
) -> None:
    leaning = Dice.die(4, "gear", None, (900, 500), unread=unread)
    for state in (played((*without(Dice.FIRST, 4), leaning)), pushed(*without(Dice.THROWN, 4), leaning)):
        assert isinstance(state.dice, Unclear)
        mend = suggest_fix(state)
        assert mend is not None
        assert (mend.kind, mend.dice, english(mend.text)) == (MendKind.LAY_FLAT, (4,), "Lay it flat")
        assert mend.order == MendOrder(flattened=((900, 500),))


POOL = {Role.BASE: 2, Role.SKILL: 1, Role.GEAR: 1}
DECLARED = [
    (POOL | {Role.GEAR: 2}, MendOrder(thrown_in=("gear",))),
    (POOL | {Role.GEAR: 0}, MendOrder(taken=((400, 300),))),
    (POOL | {Role.BASE: 1}, MendOrder(taken=((200, 300),))),
    (POOL | {Role.BASE: 1, Role.GEAR: 2}, MendOrder(taken=((200, 300),), thrown_in=("gear",))),
    ({Role.PLAIN: 6}, MendOrder(thrown_in=("base", "base"))),
    ({Role.PLAIN: 3}, MendOrder(taken=((400, 300),))),
    (POOL, None),
]


@pytest.mark.parametrize(("pool", "order"), DECLARED)
def test_dice_become_the_declared_ones(played: Callable[..., Tray], pool: dict[Role, int], order: MendOrder) -> None:
    mend = suggest_fix(played(Dice.FIRST, pool=pool))
    assert (None if mend is None else mend.order) == order


def test_a_die_that_has_no_role_here_is_taken_out(played: Callable[..., Tray]) -> None:
    state = played((Dice.die(1, "base", 5), Dice.die(2, "fate", 4)))
    assert codes(state) == ["wrong_role_count"]
    assert there(suggest_fix(state)).order == MendOrder(taken=((200, 300),))


def test_nothing_is_offered_where_nothing_is_wrong_or_only_a_person_can_say(
    played: Callable[..., Tray], pushed: Callable[..., Tray]
) -> None:
    blurred = Dice.die(4, "gear", None, unread=Unread.PIPS_UNCLEAR)
    unpushed = played(Dice.FIRST, Dice.LEFT, Dice.THROWN)
    assert codes(unpushed) == ["thrown_without_push"]
    quiet = (
        Tray(Empty(), TABLE),
        played(Dice.FIRST),
        played(Dice.FIRST, "push"),
        played(Dice.FIRST, "push", Dice.LEFT),
        pushed(*Dice.THROWN),
        played((*without(Dice.FIRST, 4), blurred)),
        unpushed,
    )
    assert [suggest_fix(state) for state in quiet] == [None] * len(quiet)
    doubtful, _ = step(Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST, problems=(Problem.FOREIGN_OBJECT,))))
    assert suggest_fix(doubtful) is None


def test_nothing_is_offered_while_something_moves_or_the_camera_is_gone(pushed: Callable[..., Tray]) -> None:
    wrong = pushed(*without(Dice.THROWN, 4))
    assert isinstance(wrong.dice, AwaitingPush)
    moving, _ = step(wrong, MotionSeen())
    assert suggest_fix(moving) is None
    failed, _ = step(wrong, CameraFailed("gone: plug it in", 1.0))
    assert suggest_fix(failed) is None
    assert suggest_fix(wrong) is not None


def test_what_a_person_has_settled_needs_no_hand(pushed: Callable[..., Tray]) -> None:
    wrong = pushed(*Dice.THROWN, Dice.die(9, "base", 4, (500, 700), moved=True))
    settled, _ = step(wrong, DieDismissed(9, True))
    assert isinstance(settled.dice, Resolved)
    assert suggest_fix(settled) is None
