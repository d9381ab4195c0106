"""Results of opposed rolls, by player. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from device.archive.roll_summaries import RollSummary
from device.game.state.linked_rolls import LinkKind


@dataclass(slots=True)
class ContestTally:
    """One player's opposed rolls, on either side."""

    player: str
    won: int = 0
    drawn: int = 0
    lost: int = 0


def contests_of_each(rolls: Iterable[RollSummary]) -> list[ContestTally]:
    tallies: dict[str, ContestTally] = {}
    for roll in rolls:
        compared = roll.compared
        if compared is None or compared["kind"] != LinkKind.OPPOSED or compared["result"] is None:
            continue
        # Both sides' rolls may have the comparison if the first one was corrected later: the last one counts.
        if roll.number != max(member["roll"] for member in compared["members"]):
            continue
        for place, member in enumerate(compared["members"]):
            if member["owner"] is None:
                continue
            tally = tallies.setdefault(member["owner"], ContestTally(member["owner"]))
            if compared["winner"] is None:
                tally.drawn += 1
            elif compared["winner"] == place:
                tally.won += 1
            else:
                tally.lost += 1
    return list(tallies.values())
