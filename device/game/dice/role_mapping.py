"""Colour classes into roles, and a layout into a roll or the reasons why not. The one place that maps the two."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from device.errors import BadInput
from device.game.state.layout import DieFace, Layout
from device.game.state.manual_dice import Typed
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
from device.texts.catalogue import say, translate_or, word
from rules.dice import Die, Role, Roll
from rules.system import RuleSystem, find_system
from vision.types.reading import Problem, Unread

_SPECIAL_CLASS = "gear"
"""Ammo dice and the wild die are the colour of gear dice where the settings name no other."""
_SPECIAL_ROLES = (Role.AMMO, Role.WILD)
_JOINED_ROLES = {Role.GRIT: Role.PLAIN}
"""Dice that count like others, except where the table gave them a colour of their own."""


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
    """Return a pool in the roles that this table distinguishes; other dice are counted with those they are like."""
    distinct = distinct_roles(system, table)
    counts: dict[Role, int] = {}
    for role, count in pool.counts:
        role_here = role if role in distinct else _JOINED_ROLES.get(role, role)
        counts[role_here] = counts.get(role_here, 0) + count
    return Pool(tuple(counts.items()))


def end_roll(table: Table, number: int) -> Table:
    """Return the table when a roll ends, its pool in the roles that it distinguishes."""
    table = table.after_reset(number)
    return (
        table if table.pool is None else replace(table, pool=merge_roles(table.pool, find_system(table.system), table))
    )


def roles_of(table: Table) -> dict[str, Role | None]:
    system = find_system(table.system)
    return {label: role_of(label, system, table) for label in table.colour_classes}


def has_twins(pool: Pool, table: Table) -> bool:
    """Return whether a pool has skill and negative dice of one colour class: nobody could say which die is which."""
    return (
        pool.count(Role.SKILL) > 0
        and pool.count(Role.NEGATIVE) > 0
        and Role.NEGATIVE not in roles_of(replace(table, pool=pool)).values()
    )


def class_playing(role: Role, played: Mapping[str, Role | None]) -> str | None:
    """Return the colour class that plays a role, as in `roles_of`; None where none does, or more than one."""
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
    # Dice that the table gave a colour of their own are not known by gear's colour too.
    counted = tuple(
        role for role in distinct_roles(system, table) if role not in _SPECIAL_ROLES or role not in named.values()
    )
    role = Role(own) if own is not None else _default_role(colour, counted)
    if role is Role.SKILL and pool is not None and pool.count(Role.NEGATIVE) > 0 and pool.count(Role.SKILL) == 0:
        return Role.NEGATIVE
    return role


def colour_of(role: Role, system: RuleSystem, table: Table) -> str:
    """Return the colour class that plays a role: `role_of` the other way round."""
    for label in table.colour_classes:
        played = role_of(label, system, table)
        if played is role or {played, role} == {Role.SKILL, Role.NEGATIVE}:
            return label
    raise BadInput(say("tray.refused.no_dice_of", role=role.value))


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
            text = say("tray.problem.no_role", colour=word(face.colour))
            troubles.append(Issue(WRONG_ROLES, text, (face.id,)))
        elif face.value is None or role is None:
            troubles.append(_unread_trouble(face, die.reading.unread))
        else:
            roll.append(Die(id=str(face.id), role=role, value=face.value))
    return Interpretation(tuple(roll), tuple(troubles))


def interpret_throw(layout: Layout, system: RuleSystem, table: Table) -> Interpretation:
    """Turn dice at rest into the roll that was declared; typed dice belong to it.

    It is not reported that dice are too many or missing while what lies there cannot be read: it may be no die at all.
    """
    read = interpret(layout, system, table)
    if read.troubles:
        return read
    troubles = (*_pool_troubles(read.roll, system, table), *typed_troubles(table.typed))
    if not troubles and not layout.confirmed and _may_miss_a_die(read.roll, system, table):
        troubles = (Issue(MAYBE_MORE, say("tray.problem.maybe_more_dice")),)
    return Interpretation(read.roll, troubles)


def _may_miss_a_die(roll: Roll, system: RuleSystem, table: Table) -> bool:
    """Return whether one die was typed in of a roll that has more as a rule, and nobody said how many there are."""
    if table.pool is not None or not table.typed:
        return False
    base = sum(die.role is Role.BASE for die in roll) + sum(die.role is Role.BASE for die in table.typed)
    return 0 < base < system.base_dice


def _pool_troubles(roll: Roll, system: RuleSystem, table: Table) -> tuple[Issue, ...]:
    """Return how the dice lying there differ from the declared pool, in number or in roles; empty where they do not."""
    pool = table.pool
    if pool is None:
        return ()
    joined = [die.role for die in table.typed if not die.declared]
    lying = Counter([*(die.role for die in roll), *joined])
    differences = _differences(lying, pool)
    if differences is None:
        return ()
    surplus = tuple(int(die.id) for die in roll if lying[die.role] > pool.count(die.role))
    too_many = lying.total() - pool.total
    if too_many:
        cure = _cure(too_many, types=bool(system.typed_levels))
        return (Issue(WRONG_COUNT, _sentences(differences, cure), surplus),)
    return (Issue(WRONG_ROLES, _sentences(differences, say("tray.problem.exchange")), surplus),)


def typed_troubles(typed: Typed) -> tuple[Issue, ...]:
    """Return which dice still wait for the face that a person types in."""
    waiting = tuple(die for die in typed if die.value is None)
    if not waiting:
        return ()
    names = waiting[0].name
    for die in waiting[1:]:
        names = say("tray.problem.and_the", first=names, second=die.name)
    text = say("tray.problem.tap_in", names=names, count=len(waiting))
    return (Issue(TYPED_DIE_MISSING, text, tuple(die.id for die in waiting)),)


def _differences(lying: Counter[Role], pool: Pool) -> str | None:
    """Return what is missing and what is too many, a sentence each, as in "One gear die is missing."; None: nothing."""
    named: str | None = None
    for role in Role:
        difference = lying[role] - pool.count(role)
        count = abs(difference)
        if count:
            number = translate_or(str(count), f"tray.problem.number.{count}")
            key = "tray.problem.too_many" if difference > 0 else "tray.problem.lack"
            sentence = say(key, number=number, dice=say(f"dice.{role.value}", count=count), count=count)
            named = sentence if named is None else _sentences(named, sentence)
    return named


def _sentences(first: str, second: str) -> str:
    return say("tray.problem.sentences", first=first, second=second)


def _cure(surplus: int, *, types: bool) -> str:
    if surplus > 0:
        return say("tray.problem.take_out")
    return say("tray.problem.throw_or_type" if types else "tray.problem.throw_in")


def picture_troubles(layout: Layout) -> tuple[Issue, ...]:
    """Return what is wrong with the picture as a whole.

    A person who taps a die has looked at the tray: that overrules what only a person can judge. A person who says that
    these dice are right overrules all of it.
    """
    if layout.confirmed:
        return ()
    confirmed = bool(layout.ignored) or any(die.correction is not None for die in layout.dice)
    troubles = [
        Issue(problem.value, problem_text(problem))
        for problem in layout.problems
        if not (confirmed and problem is Problem.FOREIGN_OBJECT)
    ]
    if layout.doubtful and not confirmed:
        troubles.append(Issue(DOUBTFUL, say("tray.problem.disagree")))
    return tuple(troubles)


def _unread_trouble(face: DieFace, unread: Unread | None) -> Issue:
    if face.value is not None:
        unread = Unread.COLOUR_UNCLEAR
    elif unread is None or unread is Unread.COLOUR_UNCLEAR:
        unread = Unread.PIPS_UNCLEAR
    return Issue(unread.value, unread_text(unread), (face.id,))
