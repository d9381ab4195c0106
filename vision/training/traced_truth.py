"""The truth of each pixel of the given path-traced trays, from their labels: every second one, the others judge."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.rendering.scene import CameraPose, DieLook, DiePose, TrayLook
from vision.training.scenes import DIE, UNKNOWN, WITHIN, outline_px, put, stored, tray_truth
from vision.types.frame import FloatArray, ImageBgr, ImageGray

_RIM_MM = 11.0
"""Width of the given trays' walls, measured in their pictures."""
_ROUNDED = DieLook((0, 0, 0), (0, 0, 0), rounding=0.1)


def traced_trays_of(fixtures: Path) -> list[tuple[ImageBgr, ImageGray]]:
    """Return every second of the given trays with the kinds of its pixels, as they are stored."""
    made = []
    for folder in (fixtures / "stills", fixtures / "stills-hard"):
        entries = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
        for entry in entries[1::2]:
            picture = cv2.imread(str(folder / entry["image"]), cv2.IMREAD_COLOR)
            made.append(stored(np.asarray(picture, np.uint8), kinds_of(entry)))
    return made


def kinds_of(entry: dict[str, Any]) -> ImageGray:
    """Return the kind of each pixel of a labelled tray; where things lie about, of the dice alone."""
    seen = entry["camera"]
    camera = CameraPose(
        seen["width"],
        seen["height"],
        np.array(seen["K"]),
        np.array(seen["R_world_to_cv"]),
        10 * np.array(seen["t_cm"]),
        tuple(seen["dist_opencv"]),
    )
    width, depth, wall = (10 * side for side in entry["tray_cm"])
    kinds = tray_truth(camera, TrayLook(floor_mm=(width, depth), wall_mm=wall, wall_thickness_mm=_RIM_MM))
    if entry.get("clutter"):
        kinds = np.asarray((kinds & WITHIN) + UNKNOWN, np.uint8)
    for die in entry["dice"]:
        look = DieLook((0, 0, 0), (0, 0, 0), size_mm=die["size_mm"], rounding=_ROUNDED.rounding)
        pose = DiePose(look, 10 * np.array(die["pos_cm"]), _turned(die["quat_wxyz"]))
        mask = np.zeros(kinds.shape, np.uint8)
        cv2.fillPoly(mask, [np.rint(outline_px(pose, camera)).astype(np.int32)], (255,))
        put(kinds, mask > 0, DIE)
    return kinds


def _turned(quat_wxyz: list[float]) -> FloatArray:
    """Return a quaternion's rotation."""
    w, *axis = quat_wxyz
    angle = 2 * np.arctan2(np.linalg.norm(axis), w)
    along = np.asarray(axis) / max(float(np.linalg.norm(axis)), 1e-9) * angle
    return np.asarray(cv2.Rodrigues(along)[0], np.float64)
