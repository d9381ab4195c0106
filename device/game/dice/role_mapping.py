"""Map colour classes to roles, and a layout to a roll or to the reasons why not. The only place that does."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from device.errors import BadInput
from device.game.state.layout import DieFace, Layout
from device.game.state.manual_dice import Typed, not_seen
from device.game.state.problems import (
    DOUBTFUL,
    MAYBE_MORE,
    TYPED_DIE_MISSING,
    WRONG_COUNT,
    WRONG_ROLES,
    Issue,
    problem_text,
    unread_text,
)
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Tray
from device.message import Message, Text, message, message_or, word
from rules.dice import Die, Role, Roll
from rules.request import LEVEL_OF
from rules.system import RuleSystem, find_system
from vision.types.reading import Problem, Unread

_SPECIAL_CLASS = "gear"
"""Ammo dice and the wild die have the colour of gear dice unless the settings name another."""
_SPECIAL_ROLES = (Role.AMMO, Role.WILD)
_READ_SIDES = 6
_JOINED_ROLES = {Role.GRIT: Role.PLAIN}
"""Dice that count like others unless the table gave them their own colour."""


def distinct_roles(system: RuleSystem, table: Table) -> tuple[Role, ...]:
    """Return the roles of a system's pool that this table distinguishes, in display order."""
    named = table.colour_roles.get(system.id, {}).values()
    return tuple(role for role in system.pool_roles if role not in _JOINED_ROLES or role in named)


def offered_roles(system: RuleSystem, table: Table) -> tuple[Role, ...]:
    """Return the roles whose dice people can count on a display: coloured dice, or one hand of any colour."""
    distinct = distinct_roles(system, table)
    if Role.BASE not in distinct or Role.PLAIN not in distinct:
        return distinct
    is_hand = table.pool is not None and 0 < table.pool.total == table.pool.count(Role.PLAIN)
    return (Role.PLAIN,) if is_hand else tuple(role for role in distinct if role is not Role.PLAIN)


def merge_roles(pool: Pool, system: RuleSystem, table: Table) -> Pool:
    """Return a pool in the roles that this table distinguishes, merging the others into those they count like."""
    distinct = distinct_roles(system, table)
    counts: dict[Role, int] = {}
    for role, count in pool.counts:
        role_here = role if role in distinct else _JOINED_ROLES.get(role, role)
        counts[role_here] = counts.get(role_here, 0) + count
    return Pool(tuple(counts.items()))


def end_roll(tray: Tray, number: int) -> Tray:
    """Return the tray after a roll has ended, its pool in the roles that the table distinguishes."""
    ended = tray.after_reset(number)
    table = ended.table
    if table.pool is None:
        return ended
    return replace(ended, table=replace(table, pool=merge_roles(table.pool, find_system(table.system), table)))


def roles_of(table: Table) -> dict[str, Role | None]:
    system = find_system(table.system)
    return {label: role_of(label, system, table) for label in table.colour_classes}


def has_twins(pool: Pool, table: Table) -> bool:
    """Return whether a pool has skill and negative dice of the same colour class, which cannot be told apart."""
    return (
        pool.count(Role.SKILL) > 0
        and pool.count(Role.NEGATIVE) > 0
        and Role.NEGATIVE not in roles_of(replace(table, pool=pool)).values()
    )


def read_sides(table: Table, taught: Iterable[tuple[str, int]]) -> frozenset[int]:
    """Return which dice with more than six sides count in these rules and are read by the camera.

    Args:
        table: State of the table.
        taught: Kinds of dice whose faces were taught: colour class and number of sides.
    """
    system, played = find_system(table.system), roles_of(table)
    counting = (sides for label, sides in taught if played.get(label) is system.pool_roles[0])
    return frozenset(sides for sides in counting if LEVEL_OF[sides] in system.typed_levels)


def class_playing(role: Role, played: Mapping[str, Role | None]) -> str | None:
    """Return the colour class that plays a role, as in `roles_of`; None if none or several do."""
    classes = [label for label, plays in played.items() if plays is role]
    return classes[0] if len(classes) == 1 else None


