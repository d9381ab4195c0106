"""The stance net's targets for wrong squares are what corrects them."""

import cv2
import numpy as np

from vision.classification.stance_net import LEANING, STANCE_PX, STANCE_SPAN, turned
from vision.training.dataset import CROP_PX, CROP_SPAN
from vision.training.stance_bank import LookParams, StanceBank, looks_at
from vision.types.frame import FloatArray

CORNERS = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])


def painted(places: FloatArray, side_px: int, span: float) -> np.ndarray:
    """Return a picture that is white between places given in edges from its centre."""
    picture = np.zeros((side_px, side_px, 3), np.uint8)
    points = places * (side_px / span) + (side_px - 1) / 2
    cv2.fillPoly(picture, [np.rint(points * 16).astype(np.int32)], (255, 255, 255), cv2.LINE_AA, 4)
    return picture


def test_a_look_says_how_its_square_is_off_and_where_the_bottom_lies() -> None:
    lean = np.array([0.5, 0.2])
    top, bottom = (painted(CORNERS * size + at, CROP_PX, CROP_SPAN) for size, at in ((1.0, 0.0), (0.2, lean)))
    bank = StanceBank(np.stack([top, bottom]), np.full(2, LEANING), np.tile(lean, (2, 1)), np.zeros((2, 2)))
    for seed in range(8):
        looks, again = (looks_at(bank, np.array([k]), np.random.default_rng(seed), LookParams()) for k in (0, 1))
        (x, y, grow, turn) = looks.squares[0]
        quad = turned(CORNERS, np.array(turn)) * np.exp(grow) + (x, y)
        put_right = painted(quad, STANCE_PX, STANCE_SPAN)
        assert np.abs(put_right.astype(float) - looks.crops[0]).mean() < 4.0
        ys, xs = np.nonzero(again.crops[0, :, :, 0] > 128)
        middle = (np.array([xs.mean(), ys.mean()]) - (STANCE_PX - 1) / 2) * (STANCE_SPAN / STANCE_PX)
        assert np.abs(middle - (x, y) - again.leans[0]).max() < 0.03
