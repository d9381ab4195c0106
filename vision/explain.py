"""Pictures of what the reader saw: an overlay of a reading, and one picture for each stage."""

from pathlib import Path

import cv2
import numpy as np

from vision.errors import BadImage
from vision.frame import ImageBgr
from vision.reading import TrayReading

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


def write_picture(path: Path, image: ImageBgr) -> None:
    """Save a picture.

    Raises:
        BadImage: It cannot be written there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        saved = cv2.imwrite(str(path), image)
    except (OSError, cv2.error) as error:
        raise BadImage(f"{path} cannot be written ({error}): choose another folder") from error
    if not saved:
        raise BadImage(f"{path} cannot be written: choose another folder")


def _write(image: ImageBgr, text: str, at: tuple[float, float], size: float) -> None:
    place = (round(at[0]), round(at[1]))
    cv2.putText(image, text, place, cv2.FONT_HERSHEY_SIMPLEX, size, (0, 0, 0), 3, cv2.LINE_AA)
    cv2.putText(image, text, place, cv2.FONT_HERSHEY_SIMPLEX, size, _TEXT, 1, cv2.LINE_AA)
