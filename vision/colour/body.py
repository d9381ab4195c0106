"""The colour classes of a picture's dice: each by its body, then each beside the others."""

import math
from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from vision.colour.classes import ColourParams, classify, classify_measured, is_dark, lab_of, light_of, saturation_of
from vision.colour.joint_classes import settle_jointly
from vision.colour.rivals import Body, Rivals, pips_of_classes, settle_rivals, without_unseen_pips
from vision.colour.top_faces import TopFace
from vision.imaging.pyramid import thinned
from vision.tray.profile import PaletteColour, Profile
from vision.types.frame import FloatArray, ImageBgr

_GREY_LEVELS = 3
"""Channels that differ by no more than this are noise and JPEG."""


def is_colourless(image_bgr: ImageBgr) -> bool:
    """Whether a picture has no colour at all: a grey camera, an infrared lamp. Every die would look black in it.

    Args:
        image_bgr: Shape (H, W, 3).
    """
    blue, green, red = cv2.split(thinned(image_bgr, 16))
    spread = cv2.subtract(cv2.max(cv2.max(blue, green), red), cv2.min(cv2.min(blue, green), red))
    return cv2.countNonZero(cv2.threshold(spread, _GREY_LEVELS, 1, cv2.THRESH_BINARY)[1]) <= 0.01 * blue.size


def white_pips(faces: Sequence[TopFace], params: ColourParams) -> FloatArray:
    """Colours of pips that are white, or nearly; those on dark dice, where there are some.

    Small or blurred pips take on some of the body's colour, which on a dark die is next to none. Those of
    a colour that no lamp has, gold or red, show how bright the light is, and nothing of its colour.

    Args:
        faces: With light pips.
        params: The tunables.

    Returns:
        Shape (N, 3), 0-255.
    """
    informative = [face for face in faces if _is_dark(face, params)] or faces
    white = [face for face in informative if not _is_painted(face, params)]
    # Nothing is lighter than white: a body that is, in some channel, leaves no doubt of what its pips are.
    sure = any((face.body_bgr > params.painted_less * face.pip_bgr).any() for face in informative)
    if not sure and 2 * len(white) >= len(informative):
        return np.array([face.pip_bgr for face in white]).reshape(-1, 3)
    brightest = np.array([face.pip_bgr.max() for face in informative])
    return np.repeat(brightest[:, None], 3, axis=1)


def _is_painted(face: TopFace, params: ColourParams) -> bool:
    """Whether its light pips are of a colour that no lamp has."""
    # Haze lies over a dark body as over its pips; of another body some is in small pips.
    bgr = face.pip_bgr.tolist()
    if _is_dark(face, params):
        bgr = [max(pip - body, 0.0) for pip, body in zip(bgr, face.body_bgr.tolist(), strict=True)]
    mean = max(sum(bgr) / 3.0, 1e-6)
    return bool(max(bgr) / mean > params.painted or min(bgr) / mean < 1.0 / params.painted_lacks)


def _is_dark(face: TopFace, params: ColourParams) -> bool:
    """Whether its body leaves its light pips their colour."""
    return bool(max(face.body_bgr.tolist()) < params.dark_body * max(face.pip_bgr.tolist()))


def colour_classes(
    faces: Sequence[TopFace],
    light: FloatArray,
    profile: Profile | None,
    names: Mapping[str, str],
    params: ColourParams,
) -> tuple[str | None, ...]:
    """Decide which class each die belongs to.

    Args:
        faces: Top faces of the dice.
        light: Shape (3,): divide colours by it to see them as under a white lamp of the usual strength.
        profile: The tray's calibration; its measured colours count where it has some.
        names: Class label to colour name, for a tray without them.
        params: The tunables.

    Returns:
        For each face its class, or None where none fits, two fit alike, or the pips are not those of its class.
    """
    classes = _Classes(profile.palette if profile is not None else (), names, params)
    middles, rims = labs_of(faces, light)
    classified = [classes.classify_face(*die, light) for die in zip(faces, middles, rims, strict=True)]
    alone = [body for body, _ in classified], [label for _, label in classified]
    bodies, labels = settle_rivals(*alone, classes.pips or pips_of_classes(*alone))
    kinds = classes.pips or pips_of_classes(bodies, labels)
    if not classes.are_measured:
        labels = settle_jointly(bodies, labels, names, params)
    dark = [label for label in classes.pale if kinds.get(label, False)]
    return tuple(without_unseen_pips(bodies, labels, dark, params))


def labs_of(faces: Sequence[TopFace], light: FloatArray) -> tuple[FloatArray, FloatArray]:
    """CIE L*a*b* of the bodies of faces and of their rims in such a light, both of shape (N, 3)."""
    seen = np.array([face.body_bgr for face in faces] + [face.rim_bgr for face in faces]).reshape(-1, 3)
    labs = lab_of(seen / light)
    return labs[: len(faces)], labs[len(faces) :]


def shows_dark_spots(face: TopFace, lightness: float, params: ColourParams) -> bool:
    """Whether something on a face, its body's L* given, is much darker than that, as dark pips are."""
    if not face.shows_pips:
        return face.darkest < params.dark_spots
    pips, body = max(face.pip_bgr.tolist()), max(face.body_bgr.tolist())
    return face.dark and (lightness < params.burnt or pips < params.dark_pips * body)


