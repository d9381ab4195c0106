"""Fits when a move of the camera that was found counts, on trays drawn by tests/benchmarks/knocked_camera.py.

python -m vision.training.fit_camera_moved vision/weights/camera_moved.json FOLDER...

The operating point is chosen on trays that the model was not fitted on (five folds): most moves told, a false alarm
costing `ALARM_COST` of them.
"""

import argparse
import json
from pathlib import Path

import cv2
import numpy as np

from vision.decision.camera_moved import MIN_DEG, MOVE_FEATURES, features_of
from vision.imaging.image_file import load_image
from vision.training.fit_decision import FOLDS, fitted
from vision.tray.landmarks import Landmarks

ALARM_COST = 50
CERTAIN = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998)
"""Operating points that are tried."""

LOCATED = tuple(np.round(np.arange(0.3, 1.0, 0.02), 2).tolist())
"""Likenesses that are tried."""
NEAR_SHARE, OFTEN = 0.016, 0.97
"""A move is well known if the floor lies within this share of the picture's width, a third of a die, so often."""


def main() -> None:
    """Read the command line and fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    rows, degrees, labels, trays, off_share = [], [], [], [], []
    for folder in args.folders:
        for path in sorted(folder.glob("*/labels.json")):
            label = json.loads(path.read_text(encoding="utf-8"))
            empty = load_image(path.parent / "empty.jpg")
            landmarks = Landmarks(empty, np.array(label["outline_px"]))
            for picture in label["pictures"]:
                found = landmarks.find(load_image(path.parent / picture["image"]))
                rows.append(features_of(found))
                degrees.append(found.move.degrees)
                labels.append(int(picture["degrees"] >= MIN_DEG))
                trays.append(path.parent.name)
                outline, now = np.array(label["outline_px"]), np.array(picture["outline_px"])
                size = (empty.shape[1], empty.shape[0])
                off_share.append(float(np.abs(found.move.moved(outline, size) - now).max()) / size[0])
    columns, moved, found_deg = np.array(rows), np.array(labels), np.array(degrees)
    fold = np.unique(trays, return_inverse=True)[1] % FOLDS
    even = np.ones(len(moved))
    shares = np.zeros(len(moved))
    for part in range(FOLDS):
        rest = fold != part
        shares[~rest] = fitted(columns[rest], moved[rest], even[rest], MOVE_FEATURES).share(columns[~rest])
    best, certain = -np.inf, CERTAIN[0]
    for point in CERTAIN:
        told = (shares >= point) & (found_deg >= MIN_DEG)
        hits, alarms = int((told & (moved == 1)).sum()), int((told & (moved == 0)).sum())
        print(f"certain from {point}: {hits} of {moved.sum()} moves, {alarms} false alarms in {(moved == 0).sum()}")
        # Of equals the stricter.
        if hits - ALARM_COST * alarms >= best:
            best, certain = hits - ALARM_COST * alarms, point
    told = (shares >= certain) & (found_deg >= MIN_DEG)
    alike, off = columns[told, 0], np.array(off_share)[told]
    located = next(point for point in LOCATED if np.mean(off[alike >= point] <= NEAR_SHARE) >= OFTEN)
    print(f"located from {located}: {(alike >= located).sum()} of {told.sum()}")
    body = {"moved": fitted(columns, moved, even, MOVE_FEATURES).to_json(), "certain": certain, "located": located}
    args.out.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
