"""The tiles of step-dice: levels from a sheet or chosen, and which dice are manual."""

from collections.abc import Mapping
from typing import Final

from rules.dice import Role
from rules.errors import BadRequest
from rules.facts import Facts, JsonValue
from rules.request import LEVEL_SIDES, Fields
from rules.sheet import Kind
from rules.step_tasks import MARCH_HEXES, TASKS, UNROLLED, answer_task
from rules.tiles import Inputs, Prepared, Question, Tile, TileKind, choice_tile, flag_tile, number_tile

LEVELS: Final = tuple(LEVEL_SIDES)
READ_LEVEL: Final = "D"
"""The level whose die is a d6 with pips, which the camera reads."""
TYPED_LEVELS: Final = tuple(level for level in LEVELS if level != READ_LEVEL)
MAX_AMMO: Final = 6
MAX_MODIFIER: Final = 10

SEASONS: Final = tuple({season: None for task in TASKS.values() for season in task.seasons})
TERRAINS: Final = tuple({terrain: None for task in TASKS.values() for terrain in task.terrains})

TILES: Final = (
    Tile(
        "attribute",
        TileKind.COUNTER,
        counter_kinds=(Kind.ATTRIBUTE,),
        choices=LEVELS,
        low=1,
        high=len(LEVELS),
        optional=False,
        unless="skill",
    ),
    Tile("skill", TileKind.COUNTER, counter_kinds=(Kind.SKILL,), choices=LEVELS, low=0, high=len(LEVELS)),
    number_tile("modifier", -MAX_MODIFIER, MAX_MODIFIER, 0),
    number_tile("helpers", 0, MAX_MODIFIER, 0),
    number_tile("ammo", 0, MAX_AMMO, 0),
    Tile("weapon", TileKind.COUNTER, counter_kinds=(Kind.RELIABILITY,), low=0),
    flag_tile("passive"),
    choice_tile("task", tuple(TASKS)),
    choice_tile("season", SEASONS),
    choice_tile("terrain", TERRAINS),
)

AIMS: Final = tuple(tile for tile in TILES if tile.name in ("modifier", "passive"))
"""The difficulty of a roll, as steps of its dice, and whether it may be pushed."""

ASKS: Final = (
    Question(
        "task",
        (
            choice_tile("task", (*TASKS, *UNROLLED)),
            choice_tile("season", SEASONS),
            choice_tile("terrain", tuple(dict.fromkeys((*TERRAINS, *MARCH_HEXES)))),
        ),
    ),
    Question("advance", (choice_tile("from", LEVELS), choice_tile("to", LEVELS), flag_tile("specialty"))),
)


def read_task(tapped: Inputs) -> Facts | None:
    """Return the rules of the chosen shift task; None without one.

    Raises:
        BadRequest: The task does not have this season or terrain.
    """
    if tapped.word("task") is None:
        return None
    task = {name: tapped.word(name) for name in ("task", "season", "terrain")}
    return answer_task(Fields(task, "tiles"))


def read_pool_context(tapped: Inputs, task: Facts | None) -> dict[str, JsonValue]:
    """Turn tiles into the context of the operation `pool`; a shift task adds its modifier.

    Raises:
        BadRequest: An attribute has no level.
    """
    preset = None if task is None else task["modifier"]
    levels: list[JsonValue] = []
    for name in ("attribute", "skill"):
        level = _level(tapped, name)
        if level is not None:
            levels.append(level)
        elif name == "attribute" if tapped.was_tapped("attribute") else name == "skill":
            text = "attribute has no level: give one of D, C, B, A"
            raise BadRequest(text, "choice", name="attribute", value=0, choices=["D", "C", "B", "A"])
    return {
        "dice": levels,
        "modifier": tapped.number("modifier") + (preset if isinstance(preset, int) else 0),
        "helpers": tapped.number("helpers"),
        "ammo": tapped.number("ammo"),
    }


def prepared_roll(tapped: Inputs, task: Facts | None, answer: Facts, known_attributes: tuple[str, ...]) -> Prepared:
    """Turn the answer of the operation `pool` into dice to take and the facts of the roll."""
    if task is not None and task["roll"] is False:
        return Prepared((), {}, answer, "task_impossible")
    levels = [str(level) for level in answer["dice"]] if isinstance(answer["dice"], list) else []
    context: dict[str, JsonValue] = {}
    attribute, weapon = tapped.counter("attribute"), tapped.counter("weapon")
    if attribute is not None and attribute.name in known_attributes:
        context["attribute_name"] = attribute.name
    if weapon is not None:
        context |= {"gear": True, "reliability": weapon.value}
        if weapon.name is not None:
            context["gear_name"] = weapon.name
    hp = None if tapped.sheet is None else tapped.sheet.find(Kind.HP)
    if hp is not None:
        context["hp"] = hp.now
    if tapped.flag("passive") or (task is not None and task["passive"] is True):
        context["passive"] = True
    warned = answer["warnings"] == ["too_many_helpers"]
    return Prepared(
        pool=((Role.BASE, levels.count(READ_LEVEL)), (Role.AMMO, tapped.number("ammo"))),
        typed=tuple((Role.BASE, level) for level in levels if level != READ_LEVEL),
        context=context,
        facts=answer,
        warnings=("too_many_helpers",) if warned else (),
    )


def pool_odds_request(pool: Mapping[str, int], levels: tuple[str, ...], _context: Facts) -> Facts:
    """Return the request for the odds of a declared pool."""
    dice: list[JsonValue] = [*levels, *[READ_LEVEL] * pool.get(Role.BASE.value, 0)]
    return {"pool": {"dice": dice, "ammo": pool.get(Role.AMMO.value, 0)}}


def _level(tapped: Inputs, name: str) -> str | None:
    picked = tapped.counter(name)
    if picked is None:
        return tapped.word(name)
    rank = min(picked.value, len(LEVELS))
    return LEVELS[rank - 1] if rank >= 1 else None
