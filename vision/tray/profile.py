"""One fixed tray's calibration, measured once by its user and used by every later reading."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.geometry.camera import MAX_ASLANT, Held
from vision.tray.floor import Floor
from vision.tray.own_things import PATCH_CELLS, Thing
from vision.types.cures import cure_of, why
from vision.types.errors import BadProfile
from vision.types.frame import MAX_SIDE_PX, FloatArray

VERSION = 1
_MAX_BYTES = 2_000_000
SHAPES = ("rectangle", "round", "hexagon", "octagon")
# Share of the picture by which a fitted floor may exceed its rim. Generous, so that no real one is refused.
_MAX_BEYOND = 0.5
# Share of the picture. Corners tapped by a person must enclose a tenth.
_MIN_FLOOR = 0.01
# Share of its hull: every shape of `SHAPES` equals its hull, while corners out of order make a crossed shape.
_MIN_OF_HULL = 0.8


@dataclass(frozen=True, slots=True)
class PaletteColour:
    """One colour class as this camera sees its dice."""

    label: str
    body_lab: tuple[float, float, float]  # median CIE L*a*b* of the bodies in the calibration picture
    spread: float  # greatest distance of the bodies in that picture from `body_lab`, as CIE L*a*b* distance
    dark_pips: bool  # whether the pips are darker than the body


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """One tray under one camera."""

    # Width of the calibration pictures. Pictures of the same shape and another size are scaled; those of another shape
    # are refused.
    width_px: int
    height_px: int
    floor: Floor  # in those pictures
    floor_mm: tuple[float, float]  # width and depth; across flats for other shapes, both equal
    die_mm: float
    edge_px: float  # edge of a die's top face in the middle of the floor
    palette: tuple[PaletteColour, ...]
    floor_bgr: FloatArray  # shape (rows, columns, 3), uint8: the empty tray's picture, shrunk to a coarse grid
    things: tuple[Thing, ...] = ()
    held: Held | None = None  # how the camera is held, measured from dice; None if there were too few


def save_profile(path: Path, profile: Profile) -> None:
    """Write a profile as JSON.

    Raises:
        BadProfile: It cannot be written.
    """
    body = {
        "format": f"pushtray-profile/{VERSION}",
        "width": profile.width_px,
        "height": profile.height_px,
        "floor_shape": profile.floor.shape,
        "floor_outline_px": np.round(profile.floor.outline_px, 2).tolist(),
        "floor_mm": list(profile.floor_mm),
        "die_mm": profile.die_mm,
        "edge_px": round(profile.edge_px, 3),
        "palette": [
            {
                "label": colour.label,
                "body_lab": [round(part, 2) for part in colour.body_lab],
                "spread": round(colour.spread, 2),
                "dark_pips": colour.dark_pips,
            }
            for colour in profile.palette
        ],
        "floor_bgr": np.rint(profile.floor_bgr).astype(int).tolist(),
        "things": [
            {
                "center_px": [round(part, 2) for part in thing.center_px],
                "edge_px": round(thing.edge_px, 2),
                "patch_bgr": np.rint(thing.patch_bgr).astype(int).tolist(),
            }
            for thing in profile.things
        ],
        "camera": None
        if profile.held is None
        else {"up": [round(part, 4) for part in profile.held.up], "field": round(profile.held.field, 3)},
    }
    try:
        path.write_text(json.dumps(body) + "\n", encoding="utf-8")
    except OSError as error:
        cure = cure_of(error.errno, "choose another place")
        raise BadProfile(f"profile {path} cannot be written ({why(error)}): {cure}") from error


def load_profile(path: Path) -> Profile:
    """Read and check a profile.

    Raises:
        BadProfile: Missing, not of this version, or with impossible values; one line with the cure.
    """
    try:
        if path.is_dir():
            raise BadProfile(f"profile {path} is a folder: name a file in it")
        if not path.is_file():
            raise BadProfile(f"profile {path} does not exist: run pushtray calibrate")
        if path.stat().st_size > _MAX_BYTES:
            raise BadProfile(f"profile {path} is over {_MAX_BYTES} bytes: run pushtray calibrate again")
        raw = path.read_bytes()
    except OSError as error:
        cure = cure_of(error.errno, "name another profile")
        raise BadProfile(f"profile {path} cannot be opened ({why(error)}): {cure}") from error
    try:
        body = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadProfile(f"profile {path} is no JSON text: run pushtray calibrate again") from error
    needed = f"pushtray-profile/{VERSION}"
    found = body.get("format") if isinstance(body, dict) else None
    if found != needed:
        raise BadProfile(f"profile {path} has format {found!r}, needs {needed!r}: run pushtray calibrate again")
    try:
        return _from_json(body)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        what = f"lacks {error}" if isinstance(error, KeyError) else str(error).splitlines()[0]
        raise BadProfile(f"profile {path} is malformed ({what}): run pushtray calibrate again") from error


def _from_json(body: dict[str, object]) -> Profile:
    outline = _array(body["floor_outline_px"], "floor_outline_px", 2, 2)
    shape = str(body["floor_shape"])
    if shape not in SHAPES:
        raise ValueError(f"floor_shape is {shape!r}, needs one of {', '.join(SHAPES)}")
    corners = {"rectangle": 4, "hexagon": 6, "octagon": 8}.get(shape, 8)
    if len(outline) < corners or (shape != "round" and len(outline) != corners):
        raise ValueError(f"floor has {len(outline)} corners, a {shape} needs {corners}")
    width, height = (int(_number(body[key], key, 16, MAX_SIDE_PX)) for key in ("width", "height"))
    _check_outline(outline, width, height)
    floor_mm = _array(body["floor_mm"], "floor_mm", 1, 2)
    palette = body["palette"]
    # Profiles of earlier versions have neither objects nor the camera's pose.
    things, camera = body.get("things", []), body.get("camera")
    if not isinstance(palette, list) or not isinstance(things, list):
        raise TypeError("palette or things is no list")
    return Profile(
        width_px=width,
        height_px=height,
        floor=Floor(shape, outline),
        floor_mm=(_number(floor_mm[0], "floor_mm", 20, 3000), _number(floor_mm[1], "floor_mm", 20, 3000)),
        die_mm=_number(body["die_mm"], "die_mm", 4, 60),
        edge_px=_number(body["edge_px"], "edge_px", 8, 1000),
        palette=tuple(_colour(entry) for entry in palette),
        floor_bgr=_colours(body["floor_bgr"], "floor_bgr"),
        things=tuple(_thing(entry) for entry in things),
        held=None if camera is None else _held(camera),
    )


def _check_outline(outline_px: FloatArray, width_px: int, height_px: int) -> None:
    size = np.array([width_px, height_px])
    far = (np.maximum(-outline_px, outline_px - size) > _MAX_BEYOND * size).any(axis=1)
    if far.any():
        x, y = outline_px[far][0].tolist()
        raise ValueError(f"floor_outline_px has a corner at ({x:g}, {y:g}), far outside {width_px}x{height_px}")
    hull = cv2.convexHull(outline_px.astype(np.float32))
    picture = np.array([[0, 0], [width_px, 0], [width_px, height_px], [0, height_px]], dtype=np.float32)
    seen = cv2.intersectConvexConvex(hull, picture)[0] / (width_px * height_px)
    if seen < _MIN_FLOOR:
        raise ValueError(f"floor_outline_px holds {seen:.1%} of the picture, needs {_MIN_FLOOR:.0%}")
    filled = cv2.contourArea(outline_px.astype(np.float32)) / cv2.contourArea(hull)
    if filled < _MIN_OF_HULL:
        raise ValueError(f"floor_outline_px fills {filled:.0%} of its hull, its corners are not in order round it")


def _colour(entry: dict[str, object]) -> PaletteColour:
    lightness, green_red, blue_yellow = _array(entry["body_lab"], "body_lab", 1, 3).tolist()
    label, dark_pips = entry["label"], entry["dark_pips"]
    if not isinstance(label, str) or not label:
        raise ValueError(f"label is {label!r:.40}, needs a name")
    if not isinstance(dark_pips, bool):
        raise ValueError(f"dark_pips is {dark_pips!r:.40}, needs true or false")  # noqa: TRY004  the file is wrong
    return PaletteColour(
        label=label,
        body_lab=(
            _number(lightness, "lightness of body_lab", -1, 101),
            _number(green_red, "a* of body_lab", -130, 130),
            _number(blue_yellow, "b* of body_lab", -130, 130),
        ),
        spread=_number(entry["spread"], "spread", 0, 200),
        dark_pips=dark_pips,
    )


def _thing(entry: dict[str, object]) -> Thing:
    center = _array(entry["center_px"], "center_px", 1, 2)
    patch = _colours(entry["patch_bgr"], "patch_bgr")
    if patch.shape[:2] != (PATCH_CELLS, PATCH_CELLS):
        raise ValueError(f"patch_bgr is {patch.shape[0]}x{patch.shape[1]}, needs {PATCH_CELLS}x{PATCH_CELLS}")
    return Thing((float(center[0]), float(center[1])), _number(entry["edge_px"], "edge_px", 1, 2000), patch)


def _held(entry: object) -> Held:
    if not isinstance(entry, dict):
        raise TypeError("camera is no object")
    right, down = _array(entry["up"], "up", 1, 2).tolist()
    _number(math.hypot(right, down), "length of up", 0, MAX_ASLANT)
    return Held((right, down), _number(entry["field"], "field", 0.1, 10))


def _array(value: object, name: str, dimensions: int, last: int) -> FloatArray:
    array = np.array(value, dtype=np.float64)
    if array.ndim != dimensions or array.shape[-1] != last or array.size == 0 or not np.isfinite(array).all():
        raise ValueError(f"{name} has the wrong shape or numbers")
    return array


def _colours(value: object, name: str) -> FloatArray:
    array = _array(value, name, 3, 3)
    for extreme in (float(array.min()), float(array.max())):
        _number(extreme, f"a level of {name}", 0, 255)
    return array


def _number(value: object, name: str, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} is no number")  # noqa: TRY004  the file is wrong, not the caller
    number = float(value)
    if not low <= number <= high:
        raise ValueError(f"{name} is {number:g}, needs {low:g} to {high:g}")
    return number