def role_of(colour: str | None, system: RuleSystem, table: Table) -> Role | None:
    """Return what a die of this colour class counts as.

    Args:
        table: State of the table: a declared pool turns skill dice into negative ones, and the settings override every
            default.
    """
    pool = table.pool
    named = table.colour_roles.get(system.id, {})
    own = named.get(colour or "")
    if own not in _JOINED_ROLES and pool is not None and 0 < pool.total == pool.count(Role.PLAIN):
        return Role.PLAIN
    # Dice with their own colour are not known by gear's colour as well.
    counted = tuple(
        role for role in distinct_roles(system, table) if role not in _SPECIAL_ROLES or role not in named.values()
    )
    role = Role(own) if own is not None else _default_role(colour, counted)
    if role is Role.SKILL and pool is not None and pool.count(Role.NEGATIVE) > 0 and pool.count(Role.SKILL) == 0:
        return Role.NEGATIVE
    return role


def colour_of(role: Role, system: RuleSystem, table: Table) -> str:
    """Return the colour class that plays a role; the inverse of `role_of`."""
    for label in table.colour_classes:
        played = role_of(label, system, table)
        if played is role or {played, role} == {Role.SKILL, Role.NEGATIVE}:
            return label
    raise BadInput(message("tray.refused.no_dice_of", role=word(role.value)))


def _default_role(colour: str | None, counted: tuple[Role, ...]) -> Role | None:
    if colour is not None and any(role.value == colour for role in counted):
        return Role(colour)
    if colour == _SPECIAL_CLASS:
        for special in _SPECIAL_ROLES:
            if special in counted:
                return special
    only_plain = set(counted) == {Role.PLAIN}
    if Role.PLAIN in counted and (only_plain or (colour is not None and not {Role.BASE} & set(counted))):
        return Role.PLAIN
    return None


@dataclass(frozen=True, slots=True)
class Interpretation:
    roll: Roll
    troubles: tuple[Issue, ...]


def interpret(layout: Layout, system: RuleSystem, table: Table) -> Interpretation:
    troubles = list(picture_troubles(layout))
    roll: list[Die] = []
    for die, face in zip(layout.dice, layout.faces, strict=True):
        role = role_of(face.colour, system, table)
        if face.value is not None and face.colour is not None and role is None:
            text = message("tray.problem.no_role", colour=word(face.colour))
            troubles.append(Issue(WRONG_ROLES, text, (face.id,)))
        elif face.value is None or role is None:
            troubles.append(_unread_trouble(face, die.reading.unread))
        elif face.sides == _READ_SIDES:
            roll.append(Die(id=str(face.id), role=role, value=face.value))
        elif role is system.pool_roles[0] and LEVEL_OF[face.sides] in system.typed_levels:
            roll.append(Die(str(face.id), role, face.value, face.sides, LEVEL_OF[face.sides]))
        else:
            text = message("tray.problem.no_step_die", colour=word(face.colour or ""), die=f"d{face.sides}")
            troubles.append(Issue(WRONG_COUNT, text, (face.id,)))
    return Interpretation(tuple(roll), tuple(troubles))


def interpret_throw(layout: Layout, system: RuleSystem, table: Table) -> Interpretation:
    """Turn dice at rest and typed dice into the declared roll.

    Missing or extra dice are not reported while something is unread: it may not be a die at all.
    """
    read = interpret(layout, system, table)
    if read.troubles:
        return read
    troubles = (*_pool_troubles(read.roll, system, table), *typed_troubles(not_seen(table.typed, layout)))
    if not troubles and not layout.confirmed and _may_miss_a_die(read.roll, system, table):
        troubles = (Issue(MAYBE_MORE, message("tray.problem.maybe_more_dice")),)
    return Interpretation(read.roll, troubles)


def _may_miss_a_die(roll: Roll, system: RuleSystem, table: Table) -> bool:
    """Return whether a single die was typed for a roll that usually has more, without a declared number."""
    if table.pool is not None or not table.typed:
        return False
    base = sum(die.role is Role.BASE for die in roll) + sum(die.role is Role.BASE for die in table.typed)
    return 0 < base < system.base_dice


