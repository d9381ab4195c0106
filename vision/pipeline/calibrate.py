"""A profile from photographs of one fixed tray: empty, and with some dice of one colour class in it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import cv2
import numpy as np

from vision.classification.die_net import NO_PIPS
from vision.colour.classes import lab_of, measured_distances, tinges_of
from vision.colour.top_faces import TopFace
from vision.geometry.camera import Held, SizedView
from vision.geometry.pose import Leans, pose_of
from vision.imaging.pyramid import ImagePyramid
from vision.pipeline.reader import Reader, Trace
from vision.tray.floor import Floor, shaped
from vision.tray.own_things import Thing, thing_at
from vision.tray.profile import SHAPES, PaletteColour, Profile
from vision.tray.scene_floor import find_common_floor
from vision.types.errors import BadProfile
from vision.types.frame import FloatArray, ImageBgr
from vision.types.reading import Unread

_GRID = (64, 48)
"""Columns and rows of the coarse picture of the empty tray in a profile."""
_RISE = 1.04
"""Size of a die's top face over that of the same square on the floor, under a camera about 25 edges above. Used only
without a picture with dice.
"""
_MIN_DICE = 1
"""Least number of dice of each class that must be read."""
_INFORMATIVE_DICE = 8
"""Least number of dice, of all classes together, from which the camera's pose is measured."""
_MAX_ODD = 0.34
"""Greatest share of the dice of a class that may have a different colour, as from glare."""
_ALIKE = 2.5
"""Greatest distance of a die's colour from that of its class, as `measured_distances` returns it."""
_APART = 0.33
"""Least distance between the colours of two classes."""
_PALE = 60.0
"""L* from which a lamp may have washed out a body."""
_BURNT = 97.0
"""L* from which a body counts as burnt white."""
_RIM_DARKER = 4.0
"""Least difference in L* from its body of a darker rim that shows the colour that a lamp washed out."""
_RIM_TINGE = 0.15
"""Least difference in saturation from its body of such a rim."""
_DOUBT = 0.02
"""Probability of being a die from which a place in the empty tray is stored as one of its own objects."""
_FORGOTTEN = 0.5
"""Probability from which it is a forgotten die, if it shows a value."""


def calibrate(
    empty_bgr: ImageBgr,
    dice_bgr: Mapping[str, ImageBgr],
    die_mm: float = 16.0,
    floor_mm: tuple[float, float] = (260.0, 200.0),
    floor_shape: str | None = None,
    *,
    floor: Floor | None = None,
) -> Profile:
    """Make a profile.

    Args:
        dice_bgr: For each class label a picture of the same tray with dice of that class only.
        floor_mm: Width and depth of the floor; the same number twice for round, hexagonal, octagonal ones.
        floor_shape: One of `SHAPES`, or None to detect it.
        floor: The floor as a person marked it; None to search for it in all pictures.

    Returns:
        The profile.

    Raises:
        BadProfile: No floor in the empty picture, dice in it, no dice in another or some of several colours, two
            classes that look alike, or pictures of different size.
    """
    if floor_shape is not None and floor_shape not in SHAPES:
        raise BadProfile(f"floor shape {floor_shape!r} is not known: use one of {', '.join(SHAPES)}")
    height, width = empty_bgr.shape[:2]
    for label, image in dice_bgr.items():
        if image.shape != empty_bgr.shape:
            shown = f"{image.shape[1]}x{image.shape[0]}"
            raise BadProfile(f"the {label} picture is {shown}, the empty one {width}x{height}: take both alike")
    if floor is None and (common := find_common_floor([empty_bgr, *dice_bgr.values()])):
        floor = common.floor
    if floor is None:
        raise BadProfile("no tray is seen in the empty picture: show all of it, its middle in the picture's middle")
    if floor_shape is not None and floor.shape != floor_shape:
        floor = shaped(floor, floor_shape)
    reader = Reader(tray=True)
    _check_empty(empty_bgr, reader)
    tops: list[TopFace] = []
    palette, traces = [], []
    for label, image in dice_bgr.items():
        trace = reader.trace(image)
        colour, found = _measure(label, floor, trace)
        traces.append(trace)
        palette.append(colour)
        tops.extend(found)
    _check_apart(palette)
    edges = [top.edge_px for top in tops]
    edge = float(np.median(edges)) if edges else _edge_from_floor(floor, floor_mm, die_mm) * _RISE
    grid = ImagePyramid(empty_bgr).shrunk(*_GRID)
    profile = Profile(width, height, floor, floor_mm, die_mm, edge, tuple(palette), grid.astype(np.float64))
    profile = replace(profile, held=_held(traces, edge))
    return replace(profile, things=_things(empty_bgr, profile))


def _check_empty(empty_bgr: ImageBgr, reader: Reader) -> None:
    dice = [die for die in reader.read(empty_bgr).dice if die.unread is None]
    if dice:
        x, y = dice[0].center_px
        raise BadProfile(f"the empty picture shows {len(dice)} dice, one at ({x:.0f}, {y:.0f}): take them out")


