"""A short form of dice, and small helpers for every rules test."""

from rules.dice import Die, Role, Roll

_ROLES = {
    "b": Role.BASE,
    "s": Role.SKILL,
    "g": Role.GEAR,
    "n": Role.NEGATIVE,
    "p": Role.PLAIN,
    "a": Role.AMMO,
    "w": Role.WILD,
}
_SIDES = {"D": 6, "C": 8, "B": 10, "A": 12}


def roll(text: str) -> Roll:
    """Parse a roll such as `b6 b2 s1`: role letter and value; `B:11` is a step die of level B; `!` an unmoved die.

    Ids are the role's letter and a running number: b1, b2, s1. Step dice are base dice.
    """
    dice: list[Die] = []
    counted: dict[str, int] = {}
    for word in text.split():
        still = word.endswith("!")
        spec = word.rstrip("!")
        level = None
        if ":" in spec:
            level, value = spec.split(":")
            letter = "b"
        else:
            letter, value = spec[0], spec[1:]
        counted[letter] = counted.get(letter, 0) + 1
        dice.append(
            Die(
                id=f"{letter}{counted[letter]}",
                role=_ROLES[letter],
                value=int(value),
                sides=6 if level is None else _SIDES[level],
                level=level,
                moved=False if still else None,
            )
        )
    return tuple(dice)
