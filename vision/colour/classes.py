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
        clear_of: Least difference between the best and the second class, same unit.
        outsider: A colour that no class has fits a die if it is at most this far...
        outsider_clear: ...and this much nearer than every class: then the die belongs to none, unless that is the black
            class and the die...
        black_lightness: ...darker than this, L*,
        black_tinge: and of less chroma than this: black dice take on a floor's colour.
        least_pips: So many dice with light pips show the light.
        dark_body: A body with less than this share of its pips' brightness leaves them their colour.
        white_level: What a light pip shows under a white lamp of the usual strength.
        most_tint: Most ratio of one channel of the light to their mean.
        painted: Light pips of which one channel is more than this over their mean are painted in a colour of their own,
        painted_lacks: and so are those of which one is less than the mean by more than this factor,
        painted_less: or less than the body's round it by this one.
        dimmest: Least strength of light that is made up for.
        shade_lightness: L* below which a body that fits no class is taken to lie in a shadow, not in glare.
        rim_brighter: A rim brighter by this, L*, than its body says nothing of the body's colour.
        pale: L* from which on a body may be washed out, and a measured colour is one that it may be taken for then.
        pale_black: The same where it is recognised as black.
        rim_darker: A rim darker by this, L*, than its body...
        rim_tinge: ...and of so much more saturation shows what colour a body had before a lamp washed it out.
        faint_rim: A rim of less saturation than this may show the floor's colour,
        full_rim: and one with this share of the saturation of a measured colour is of a die of that colour, where no
            dark pips speak for a white one.
        dark_pips: Dark pips have less than this share of their body's brightness, unless all is dim or hazy...
        burnt: ...and the body's L* less than this: pips of a top that is burnt white look dark beside it.
        dark_spots: Dark pips that made no lattice have less than this share.
        burnt_rim: A rim of less L* than this is not burnt...
        same_rim: ...and if it is as near, CIE L*a*b*, to that of a die that shows dark pips, it is of that one's class.
        own_rim: A rim of at least this saturation is a washed-out die's own where, of what lies around the die, what
            has of its tinge at least...
        lent_rim: ...this share...
        lenders: ...is no more than this share.
        lightness_weight: What lightness counts against hue and chroma with a measured palette; glare moves it.
        farthest_lab: Greatest distance from a measured colour, CIE L*a*b*.
        clear_ratio: The second nearest measured colour is at least this many times as far as the nearest,
        clear_lab: and this much more.
        dark_lightness: L* below which a die's saturation, C* / (L* + 16), is held against its company's: shade leaves
            it as it is.
        shade_lighter: One lighter than the middle of its company by more than this is dulled by glare instead.
        dull_ratio: A dark die with less than this share of the saturation of those of its class is not one of them,
        black_ratio: and with less than this one it is of the black class.
        odd_hue: A die so far in saturation and hue from the others of its class is not surely one of them; dice of one
            class are made of one plastic. Of a chromatic class,
        glare_lighter: unless it is lighter than they are by this, L*,
        same_hue: and of their hue, the sine of the angle between; of one class are made of one
        odd_black: of the black one, where noise shows most,
        odd_grey: of the white or grey one.
        coloured: A die of such a class that has so much of the saturation of a chromatic class, in its hue, and so much
            more of it than the others of its own, may be one of that class in haze or in the dark.
        same_tinge: A die that fits no class, or two alike, is of that of a die nearer to it in saturation and hue than
            this,
        like_tinge: or than this, if both have dark pips or both light ones: white dice take on a floor's colour;
        farthest_alike: then it may be farther from that class's name, too.
        other_tinge: The dice of all other classes are farther than this, black ones and white ones being alike in both,
        clear_tinge: and so many times as far.
    """

    farthest: float = 2.2
    clear_of: float = 0.5
    outsider: float = 1.2
    outsider_clear: float = 0.8
    black_lightness: float = 26.0
    black_tinge: float = 14.0
    least_pips: int = 1
    dark_body: float = 0.45
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
    own_rim: float = 0.3
    lent_rim: float = 0.25
    lenders: float = 0.15
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
