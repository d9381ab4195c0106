"""One player's rolls: the latest ones, and statistics of all."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from device.game.state.effects import RowKind
from device.storage.log_rows import Row, is_read_cube
from rules.dice import BLANK
from rules.system import JsonValue

_FACES: Final = 6


def rolls_counted(rows: Iterable[Row], limit: int) -> dict[str, JsonValue]:
    """Return the data of a player's own page.

    Returns:
        `rolls`, the last row of each of the latest; `counts` over all that are not hidden: `rolls`, `succeeded`,
        `failed` (a roll without a difficulty is neither), `pushed`, `pushed_succeeded`, and `faces` and `blanks`, how
        many dice showed 1 to 6 and a blank face in the end.
    """
    newest: list[JsonValue] = []
    counts = dict.fromkeys(("rolls", "succeeded", "failed", "pushed", "pushed_succeeded"), 0)
    faces = [0] * (_FACES + 1)
    for _, linked in groupby(rows, key=lambda row: row["roll"]):
        last, *before = linked
        has_pushed = any(row["kind"] == RowKind.PUSHED for row in (last, *before))
        if len(newest) < limit:
            newest.append({**last, "pushed": has_pushed})
        if last["hidden"]:
            continue
        success = last["outcome"].get("success") if isinstance(last["outcome"], dict) else None
        counts["rolls"] += 1
        counts["succeeded"] += success is True
        counts["failed"] += success is False
        counts["pushed"] += has_pushed
        counts["pushed_succeeded"] += has_pushed and success is True
        for value in _values(last["dice"]):
            faces[value] += 1
    return {"rolls": newest, "counts": {**counts, "faces": [*faces[1:]], "blanks": faces[BLANK]}}


def _values(dice: JsonValue) -> Iterator[int]:
    """Yield the faces of six-sided dice read by the camera."""
    for die in dice if isinstance(dice, list) else []:
        if isinstance(die, dict) and is_read_cube(die) and die.get("role") and isinstance(die["value"], int):
            yield die["value"]
