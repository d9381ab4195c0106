"""Patches: every point near a place lies in one patch alone, and is placed where it was."""

import numpy as np
import pytest

from vision.detection.patches import cut_patches


def numbered(width: int, height: int) -> np.ndarray:
    """A picture whose pixels tell where they are."""
    ys, xs = np.mgrid[:height, :width]
    return np.stack([xs, ys, np.zeros_like(xs)], axis=2).astype(np.uint8)


@pytest.mark.parametrize(
    "places",
    [
        [(60.0, 50.0)],
        [(3.0, 2.0), (197.2, 147.8)],
        [(60.0, 50.0), (66.0, 53.0), (120.0, 90.0)],
        [(float(x), float(y)) for x in range(0, 200, 20) for y in range(0, 150, 20)],
    ],
)
def test_each_pixel_near_a_place_counts_once_and_keeps_its_place(places: list[tuple[float, float]]) -> None:
    image = numbered(200, 150)
    patches = cut_patches(image, np.array(places), 12.0, 5.0)
    height, width = patches.image_bgr.shape[:2]
    ys, xs = (grid.ravel() for grid in np.mgrid[:height, :width])
    own = patches.own(xs, ys)
    placed = patches.placed(np.stack([xs, ys], axis=1)[own].astype(np.float64))
    np.testing.assert_allclose(placed, patches.image_bgr[ys[own], xs[own], :2])
    grid_y, grid_x = (grid.ravel() for grid in np.mgrid[:150, :200])
    away = np.abs(np.stack([grid_x, grid_y], axis=1)[:, None] - np.array(places)).max(axis=2).min(axis=1)
    near = {(int(x), int(y)) for x, y in zip(grid_x[away <= 12.0], grid_y[away <= 12.0], strict=True)}
    seen = [(round(x), round(y)) for x, y in placed.tolist()]
    assert len(seen) == len(set(seen))
    assert set(seen) == near


def test_shrunk_patches_place_points_where_they_were() -> None:
    image = np.zeros((150, 200, 3), np.uint8)
    image[88:93, 118:123] = 255
    patches = cut_patches(image, np.array([(40.0, 40.0), (118.0, 93.0)]), 20.0, 8.0, 1.5)
    ys, xs = np.nonzero(patches.image_bgr[..., 0] > 100)
    placed = patches.placed(np.array([[xs.mean(), ys.mean()]]))
    np.testing.assert_allclose(placed[0], (120.0, 90.0), atol=0.6)


def test_a_picture_smaller_than_a_patch_is_taken_whole() -> None:
    image = numbered(30, 20)
    patches = cut_patches(image, np.array([(15.0, 10.0), (20.0, 8.0)]), 40.0, 10.0)
    assert patches.image_bgr is image
    assert patches.own(np.arange(30), np.zeros(30, np.intp)).all()
