"""How the simulated hand fixes a problem: it does what the problem's own text asks for. Pure.

It uses what the tray has seen, never the simulation's true dice.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from device.errors import BadInput
from device.game.dice.role_mapping import colour_of, role_of
from device.game.state.layout import Layout, LyingDie
from device.game.state.manual_dice import FIRST_TYPED_ID
from device.game.state.problems import LOCKED_CHANGED, MAYBE_NOT_ROLLED, NOT_ROLLED, WRONG_COUNT, WRONG_ROLES, Issue
from device.game.state.states import AwaitingPush, Empty, Rolling, Unclear, UnreadPush
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.game.throw_orders import MendOrder, PointPx
from device.message import Message, message
from rules.dice import Role
from rules.system import find_system
from vision.types.reading import Unread

_LAID_FLAT = (Unread.COCKED, Unread.STACKED)


class MendKind(StrEnum):
    TURN_BACK = "turn_back"
    THROW_AGAIN = "throw_again"
    THROW_IN = "throw_in"
    TAKE_OUT = "take_out"
    EXCHANGE = "exchange"
    LAY_FLAT = "lay_flat"


@dataclass(frozen=True, slots=True)
class Fix:
    kind: MendKind
    dice: tuple[int, ...]
    order: MendOrder

    @property
    def text(self) -> Message:
        """The fix in a few words, as on a button."""
        count = max(len(self.dice), len(self.order.thrown_in))
        return message(f"tray.mend.{self.kind.value}", count=count)


def suggest_fix(tray: Tray) -> Fix | None:
    """Return what the hand would do now.

    Returns:
        A fix for the first problem that hands can fix, leaning and stacked dice first, since their faces are not
        known yet. None if nothing is wrong, if only a correction or a button helps, and while something moves.
    """
    dice = tray.dice
    if tray.fault is not None or isinstance(dice, Empty | Rolling) or dice.moving:
        return None
    push: AwaitingPush | None = None
    match dice:
        case AwaitingPush(after=Layout() as layout):
            push = dice
        case UnreadPush(layout=layout):
            push = dice.push
        case Unclear(layout=layout):
            pass
        case _:
            return None
    return _flattening(layout, dice.troubles) or next(
        (mend for trouble in dice.troubles if (mend := _mend_of(trouble, layout, push, tray.table)) is not None), None
    )


def _mend_of(trouble: Issue, layout: Layout, push: AwaitingPush | None, table: Table) -> Fix | None:
    if trouble.code in (WRONG_COUNT, WRONG_ROLES):
        return _matching(layout, trouble, push, table)
    if push is None:
        return None
    if trouble.code == LOCKED_CHANGED:
        return _turning(layout, trouble, push)
    if trouble.code in (NOT_ROLLED, MAYBE_NOT_ROLLED):
        dice = tuple(die for die in layout.dice if die.id in trouble.dice)
        return Fix(MendKind.THROW_AGAIN, _ids(dice), MendOrder(rethrown=_places(dice))) if dice else None
    return None


def _flattening(layout: Layout, troubles: tuple[Issue, ...]) -> Fix | None:
    named = {die_id for trouble in troubles if trouble.code in _LAID_FLAT for die_id in trouble.dice}
    dice = tuple(die for die in layout.dice if die.id in named)
    return Fix(MendKind.LAY_FLAT, _ids(dice), MendOrder(flattened=_places(dice))) if dice else None


def _turning(layout: Layout, trouble: Issue, push: AwaitingPush) -> Fix | None:
    """Turn the named dice back to their faces; if one has a new id since, turn one of its colour instead."""
    before = push.first.layout
    strangers = [die for die in layout.dice if before.die(die.id) is None]
    turned: list[tuple[LyingDie, int]] = []
    for die_id in trouble.dice:
        was = before.die(die_id)
        if was is None or was.value is None:
            return None
        now = layout.die(die_id) or next((die for die in strangers if die.colour == was.colour), None)
        if now is None:
            return None
        if now in strangers:
            strangers.remove(now)
        turned.append((now, was.value))
    dice = tuple(die for die, _ in turned)
    order = MendOrder(turned=tuple((die.reading.center_px, value) for die, value in turned))
    return Fix(MendKind.TURN_BACK, _ids(dice), order) if dice else None


def _matching(layout: Layout, trouble: Issue, push: AwaitingPush | None, table: Table) -> Fix | None:
    """Make the dice match the first throw of a push, or before a push the declared pool, role by role."""
    system = find_system(table.system)
    held = table if push is None else replace(table, pool=push.first.pool)
    roles = {die.id: role_of(die.colour, system, held) for die in layout.dice}
    strangers = tuple(die for die in layout.dice if die.id in trouble.dice and roles[die.id] is None)
    wanted = _wanted_before_push(table) if push is None else _wanted_in_push(push)
    if wanted is None or None in roles.values():
        return _exchange(strangers, ()) if strangers else None
    lying = Counter(roles.values())
    going: list[LyingDie] = []
    missing: list[str] = []
    for role in Role:
        surplus = lying[role] - wanted[role]
        alike = [die for die in layout.dice if roles[die.id] is role]
        alike.sort(key=lambda die: (die.id in trouble.dice, die.id))
        going += alike[len(alike) - surplus :] if surplus > 0 else []
        if surplus < 0:
            try:
                label = colour_of(role, system, held)
            except BadInput:
                return None
            missing += [label] * -surplus
    return _exchange(tuple(going), tuple(missing)) if going or missing else None


def _wanted_before_push(table: Table) -> Counter[Role] | None:
    if table.pool is None:
        return None
    wanted = Counter(dict(table.pool.counts))
    wanted.subtract(die.role for die in table.typed if not die.declared)
    return wanted


def _wanted_in_push(push: AwaitingPush) -> Counter[Role]:
    return Counter(die.role for die in push.first.roll if int(die.id) < FIRST_TYPED_ID)


def _exchange(going: tuple[LyingDie, ...], missing: tuple[str, ...]) -> Fix:
    kind = MendKind.TAKE_OUT if not missing else MendKind.EXCHANGE if going else MendKind.THROW_IN
    return Fix(kind, _ids(going), MendOrder(taken=_places(going), thrown_in=missing))


def _ids(dice: Iterable[LyingDie]) -> tuple[int, ...]:
    return tuple(die.id for die in dice)


def _places(dice: Iterable[LyingDie]) -> tuple[PointPx, ...]:
    return tuple(die.reading.center_px for die in dice)
