"""The colour classes of a picture's dice: each by its body, then each beside the others."""

import math
from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from vision.colour import ColourParams, classify, classify_measured, lab_of, light_of, tinge_of
from vision.company import Body, settle_in_company
from vision.faces import Face
from vision.frame import FloatArray, ImageBgr
from vision.profile import Profile
from vision.shrink import thinned

_GREY_LEVELS = 3
"""Channels that differ by no more than this are noise and JPEG."""


def is_colourless(image_bgr: ImageBgr) -> bool:
    """Whether a picture has no colour at all: a grey camera, an infrared lamp. Every die would look black in it.

    Args:
        image_bgr: Shape (H, W, 3).
    """
    blue, green, red = cv2.split(thinned(image_bgr, 16))
    spread = cv2.subtract(cv2.max(cv2.max(blue, green), red), cv2.min(cv2.min(blue, green), red))
    return bool(np.count_nonzero(np.asarray(spread) > _GREY_LEVELS) <= 0.01 * blue.size)


def white_pips(faces: Sequence[Face], params: ColourParams) -> FloatArray:
    """Colours of pips that are white, or nearly; those on dark dice, where there are some.

    Small or blurred pips take on some of the body's colour, which on a dark die is next to none.

    Args:
        faces: With light pips.
        params: See there.

    Returns:
        Shape (N, 3), 0-255.
    """
    dark = [face for face in faces if face.body_bgr.max() < params.dark_body * face.pip_bgr.max()]
    return np.array([face.pip_bgr for face in dark or faces]).reshape(-1, 3)


def colour_classes(
    faces: Sequence[Face], light: FloatArray, profile: Profile | None, names: Mapping[str, str], params: ColourParams
) -> tuple[str | None, ...]:
    """Tell which class each die belongs to.

    Args:
        faces: Their top faces.
        light: Shape (3,): divide colours by it to see them as under a white lamp of the usual strength.
        profile: The tray's calibration; its measured colours count where it has some.
        names: Class label to colour name, for a tray without them.
        params: See there.

    Returns:
        For each face its class, or None where none fits, two fit alike, or the pips are not those of its class.
    """
    palette = profile.palette if profile is not None else ()
    measured = {colour.label: colour.body_lab for colour in palette}

    def class_of(lab: FloatArray) -> str | None:
        return classify_measured(lab, measured, params) if measured else classify(lab, names, params)[0]

    def washed_from(label: str) -> float:
        """L* from which a body of that class may be another's that a lamp washed out."""
        pale = measured[label][0] >= params.pale if measured else names[label] in {"white", "grey"}
        black = measured[label][0] < params.shade_lightness if measured else names[label] == "black"
        return params.pale if pale else params.pale_black if black else math.inf

    dark_pips = [face.dark if face.has_lattice else None for face in faces]
    usual = {colour.label: colour.dark_pips for colour in palette}
    labs = list(lab_of(np.array([face.body_bgr for face in faces]).reshape(-1, 3) / light))
    rims = lab_of(np.array([face.rim_bgr for face in faces]).reshape(-1, 3) / light)
    labels, torn = [], set[int]()
    for i, (face, lab, rim) in enumerate(zip(faces, labs, rims, strict=True)):
        found = class_of(lab)
        if found is None:
            told_by = _under_glare_or_shade(face, lab, light, params)
            found = class_of(told_by)
            if found is not None and math.hypot(*tinge_of(told_by)) > math.hypot(*tinge_of(lab)):
                labs[i] = told_by  # glare took colour away: held against the others it is what it was told by
        elif lab[0] >= washed_from(found) and is_washed_out(lab, rim, params):
            other = class_of(rim) or found
            if other != found:
                # A lamp mirrored in a top, or a white die whose rim shows the floor: the pips tell, or the others.
                by_pips = dark_pips[i] is not None and usual.get(other) == dark_pips[i] != usual.get(found)
                found = other if by_pips else None
                if lab[0] >= params.pale:
                    labs[i] = rim
                else:
                    torn.add(i)  # black dice are common on floors of their neighbours' colours: nobody can vouch
        labels.append(found)
    if measured:
        return tuple(
            None if label is None or (dark is not None and dark != usual[label]) else label
            for label, dark in zip(labels, dark_pips, strict=True)
        )
    bodies = [Body(lab, dark, i in torn) for i, (lab, dark) in enumerate(zip(labs, dark_pips, strict=True))]
    return settle_in_company(bodies, labels, names, params)


def is_washed_out(body_lab: FloatArray, rim_lab: FloatArray, params: ColourParams) -> bool:
    """Whether a body, shape (3,), is of much less colour than its darker rim: a lamp's reflection spares that."""
    if rim_lab[0] > body_lab[0] - params.rim_darker:
        return False
    return math.hypot(*tinge_of(rim_lab)) > math.hypot(*tinge_of(body_lab)) + params.rim_tinge


def _under_glare_or_shade(face: Face, lab: FloatArray, light: FloatArray, params: ColourParams) -> FloatArray:
    """CIE L*a*b* of what glare or shade left of a body's colour, shape (3,); of the body itself where it is neither.

    A bright body is washed out by glare, which spares the rim. A dark one may lie in a shadow: its own light pips
    then tell how little light falls there. A rim brighter than the body is neither: blurred, it shows the floor.
    """
    if face.pip_bgr.any() and not face.dark and lab[0] < params.shade_lightness:
        shaded = np.minimum(light, light_of(face.pip_bgr[None], params))
        return np.asarray(lab_of((face.body_bgr / shaded)[None])[0], np.float64)
    rim = np.asarray(lab_of((face.rim_bgr / light)[None])[0], np.float64)
    return lab if rim[0] > lab[0] + params.rim_brighter else rim
