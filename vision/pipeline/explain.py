"""Pictures of the reader's work: an overlay of a reading, and one picture for each stage."""

from pathlib import Path

import cv2
import numpy as np

from vision.decision.decide import Believed
from vision.decision.features import InTray
from vision.detection.squares import quads_of
from vision.pipeline.reader import Trace
from vision.types.cures import cure_of, why
from vision.types.errors import BadImage
from vision.types.frame import FloatArray, ImageBgr
from vision.types.reading import TrayReading

_READ = (80, 220, 80)
_DOUBT = (40, 140, 255)
_TEXT = (255, 255, 255)


def draw_reading(image_bgr: ImageBgr, reading: TrayReading) -> ImageBgr:
    """Outline each die with its class and value; doubtful ones in another colour, with dashes and the reason.

    Args:
        image_bgr: Shape (H, W, 3), not changed.

    Returns:
        A new picture of the same shape.
    """
    drawn = image_bgr.copy()
    size = max(0.4, image_bgr.shape[1] / 1280 * 0.55)
    for die in reading.dice:
        colour = _READ if die.unread is None else _DOUBT
        quad = np.rint(np.array(die.top_quad_px)).astype(np.int32)
        cv2.polylines(drawn, [quad], True, colour, 2 if die.unread is None else 1, cv2.LINE_AA)
        x, y, width, _ = die.box_px
        label = f"{die.colour or '?'} {die.shown}" + (f" {die.unread.value}" if die.unread else "")
        _write(drawn, label, (x + width, y), size)
    head = "trusted" if reading.trusted else "not trusted"
    _write(drawn, " ".join([head, *(problem.value for problem in reading.problems)]), (8, 24), size * 1.3)
    return drawn


def stage_pictures(image_bgr: ImageBgr, trace: Trace) -> tuple[tuple[str, ImageBgr], ...]:
    """Return a picture for each stage: floor, places, standing, reading; without a tray places and reading.

    Args:
        image_bgr: Shape (H, W, 3), not changed.

    Returns:
        (stage, picture) in the order of the stages.
    """
    stage, believed = trace.stage, trace.believed
    corner = np.zeros(2) if stage is None else stage.left_top
    drawn = [("places", _places(image_bgr, believed, corner))]
    if stage is not None and believed.tray is not None:
        floor = image_bgr.copy()
        cv2.polylines(floor, [np.rint(stage.floor.outline_px).astype(np.int32)], True, _READ, 2, cv2.LINE_AA)
        _write(floor, f"{stage.floor.shape}, dice of {stage.edge_px:.0f} px", (8, 24), 0.7)
        drawn = [("floor", floor), *drawn, ("standing", _standing(image_bgr, believed, believed.tray, corner))]
    drawn.append(("reading", draw_reading(image_bgr, trace.reading)))
    return tuple((f"{number}-{name}", picture) for number, (name, picture) in enumerate(drawn, start=1))


def _places(image_bgr: ImageBgr, believed: Believed, corner: FloatArray) -> ImageBgr:
    """Draw every place that may be a die, with the probabilities that it is one and that its value is right."""
    drawn = image_bgr.copy()
    size = max(0.4, image_bgr.shape[1] / 1280 * 0.5)
    found = believed.found
    rows = zip(found.center_xy + corner, found.edge_px, believed.is_die, believed.is_right, strict=True)
    for (middle, edge_px, is_die, is_right), value in zip(rows, believed.values.tolist(), strict=True):
        cv2.circle(
            drawn, _whole(middle), round(float(edge_px) / 2.0), _READ if is_die >= 0.5 else _DOUBT, 2, cv2.LINE_AA
        )
        _write(drawn, f"{is_die:.2f} {value}: {is_right:.2f}", (float(middle[0]), float(middle[1])), size)
    return drawn


def _standing(image_bgr: ImageBgr, believed: Believed, tray: InTray, corner: FloatArray) -> ImageBgr:
    """Draw each likely die's stance: the outline of its top, and the vector to its bottom."""
    drawn = image_bgr.copy()
    squares = believed.found.squares
    rows = zip(quads_of(squares) + corner, squares.edge_px, tray.lean_edges, tray.stances, believed.is_die, strict=True)
    for quad, edge_px, lean, (flat, leaning, stacked), is_die in rows:
        if is_die < 0.5:
            continue
        colour, middle = _READ if flat >= 0.5 else _DOUBT, quad.mean(axis=0)
        cv2.polylines(drawn, [np.rint(quad).astype(np.int32)], True, colour, 2, cv2.LINE_AA)
        cv2.line(drawn, _whole(middle), _whole(middle + lean * edge_px), colour, 2, cv2.LINE_AA)
        _write(drawn, f"lean {leaning:.2f} on {stacked:.2f}", (float(quad[0, 0]), float(quad[0, 1])), 0.45)
    return drawn


def _whole(xy: FloatArray) -> tuple[int, int]:
    return round(float(xy[0])), round(float(xy[1]))


def write_picture(path: Path, image: ImageBgr) -> None:
    """Save a picture.

    Raises:
        BadImage: It cannot be written.
    """
    # Encoded first and written by Python, which gives the reason of a refusal; OpenCV does not.
    done, packed = cv2.imencode(path.suffix, image)
    if not done:
        raise BadImage(f"{path} cannot be packed: choose another kind of picture")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(packed.tobytes())
    except OSError as error:
        cure = cure_of(error.errno, "choose another folder")
        raise BadImage(f"{path} cannot be written ({why(error)}): {cure}") from error


def _write(image: ImageBgr, text: str, at: tuple[float, float], size: float) -> None:
    place = (round(at[0]), round(at[1]))
    # A dark rim drawn with the same thin letters: thick ones are also wider in OpenCV 5.
    x, y = place
    for right, down in ((-1, -1), (1, -1), (-1, 1), (1, 1), (0, 0)):
        colour = _TEXT if (right, down) == (0, 0) else (0, 0, 0)
        cv2.putText(image, text, (x + right, y + down), cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1, cv2.LINE_AA)
