"""The time of each stage of the reader, over a folder of pictures or over drawn trays."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.imaging.image_file import load_image
from vision.pipeline.reader import Reader
from vision.rendering.scene import CameraPose, DieLook, DiePose, Light, Scene, TrayLook
from vision.rendering.synthetic import draw
from vision.types.errors import BadImage
from vision.types.frame import ImageBgr

_KINDS = (".jpg", ".jpeg", ".png", ".bmp", ".webp")


@dataclass(frozen=True, slots=True)
class StageTime:
    """One stage's time in milliseconds over all pictures; `total` is the whole reading."""

    name: str
    median_ms: float  # median time of a picture, in milliseconds
    p95_ms: float  # 95th percentile of the pictures' times, in milliseconds


_MAX_PICTURES = 40
"""Greatest number of pictures from a folder, spread over it evenly."""
_ROUNDS = 3
"""Number of readings of each picture; the very first is discarded."""


def pictures_in(folder: Path, most: int) -> tuple[Path, ...]:
    """Return the picture files in a folder and its subfolders, evenly sampled if there are more than `most`.

    Raises:
        BadImage: There are none.
    """
    found = sorted(p for p in folder.rglob("*") if p.suffix.lower() in _KINDS) if folder.is_dir() else []
    if not found:
        raise BadImage(f"{folder} holds no pictures: give a folder of JPEG, PNG, BMP or WebP files")
    step = max(1.0, len(found) / most)
    return tuple(found[int(i * step)] for i in range(min(most, len(found))))


def time_stages(make_reader: Callable[[], Reader], images: Sequence[ImageBgr]) -> tuple[StageTime, ...]:
    """Read each picture several times on one core and summarise the times.

    Args:
        make_reader: Creates the reader; its nets use the cores that were available then.

    Returns:
        A row for each stage in their order, then `total`.
    """
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        reader = make_reader()
        reader.read(images[0])
        spent: dict[str, list[float]] = {}
        for image in images:
            for _ in range(_ROUNDS):
                start = time.perf_counter()
                reading = reader.read(image)
                total = (time.perf_counter() - start) * 1e3
                for name, ms in reading.stage_ms:
                    spent.setdefault(name, []).append(ms)
                spent.setdefault("total", []).append(total)
    finally:
        cv2.setNumThreads(threads)
    rows = [
        StageTime(name, round(float(np.median(ms)), 3), round(float(np.percentile(ms, 95)), 3))
        for name, ms in spent.items()
    ]
    return tuple(sorted(rows, key=lambda row: row.name == "total"))


def load_pictures(folder: Path) -> tuple[ImageBgr, ...]:
    """Load the pictures of a folder for timing.

    Raises:
        BadImage: There are none, or one cannot be read.
    """
    return tuple(load_image(path) for path in pictures_in(folder, _MAX_PICTURES))


def bench_text(times: Sequence[StageTime]) -> str:
    """Return the times as a table."""
    lines = [f"{'stage':<12}{'median ms':>12}{'95 % ms':>12}"]
    lines += [f"{row.name:<12}{row.median_ms:>12.2f}{row.p95_ms:>12.2f}" for row in times]
    return "\n".join(lines)


def drawn_pictures(count: int = 6) -> tuple[ImageBgr, ...]:
    """Draw trays with fifteen dice at 1280x960, for a machine without pictures."""
    return tuple(draw(drawn_scene(seed)) for seed in range(count))


def drawn_scene(seed: int) -> Scene:
    """Return a tray with fifteen standard dice lying flat and apart; the same for the same seed."""
    rng = np.random.default_rng(seed)
    looks = (
        DieLook(body_bgr=(46, 201, 238), pip_bgr=(28, 28, 29)),
        DieLook(body_bgr=(65, 124, 28), pip_bgr=(229, 223, 228)),
        DieLook(body_bgr=(42, 38, 37), pip_bgr=(223, 230, 228)),
    )
    cells = rng.permutation([(x, y) for x in range(6) for y in range(4)])[:15]
    dice = []
    for i, (x, y) in enumerate(cells):
        turn = rng.uniform(0.0, 2.0 * np.pi)
        spin = np.array([[np.cos(turn), -np.sin(turn), 0.0], [np.sin(turn), np.cos(turn), 0.0], [0.0, 0.0, 1.0]])
        center = np.array([(x - 2.5) * 38.0, (y - 1.5) * 44.0, looks[0].size_mm / 2.0])
        dice.append(DiePose(looks[i % 3], center, spin @ _AXES_UP[int(rng.integers(6))]))
    focal = 0.966 * 1280
    k = np.array([[focal, 0.0, 640.0], [0.0, focal, 480.0], [0.0, 0.0, 1.0]])
    camera = CameraPose(1280, 960, k, np.diag([1.0, -1.0, -1.0]), np.array([0.0, 0.0, 395.0]))
    light = Light((float(rng.uniform(-150, 150)), 120.0, 420.0), 0.8)
    return Scene(TrayLook(seed=seed), tuple(dice), camera, (light,), seed=seed)


# Rotations that bring each of a die's six faces to the top.
_AXES_UP = (
    np.eye(3),
    np.diag([1.0, -1.0, -1.0]),
    np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]),
    np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
    np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]),
)