def _things(empty_bgr: ImageBgr, profile: Profile) -> tuple[Thing, ...]:
    """Return what in the empty tray looks somewhat like a die, as the profile's readers will see it.

    A certain die with a value is not included: it was forgotten there, and stays visible to readers.
    """
    trace = Reader(profile).trace(empty_bgr)
    if trace.stage is None:
        return ()
    believed = trace.believed
    shares = believed.sights.shares
    is_forgotten = (believed.is_die >= _FORGOTTEN) & (shares[:, :6].max(axis=1) > shares[:, NO_PIPS])
    rows = np.flatnonzero((believed.is_die >= _DOUBT) & ~is_forgotten)
    left, top = trace.stage.left_top
    places = zip(believed.found.center_xy[rows].tolist(), believed.found.edge_px[rows].tolist(), strict=True)
    return tuple(thing_at(empty_bgr, (x + left, y + top), edge) for (x, y), edge in places)


def _held(traces: Sequence[Trace], edge_px: float) -> Held | None:
    """Return how the camera is held, from the dice of all pictures; None if there are too few."""
    leans = Leans.of_all([trace.looked.leans for trace in traces])
    views = [trace.stage.view for trace in traces if trace.stage is not None]
    if len(leans.seen) < _INFORMATIVE_DICE:
        return None
    return pose_of(leans, SizedView(views[0], edge_px)).held


def _measure(label: str, floor: Floor, trace: Trace) -> tuple[PaletteColour, list[TopFace]]:
    corner = np.zeros(2) if trace.stage is None else trace.stage.left_top
    tops = [
        top
        for top, die in zip(trace.tops, trace.reading.dice, strict=True)
        if die.unread in {None, Unread.COLOUR_UNCLEAR}
        and floor.distance_px(*(top.center_xy + corner).tolist()) > -top.edge_px
    ]
    if len(tops) < _MIN_DICE:
        raise BadProfile(f"no dice are read in the {label} picture: lay a few flat and apart, well lit, pips up")
    bodies = plastics(tops)
    middle: FloatArray = np.median(bodies, axis=0)
    lab = (float(middle[0]), float(middle[1]), float(middle[2]))
    odd = [top for top, body in zip(tops, bodies, strict=True) if not _is_like(body, lab)]
    if len(odd) > _MAX_ODD * len(tops):
        x, y = odd[0].center_xy + corner
        raise BadProfile(
            f"the {label} picture shows dice of several colours, one at ({x:.0f}, {y:.0f}): lay only {label} dice in it"
        )
    spread = float(np.linalg.norm(bodies - middle, axis=1).max())
    dark = sum(top.dark for top in tops) * 2 > len(tops)
    return PaletteColour(label, lab, spread, dark), tops


def plastics(tops: list[TopFace]) -> FloatArray:
    """Return each die's plastic in CIE L*a*b*, shape (N, 3): its body, or its rim if a lamp washed out the body."""
    bodies, rims = lab_of(np.array([top.body_bgr for top in tops])), lab_of(np.array([top.rim_bgr for top in tops]))
    more = np.hypot(*tinges_of(rims).T) > np.hypot(*tinges_of(bodies).T) + _RIM_TINGE
    # The rim of a body that is burnt white may be nearly as bright.
    darker = rims[:, 0] <= bodies[:, 0] - np.where(bodies[:, 0] >= _BURNT, 0.0, _RIM_DARKER)
    washed = (bodies[:, 0] >= _PALE) & darker & more
    return np.where(washed[:, None], rims, bodies)


def _is_like(body_lab: FloatArray, lab: tuple[float, float, float]) -> bool:
    return bool(measured_distances(body_lab[None], np.array([lab]))[0, 0] <= _ALIKE)


def _check_apart(palette: list[PaletteColour]) -> None:
    """Check that dice of each class can be distinguished from those of every other.

    Raises:
        BadProfile: They cannot.
    """
    for one, other in combinations(palette, 2):
        if measured_distances(np.array([one.body_lab]), np.array([other.body_lab]))[0, 0] < _APART:
            raise BadProfile(
                f"{one.label} and {other.label} dice look alike: light the tray brighter and whiter, and see that each "
                "picture shows the dice of its own class"
            )


def _edge_from_floor(floor: Floor, floor_mm: tuple[float, float], die_mm: float) -> float:
    """Return a die's edge as measured in the floor's own plane."""
    area_mm = (
        floor_mm[0] * floor_mm[1] * {"round": np.pi / 4.0, "hexagon": 0.866, "octagon": 0.828}.get(floor.shape, 1.0)
    )
    area_px = float(cv2.contourArea(floor.outline_px.astype(np.float32)))
    return die_mm * float(np.sqrt(area_px / area_mm))
