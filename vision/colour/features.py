"""Named numbers about a die's colour and a class, which the colour decision weighs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vision.colour.classes import (
    COLOUR_NAMES,
    has_hue,
    lab_of,
    lightness_of,
    measured_distances,
    name_distances,
    tinges_of,
)
from vision.colour.top_faces import TopFace
from vision.tray.profile import PaletteColour
from vision.types.frame import FloatArray

FEATURES = (
    "body", "rim", "body_margin", "rim_margin", "body_stranger", "rim_stranger", "has_hue", "class_lightness",
    "body_lightness", "rim_lightness", "body_saturation", "rim_saturation", "pips_agree", "pips_show", "darkest",
    "contrast", "has_mates", "body_off_mates", "rim_off_mates", "lighter_than_mates", "saturation_to_mates",
    "off_others", "light", "tint",
)  # fmt: skip
"""Features of a die and a class that is only named; `class_features` defines each."""
MEASURED = (
    *FEATURES, "lit", "lit_margin", "lit_lightness", "lit_saturation", "dim", "dim_margin", "dim_lightness",
    "dim_saturation", "lit_off_mates", "shade", "lit_change",
)  # fmt: skip
"""Features of a die and a class that was measured in the same tray: the light on the floor around dice is known."""
_FAR = 5.0
"""Distances are capped at this."""
_RIM_LATER = 0.3
"""A rim counts for a die's likeliest class if it fits better than its body by this much."""
_LIKELY, _CLEAR = 1.6, 0.4
"""A die is a mate of its class if it fits that class better than the first, and all others worse by the second."""
_SATURATED = 0.35
"""Saturation from which a measured colour counts as a hue."""


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The colour classes of a tray: measured, or known only by name."""

    labels: tuple[str, ...]
    names: tuple[str, ...]  # colour names of the classes, or () if they were measured
    measured_lab: FloatArray  # shape (K, 3), CIE L*a*b* of measured classes
    # for each class 1 if its pips are dark, -1 if they are light, 0 if unknown; shape (K,)
    dark_pips: FloatArray

    @staticmethod
    def measured(palette: Sequence[PaletteColour]) -> "Classes":
        """Return the classes that a profile has measured."""
        labs = np.array([colour.body_lab for colour in palette]).reshape(-1, 3)
        pips = np.array([1.0 if colour.dark_pips else -1.0 for colour in palette])
        return Classes(tuple(colour.label for colour in palette), (), labs, pips)

    @staticmethod
    def named(names: Mapping[str, str]) -> "Classes":
        """Return classes with known colour names."""
        return Classes(tuple(names), tuple(names.values()), np.zeros((0, 3)), np.zeros(len(names)))

    def distances(self, labs: FloatArray) -> FloatArray:
        """Return how badly colours, shape (N, 3), fit each class: shape (N, K)."""
        if self.names:
            return name_distances(labs, self.names)
        return measured_distances(labs, self.measured_lab)

    def stranger_distances(self, labs: FloatArray) -> FloatArray | None:
        """Return how badly colours, shape (N, 3), fit the best name that no class has, shape (N,); None if unknown."""
        others = [name for name in COLOUR_NAMES if name not in self.names]
        return name_distances(labs, others).min(axis=1) if self.names else None

    @property
    def hues(self) -> FloatArray:
        """For each class 1 if it has a hue, 0 if it is black, grey or white."""
        if self.names:
            return np.array([float(has_hue(name)) for name in self.names])
        return np.asarray(np.hypot(*tinges_of(self.measured_lab).T) > _SATURATED, np.float64)

    @property
    def lightness(self) -> FloatArray:
        """L* of each class."""
        return np.array([lightness_of(name) for name in self.names]) if self.names else self.measured_lab[:, 0]


def names_of(classes: Classes) -> tuple[str, ...]:
    """Return the names of the features of dice and such classes."""
    return FEATURES if classes.names else MEASURED


def class_features(faces: Sequence[TopFace], light: FloatArray, classes: Classes) -> FloatArray:
    """Return the features of dice for each class.

    Args:
        light: Shape (3,): divide colours by it to get them as under a white lamp of the usual strength.

    Returns:
        Shape (N, K, F), by `FEATURES` or, of measured classes, by `MEASURED`: how far `body` and `rim` are from the
        class, up to 5; by how much they fit it better than the best other class, and than the best name that no class
        has (`_stranger`); of the class whether
        it `has_hue` and its lightness; lightness and saturation of body and rim; whether its pips are as dark as those
        of the class (`pips_agree`: 1 yes, -1 no, 0 unknown) and are visible at all; `darkest` spots and `contrast`;
        whether other dice are likely of the class (`has_mates`), how far body and rim are from these in saturation and
        hue, how much lighter and how many times as saturated the die is; how far its body is from the nearest die of
        another class; logarithm of the mean of the `light`, and its `tint`: spread over the mean.
    """
    count, kinds = len(faces), len(classes.labels)
    looks = np.array([[face.body_bgr / light, face.rim_bgr / light, face.lit_bgr, face.dim_bgr] for face in faces])
    of_parts = lab_of(looks.reshape(-1, 3)).reshape(count, 4, 3)
    labs = {name: of_parts[:, k] for k, name in enumerate(("body", "rim", "lit", "dim"))}
    tinges = {name: tinges_of(lab) for name, lab in labs.items()}
    saturation = {name: np.hypot(*tinge.T) for name, tinge in tinges.items()}
    pips = np.array([0.0 if not face.shows_pips else 1.0 if face.dark else -1.0 for face in faces])
    out = np.zeros((count, kinds, len(MEASURED)))
    column = {name: out[..., k] for k, name in enumerate(MEASURED)}
    for name, lab in labs.items():
        column[name][:] = off = np.minimum(classes.distances(lab), _FAR)
        column[f"{name}_margin"][:] = np.clip(_best_other(off) - off, None, 3.0)
        strangers = classes.stranger_distances(lab)
        if strangers is not None and f"{name}_stranger" in column:
            column[f"{name}_stranger"][:] = np.clip(np.minimum(strangers, _FAR)[:, None] - off, -3.0, 2.0)
        column[f"{name}_lightness"][:] = lab[:, :1] / 100
        column[f"{name}_saturation"][:] = saturation[name][:, None]
    body, _, lit, dim = looks.sum(axis=2).T + 6.0
    column["shade"][:], column["lit_change"][:] = np.log(dim / lit)[:, None], np.log(body / lit)[:, None]
    column["has_hue"][:], column["class_lightness"][:] = classes.hues, classes.lightness / 100
    column["pips_show"][:] = np.abs(pips)[:, None]
    column["darkest"][:] = np.array([face.darkest for face in faces])[:, None]
    column["contrast"][:] = np.array([min(face.contrast / 100, 1.5) for face in faces])[:, None]
    column["light"][:], column["tint"][:] = np.log(max(float(light.mean()), 0.05)), light.std() / light.mean()
    fit = np.minimum(column["body"], column["rim"] + _RIM_LATER)
    likely = fit.argmin(axis=1)
    best = fit.min(axis=1)
    is_clear = (best < _LIKELY) & (np.take_along_axis(_best_other(fit), likely[:, None], 1)[:, 0] - best > _CLEAR)
    column["saturation_to_mates"][:] = 1.0
    column["off_others"][:] = 1.0
    for k in range(kinds):
        mates, others = is_clear & (likely == k), is_clear & (likely != k)
        agreed = classes.dark_pips[k] or np.sign(pips[mates].sum())
        column["pips_agree"][:, k] = agreed * pips
        if others.any():
            apart = np.linalg.norm(tinges["body"][:, None] - tinges["body"][others][None], axis=2)
            column["off_others"][:, k] = np.minimum(apart.min(axis=1), 1.0)
        if not mates.any():
            continue
        # A die alone in its class has no mates to be compared with.
        has = np.where(mates, mates.sum() > 1, 1.0)
        column["has_mates"][:, k] = has
        for name in ("body", "rim", "lit"):
            tinge = tinges[name]
            off = np.linalg.norm(tinge - np.median(tinge[mates], axis=0), axis=1)
            column[f"{name}_off_mates"][:, k] = has * np.minimum(off, 1.5)
        lighter = (labs["body"][:, 0] - np.median(labs["body"][mates, 0])) / 30
        column["lighter_than_mates"][:, k] = has * np.clip(lighter, -2.0, 2.0)
        ratio = np.minimum(saturation["body"] / max(float(np.median(saturation["body"][mates])), 0.05), 2.0)
        column["saturation_to_mates"][:, k] = np.where(has > 0, ratio, 1.0)
    return out[..., : len(names_of(classes))]


def _best_other(off: FloatArray) -> FloatArray:
    """Return each die's and class's least distance from any other class, `_FAR` if there is none: shape (N, K)."""
    if off.shape[1] < 2:
        return np.full_like(off, _FAR)
    first, second = np.sort(off, axis=1)[:, :2].T
    return np.asarray(np.where(off == first[:, None], second[:, None], first[:, None]), np.float64)
