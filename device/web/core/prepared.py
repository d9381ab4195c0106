"""Changes of a sheet, values of a sheet for a roll, and which dice to pick up, in words."""

from collections.abc import Mapping

from device.texts.catalogue import say, word
from rules.dice import Role
from rules.request import LEVEL_SIDES
from rules.sheet import Kind, Sheet
from rules.system import Facts, JsonValue
from rules.tiles import Prepared


def take_text(prepared: Prepared) -> str:
    """Return which dice to pick up, as in "Take 5 base, 2 skill, 1 gear."."""
    parts: list[str] = []
    for sides in sorted({LEVEL_SIDES[level] for _, level in prepared.typed}, reverse=True):
        count = sum(1 for _, level in prepared.typed if LEVEL_SIDES[level] == sides)
        parts.append(say("tray.take.step", count=count, die=f"d{sides}"))
    named = [(role, count) for role, count in prepared.pool if count]
    only_plain = {role for role, _ in named} == {Role.PLAIN}
    for role, count in named:
        plain = say("tray.take.plain", count=count)
        parts.append(plain if only_plain else say("tray.take.of", count=count, role=word(role.value)))
    if not parts:
        return say("tray.take.none")
    taken = parts[0]
    for part in parts[1:]:
        taken = say("list.comma", first=taken, second=part)
    return say("tray.take.dice", dice=taken)


def known_to(sheet: Sheet, context: Facts) -> Mapping[str, JsonValue]:
    known: dict[str, JsonValue] = {}
    for kind in Kind:
        counter = sheet.find(kind)
        if counter is not None and kind.fact is not None:
            known[kind.fact] = counter.now
    known["resources"] = {counter.name: counter.now for counter in sheet.counters if counter.kind is Kind.RESOURCE}
    for counter in sheet.counters:
        if counter.kind is Kind.ATTRIBUTE:
            known[counter.name.lower()] = counter.now
    named = context.get("attribute_name")
    attribute = sheet.find(Kind.ATTRIBUTE, named) if isinstance(named, str) else None
    if attribute is not None:
        known |= {"attribute": attribute.now, "base": attribute.most}
    gear_name = context.get("gear_name")
    gear = sheet.find(Kind.GEAR, gear_name if isinstance(gear_name, str) else None)
    if gear is not None:
        known |= {"gear_name": gear.name, "bonus": gear.now, "max": gear.most if gear.most is not None else gear.now}
    return known
