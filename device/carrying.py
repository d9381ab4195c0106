"""What a result does to the sheet in use: asked of the rules, carried by a tap or by itself, corrected with it."""

from dataclasses import replace

from device.book import Book, Carried, Carry
from device.chain import pending_die
from device.judging import push_context
from device.states import Resolved, Result
from rules.errors import BadRequest
from rules.sheet import Consequence, apply_consequences, undo
from rules.system import JsonValue, find_system


def consequences_of(result: Result) -> tuple[Consequence, ...]:
    """What a result does to a sheet; empty where it does nothing, or is not over yet."""
    if pending_die(result.outcome) is not None:
        return ()
    context = push_context(result.push) if isinstance(result, Resolved) else result.table.context
    try:
        items = find_system(result.table.system).consequences(result.outcome.facts, context)
    except BadRequest:
        # Facts that a table set by hand may name what no sheet knows: then nothing can be carried.
        items = ()
    note = result.table.book.prepared
    price = note.price if note is not None and note.roll == result.number and result.pushes == 0 else ()
    return tuple(item for item in (*price, *items) if not item.changes_nothing)


def with_result(book: Book, result: Result) -> Book:
    """The book after a result came or was corrected: carried by itself where the table wants it so.

    What was carried of the same roll before a correction is taken back first, unless the sheet was changed since.
    """
    items = consequences_of(result)
    carried = book.carried
    if is_carried(book, result) and carried is not None:
        if carried.undone or items == carried.items:
            return book
        filed = {filed.id: filed.sheet for filed in book.sheets}
        sheet = filed.get(carried.sheet)
        if sheet is None or (carried.changed and not (sheet.history and sheet.history[-1].why == carried.why)):
            return book
        back = book.with_sheet(carried.sheet, undo(sheet)) if carried.changed else book
        return carry(back, result, carried.sheet)
    if book.carry is Carry.ALWAYS and items and _takes(book, result):
        return carry(book, result, book.chosen or 0)
    return book


def carry(book: Book, result: Result, sheet_id: int) -> Book:
    """Carry a result's consequences over to a sheet, as one change.

    Raises:
        NoSuchSheet: There is none of that id.
    """
    items = consequences_of(result)
    why = f"Roll {result.number}" + (f", push {result.pushes}" if result.pushes else "")
    sheet = book.find(sheet_id)
    applied = apply_consequences(sheet, items, why)
    changed = applied.sheet is not sheet
    note = Carried(result.number, result.pushes, sheet_id, why, items, applied.missed, changed)
    return replace(book.with_sheet(sheet_id, applied.sheet), carried=note)


def is_carried(book: Book, result: Result) -> bool:
    """Whether this result's consequences were carried over, be it that they were taken back again."""
    carried = book.carried
    return carried is not None and (carried.roll, carried.pushes) == (result.number, result.pushes)


def consequences_to_json(result: Result) -> JsonValue:
    """The consequences of the result that lies there, for a display; None where it has none."""
    book = result.table.book
    items = consequences_of(result)
    noted = book.carried if is_carried(book, result) else None
    if not items and noted is None:
        return None
    standing = noted is not None and not noted.undone
    sheet = next((filed.sheet for filed in book.sheets if noted is not None and filed.id == noted.sheet), None)
    return {
        "items": [tell_consequence(item) for item in items],
        "carried": standing,
        "sheet": None if noted is None else noted.sheet,
        "can_undo": standing and sheet is not None and bool(sheet.history) and sheet.history[-1].why == noted.why
        if noted is not None
        else False,
        "missed": [consequence_text(item) for item in noted.missed] if noted is not None else [],
    }


def tell_consequence(item: Consequence) -> dict[str, JsonValue]:
    """A consequence as one JSON object."""
    return {
        "kind": item.kind.value,
        "name": item.name,
        "by": item.by,
        "to": item.to,
        "most_to": item.most_to,
        "text": consequence_text(item),
    }


def consequence_text(item: Consequence) -> str:
    """A consequence in a few words."""
    name = item.name or item.kind.value
    text = f"{name} {item.by:+d}" if item.by else name
    if item.to is not None:
        text = f"{name} becomes {item.to}"
    return text if item.most_to is None else f"{text}, at most {item.most_to} from now on"


def _takes(book: Book, result: Result) -> bool:
    sheet = book.chosen_sheet
    return sheet is not None and sheet.system == result.table.system
