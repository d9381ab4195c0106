"""Three common ways of reading dice from pictures, written here from their published ideas, for comparison.

Each takes a picture and returns the values that it finds, in any order. They have no notion of tray, colour or doubt.
"""

from collections.abc import Callable

import cv2
import numpy as np

Values = tuple[int, ...]
Peer = Callable[[np.ndarray], Values]

MAX_PIPS = 6


def read_by_blobs(image_bgr: np.ndarray, *, inertia: float = 0.6, reach: float = 3.0, median_px: int = 5) -> Values:
    """Blob detector and clustering: round dark or light spots, those near each other are one die.

    Args:
        image_bgr: Shape (H, W, 3), uint8.
        inertia: How round a spot must be, 0 to 1.
        reach: Two spots belong together up to this many spot diameters apart.
        median_px: Side of the median blur before.
    """
    gray = cv2.medianBlur(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), median_px)
    params = cv2.SimpleBlobDetector.Params()
    params.filterByInertia = True
    params.minInertiaRatio = inertia
    params.filterByColor = False
    detector = cv2.SimpleBlobDetector.create(params)
    spots = detector.detect(gray)
    if not spots:
        return ()
    points = np.array([spot.pt for spot in spots])
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    near = apart <= reach * float(np.median([spot.size for spot in spots]))
    return tuple(min(MAX_PIPS, len(cluster)) for cluster in _connected(near))


def read_by_adaptive_threshold(image_bgr: np.ndarray, *, block_px: int = 51, offset: float = 4.0) -> Values:
    """Adaptive threshold and contours: squarish outlines are dice, the round holes in them are pips."""
    gray = cv2.GaussianBlur(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), (5, 5), 0)
    seen: list[Values] = []
    for kind in (cv2.THRESH_BINARY, cv2.THRESH_BINARY_INV):
        binary = cv2.adaptiveThreshold(gray, 255, cv2.ADAPTIVE_THRESH_GAUSSIAN_C, kind, block_px | 1, offset)
        seen.append(tuple(count for _, count in _square_outlines(binary)))
    return max(seen, key=len)


def read_by_rectangles(image_bgr: np.ndarray, *, steps: int = 12) -> Values:
    """Minimum-area rectangles over many thresholds: a square is a die, counted at the level that shows most pips."""
    gray = cv2.GaussianBlur(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), (5, 5), 0)
    squares: list[tuple[tuple[float, float], float, int]] = []
    for level in np.linspace(30, 225, steps):
        for kind in (cv2.THRESH_BINARY, cv2.THRESH_BINARY_INV):
            _, binary = cv2.threshold(gray, float(level), 255, kind)
            for (center, size, _), pips in _square_outlines(binary):
                squares.append((center, min(size), pips))
    kept: list[tuple[tuple[float, float], float, int]] = []
    for center, side, pips in sorted(squares, key=lambda square: -square[2]):
        if all(np.hypot(center[0] - other[0][0], center[1] - other[0][1]) > 0.7 * other[1] for other in kept):
            kept.append((center, side, pips))
    return tuple(pips for _, _, pips in kept)


def _square_outlines(binary: np.ndarray) -> list[tuple[tuple[tuple[float, float], tuple[float, float], float], int]]:
    contours, tree = cv2.findContours(binary, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    if tree is None:
        return []
    most = binary.size / 25
    found: list[tuple[tuple[tuple[float, float], tuple[float, float], float], int]] = []
    for index, contour in enumerate(contours):
        if tree[0][index][3] != -1:
            continue
        rectangle = cv2.minAreaRect(contour)
        width, height = rectangle[1]
        if not 15 * 15 < width * height < most or min(width, height) < 0.6 * max(width, height):
            continue
        if cv2.contourArea(contour) < 0.6 * width * height:
            continue
        pips = 0
        child = tree[0][index][2]
        while child != -1:
            hole = contours[child]
            _, radius = cv2.minEnclosingCircle(hole)
            area = cv2.contourArea(hole)
            if 0.004 < area / (width * height) < 0.12 and area > 0.5 * np.pi * radius**2:
                pips += 1
            child = tree[0][child][0]
        if 1 <= pips <= MAX_PIPS:
            (x, y), (wide, high), turn_deg = rectangle
            found.append((((x, y), (wide, high), turn_deg), pips))
    return found


def _connected(near: np.ndarray) -> list[list[int]]:
    count, labels = near.shape[0], [-1] * near.shape[0]
    groups: list[list[int]] = []
    for start in range(count):
        if labels[start] != -1:
            continue
        group, frontier = [], [start]
        labels[start] = len(groups)
        while frontier:
            here = frontier.pop()
            group.append(here)
            for other in np.flatnonzero(near[here]):
                if labels[other] == -1:
                    labels[other] = len(groups)
                    frontier.append(int(other))
        groups.append(group)
    return groups


def tunings() -> dict[str, list[Peer]]:
    """Return every peer with every tuning that is tried; a peer counts with the best one on the very pictures."""

    def blobs(inertia: float, reach: float) -> Peer:
        return lambda image: read_by_blobs(image, inertia=inertia, reach=reach)

    def adaptive(block_px: int, offset: float) -> Peer:
        return lambda image: read_by_adaptive_threshold(image, block_px=block_px, offset=offset)

    return {
        "blobs and clustering": [blobs(inertia, reach) for inertia in (0.4, 0.6) for reach in (2.0, 3.0, 4.0)],
        "adaptive threshold": [adaptive(block, offset) for block in (31, 51, 101) for offset in (-4.0, 2.0, 6.0)],
        "rectangles": [read_by_rectangles],
    }
