"""The reader beside three classical ways to the same end, on the same pictures in one run, as ratios.

The peers are written from their published ideas: the blob detector with clustering of every tutorial, adaptive
threshold with contours, and smallest rectangles over many thresholds. Each says which values lie in the picture.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.evaluate import load_labels
from vision.image_file import load_image
from vision.reader import Reader

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "stills"
Values = Counter


def by_blobs(image: np.ndarray) -> Values:
    """Round blobs of any polarity; those closer than two and a half of their sizes make one die."""
    gray = cv2.cvtColor(cv2.medianBlur(image, 5), cv2.COLOR_BGR2GRAY)
    spots: list[tuple[float, float, float]] = []
    for colour in (0, 255):
        params = cv2.SimpleBlobDetector_Params()
        params.filterByColor, params.blobColor = True, colour
        params.filterByArea, params.minArea, params.maxArea = True, 30.0, 400.0
        params.filterByCircularity, params.minCircularity = True, 0.75
        params.filterByInertia, params.minInertiaRatio = True, 0.6
        spots += [(*point.pt, point.size) for point in cv2.SimpleBlobDetector_create(params).detect(gray)]
    return Counter(min(len(group), 6) for group in _clusters(spots))


def _clusters(spots: list[tuple[float, float, float]]) -> list[list[tuple[float, float, float]]]:
    left, groups = list(spots), []
    while left:
        group = [left.pop()]
        for member in group:
            near = [s for s in left if np.hypot(s[0] - member[0], s[1] - member[1]) < 2.5 * member[2]]
            group += near
            left = [s for s in left if s not in near]
        groups.append(group)
    return groups


def by_contours(image: np.ndarray) -> Values:
    """Adaptive threshold; square outlines are dice, round ones inside them pips."""
    gray = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (5, 5), 0)
    mask = cv2.adaptiveThreshold(gray, 255, cv2.ADAPTIVE_THRESH_GAUSSIAN_C, cv2.THRESH_BINARY_INV, 41, 4)
    contours, tree = cv2.findContours(mask, cv2.RETR_TREE, cv2.CHAIN_APPROX_SIMPLE)
    values: Values = Counter()
    for i, contour in enumerate(contours):
        if not 900 < cv2.contourArea(contour) < 6000 or not _square(contour):
            continue
        inner = [k for k in range(len(contours)) if tree[0][k][3] == i and 25 < cv2.contourArea(contours[k]) < 300]
        if 1 <= len(inner) <= 6:
            values[len(inner)] += 1
    return values


def by_rectangles(image: np.ndarray) -> Values:
    """Squares over many thresholds; pips are dark or light spots inside the square."""
    gray = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (5, 5), 0)
    found: list[tuple[float, float]] = []
    values: Values = Counter()
    for level in range(40, 240, 20):
        for mask in (gray > level, gray < level):
            contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
            for contour in contours:
                (x, y), (width, height), _ = cv2.minAreaRect(contour)
                if not min(width, height) > 25 or max(width, height) > 80 or not _square(contour):
                    continue
                if any(np.hypot(x - u, y - v) < 25 for u, v in found):
                    continue
                found.append((x, y))
                part = gray[max(0, int(y) - 22) : int(y) + 22, max(0, int(x) - 22) : int(x) + 22]
                _, spots = cv2.threshold(part, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
                count = min(_spots(spots), _spots(255 - spots)) or max(_spots(spots), _spots(255 - spots))
                if 1 <= count <= 6:
                    values[count] += 1
    return values


def _square(contour: np.ndarray) -> bool:
    (_, (width, height), _) = cv2.minAreaRect(contour)
    full = min(width, height) > 0.75 * max(width, height)
    return full and cv2.contourArea(contour) > 0.75 * width * height


def _spots(mask: np.ndarray) -> int:
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask)
    return sum(25 < area < 300 for area in stats[1:, cv2.CC_STAT_AREA])


def timed(read: Callable[[np.ndarray], Values], pictures: Iterable[np.ndarray]) -> tuple[list[Values], float]:
    answers, spent = [], []
    for picture in pictures:
        start = time.perf_counter()
        answers.append(read(picture))
        spent.append(time.perf_counter() - start)
    return answers, float(np.median(spent))


@pytest.fixture(autouse=True)
def one_core() -> Iterable[None]:
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    yield
    cv2.setNumThreads(threads)


def test_reads_more_trays_than_any_peer(capsys: pytest.CaptureFixture[str]) -> None:
    truths = [truth for truth in load_labels(GOLDEN) if truth.plain and truth.dice]
    pictures = [load_image(truth.path) for truth in truths]
    wanted = [Counter(die.value for die in truth.dice) for truth in truths]
    reader = Reader()
    ways: dict[str, Callable[[np.ndarray], Values]] = {
        "reader": lambda image: Counter(die.value for die in reader.read(image).dice if die.value),
        "blobs": by_blobs,
        "contours": by_contours,
        "rectangles": by_rectangles,
    }
    rights, times = {}, {}
    for name, way in ways.items():
        answers, times[name] = timed(way, pictures)
        rights[name] = sum(a == w for a, w in zip(answers, wanted, strict=True))
    with capsys.disabled():
        print()
        for name in ways:
            share = f"{rights[name]}/{len(truths)}"
            print(f"{name:<12} every die right {share:>6}, time over the reader's {times[name] / times['reader']:.2f}")
    assert rights["reader"] > max(rights[name] for name in ways if name != "reader")
