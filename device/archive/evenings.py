"""Evenings: rolls without a long pause between them or an end set by the table. Pure."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from device.archive.roll_summaries import RollSummary
from device.game.state.names import name_key


@dataclass(frozen=True, slots=True)
class Evening:
    rolls: tuple[RollSummary, ...]  # the rolls of the evening, in order; at least one
    name: str | None
    is_over: bool

    @property
    def id(self) -> int:
        """Id of the evening: that of its first roll."""
        return self.rolls[0].id

    @property
    def players(self) -> list[str]:
        named: dict[str, str] = {}
        for roll in self.rolls:
            if roll.notes.owner is not None:
                named.setdefault(name_key(roll.notes.owner), roll.notes.owner)
        return list(named.values())

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(roll.system for roll in self.rolls))


def evenings(
    rolls: Sequence[RollSummary], pause: timedelta, ends: frozenset[int], names: Mapping[int, str]
) -> Iterator[Evening]:
    """Divide rolls into evenings, in order."""
    cuts, keys = sorted(ends), sorted(names)
    begun: list[RollSummary] = []
    after = 0

    def close(*, is_over: bool) -> Evening:
        last = begun[-1].rows[-1]
        place = bisect_left(keys, last + 1) - 1
        name = names[keys[place]] if place >= 0 and keys[place] > after else None
        return Evening(tuple(begun), name, is_over)

    for roll in rolls:
        if begun:
            last = begun[-1].rows[-1]
            is_ended = _is_between(cuts, begun[-1].id, roll.id)
            if is_ended or roll.moment - begun[-1].moment >= pause:
                yield close(is_over=is_ended)
                after, begun = last, []
        begun.append(roll)
    if begun:
        yield close(is_over=bool(cuts) and cuts[-1] >= begun[-1].id)


def _is_between(cuts: Sequence[int], low: int, high: int) -> bool:
    place = bisect_left(cuts, low)
    return place < len(cuts) and cuts[place] < high
