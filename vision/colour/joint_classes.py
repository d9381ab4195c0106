"""Colour classes of dice beside one another: dice of one class are made of one plastic and have pips of one colour."""

import math
import statistics
from collections.abc import Mapping, Sequence

from vision.colour.classes import ColourParams, has_hue, name_distance, share_of, tinge_of
from vision.colour.rivals import Body, pips_of_classes, rows_of


def settle_jointly(
    bodies: Sequence[Body], labels: Sequence[str | None], classes: Mapping[str, str], params: ColourParams
) -> tuple[str | None, ...]:
    """Look at each die beside the others: one alone can be taken for another in the dark, in haze, in coloured light.

    Args:
        bodies: Of each die.
        labels: What `classify` said of it.
        classes: Class label to colour name.
        params: The tunables.

    Returns:
        The labels, some of them changed. A die whose pips are not those of most others of its class is of none, but
        one that is of none is of the class of one with the very same tinge. Neither shade nor glare makes a die both
        darker and much duller than others of its class: such a one is black, or None where it is not dull enough for
        that. One that is otherwise unlike the others of its class is None, and so is a black, white or grey one that
        may be of a chromatic class.
    """
    dice = _JointClasses(bodies, classes, params)
    known = dice.vouched_for(dice.without_other_pips(labels))
    return tuple(dice.without_odd(dice.without_dull(known)))


class _JointClasses:
    """Dice beside one another; each method gives labels for labels, one for each die."""

    def __init__(self, bodies: Sequence[Body], classes: Mapping[str, str], params: ColourParams) -> None:
        # A few dice: plain numbers are looked through in a third of the time that arrays take.
        self._bodies = bodies
        self._tinges = [tinge_of(body.lab) for body in bodies]
        self._lightness = [float(body.lab[0]) for body in bodies]
        self._classes = classes
        self._params = params

    def without_other_pips(self, labels: Sequence[str | None]) -> list[str | None]:
        """None for a die whose pips are dark where those of most others of its class are light, and the like."""
        kinds = pips_of_classes(self._bodies, labels)
        return [
            None if label is not None and body.dark_pips is not None and kinds.get(label) != body.dark_pips else label
            for body, label in zip(self._bodies, labels, strict=True)
        ]

    def vouched_for(self, labels: Sequence[str | None]) -> list[str | None]:
        """For a die that has none the label of one with the very same tinge, nearly so with the same pips."""
        params, settled = self._params, list(labels)
        for i, (body, said) in enumerate(zip(self._bodies, labels, strict=True)):
            # What has dark spots and a coloured rim may as well be a pale die with dark pips on a floor of that colour.
            if said is not None or body.torn or (body.rivals is not None and body.dark_spots):
                continue
            nearest: dict[str, tuple[float, int]] = {}
            for k, (tinge, label) in enumerate(zip(self._tinges, labels, strict=True)):
                if label is not None:
                    nearest[label] = min(nearest.get(label, (math.inf, k)), (math.dist(tinge, self._tinges[i]), k))
            if not nearest:
                continue
            label = min(nearest, key=nearest.__getitem__)
            away, beside = nearest[label]
            others = min((far for other, (far, _) in nearest.items() if other != label), default=math.inf)
            alike = body.dark_pips is not None and body.dark_pips == self._bodies[beside].dark_pips
            reach = params.like_tinge if alike else params.same_tinge
            farthest = params.farthest_alike if alike else params.farthest
            clear = away <= reach and others >= max(params.other_tinge, params.clear_tinge * away)
            if clear and name_distance(body.lab, self._classes[label]) < farthest:
                settled[i] = label
        return settled

    def without_dull(self, labels: Sequence[str | None]) -> list[str | None]:
        """Of a die both darker and much duller than others of its class `black`, or None."""
        params, settled = self._params, list(labels)
        saturations, lightness = [math.hypot(*tinge) for tinge in self._tinges], self._lightness
        dark = [i for i, light in enumerate(lightness) if light < params.dark_lightness]
        black = next((label for label, name in self._classes.items() if name == "black"), None)
        # Where no class is black only one that may be a stranger's is doubted.
        least = params.black_ratio if black is None else params.dull_ratio
        for label, name in self._classes.items():
            alike = rows_of(label, labels)
            if not has_hue(name) or not alike:
                continue
            lightest = statistics.median(lightness[i] for i in alike) + params.shade_lighter
            ordered = sorted(saturations[i] for i in alike)
            at = 0.75 * (len(ordered) - 1)
            low, high = ordered[math.floor(at)], ordered[math.ceil(at)]
            usual = max(low + (at % 1.0) * (high - low), 1e-6)
            # Where most of a class are black ones with its tinge, those in full light still show what it looks like.
            lit = [saturations[i] for i in alike if lightness[i] >= params.dark_lightness]
            usual = max(usual, statistics.median(lit)) if lit and black is not None else usual
            for i in dark:
                dull = saturations[i] / usual
                near = labels[i] is None and name_distance(self._bodies[i].lab, name) < params.farthest
                if (labels[i] == label or near) and dull < least and lightness[i] <= lightest:
                    settled[i] = black if dull < params.black_ratio else None
        return settled

    def without_odd(self, labels: Sequence[str | None]) -> list[str | None]:
        """None for a die unlike the others of its class, and for a grey one that may be of a chromatic class."""
        params, settled = self._params, list(labels)
        chromatic = [
            _middle([self._tinges[i] for i in rows_of(label, labels)])
            for label, name in self._classes.items()
            if has_hue(name) and label in labels
        ]
        for label, name in self._classes.items():
            alike = rows_of(label, labels)
            tinges, lightness = [self._tinges[i] for i in alike], [self._lightness[i] for i in alike]
            farthest = params.odd_hue if has_hue(name) else params.odd_black if name == "black" else params.odd_grey
            usual = zip(*(_medians_of_others(part) for part in (*zip(*tinges, strict=True), lightness)), strict=True)
            for i, (a, b), (usual_a, usual_b, light) in zip(alike, tinges, usual, strict=True):
                off = a - usual_a, b - usual_b
                odd = len(alike) > 1 and math.hypot(*off) > farthest
                if odd and has_hue(name) and self._lightness[i] > light + params.glare_lighter:
                    # Glare lightens and takes colour away, its hue it leaves.
                    across = abs(a * usual_b - b * usual_a)
                    odd = across > params.same_hue * math.hypot(a, b) * math.hypot(usual_a, usual_b)
                tinged = (min(share_of((a, b), tinge), share_of(off, tinge)) for tinge in chromatic)
                if odd or (not has_hue(name) and max(tinged, default=0.0) > params.coloured):
                    settled[i] = None
        return settled


def _middle(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Median of each coordinate."""
    xs, ys = zip(*points, strict=True)
    return statistics.median(xs), statistics.median(ys)


def _medians_of_others(values: Sequence[float]) -> list[float]:
    """For each of some values the median of all the others; 0 for one alone."""
    last = len(values) - 2
    if last < 0:
        return [0.0] * len(values)
    ordered = sorted(values)
    # Of the sorted others the k-th is the k-th of all or, from the place on of the one left out, the next.
    (low, after_low), (high, after_high) = (ordered[k : k + 2] for k in (last // 2, (last + 1) // 2))
    return [0.5 * ((low if low < out else after_low) + (high if high < out else after_high)) for out in values]
