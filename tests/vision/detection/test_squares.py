"""Crops of top faces: upright, whole, as the nets take them."""

import cv2
import numpy as np

from vision.detection.squares import Squares, cut_out, upright_crops
from vision.imaging.pyramid import ImagePyramid

SIDE, SPAN = 40, 1.5


def square(x: float, y: float, edge_px: float, turn_rad: float) -> Squares:
    return Squares(np.array([[x, y]]), np.array([edge_px]), np.array([turn_rad]))


def test_a_crop_is_upright_and_centred() -> None:
    picture = np.zeros((200, 200, 3), np.uint8)
    box = cv2.boxPoints(((100.0, 80.0), (40.0, 40.0), 30.0))
    cv2.fillConvexPoly(picture, box.astype(np.int32), (255, 255, 255))
    crop = upright_crops(picture, square(100.0, 80.0, 40.0, np.radians(30.0)), SIDE, SPAN)[0, 0, :, :, 0]
    half = SIDE // 3 - 2
    middle = SIDE // 2
    assert crop[middle - half : middle + half, middle - half : middle + half].min() > 200
    assert crop[:5].max() < 50
    assert crop[:, :5].max() < 50


def test_a_crop_beyond_the_rim_is_whole() -> None:
    picture = np.full((50, 50, 3), 7, np.uint8)
    assert (upright_crops(picture, square(0.0, 49.0, 60.0, 0.3), SIDE, SPAN) == 7).all()


def test_faces_of_all_sizes_are_cut_in_their_order() -> None:
    rng = np.random.default_rng(3)
    small = rng.integers(0, 255, (20, 30, 3), dtype=np.uint8)
    picture = np.asarray(cv2.resize(small, (600, 400), interpolation=cv2.INTER_CUBIC), np.uint8)
    edges = np.array([30.0, 110.0, 39.0, 75.0, 25.0])
    squares = Squares(rng.uniform(150, 250, (5, 2)), edges, rng.uniform(-1, 1, 5))
    near, wide = cut_out(ImagePyramid(picture), squares, SIDE, SPAN, 2.2)
    for i, edge in enumerate(edges):
        for crops, span in ((near, SPAN), (wide, 2.2)):
            step = edge * span / SIDE
            c, s = np.cos(squares.turn_rad[i]) * step, np.sin(squares.turn_rad[i]) * step
            way = np.array([[c, -s, 0.0], [s, c, 0.0]])
            way[:, 2] = squares.center_xy[i] - way[:, :2] @ np.full(2, (SIDE - 1) / 2)
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            plain = cv2.warpAffine(picture, way, (SIDE, SIDE), flags=flags, borderMode=cv2.BORDER_REPLICATE)
            assert np.abs(plain.astype(int) - crops[i]).mean() < 2.0
