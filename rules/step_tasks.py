"""The tasks of a shift in step-dice: modifiers by season and terrain, and the yield of each success.

These are presets of the roll's modifier and labels for its result; their charts are not in the rule text.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from rules.facts import Facts, JsonValue
from rules.request import Fields

MAX_SUCCESSES: Final = 100

_IMPOSSIBLE: Final = None
"""In a terrain table: the task is impossible there."""


@dataclass(frozen=True, slots=True)
class ShiftTask:
    """One task.

    Attributes:
        terrains: Modifier by terrain, None if the task is impossible there; empty if terrain does not matter.
        passive: Whether the roll cannot be pushed.
    """

    skill: str
    yields: str
    seasons: Mapping[str, int] = field(default_factory=dict)
    terrains: Mapping[str, int | None] = field(default_factory=dict)
    passive: bool = False
    on_failure: str | None = None
    then: tuple[str, ...] = ()


TASKS: Final[Mapping[str, ShiftTask]] = {
    "scrounging": ShiftTask(
        skill="survival",
        yields="one draw from the scrounging chart",
        terrains={"road": 1, "woods": -1, "hills": -1, "mountains": -2, "swamp": -2, "ruins": 2},
    ),
    "foraging": ShiftTask(
        skill="survival",
        yields="one food or one water",
        seasons={"spring": -1, "summer": 0, "autumn": 1, "winter": -2},
        terrains={"open": -1, "woods": 1, "hills": 0, "mountains": -1, "lake": _IMPOSSIBLE, "swamp": -1, "ruins": -2},
    ),
    "hunting": ShiftTask(
        skill="survival",
        yields="one prey tracked",
        terrains={"open": 1, "woods": 1, "hills": 0, "mountains": -1, "lake": 0, "swamp": 0, "ruins": -1},
        then=("recon", "ranged_attack"),
    ),
    "fishing": ShiftTask(skill="survival", yields="one ration of food"),
    "camp": ShiftTask(skill="survival", yields="a camp with a fire"),
    "hidden_camp": ShiftTask(skill="recon", yields="one more to beat for whoever passes by"),
    "cooking": ShiftTask(skill="survival", yields="a cooked meal", on_failure="stamina"),
    "raw_meat": ShiftTask(skill="stamina", yields="no food poisoning"),
    "keeping_watch": ShiftTask(skill="recon", yields="a watch kept", passive=True),
}

UNROLLED: Final = ("marching", "grenade_fishing")
"""Tasks without a skill roll."""
GRENADE_RATIONS: Final = "1d6"
"""Rations from one grenade."""

MARCH_HEXES: Final[Mapping[str, int]] = {"road": 2, "open": 2, "off_road": 1}
"""Hexes marched in a shift, without a roll."""


def answer_task(context: Fields) -> Facts:
    """Return how a shift task is rolled, and the yield of a number of successes.

    Raises:
        BadRequest: Task, season or terrain is unknown.
    """
    name = context.word("task", (*TASKS, *UNROLLED))
    if name == "grenade_fishing":
        return {"task": name, "roll": False, "rations": GRENADE_RATIONS}
    if name == "marching":
        ground = context.word("terrain", tuple(MARCH_HEXES))
        return {"task": name, "roll": False, "hexes": MARCH_HEXES[ground]}
    task = TASKS[name]
    season = context.optional_word("season", tuple(task.seasons)) if task.seasons else None
    terrain = context.optional_word("terrain", tuple(task.terrains)) if task.terrains else None
    by_season = 0 if season is None else task.seasons[season]
    by_terrain = 0 if terrain is None else task.terrains[terrain]
    successes = context.optional_integer("successes", 0, MAX_SUCCESSES)
    then: list[JsonValue] = list(task.then)
    return {
        "task": name,
        "roll": by_terrain is not None,
        "skill": task.skill,
        "modifier": None if by_terrain is None else by_season + by_terrain,
        "passive": task.passive,
        "each_success": task.yields,
        "amount": successes,
        "on_failure": task.on_failure,
        "then": then,
    }