class _Classes:
    """The classes that there are, and which of them one die is of by itself."""

    def __init__(self, palette: Sequence[PaletteColour], names: Mapping[str, str], params: ColourParams) -> None:
        self._measured = {colour.label: colour.body_lab for colour in palette}
        self._names = names
        self._params = params
        self.pips: Mapping[str, bool] = {colour.label: colour.dark_pips for colour in palette}

    @property
    def are_measured(self) -> bool:
        """Whether colours were measured; otherwise they have names alone."""
        return bool(self._measured)

    @property
    def pale(self) -> list[str]:
        """The labels of those that any die may be taken for that a lamp washed out."""
        return [label for label in self._measured or self._names if self._washed_from(label) == self._params.pale]

    def classify_face(
        self, face: TopFace, lab: FloatArray, rim: FloatArray, light: FloatArray
    ) -> tuple[Body, str | None]:
        """A die's class, and what it is known by.

        Args:
            face: Top face of the die.
            lab: Shape (3,), CIE L*a*b* of the die's body under a white lamp.
            rim: Shape (3,), CIE L*a*b* of the body's rim under a white lamp.
            light: As for `colour_classes`.

        Returns:
            The body that is held against those of the others, and its label, or None.
        """
        spots = shows_dark_spots(face, float(lab[0]), self._params)
        dark = face.dark if face.shows_pips and (spots or not face.dark) else None
        found, rivals = self._of(lab), None
        if found is None:
            lab, found = self._despite_light(face, lab, rim, light)
        elif is_washed_out(lab, rim, self._params):
            lab, rivals = self._washed_out(found, lab, rim)
            if rivals is not None:
                found = rivals.rim if dark is None and not spots and self._is_full(rim, rivals.rim) else None
        if found is not None and dark is not None and self.pips.get(found, dark) != dark:
            found = None
        # Black dice are common on floors of the others' colours: of them nobody can vouch for a rim.
        torn = rivals is not None and bool(lab[0] < self._params.pale)
        held = rim if rivals is not None and not torn else lab
        spared = rim if rim[0] < self._params.burnt_rim else None
        return Body(held, dark, spots, spared, None if found is not None else rivals, torn), found

    def _of(self, lab: FloatArray) -> str | None:
        if self._measured:
            return classify_measured(lab, self._measured, self._params)
        return classify(lab, self._names, self._params)[0]

    def _despite_light(
        self, face: TopFace, lab: FloatArray, rim: FloatArray, light: FloatArray
    ) -> tuple[FloatArray, str | None]:
        """By what a die that fits no class as it looks is compared, and its label (`classify_face`)."""
        seen_as = _under_glare_or_shade(face, lab, rim, light, self._params)
        found = self._of(seen_as)
        # Glare took colour away: held against the others it is what it was known by.
        dulled = found is not None and saturation_of(seen_as) > saturation_of(lab)
        return seen_as if dulled else lab, found

    def _washed_out(self, found: str, lab: FloatArray, rim: FloatArray) -> tuple[FloatArray, Rivals | None]:
        """What a washed-out die of a class is held against the others by, and the two classes it may be of."""
        other, pale_from = self._of(rim), self._washed_from(found)
        if other == found:
            return rim if pale_from == math.inf and lab[0] >= self._params.pale else lab, None
        if other is None or lab[0] < pale_from:
            return lab, None
        # A lamp mirrored in a top, or a white die whose rim shows the floor: the pips decide, or the others.
        faint = is_dark(self._names.get(other, "")) and saturation_of(rim) < self._params.faint_rim
        return lab, Rivals(found, other, lab, rim, faint)

    def _is_full(self, rim: FloatArray, label: str) -> bool:
        """Whether a rim has so much of a measured colour as no reflection of a floor has."""
        if label not in self._measured:
            return False
        full = saturation_of(np.array(self._measured[label]))
        return saturation_of(rim) >= self._params.full_rim * full

    def _washed_from(self, label: str) -> float:
        """L* from which a body of that class may be another's that a lamp washed out."""
        params, name = self._params, self._names.get(label)
        if self._measured:
            measured = np.array(self._measured[label])
            dark = measured[0] < params.shade_lightness or saturation_of(measured) < params.coloured
            name = "white" if measured[0] >= params.pale else "black" if dark else None
        return {"white": params.pale, "grey": params.pale, "black": params.pale_black}.get(name or "", math.inf)


def is_washed_out(body_lab: FloatArray, rim_lab: FloatArray, params: ColourParams) -> bool:
    """Whether a body, shape (3,), is of much less colour than its darker rim: a lamp's reflection spares that.

    The rim of one that is burnt may be nearly as bright.
    """
    if rim_lab[0] > body_lab[0] - (0.0 if body_lab[0] >= params.burnt else params.rim_darker):
        return False
    return saturation_of(rim_lab) > saturation_of(body_lab) + params.rim_tinge


def _under_glare_or_shade(
    face: TopFace, lab: FloatArray, rim: FloatArray, light: FloatArray, params: ColourParams
) -> FloatArray:
    """CIE L*a*b* of what glare or shade left of a body's colour, shape (3,); of the body itself where it is neither.

    A bright body is washed out by glare, which spares the rim. A dark one may lie in a shadow: its own light pips
    then show how little light falls there. A rim brighter than the body is neither: blurred, it shows the floor.
    """
    if face.pip_bgr.any() and not face.dark and lab[0] < params.shade_lightness:
        shaded = np.minimum(light, light_of(face.pip_bgr[None], params))
        return np.asarray(lab_of((face.body_bgr / shaded)[None])[0], np.float64)
    return lab if rim[0] > lab[0] + params.rim_brighter else rim
