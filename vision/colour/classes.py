"""Body colour to colour class, in CIE L*a*b*.

Names are regions of hue, chroma and lightness. A die belongs to the class whose name fits best, if it fits at all and
no other class fits nearly as well.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from vision.imaging.levels import medians_of
from vision.types.errors import VisionError
from vision.types.frame import FloatArray

STANDARD_COLOURS: Mapping[str, str] = {"base": "yellow", "skill": "green", "gear": "black"}
"""The colour classes where neither a profile nor the user names others."""


class UnknownColour(VisionError, ValueError):
    """A colour name that the reader does not know."""


@dataclass(frozen=True, slots=True)
class _Hue:
    """A chromatic name: hue in degrees, the least chroma, and the lightness it has on a well lit die."""

    hue_deg: float
    width_deg: float
    lightness: float
    chroma: float


# Typical plastic dice under lamps from warm to cold; lightness counts little, because glare and shade move it.
_HUES: Mapping[str, _Hue] = {
    "red": _Hue(28.0, 26.0, 42.0, 50.0),
    "orange": _Hue(58.0, 18.0, 62.0, 60.0),
    "brown": _Hue(60.0, 28.0, 32.0, 22.0),
    "yellow": _Hue(88.0, 24.0, 84.0, 60.0),
    "green": _Hue(150.0, 30.0, 52.0, 40.0),
    "teal": _Hue(198.0, 26.0, 50.0, 28.0),
    "blue": _Hue(272.0, 34.0, 38.0, 42.0),
    "purple": _Hue(314.0, 22.0, 36.0, 38.0),
    "pink": _Hue(0.0, 28.0, 68.0, 34.0),
}
_DARK_HUE = 55.0
"""L* below which makers print light pips on dice of a hue."""
_GREYS: Mapping[str, float] = {"black": 20.0, "grey": 55.0, "white": 90.0}

COLOUR_NAMES: tuple[str, ...] = tuple(sorted((*_HUES, *_GREYS)))


@dataclass(frozen=True, slots=True)
class ColourParams:
    """How far a colour may be from its name.

    Attributes:
        farthest: Greatest distance, in units of a name's own width, at which a class still fits.
        clear_of: Least difference between the best and the second class, in units of a name's own width.
        outsider: Greatest distance from the name of a colour that no class has, at which a die may be of that colour
            and of none of the classes; see `outsider_clear`.
        outsider_clear: A die is of no class if a colour that no class has is nearer than the best class by more than
            this; see `outsider`.
        black_lightness: L* below which a die of the black class is never taken for one of a chromatic colour that no
            class has, if `black_tinge` holds, too: black dice take on a floor's colour.
        black_tinge: Chroma below which `black_lightness` applies.
        least_pips: Least number of dice with light pips from which the light's colour and strength are estimated.
        dark_body: Share of its pips' brightness below which a body leaves the pips their colour.
        white_level: Grey level, 0-255, of a light pip under a white lamp of the usual strength.
        most_tint: Greatest ratio of one channel of the light to the mean of all three.
        painted: Light pips count as painted in a colour of their own where one channel is more than this many times
            their mean.
        painted_lacks: Light pips count as painted in a colour of their own where one channel is less than their mean
            divided by this factor.
        painted_less: Light pips are surely not white where the body around them is brighter, in some channel, by more
            than this factor.
        dimmest: Least strength of the light that is corrected for.
        shade_lightness: L* below which a body that fits no class is taken to lie in a shadow, not in glare.
        rim_brighter: Greatest difference, L*, by which a rim may be brighter than its body and still show the body's
            colour.
        pale: L* from which a body of a white or grey class may be a washed-out one of another class. A measured colour
            this light counts as white there.
        pale_black: L* from which a body of the black class may be a washed-out one of another class.
        rim_darker: A rim that is darker than its body by at least this, L*, may show the colour that a lamp washed out
            of the body; `rim_tinge` must hold, too.
        rim_tinge: A rim shows the colour of a washed-out body if its saturation exceeds the body's by more than this.
        faint_rim: Saturation below which a rim may show the floor's colour instead of the die's. Dice of a class less
            saturated than this are not recognised by `full_rim`.
        full_rim: Least share of a class's saturation at which a rim, or a body, is taken to have that class's own
            colour, as no reflection of a floor has.
        dark_pips: Pips count as dark where they have less than this share of their body's brightness. On bodies as
            bright as `burnt` this is required; darker bodies need no such difference.
        burnt: L* from which a body counts as burnt white: its pips look dark beside it, so that `dark_pips` must hold.
        dark_spots: Share of its body's brightness below which the darkest spots of a top without pips count as
            dark pips.
        burnt_rim: L* below which a rim is not burnt white and its colour can be used.
        same_rim: Greatest distance, CIE L*a*b*, between the rim of a die without visible pips and that of a die with
            dark pips, for the two to be of one class.
        lightness_weight: Weight of lightness against hue and chroma when colours are compared with a measured palette;
            glare changes lightness.
        farthest_lab: Greatest distance from a measured colour, CIE L*a*b*.
        clear_ratio: Least ratio between the distances of the second nearest and the nearest measured colour;
            `clear_lab` is added to it.
        clear_lab: The second nearest measured colour is at least this much farther away, CIE L*a*b*, than `clear_ratio`
            times the nearest.
        dark_lightness: L* below which a die's saturation, C* / (L* + 16), is compared with that of the other dice of
            its class: shade leaves it as it is.
        shade_lighter: A die lighter than the median of its class by more than this, L*, is dulled by glare, not of a
            duller colour.
        dull_ratio: A dark die with less than this share of the usual saturation of its class is not of that class.
        black_ratio: A dark die with less than this share of the usual saturation of its class is of the black class.
        odd_hue: Greatest difference in saturation and hue between a die of a chromatic class and the others of its
            class. Beyond it the die's class is in doubt, since dice of one class are made of one plastic.
        glare_lighter: A die lighter than the others of its chromatic class by more than this, L*, may exceed `odd_hue`,
            if its hue is theirs; see `same_hue`.
        same_hue: Greatest sine of the angle between the hue of a die in glare and that of the others of its class.
        odd_black: Greatest difference in saturation and hue between a die of the black class, where noise shows most,
            and the others of it.
        odd_grey: Greatest difference in saturation and hue between a die of the white or grey class and the others of
            it.
        coloured: A black, white or grey die may be of a chromatic class in haze or in the dark where it has more than
            this share of that class's saturation, in its hue, and exceeds the others of its own class by as much. A
            measured colour of less saturation than this counts as grey or black.
        same_tinge: Greatest difference in saturation and hue at which a die that fits no class, or two alike, is given
            the class of another die.
        like_tinge: Greatest difference that replaces `same_tinge` if both dice have dark pips, or both light ones:
            white dice take on a floor's colour.
        farthest_alike: Greatest distance from the class's name that replaces `farthest` where `like_tinge` is used.
        other_tinge: Least difference in saturation and hue from the dice of all other classes, for a die to get its
            class by `same_tinge` or `like_tinge`. Black and white dice are alike in both.
        clear_tinge: The dice of all other classes differ by at least this many times as much as the die whose class is
            taken over.
    """

    farthest: float = 2.2
    clear_of: float = 0.5
    outsider: float = 1.2
    outsider_clear: float = 0.8
    black_lightness: float = 26.0
    black_tinge: float = 14.0
    least_pips: int = 1
    dark_body: float = 0.55
    white_level: float = 225.0
    most_tint: float = 1.3
    painted: float = 1.45
    painted_lacks: float = 1.8
    painted_less: float = 1.25
    dimmest: float = 0.2
    shade_lightness: float = 40.0
    rim_brighter: float = 2.0
    pale: float = 60.0
    pale_black: float = 50.0
    rim_darker: float = 4.0
    rim_tinge: float = 0.15
    faint_rim: float = 0.45
    full_rim: float = 0.5
    dark_pips: float = 0.72
    burnt: float = 97.0
    dark_spots: float = 0.45
    burnt_rim: float = 85.0
    same_rim: float = 6.0
    lightness_weight: float = 0.5
    farthest_lab: float = 30.0
    clear_ratio: float = 1.3
    clear_lab: float = 4.0
    dark_lightness: float = 42.0
    shade_lighter: float = 3.0
    dull_ratio: float = 0.65
    black_ratio: float = 0.55
    odd_hue: float = 0.6
    glare_lighter: float = 6.0
    same_hue: float = 0.15
    odd_black: float = 0.26
    odd_grey: float = 0.18
    coloured: float = 0.4
    same_tinge: float = 0.08
    like_tinge: float = 0.15
    farthest_alike: float = 3.0
    other_tinge: float = 0.2
    clear_tinge: float = 2.5


def light_of(pips_bgr: FloatArray, params: ColourParams) -> FloatArray:
    """How bright and of what colour the light is, by light pips: on dice of every colour they are white or nearly.

    Args:
        pips_bgr: Shape (N, 3), colours of light pips, 0-255; N may be 0.
        params: The tunables.

    Returns:
        Shape (3,): divide colours by it to see them as under a white lamp of the usual strength. Ones where nothing
        is known.
    """
    if len(pips_bgr) < params.least_pips:
        return np.ones(3)
    white = [level / params.white_level for level in medians_of(pips_bgr[None])[0].tolist()]
    mean = max(sum(white) / 3.0, 1e-6)
    strength = min(max(mean, params.dimmest), 1.1)
    return np.array([min(max(level / mean, 1.0 / params.most_tint), params.most_tint) * strength for level in white])


def lab_of(bgr: FloatArray) -> FloatArray:
    """CIE L*a*b* (L 0-100) of colours, shape (N, 3), 0-255."""
    if not len(bgr):
        return np.zeros((0, 3))
    pixels = (np.clip(bgr, 0, 255) / 255.0).astype(np.float32).reshape(1, -1, 3)
    return cv2.cvtColor(pixels, cv2.COLOR_BGR2LAB).reshape(-1, 3).astype(np.float64)


def has_hue(name: str) -> bool:
    """Whether a name is of a hue: not black, grey or white."""
    return name in _HUES


def is_dark(name: str) -> bool:
    """Whether a name is of a hue that well lit dice show darkly: red, blue, not yellow."""
    return name in _HUES and _HUES[name].lightness < _DARK_HUE


def name_distance(lab: FloatArray, name: str) -> float:
    """How badly a colour fits a name: below 1 well, above 2 not.

    Args:
        lab: Shape (3,), CIE L*a*b*.
        name: One of COLOUR_NAMES.

    Raises:
        UnknownColour: No such name.
    """
    lightness, a, b = lab.tolist()
    return _name_distance((lightness, math.hypot(a, b), math.degrees(math.atan2(b, a))), name)


def _name_distance(seen: tuple[float, float, float], name: str) -> float:
    """How badly a colour of that lightness, chroma and hue in degrees fits a name."""
    lightness, chroma, turn = seen
    if name in _GREYS:
        # A warm or cold light gives a grey a little chroma, in step with its lightness.
        tinge = max(0.0, chroma - 2.5 - 0.075 * lightness) / (3.5 + 0.07 * lightness)
        # Glare lifts a black die by more than anything darkens a white one.
        reach = 27.0 if lightness > _GREYS[name] else 22.0
        return math.hypot(tinge, (lightness - _GREYS[name]) / reach)
    if name not in _HUES:
        raise UnknownColour(f"colour {name!r} is not known: use one of {', '.join(COLOUR_NAMES)}")
    hue = _HUES[name]
    off = abs((turn - hue.hue_deg + 180.0) % 360.0 - 180.0) / hue.width_deg
    # Little chroma: the hue says little and the name fits badly anyway. A dark colour cannot have much.
    due = 0.55 * hue.chroma * min(max(lightness / hue.lightness, 0.65), 1.0)
    pale = max(0.0, 1.0 - chroma / due) * 2.5
    shade = (lightness - hue.lightness) / 60.0
    return math.sqrt(off * off + pale * pale + shade * shade)


def classify(lab: FloatArray, classes: Mapping[str, str], params: ColourParams) -> tuple[str | None, float]:
    """Decide which class a body colour belongs to.

    Args:
        lab: Shape (3,), CIE L*a*b* of the body.
        classes: Class label to colour name.
        params: The tunables.

    Returns:
        The label, or None where none fits or two fit alike, and the margin: 0 on the verge, 1 and more clear.

    Raises:
        UnknownColour: A class has an unknown colour.
    """
    lightness, a, b = lab.tolist()
    seen = lightness, math.hypot(a, b), math.degrees(math.atan2(b, a))
    ranked = sorted((_name_distance(seen, name), label) for label, name in classes.items())
    if not ranked:
        return None, 0.0
    best, label = ranked[0]
    second = ranked[1][0] if len(ranked) > 1 else math.inf
    if best > params.outsider_clear:
        # Glare makes a black die grey and shade a white one: only hues count against greys, and of these none where a
        # floor's light leaves a dark die no more than a tinge.
        hidden = set(classes.values()) | (set(_GREYS) if classes[label] in _GREYS else set())
        if classes[label] == "black" and lightness < params.black_lightness and seen[1] < params.black_tinge:
            hidden.update(_HUES)
        outsider = min((_name_distance(seen, name) for name in COLOUR_NAMES if name not in hidden), default=math.inf)
        if outsider < params.outsider and best - outsider > params.outsider_clear:
            return None, 0.0
    margin = min(params.farthest - best, (second - best) / params.clear_of * 0.5)
    if best > params.farthest or second - best < params.clear_of:
        return None, 0.0
    return label, float(margin)


def classify_measured(
    lab: FloatArray, palette: Mapping[str, tuple[float, float, float]], params: ColourParams
) -> str | None:
    """Decide which class a body colour belongs to, by colours that a profile has measured.

    Args:
        lab: Shape (3,), CIE L*a*b* of the body, the light's drift taken out.
        palette: Class label to the measured L*a*b*.
        params: The tunables.

    Returns:
        The label, or None where none is near or two are about as near.
    """
    ranked = sorted(
        (
            float(np.hypot(params.lightness_weight * (lab[0] - seen[0]), np.hypot(lab[1] - seen[1], lab[2] - seen[2]))),
            label,
        )
        for label, seen in palette.items()
    )
    if not ranked or ranked[0][0] > params.farthest_lab:
        return None
    if len(ranked) > 1 and ranked[1][0] < params.clear_ratio * ranked[0][0] + params.clear_lab:
        return None
    return ranked[0][1]


def tinge_of(lab: FloatArray) -> tuple[float, float]:
    """Saturation and hue of a colour: its a* and b* in step with the light, so that shade leaves them as they are."""
    lightness, a, b = lab.tolist()
    return a / (lightness + 16.0), b / (lightness + 16.0)


def share_of(off: tuple[float, float], whole: tuple[float, float]) -> float:
    """How far one tinge goes along another, 1 where as far."""
    return (off[0] * whole[0] + off[1] * whole[1]) / max(whole[0] ** 2 + whole[1] ** 2, 1e-12)


def saturation_of(lab: FloatArray) -> float:
    """How much colour, for its light, a colour has: C* / (L* + 16)."""
    return math.hypot(*tinge_of(lab))
