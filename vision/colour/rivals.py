"""Dice whose middle and rim are of two classes: a lamp washed them out, or a pale one's rim shows the floor."""

import math
import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from vision.colour.classes import ColourParams, saturation_of
from vision.types.frame import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Rivals:
    """Two classes that a die may be of: it lies under a lamp or, where it is pale, its rim shows the floor.

    Attributes:
        middle: The class that its middle is recognised as.
        rim: The class that its rim is recognised as.
        middle_lab: Shape (3,), CIE L*a*b* of its middle.
        rim_lab: Shape (3,), CIE L*a*b* of its rim.
        faint: Whether the rim has so little of a dark colour as a floor leaves there: dice of such a colour have light
            pips, where nothing else is known of them.
    """

    middle: str
    rim: str
    middle_lab: FloatArray
    rim_lab: FloatArray
    faint: bool


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """What is seen of one die's plastic.

    Attributes:
        lab: Shape (3,), CIE L*a*b* of the plastic.
        dark_pips: Whether its pips are darker; None where none are seen, or hardly darker ones.
        dark_spots: Whether something on it is much darker than it is, as dark pips are.
        rim_lab: Shape (3,), CIE L*a*b* of the rim, which a lamp's reflection spares; None where the rim is burnt, too.
        rivals: The classes of its middle and of its rim, where these are two.
        torn: Whether neither of the two classes can be trusted.
    """

    lab: FloatArray
    dark_pips: bool | None = None
    dark_spots: bool = False
    rim_lab: FloatArray | None = None
    rivals: Rivals | None = None
    torn: bool = False

    @property
    def pips(self) -> bool | None:
        """Whether its pips are dark, by its pips or by dark spots; None where nothing shows it."""
        return True if self.dark_pips is None and self.dark_spots else self.dark_pips


def pips_of_classes(bodies: Sequence[Body], labels: Sequence[str | None]) -> dict[str, bool]:
    """Which classes have dark pips and which light ones, by most of their dice; those of which it is known."""
    more_dark: dict[str, int] = {}
    for body, label in zip(bodies, labels, strict=True):
        if label is not None and body.dark_pips is not None:
            more_dark[label] = more_dark.get(label, 0) + (1 if body.dark_pips else -1)
    return {label: more > 0 for label, more in more_dark.items() if more != 0}


def settle_rivals(
    bodies: Sequence[Body], labels: Sequence[str | None], kinds: Mapping[str, bool]
) -> tuple[list[Body], Sequence[str | None]]:
    """Decide by the pips which of two classes a die is of, where the pips of one of them are impossible.

    Args:
        bodies: Of each die.
        labels: The class of each by itself.
        kinds: Whether pips are dark, of the classes of which it is known.

    Returns:
        Bodies and labels, those settled that could be.
    """
    measured, settled = list(bodies), list(labels)
    for i, body in enumerate(bodies):
        rivals, pips = body.rivals, body.pips
        if rivals is None or pips is None:
            continue
        rim_pips = kinds.get(rivals.rim, False if rivals.faint else pips)
        left = [
            label
            for label, its in ((rivals.middle, kinds.get(rivals.middle, pips)), (rivals.rim, rim_pips))
            if its == pips
        ]
        if len(left) == 1:
            settled[i] = left[0]
            lab = rivals.middle_lab if left[0] == rivals.middle else rivals.rim_lab
            measured[i] = replace(body, lab=lab, rivals=None, torn=False)
    return measured, settled


def without_unseen_pips(
    bodies: Sequence[Body], labels: Sequence[str | None], dark: Collection[str], params: ColourParams
) -> list[str | None]:
    """None for a die of some classes that shows no dark pips, nor the rim or the full colour of one that does.

    A lamp makes any die pale, and gives none the colour of another.

    Args:
        bodies: Of each die.
        labels: The class of each.
        dark: The pale classes that have dark pips.
        params: The tunables.
    """
    settled = list(labels)
    for label in dark:
        alike = rows_of(label, labels)
        shown = [bodies[i] for i in alike if bodies[i].dark_spots]
        usual = statistics.median([saturation_of(body.lab) for body in shown]) if shown else 0.0
        full = params.full_rim * usual if usual >= params.faint_rim else math.inf
        for i in alike:
            body = bodies[i]
            vouched = any(_is_near(body.rim_lab, other.rim_lab, params.same_rim) for other in shown)
            if not (body.dark_spots or vouched or saturation_of(body.lab) >= full):
                settled[i] = None
    return settled


def _is_near(lab: FloatArray | None, other: FloatArray | None, reach: float) -> bool:
    return lab is not None and other is not None and math.dist(lab.tolist(), other.tolist()) < reach


def rows_of(label: str, labels: Sequence[str | None]) -> list[int]:
    """Which dice have a label."""
    return [i for i, said in enumerate(labels) if said == label]
