"""What happens to pictures before a net learns from them: other light, other lenses."""

from dataclasses import dataclass

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from vision.frame import ImageBgr

MIRRORED = 0.3
"""Share of the crops whose top face mirrors a light."""
SHARPENED = 0.4
"""Share of the crops that are sharpened, as cameras do."""


@dataclass(frozen=True, slots=True)
class AugmentParams:
    """How far pictures are changed; chances are shares of pictures.

    Attributes:
        swapped: Chance that hues are swapped.
        grey: Chance that colours are lost.
        inverted: Chance that light and dark change places.
        blurred: Chance of a soft picture.
        coarse: Chance of a low resolution.
        noise: Most standard deviation of noise, in units of 128 grey levels.
        shaded: Chance of a shadow or a lamp's fall-off across the picture.
        glare: Chance of a bright spot.
    """

    swapped: float = 0.35
    grey: float = 0.12
    inverted: float = 0.05
    blurred: float = 0.35
    coarse: float = 0.2
    noise: float = 0.12
    shaded: float = 0.4
    glare: float = 0.2


def relit(pictures: Tensor, rng: np.random.Generator, params: AugmentParams) -> Tensor:
    """Pictures in other light and seen by other cameras.

    Args:
        pictures: Shape (N, 3, H, W), RGB, 0 to 1; squares.
        rng: Picks everything.
        params: How far.

    Returns:
        The same shape, (grey - 127) / 128 of what became of them.
    """
    count, _, height, width = pictures.shape
    out = pictures
    order = torch.tensor(
        np.array([rng.permutation(3) if rng.random() < params.swapped else np.arange(3) for _ in range(count)])
    )
    out = torch.gather(out, 1, order[:, :, None, None].expand_as(out))
    grey = torch.tensor(rng.random(count) < params.grey)[:, None, None, None]
    out = torch.where(grey, out.mean(1, keepdim=True).expand_as(out), out)
    inverted = torch.tensor(rng.random(count) < params.inverted)[:, None, None, None]
    out = torch.where(inverted, 1 - out, out)

    def each(low: float, high: float) -> Tensor:
        return torch.tensor(rng.uniform(low, high, count), dtype=torch.float32)[:, None, None, None]

    gains = torch.tensor(np.exp(rng.normal(0, 0.12, (count, 3))), dtype=torch.float32)[:, :, None, None]
    gamma = torch.exp(each(-0.5, 0.5))
    mean = out.mean((1, 2, 3), keepdim=True)
    out = (out - mean) * torch.exp(each(-0.5, 0.35)) + mean
    out = (out.clamp(0, 1) + 1e-4) ** gamma * gains * torch.exp(each(-0.45, 0.35))
    ys, xs = torch.meshgrid(torch.linspace(-1, 1, height), torch.linspace(-1, 1, width), indexing="ij")
    way = each(0, 2 * np.pi)
    along = xs * torch.cos(way) + ys * torch.sin(way)
    edge = torch.sigmoid((along - each(-0.8, 0.8)) * torch.exp(each(0.0, 3.5)))
    shade = 1 - edge * each(0.0, 0.7)
    out = torch.where(torch.tensor(rng.random(count) < params.shaded)[:, None, None, None], out * shade, out)
    far = (xs - each(-1, 1)) ** 2 + (ys - each(-1, 1)) ** 2
    spot = torch.exp(-far / each(0.01, 0.25)) * each(0.1, 0.9)
    out = torch.where(torch.tensor(rng.random(count) < params.glare)[:, None, None, None], out + spot, out)
    out = _softened(out, rng, params)
    noise = torch.tensor(rng.uniform(0, params.noise, count) * (rng.random(count) < 0.6), dtype=torch.float32)
    generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
    out = out.clamp(0, 1) + 0.5 * noise[:, None, None, None] * torch.randn(out.shape, generator=generator)
    return (out.clamp(0, 1) * 255 - 127) / 128


def _softened(pictures: Tensor, rng: np.random.Generator, params: AugmentParams) -> Tensor:
    """Some blurred, some at a lower resolution, one kernel a group: a kernel for each costs more than it teaches."""
    count, height = pictures.shape[0], pictures.shape[2]
    out = pictures.clone()
    soft = np.flatnonzero(rng.random(count) < params.blurred)
    for group in np.array_split(soft, 3):
        if len(group):
            sigma = float(rng.uniform(0.4, 1.4) * (height / 256 if height > 128 else height / 72))
            reach = max(1, int(np.ceil(2.5 * sigma)))
            line = torch.exp(-0.5 * (torch.arange(-reach, reach + 1) / sigma) ** 2)
            line = (line / line.sum()).repeat(3, 1, 1)
            picked = functional.pad(out[group], (reach, reach, reach, reach), mode="replicate")
            across = functional.conv2d(picked, line[:, :, None, :], groups=3)
            out[group] = functional.conv2d(across, line[:, :, :, None], groups=3)
    low = np.flatnonzero(rng.random(count) < params.coarse)
    for group in np.array_split(low, 2):
        if len(group):
            side = int(height * rng.uniform(0.35, 0.85))
            small = functional.interpolate(out[group], size=(side, side), mode="area")
            out[group] = functional.interpolate(small, size=pictures.shape[2:], mode="bilinear")
    return out


def mirror_lamp(image: ImageBgr, edge_px: float, rng: np.random.Generator) -> ImageBgr:
    """Now and then the light that a flat top mirrors: an even veil over it that ends where the die rounds off."""
    if rng.random() > MIRRORED:
        return image
    half = 0.5 * edge_px * rng.uniform(0.72, 1.0)
    bend = half * rng.uniform(0.1, 1.0)
    ys, xs = np.mgrid[0 : image.shape[0], 0 : image.shape[1]].astype(np.float32) - (image.shape[0] - 1) / 2
    x, y = np.abs(xs) - (half - bend), np.abs(ys) - (half - bend)
    away = np.hypot(np.maximum(x, 0), np.maximum(y, 0)) + np.minimum(np.maximum(x, y), 0) - bend
    way = rng.uniform(0, 2 * np.pi)
    uneven = 1 + rng.uniform(0, 0.6) * (xs * np.cos(way) + ys * np.sin(way)) / half
    veil = np.clip(0.5 - away / rng.uniform(1.0, 3.0), 0, 1) * uneven * rng.uniform(10, 130)
    return np.asarray(np.clip(image + veil[..., None] * np.exp(rng.normal(0, 0.06, 3)), 0, 255), np.uint8)


def sharpen(image: ImageBgr, rng: np.random.Generator) -> ImageBgr:
    """Now and then what cameras make of a picture: every edge a little too strong (an unsharp mask)."""
    if rng.random() > SHARPENED:
        return image
    amount = float(rng.uniform(0.2, 1.4))
    soft = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.6, 1.3)))
    return np.asarray(cv2.addWeighted(image, 1 + amount, soft, -amount, 0), np.uint8)
