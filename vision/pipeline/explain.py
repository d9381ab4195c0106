"""Pictures of what the reader saw: an overlay of a reading, and one picture for each stage."""

from pathlib import Path

import cv2
import numpy as np

from vision.pipeline.photo_reader import PhotoDice
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
        reading: Of that picture.

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
        said = f"{die.colour or '?'} {die.value or '?'}" + (f" {die.unread.value}" if die.unread else "")
        _write(drawn, said, (x + width, y), size)
    head = "trusted" if reading.trusted else "not trusted"
    _write(drawn, " ".join([head, *(problem.value for problem in reading.problems)]), (8, 24), size * 1.3)
    return drawn


def stage_pictures(image_bgr: ImageBgr, trace: Trace) -> tuple[tuple[str, ImageBgr], ...]:
    """A picture for each stage: floor, finder, pips, lattices, reading.

    Args:
        image_bgr: Shape (H, W, 3), not changed.
        trace: Of that picture.

    Returns:
        (stage, picture) in the order of the stages; only the reading where no tray was found.
    """
    pictures: list[tuple[str, ImageBgr]] = []
    if trace.photo is not None:
        return (("1-places", _places(image_bgr, trace.photo)), ("2-reading", draw_reading(image_bgr, trace.reading)))
    if trace.stage is not None and trace.detections is not None:
        corner, detections = trace.stage.left_top, trace.detections
        floor = image_bgr.copy()
        cv2.polylines(floor, [np.rint(trace.stage.floor.outline_px).astype(np.int32)], True, _READ, 2, cv2.LINE_AA)
        _write(floor, f"{trace.stage.floor.shape}, dice of {detections.view.edge_px:.0f} px", (8, 24), 0.7)
        finder = image_bgr.copy()
        for candidate in detections.candidates:
            middle = np.array(candidate.center_px) + corner
            tip = middle + np.array(candidate.lean_px)
            cv2.circle(finder, _whole(middle), round(candidate.edge_px / 2.0), _READ, 2, cv2.LINE_AA)
            cv2.line(finder, _whole(middle), _whole(tip), _DOUBT, 2, cv2.LINE_AA)
            _write(finder, f"{candidate.score:.2f}", (float(middle[0]), float(middle[1])), 0.5)
        for spot in detections.burnt:
            middle = np.array(spot.center_px) + corner
            cv2.circle(finder, _whole(middle), round(spot.edge_px / 2.0), _DOUBT, 2, cv2.LINE_AA)
            _write(finder, "burnt", (float(middle[0]), float(middle[1])), 0.5)
        dots = image_bgr.copy()
        for blobs, colour in zip(detections.pips, (_READ, _DOUBT), strict=True):
            for xy in blobs.xy:
                cv2.circle(dots, _whole(xy + corner), 4, colour, 1, cv2.LINE_AA)
        lattices = image_bgr.copy()
        for face in detections.faces:
            quad = np.rint(face.quad_px + corner).astype(np.int32)
            cv2.polylines(lattices, [quad], True, _READ, 2, cv2.LINE_AA)
            at = face.center_xy + corner
            _write(lattices, f"{face.value} ({face.rank:.1f})", (float(at[0]), float(at[1])), 0.5)
        standing = image_bgr.copy()
        for stand in trace.standing.stands:
            hull = cv2.convexHull(np.rint(stand.outline_px + corner).astype(np.int32))
            cv2.polylines(standing, [hull], True, _READ if stand.standing is None else _DOUBT, 2, cv2.LINE_AA)
            _, leaning, stacked = (float(share) for share in stand.shares)
            at = stand.outline_px[:4].mean(axis=0) + corner
            _write(standing, f"lean {leaning:.2f} on {stacked:.2f}", (float(at[0]), float(at[1])), 0.45)
        pictures = [
            ("1-floor", floor),
            ("2-finder", finder),
            ("3-pips", dots),
            ("4-lattices", lattices),
            ("5-standing", standing),
        ]
    return (*pictures, ("6-reading", draw_reading(image_bgr, trace.reading)))


def _places(image_bgr: ImageBgr, photo: PhotoDice) -> ImageBgr:
    """Every place that may be a die, with how likely it is one and its value right."""
    drawn = image_bgr.copy()
    size = max(0.4, image_bgr.shape[1] / 1280 * 0.5)
    found = photo.believed.found
    rows = zip(found.center_xy, found.edge_px, photo.believed.is_die, photo.believed.is_right, strict=True)
    for (middle, edge_px, is_die, is_right), value in zip(rows, photo.believed.values.tolist(), strict=True):
        cv2.circle(
            drawn, _whole(middle), round(float(edge_px) / 2.0), _READ if is_die >= 0.5 else _DOUBT, 2, cv2.LINE_AA
        )
        _write(drawn, f"{is_die:.2f} {value}: {is_right:.2f}", (float(middle[0]), float(middle[1])), size)
    return drawn


def _whole(xy: FloatArray) -> tuple[int, int]:
    return round(float(xy[0])), round(float(xy[1]))


def write_picture(path: Path, image: ImageBgr) -> None:
    """Save a picture.

    Raises:
        BadImage: It cannot be written there.
    """
    # Packed first and written by Python, which says why a place is refused where OpenCV only says that it is.
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
    # A dark rim from the same thin letters: thick ones are also wider in OpenCV 5.
    x, y = place
    for right, down in ((-1, -1), (1, -1), (-1, 1), (1, 1), (0, 0)):
        colour = _TEXT if (right, down) == (0, 0) else (0, 0, 0)
        cv2.putText(image, text, (x + right, y + down), cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1, cv2.LINE_AA)
