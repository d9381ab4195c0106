"""Colour classes of dice beside one another: dice of one class are made of one plastic and have pips of one colour."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vision.colour import ColourParams, has_hue, name_distance, tinge_of
from vision.frame import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """What is seen of one die's plastic.

    Attributes:
        lab: Shape (3,), CIE L*a*b*.
        dark_pips: Whether its pips are darker; None where none are seen.
        torn: Whether middle and rim are of two classes, and nobody can vouch for either.
    """

    lab: FloatArray
    dark_pips: bool | None = None
    torn: bool = False


def settle_in_company(
    bodies: Sequence[Body], labels: Sequence[str | None], classes: Mapping[str, str], params: ColourParams
) -> tuple[str | None, ...]:
    """Look at each die beside the others: one alone can be taken for another in the dark, in haze, in coloured light.

    Args:
        bodies: Of each die.
        labels: What `classify` said of it.
        classes: Class label to colour name.
        params: See there.

    Returns:
        The labels, some of them changed. A die whose pips are not those of most others of its class is of none, but
        one that is of none is of the class of one with the very same tinge. Neither shade nor glare makes a die both
        darker and much duller than others of its class: such a one is black, or None where it is not dull enough for
        that. One that is otherwise unlike the others of its class is None, and so is a black, white or grey one that
        may be of a chromatic class.
    """
    # A few dice: plain numbers are looked through in a third of the time that arrays take.
    tinges = [tinge_of(body.lab) for body in bodies]
    known = _vouched_for(bodies, tinges, _without_other_pips(bodies, labels), classes, params)
    settled = _without_dull(bodies, tinges, known, classes, params)
    chromatic = [
        _middle([tinge for tinge, said in zip(tinges, settled, strict=True) if said == label])
        for label, name in classes.items()
        if has_hue(name) and label in settled
    ]
    for label, name in classes.items():
        alike = [i for i, said in enumerate(settled) if said == label]
        farthest = params.odd_hue if has_hue(name) else params.odd_black if name == "black" else params.odd_grey
        lightness = _middles_of_others([(float(bodies[i].lab[0]), 0.0) for i in alike])
        for i, usual_here, light in zip(alike, _middles_of_others([tinges[i] for i in alike]), lightness, strict=True):
            (a, b), (usual_a, usual_b) = tinges[i], usual_here or (0.0, 0.0)
            off = a - usual_a, b - usual_b
            odd = usual_here is not None and math.hypot(*off) > farthest
            if odd and has_hue(name) and light is not None and bodies[i].lab[0] > light[0] + params.glare_lighter:
                # Glare lightens and takes colour away, its hue it leaves.
                odd = abs(a * usual_b - b * usual_a) > params.same_hue * math.hypot(a, b) * math.hypot(usual_a, usual_b)
            tinged = (min(_share_of(tinges[i], tinge), _share_of(off, tinge)) for tinge in chromatic)
            if odd or (not has_hue(name) and max(tinged, default=0.0) > params.coloured):
                settled[i] = None
    return tuple(settled)


def _vouched_for(
    bodies: Sequence[Body],
    tinges: Sequence[tuple[float, float]],
    labels: Sequence[str | None],
    classes: Mapping[str, str],
    params: ColourParams,
) -> list[str | None]:
    """The labels, and for a die that has none that of one with the very same tinge, nearly so with the same pips."""
    settled = list(labels)
    for i, (body, said) in enumerate(zip(bodies, labels, strict=True)):
        if said is not None or body.torn:
            continue
        nearest: dict[str, tuple[float, int]] = {}
        for k, (tinge, label) in enumerate(zip(tinges, labels, strict=True)):
            if label is not None:
                nearest[label] = min(nearest.get(label, (math.inf, k)), (math.dist(tinge, tinges[i]), k))
        if not nearest:
            continue
        label = min(nearest, key=nearest.__getitem__)
        away, beside = nearest[label]
        others = min((far for other, (far, _) in nearest.items() if other != label), default=math.inf)
        alike = body.dark_pips is not None and body.dark_pips == bodies[beside].dark_pips
        reach = params.like_tinge if alike else params.same_tinge
        fits = name_distance(body.lab, classes[label]) < (params.farthest_alike if alike else params.farthest)
        if fits and away <= reach and others >= max(params.other_tinge, params.clear_tinge * away):
            settled[i] = label
    return settled


def _without_dull(
    bodies: Sequence[Body],
    tinges: Sequence[tuple[float, float]],
    labels: Sequence[str | None],
    classes: Mapping[str, str],
    params: ColourParams,
) -> list[str | None]:
    """The labels, but of a die both darker and much duller than others of its class `black`, or None."""
    settled = list(labels)
    saturations = [math.hypot(*tinge) for tinge in tinges]
    dark = [i for i, body in enumerate(bodies) if body.lab[0] < params.dark_lightness]
    black = next((label for label, name in classes.items() if name == "black"), None)
    for label, name in classes.items():
        alike = [i for i, said in enumerate(labels) if said == label]
        if not has_hue(name) or not alike:
            continue
        company = sorted(saturations[i] for i in alike)
        light = statistics.median(float(bodies[i].lab[0]) for i in alike)
        at = 0.75 * (len(company) - 1)
        low, high = company[math.floor(at)], company[math.ceil(at)]
        usual = max(low + (at % 1.0) * (high - low), 1e-6)
        for i in dark:
            dull = saturations[i] / usual
            asked = labels[i] == label or (labels[i] is None and name_distance(bodies[i].lab, name) < params.farthest)
            if asked and dull < params.dull_ratio and bodies[i].lab[0] <= light + params.shade_lighter:
                settled[i] = black if dull < params.black_ratio else None
    return settled


def _without_other_pips(bodies: Sequence[Body], labels: Sequence[str | None]) -> list[str | None]:
    """The labels, but None for a die whose pips are dark where those of most others of its class are light."""
    settled = list(labels)
    for label in set(labels) - {None}:
        alike = [i for i, said in enumerate(labels) if said == label and bodies[i].dark_pips is not None]
        dark = sum(bool(bodies[i].dark_pips) for i in alike)
        for i in alike:
            if 2 * (dark if bodies[i].dark_pips else len(alike) - dark) <= len(alike):
                settled[i] = None
    return settled


def _middle(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Median of each coordinate."""
    xs, ys = zip(*points, strict=True)
    return statistics.median(xs), statistics.median(ys)


def _share_of(off: tuple[float, float], whole: tuple[float, float]) -> float:
    """How far `off` goes along `whole`, 1 where as far."""
    return (off[0] * whole[0] + off[1] * whole[1]) / max(whole[0] ** 2 + whole[1] ** 2, 1e-12)


def _middles_of_others(points: Sequence[tuple[float, float]]) -> list[tuple[float, float] | None]:
    """For each of some points the median of all the others; None for one alone."""
    last = len(points) - 2
    if last < 0:
        return [None] * len(points)
    xs, ys = (sorted(part) for part in zip(*points, strict=True))

    def middle(ordered: list[float], out: float) -> float:
        # Of the sorted others the k-th is the k-th of all or, from the place on of the one left out, the next.
        low, high = (ordered[k] if ordered[k] < out else ordered[k + 1] for k in (last // 2, (last + 1) // 2))
        return 0.5 * (low + high)

    return [(middle(xs, x), middle(ys, y)) for x, y in points]
