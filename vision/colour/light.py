"""The light on a picture's dice, measured by their light pips, which are about white on dice of every colour."""

from collections.abc import Sequence

import cv2
import numpy as np

from vision.colour.top_faces import TopFace
from vision.imaging.pyramid import thinned
from vision.types.frame import FloatArray, ImageBgr

_GREY_LEVELS = 3
"""Channels that differ by no more than this differ by noise and JPEG only."""


_DARK_BODY = 0.55
"""Share of its pips' brightness below which a body does not change the pips' colour."""
_WHITE_LEVEL = 225.0
"""Grey level, 0-255, of a light pip under a white lamp of the usual strength."""
_MAX_TINT = 1.3
"""Greatest ratio of one channel of the light to the mean of all three."""
_PAINTED = 1.45
"""Light pips count as painted if one channel is more than this many times their mean."""
_PAINTED_LACKS = 1.8
"""Light pips count as painted if one channel is less than their mean divided by this factor."""
_PAINTED_LESS = 1.25
"""Light pips are certainly not white if the body around them is brighter, in some channel, by more than this factor."""
_DIMMEST = 0.2
"""Least strength of the light that is corrected for."""


def light_of(pips_bgr: FloatArray) -> FloatArray:
    """Return brightness and colour of the light.

    Args:
        pips_bgr: Shape (N, 3), colours of light pips, 0-255; N may be 0.

    Returns:
        Shape (3,): divide colours by it to get them as under a white lamp of the usual strength. Ones if unknown.
    """
    if not len(pips_bgr):
        return np.ones(3)
    white = [level / _WHITE_LEVEL for level in np.median(pips_bgr, axis=0).tolist()]
    mean = max(sum(white) / 3.0, 1e-6)
    strength = min(max(mean, _DIMMEST), 1.1)
    return np.array([min(max(level / mean, 1.0 / _MAX_TINT), _MAX_TINT) * strength for level in white])


def is_colourless(image_bgr: ImageBgr) -> bool:
    """Return whether a picture has no colour, as from a grey camera or infrared lamp; every die would look black."""
    blue, green, red = cv2.split(thinned(image_bgr, 16))
    spread = cv2.subtract(cv2.max(cv2.max(blue, green), red), cv2.min(cv2.min(blue, green), red))
    return cv2.countNonZero(cv2.threshold(spread, _GREY_LEVELS, 1, cv2.THRESH_BINARY)[1]) <= 0.01 * blue.size


def white_pips(faces: Sequence[TopFace]) -> FloatArray:
    """Return the colours of pips that are white or nearly so, those on dark dice if there are any.

    Small or blurred pips take on some of the body's colour, which on a dark die is almost nothing. Pips of a colour
    that no lamp has, such as gold or red, show the light's brightness but not its colour.

    Returns:
        Shape (N, 3), 0-255.
    """
    informative = [face for face in faces if _is_dark(face)] or faces
    white = [face for face in informative if not _is_painted(face)]
    # Nothing is lighter than white, so under a body that is, in some channel, the pips are certainly not white.
    sure = any((face.body_bgr > _PAINTED_LESS * face.pip_bgr).any() for face in informative)
    if not sure and 2 * len(white) >= len(informative):
        return np.array([face.pip_bgr for face in white]).reshape(-1, 3)
    brightest = np.array([face.pip_bgr.max() for face in informative])
    return np.repeat(brightest[:, None], 3, axis=1)


def _is_painted(face: TopFace) -> bool:
    """Return whether a face's light pips have a colour that no lamp has."""
    # Haze covers a dark body as it covers its pips; small pips take on some colour of any other body.
    bgr = face.pip_bgr.tolist()
    if _is_dark(face):
        bgr = [max(pip - body, 0.0) for pip, body in zip(bgr, face.body_bgr.tolist(), strict=True)]
    mean = max(sum(bgr) / 3.0, 1e-6)
    return bool(max(bgr) / mean > _PAINTED or min(bgr) / mean < 1.0 / _PAINTED_LACKS)


def _is_dark(face: TopFace) -> bool:
    """Return whether a face's body does not change the colour of its light pips."""
    return bool(max(face.body_bgr.tolist()) < _DARK_BODY * max(face.pip_bgr.tolist()))
