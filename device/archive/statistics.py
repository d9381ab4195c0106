"""Statistics for the table: faces by die colour, luck, pushes, opposed rolls. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from device.archive.contests import contests_of_each
from device.archive.fairness import FACES, LEVEL, Fairness, Verdict, judge_faces
from device.archive.luck import Luck, PushEnd, PushTally, luck_of_each, pushes_of_each
from device.archive.roll_summaries import RollSummary
from device.body import face_word
from device.texts.catalogue import LazyText, translate, word
from rules.system import JsonValue

_ORDINARY = "123456"
"""The faces of an ordinary die."""
_RARE = 1e-9
"""Below this, rounding errors exceed the probability."""
_LUCK_LEVEL = 0.05
"""Share of fair tables at which anyone is called lucky or unlucky."""


def statistics(rolls: Sequence[RollSummary], *, is_part: bool) -> dict[str, JsonValue]:
    faces, luck = _faces(rolls), luck_of_each(rolls)
    return {
        "rolls": len(rolls),
        "faces": faces,
        "faces_note": _faces_note(len(faces), is_part=is_part),
        "luck": [_luck(one, len(luck)) for one in luck],
        "pushes": [_pushes(one) for one in pushes_of_each(rolls)],
        "contests": [asdict(one) for one in contests_of_each(rolls)],
    }


def _faces(rolls: Sequence[RollSummary]) -> list[JsonValue]:
    counts: dict[tuple[str, str], Counter[int]] = {}
    for roll in rolls:
        for throw in roll.throws:
            for colour, value, *other in throw.faces:
                die = other[0] if other else _ORDINARY
                if str(value) in die:
                    counts.setdefault((colour, die), Counter())[value] += 1
    return [
        _faces_of(colour, Counter(map(int, die)), of_kind, len(counts)) for (colour, die), of_kind in counts.items()
    ]


def _faces_of(colour: str, die: Counter[int], shown: Counter[int], kinds: int) -> dict[str, JsonValue]:
    """Return how often dice of a colour showed each face.

    Args:
        die: How many faces of such a die have each value.
    """
    one = judge_faces([shown[value] for value in die], kinds, tuple(die.values()))
    expected = [one.throws * many / FACES for many in die.values()]
    return {
        "colour": colour,
        "faces": [*die],
        "times": [*die.values()],
        "expected": [round(mean, 2) for mean in expected],
        "counts": list(one.counts),
        "throws": one.throws,
        "p": one.p,
        "is_exact": one.is_exact,
        "evidence": round(min(one.evidence, 1e12), 3),
        "verdict": one.verdict.value,
        "text": _verdict(one, [*die], expected),
        "test": _test(one),
    }


def _verdict(one: Fairness, values: Sequence[int], expected: Sequence[float]) -> LazyText:
    match one.verdict:
        case Verdict.TOO_FEW:
            return translate("memory.faces.too_few", count=one.throws)
        case Verdict.NO_SIGN:
            return translate("memory.faces.no_sign" if one.would_show else "memory.faces.no_sign_yet", count=one.throws)
        case Verdict.UNEVEN:
            return translate("memory.faces.uneven", count=one.throws, share=_one_in(one.p))
        case Verdict.SIGN:
            place = max(range(len(values)), key=lambda place: abs(one.counts[place] - expected[place]))
            often, mean, face = one.counts[place], round(expected[place]), face_word(values[place])
            return translate("memory.faces.sign", count=one.throws, face=face, often=often, expected=mean)


def _test(one: Fairness) -> LazyText:
    key = "memory.faces.exact" if one.is_exact else "memory.faces.chi_square"
    return translate(key, share=_share(one.p), evidence=f"{one.evidence:.2g}" if one.evidence < 1e6 else "> 10^6")


def _faces_note(colours: int, *, is_part: bool) -> LazyText | None:
    if not colours:
        return None
    return translate(
        "memory.faces.note_part" if is_part else "memory.faces.note", count=colours, level=f"{LEVEL * colours:g}"
    )


def _luck(one: Luck, players: int) -> dict[str, JsonValue]:
    return {
        "player": one.player,
        "rolls": one.rolls,
        "won": one.won,
        "expected": round(one.expected, 2),
        "p_low": one.p_low,
        "p_high": one.p_high,
        "course": list(one.course),
        "text": _luck_text(one, players),
    }


def _luck_text(one: Luck, players: int) -> LazyText:
    # Of several players someone is always the luckiest, and someone the unluckiest.
    level = _LUCK_LEVEL / 2 / players
    is_high = one.won >= one.expected
    p = one.p_high if is_high else one.p_low
    told = "too_few" if one.p_rarest >= level else "usual" if p >= level else "lucky" if is_high else "unlucky"
    rolls = translate("memory.luck.rolls", won=one.won, count=one.rolls, expected=round(one.expected))
    return translate(f"memory.luck.{told}", rolls=rolls, share=_one_in(p))


def pushes_text(pushes: int, saved: int) -> LazyText:
    """Return how many pushes there were, and how many of them saved a roll."""
    if saved == 0:
        return translate("memory.story.pushes_none", count=pushes)
    return translate("memory.story.pushes", count=pushes, saved=saved)


def _pushes(one: PushTally) -> dict[str, JsonValue]:
    return {
        "player": one.player,
        "pushes": one.pushes,
        "text": pushes_text(one.pushes, one.ends[PushEnd.SAVED]),
        "ends": {end.value: count for end, count in one.ends.items()},
        "could_save": one.could_save,
        "expected_saved": round(one.expected_saved, 2),
        "harm": [{"name": name, "title": word(name), "count": count} for (_, name), count in one.harm.items()],
    }


def _one_in(p: float) -> LazyText:
    if p < _RARE:
        return translate("memory.share.never")
    if p < 0.095:
        return translate("memory.share.one_in", count=_two_digits(1 / p))
    return translate("memory.share.of_100", count=round(100 * p))


def _share(p: float) -> LazyText:
    return translate("memory.share.never") if p < _RARE else translate("memory.share.number", p=f"{p:.2g}")


def _two_digits(value: float) -> int:
    """Return a number rounded to two significant digits: more would only look exact."""
    whole = round(value)
    return int(round(whole, 2 - len(str(whole))) if whole >= 100 else whole)
