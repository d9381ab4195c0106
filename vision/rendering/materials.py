"""Materials of floors, walls and tables: grain as a repeating tile, laid out in millimetres."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.types.frame import F32


def f32(values: npt.ArrayLike) -> F32:
    """Return the values as an array of float32, copied only if necessary."""
    return np.asarray(values, np.float32)


Planes: TypeAlias = tuple[F32, F32, F32]
"""Blue, green and red of a picture, shape (H, W) each."""
TILE_PX = 1024
"""Side of a tile; a power of two, so that wrapped noise of every octave fits."""
MM_PER_TEXEL = 0.35
"""About a pixel of a 1280 px picture of a 260 mm tray: finer grain would only alias."""

MATERIALS = ("felt", "leather", "neoprene", "wood", "plain", "carpet", "cloth", "marble")


def _noise(rng: np.random.Generator, cells_x: int, cells_y: int) -> F32:
    """Return smooth noise with the given number of cells across the tile, mean 0, standard deviation 1, seamless."""
    coarse = rng.standard_normal((cells_y, cells_x)).astype(np.float32)
    wrapped = np.pad(coarse, 2, mode="wrap")
    sx, sy = TILE_PX / cells_x, TILE_PX / cells_y
    # Sampled from half a cell on, so that the left edge continues the right edge.
    x = (np.arange(TILE_PX, dtype=np.float32) / sx + 2.0).reshape(1, -1)
    y = (np.arange(TILE_PX, dtype=np.float32) / sy + 2.0).reshape(-1, 1)
    map_x = np.broadcast_to(x, (TILE_PX, TILE_PX)).astype(np.float32)
    map_y = np.broadcast_to(y, (TILE_PX, TILE_PX)).astype(np.float32)
    out = np.asarray(cv2.remap(wrapped, map_x, map_y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_WRAP), np.float32)
    return np.asarray((out - out.mean()) / (out.std() + 1e-6), np.float32)


def _felt(rng: np.random.Generator) -> F32:
    return np.asarray(
        0.07 * _noise(rng, 512, 512) + 0.05 * _noise(rng, 200, 200) + 0.05 * _noise(rng, 10, 10), np.float32
    )


def _leather(rng: np.random.Generator) -> F32:
    # Ridged noise: dark creases where the smooth field crosses zero.
    creases = np.exp(-np.abs(_noise(rng, 150, 150)) * 5.0) + 0.6 * np.exp(-np.abs(_noise(rng, 260, 260)) * 4.0)
    return np.asarray(
        -0.35 * (creases - creases.mean()) + 0.06 * _noise(rng, 12, 12) + 0.03 * _noise(rng, 512, 512), np.float32
    )


def _neoprene(rng: np.random.Generator) -> F32:
    step = np.arange(TILE_PX, dtype=np.float32) * (2 * np.pi / 4.0)
    weave = np.sin(step).reshape(1, -1) * np.sin(step).reshape(-1, 1)
    return np.asarray(0.08 * weave + 0.05 * _noise(rng, 512, 512) + 0.03 * _noise(rng, 8, 8), np.float32)


def _wood(rng: np.random.Generator) -> F32:
    fibres = 0.10 * _noise(rng, 24, 512) + 0.10 * _noise(rng, 10, 180) + 0.06 * _noise(rng, 128, 512)
    rings = np.sin(6.0 * _noise(rng, 3, 14) + 2.0 * _noise(rng, 6, 40))
    return np.asarray(fibres + 0.09 * rings, np.float32)


def _plain(rng: np.random.Generator) -> F32:
    return np.asarray(0.015 * _noise(rng, 256, 256) + 0.02 * _noise(rng, 6, 6), np.float32)


def _carpet(rng: np.random.Generator) -> F32:
    # Loops in rows, every second row shifted, each loop a little lighter or darker.
    rows = int(rng.choice([128, 86, 64, 46]))  # even, so that the shift of every second row closes at the seam
    columns = round(rows / 1.6)
    y, x = np.mgrid[0:TILE_PX, 0:TILE_PX].astype(np.float32) * np.float32(2 * np.pi / TILE_PX)
    wobble = np.float32(1.5 * 2 * np.pi / TILE_PX) * _noise(rng, 100, 100)
    row = np.floor((y + wobble) * np.float32(rows / (2 * np.pi)))
    loops = np.cos((x + wobble) * columns + row * np.pi) + np.cos((y + wobble) * rows)
    return np.asarray(0.22 * loops + 0.16 * _noise(rng, 90, 90) + 0.1 * _noise(rng, 512, 512), np.float32)


def _cloth(rng: np.random.Generator) -> F32:
    y, x = np.mgrid[0:TILE_PX, 0:TILE_PX].astype(np.float32)
    pitch = TILE_PX / float(rng.choice([16, 32, 64]))
    kind = int(rng.integers(3))
    if kind == 0:
        pattern = np.sign(np.sin(x * 2 * np.pi / pitch)) * np.sign(np.sin(y * 2 * np.pi / pitch))
    elif kind == 1:
        pattern = np.sign(np.sin(x * 2 * np.pi / pitch))
    else:
        # Polka dots: the pattern of a cloth that is most like pips.
        cell_x, cell_y = (x % pitch) - pitch / 2, (y % pitch) - pitch / 2
        pattern = np.where(np.hypot(cell_x, cell_y) < pitch * 0.28, 1.0, -0.4)
    soft = np.asarray(cv2.GaussianBlur(pattern.astype(np.float32), (0, 0), 0.8), np.float32)
    return np.asarray(0.28 * soft + 0.05 * _noise(rng, 512, 512), np.float32)


def _marble(rng: np.random.Generator) -> F32:
    veins = np.exp(-np.abs(_noise(rng, 7, 7) + 0.4 * _noise(rng, 30, 30)) * 9.0)
    return np.asarray(-0.35 * (veins - veins.mean()) + 0.05 * _noise(rng, 8, 8), np.float32)


_MAKERS = {
    "felt": _felt,
    "leather": _leather,
    "neoprene": _neoprene,
    "wood": _wood,
    "plain": _plain,
    "carpet": _carpet,
    "cloth": _cloth,
    "marble": _marble,
}


@dataclass(frozen=True, slots=True)
class Stuff:
    """A piece of material.

    Attributes:
        material: Name of the material, one of `MATERIALS`.
        seed: Seed that selects the piece.
        bgr: Mean colour of the piece, 0-255, as in a picture.
        contrast: Factor on the contrast of the grain.
    """

    material: str
    seed: int
    bgr: tuple[int, int, int]
    contrast: float = 1.0


@lru_cache(maxsize=24)
def grain(material: str, seed: int) -> F32:
    """Return a material's grain.

    Args:
        material: One of `MATERIALS`.
        seed: Selects one piece of it.

    Returns:
        Shape (TILE_PX, TILE_PX), the logarithm of the factor on the mean colour; seamless in both directions. Shared
        between
        callers: read only.

    Raises:
        ValueError: The material is unknown.
    """
    if material not in _MAKERS:
        raise ValueError(f"material is {material!r}, knows {', '.join(MATERIALS)}: use one of these")
    tile = _MAKERS[material](np.random.default_rng([seed, *material.encode()]))
    tile.setflags(write=False)
    return tile


def albedo(stuff: Stuff, x_mm: F32, y_mm: F32) -> Planes:
    """Return a material's colour at places on it.

    Args:
        stuff: The material and its colour.
        x_mm: Shape (H, W), along the grain.
        y_mm: Shape (H, W), across it.

    Returns:
        Linear reflectance 0-1 of each channel, shape (H, W) each: numpy is slow over an axis as short as the channels'.
    """
    tile = grain(stuff.material, stuff.seed)
    map_x, map_y = _in_tile(x_mm), _in_tile(y_mm)
    lit = np.asarray(cv2.remap(tile, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP), np.float32)
    factor = np.asarray(cv2.exp(lit * np.float32(1.6 * stuff.contrast)), np.float32)
    blue, green, red = (np.minimum(factor * share, np.float32(0.98)) for share in linear(stuff.bgr))
    return blue, green, red


def _in_tile(place_mm: F32) -> F32:
    """Return places along one side of the endless pattern in texels of the tile, 0 to `TILE_PX`."""
    texel = place_mm / MM_PER_TEXEL + 0.5 * TILE_PX
    # Equal to np.mod to the last bit, since the side is a power of two, and much faster.
    return f32(texel - np.floor(texel * (1 / TILE_PX)) * TILE_PX)


def linear(bgr: tuple[int, int, int]) -> F32:
    """Return a picture's colour as linear reflectance.

    Args:
        bgr: 0-255 each.

    Returns:
        Shape (3,), 0-1; gamma 2.2, close enough to sRGB's curve for a drawing.
    """
    return np.asarray((np.asarray(bgr, np.float32) / 255.0) ** 2.2, np.float32)