def _pool_troubles(roll: Roll, system: RuleSystem, table: Table) -> tuple[Issue, ...]:
    """Return how the dice differ from the declared pool in number or role; empty if they match."""
    pool = table.pool
    if pool is None:
        return ()
    declared = Counter(die.sides for die in table.typed if die.declared)
    wanted = Counter({role.value: count for role, count in pool.counts})
    waiting = Counter(die.sides for die in table.typed if die.declared and die.value is None)
    kinds: dict[int, str] = {}
    for die in roll:
        if waiting[die.sides]:
            waiting[die.sides] -= 1
        else:
            # With declared levels the pool's own dice are d6; without, a base die has any level.
            kinds[int(die.id)] = f"d{die.sides}" if declared and die.level else die.role.value
    lying = Counter([*kinds.values(), *(die.role.value for die in table.typed if not die.declared)])
    differences = _differences(lying, wanted)
    if differences is None:
        return ()
    surplus = tuple(die_id for die_id, kind in kinds.items() if lying[kind] > wanted[kind])
    too_many = lying.total() - pool.total
    if too_many:
        cure = _cure(too_many, types=bool(system.typed_levels))
        return (Issue(WRONG_COUNT, _sentences(differences, cure), surplus),)
    return (Issue(WRONG_ROLES, _sentences(differences, message("tray.problem.exchange")), surplus),)


def typed_troubles(typed: Typed) -> tuple[Issue, ...]:
    """Return which manual dice still need a face."""
    waiting = tuple(die for die in typed if die.value is None)
    if not waiting:
        return ()
    names: Text = waiting[0].name
    for die in waiting[1:]:
        names = message("tray.problem.and_the", first=names, second=die.name)
    text = message("tray.problem.no_value", names=names, count=len(waiting))
    return (Issue(TYPED_DIE_MISSING, text, tuple(die.id for die in waiting)),)


def _differences(lying: Counter[str], wanted: Counter[str]) -> Message | None:
    """Return one sentence each for missing and extra dice, as in "One gear die is missing."; None if there are none."""
    named: Message | None = None
    for kind in dict.fromkeys((*(role.value for role in Role), *lying)):
        difference = lying[kind] - wanted[kind]
        count = abs(difference)
        if count:
            number = message_or(str(count), f"tray.problem.number.{count}")
            key = "tray.problem.too_many" if difference > 0 else "tray.problem.lack"
            sentence = message(key, number=number, dice=message_or(kind, f"dice.{kind}", count=count), count=count)
            named = sentence if named is None else _sentences(named, sentence)
    return named


def _sentences(first: Message, second: Message) -> Message:
    return message("tray.problem.sentences", first=first, second=second)


def _cure(surplus: int, *, types: bool) -> Message:
    if surplus > 0:
        return message("tray.problem.take_out")
    return message("tray.problem.throw_or_type" if types else "tray.problem.throw_in", count=-surplus)


def picture_troubles(layout: Layout) -> tuple[Issue, ...]:
    """Return what is wrong with the picture as a whole."""
    if layout.confirmed:
        return ()
    confirmed = bool(layout.ignored) or any(die.correction is not None for die in layout.dice)
    troubles = [
        Issue(problem.value, problem_text(problem))
        for problem in layout.problems
        if not (confirmed and problem is Problem.FOREIGN_OBJECT)
    ]
    if layout.doubtful and not confirmed:
        troubles.append(Issue(DOUBTFUL, message("tray.problem.disagree")))
    return tuple(troubles)


def camera_troubles(layout: Layout) -> tuple[Issue, ...]:
    """Return whether the camera was moved since these dice were read."""
    if not layout.camera_moved or layout.confirmed:
        return ()
    return (Issue(Problem.CAMERA_MOVED.value, problem_text(Problem.CAMERA_MOVED)),)


def _unread_trouble(face: DieFace, unread: Unread | None) -> Issue:
    if face.value is not None:
        unread = Unread.COLOUR_UNCLEAR
    elif unread is None or unread is Unread.COLOUR_UNCLEAR:
        unread = Unread.PIPS_UNCLEAR
    return Issue(unread.value, unread_text(unread), (face.id,))
