"""Changes of a sheet by hand: together one change that can be undone, except for preparation."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rules.sheet import (
    MAX_HISTORY,
    MAX_NAME_LENGTH,
    BadSheet,
    Counter,
    Entry,
    Kind,
    Sheet,
    add_counter,
    no_counter,
    remove_counter,
    rename_counter,
)


def edit_sheet(
    sheet: Sheet,
    *,
    title: str | None = None,
    counters: Iterable[tuple[Kind, str, int | None, int | None]] = (),
    added: Iterable[Counter] = (),
    removed: Iterable[tuple[Kind, str]] = (),
    renamed: Iterable[tuple[Kind, str, str]] = (),
    order: Sequence[tuple[Kind, str]] = (),
    marks: Iterable[tuple[str, bool]] = (),
    why: object = "Edited",
) -> Sheet:
    """Change a sheet by hand.

    Args:
        title: New title; None keeps the old one.
        counters: Kind, name, new value and new `most`; None keeps a number. A number out of a counter's range is
            refused, since the person who typed it meant something else.
        renamed: Kind, name and new name.
        order: Counters that come first, in this order, by kind and name.

    Raises:
        BadSheet: A counter is missing, already there or out of range, or a name is not valid.
    """
    if title is not None:
        if not 1 <= len(title) <= MAX_NAME_LENGTH:
            text = f"title has {len(title)} characters: give 1 to {MAX_NAME_LENGTH}"
            raise BadSheet(text, "name_length", most=MAX_NAME_LENGTH)
        sheet = replace(sheet, title=title)
    for kind, name in removed:
        sheet = remove_counter(sheet, kind, name)
    for counter in added:
        sheet = add_counter(sheet, counter)
    for kind, name, new in renamed:
        sheet = rename_counter(sheet, kind, name, new)
    if order:
        places = {key: place for place, key in enumerate(order)}
        ordered = sorted(sheet.counters, key=lambda one: places.get((one.kind, one.name), len(places)))
        sheet = replace(sheet, counters=tuple(ordered))
    now = {(counter.kind, counter.name): counter for counter in sheet.counters}
    for kind, name, value, most in counters:
        old = now.get((kind, name))
        if old is None:
            raise no_counter(kind, name)
        top = old.most if most is None else most
        stands = value if value is not None else old.now if top is None else min(old.now, top)
        now[(kind, name)] = Counter(name, kind, stands, top, old.least)
    left = list(sheet.marks)
    for mark, is_set in marks:
        if not 1 <= len(mark) <= MAX_NAME_LENGTH:
            text = f"a mark's name has {len(mark)} characters: give 1 to {MAX_NAME_LENGTH}"
            raise BadSheet(text, "name_length", most=MAX_NAME_LENGTH)
        if is_set and mark not in left:
            left.append(mark)
        elif not is_set and mark in left:
            left.remove(mark)
    changed = tuple(now[(counter.kind, counter.name)] for counter in sheet.counters)
    before = tuple(old for old, new in zip(sheet.counters, changed, strict=True) if old != new)
    if not before and tuple(left) == sheet.marks:
        return sheet
    history = (*sheet.history, Entry(why, before, sheet.marks))[-MAX_HISTORY:]
    return replace(sheet, counters=changed, marks=tuple(left), history=history)
