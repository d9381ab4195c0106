"""Augmentation of training pictures: light, lens, and printed objects that are not dice."""

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from vision.types.frame import FloatArray, ImageBgr

_SWAPPED, _GREY, _INVERTED = 0.35, 0.12, 0.05
"""Probabilities that hues are swapped, that colours are lost, that light and dark are inverted."""
_BLURRED, _COARSE, _SHADED, _GLARE = 0.35, 0.2, 0.4, 0.2
"""Probabilities of a soft picture, of a low resolution, of a shadow or a lamp's fall-off across it, of a bright
spot.
"""
_NOISE = 0.12
"""Greatest standard deviation of noise, in units of 128 grey levels."""


def relit(pictures: Tensor, rng: np.random.Generator) -> Tensor:
    """Return pictures in other light and from other cameras.

    Args:
        pictures: Shape (N, 3, H, W), RGB, 0 to 1; squares.

    Returns:
        The same shape, as (grey - 127) / 128.
    """
    count, _, height, width = pictures.shape
    device = pictures.device
    out = pictures

    def often(share: float) -> Tensor:
        return torch.tensor(rng.random(count) < share, device=device)[:, None, None, None]

    def each(low: float, high: float) -> Tensor:
        return torch.tensor(rng.uniform(low, high, count), dtype=torch.float32, device=device)[:, None, None, None]

    order = torch.tensor(
        np.array([rng.permutation(3) if rng.random() < _SWAPPED else np.arange(3) for _ in range(count)]), device=device
    )
    out = torch.gather(out, 1, order[:, :, None, None].expand_as(out))
    out = torch.where(often(_GREY), out.mean(1, keepdim=True).expand_as(out), out)
    out = torch.where(often(_INVERTED), 1 - out, out)
    gains = torch.tensor(np.exp(rng.normal(0, 0.12, (count, 3))), dtype=torch.float32, device=device)[:, :, None, None]
    gamma = torch.exp(each(-0.5, 0.5))
    mean = out.mean((1, 2, 3), keepdim=True)
    out = (out - mean) * torch.exp(each(-0.5, 0.35)) + mean
    out = (out.clamp(0, 1) + 1e-4) ** gamma * gains * torch.exp(each(-0.45, 0.35))
    ys, xs = torch.meshgrid(
        torch.linspace(-1, 1, height, device=device), torch.linspace(-1, 1, width, device=device), indexing="ij"
    )
    way = each(0, 2 * np.pi)
    along = xs * torch.cos(way) + ys * torch.sin(way)
    edge = torch.sigmoid((along - each(-0.8, 0.8)) * torch.exp(each(0.0, 3.5)))
    shade = 1 - edge * each(0.0, 0.7)
    out = torch.where(often(_SHADED), out * shade, out)
    far = (xs - each(-1, 1)) ** 2 + (ys - each(-1, 1)) ** 2
    spot = torch.exp(-far / each(0.01, 0.25)) * each(0.1, 0.9)
    out = torch.where(often(_GLARE), out + spot, out)
    out = _softened(out, rng)
    noise = each(0, _NOISE) * often(0.6)
    generator = torch.Generator(device).manual_seed(int(rng.integers(2**31)))
    out = out.clamp(0, 1) + 0.5 * noise * torch.randn(out.shape, generator=generator, device=device)
    return (out.clamp(0, 1) * 255 - 127) / 128


def _softened(pictures: Tensor, rng: np.random.Generator) -> Tensor:
    """Blur some pictures and lower the resolution of others, with one kernel per group to save time."""
    count, height = pictures.shape[0], pictures.shape[2]
    out = pictures.clone()
    soft = np.flatnonzero(rng.random(count) < _BLURRED)
    for group in np.array_split(soft, 3):
        if len(group):
            sigma = float(rng.uniform(0.4, 1.4) * (height / 256 if height > 128 else height / 72))
            reach = max(1, int(np.ceil(2.5 * sigma)))
            line = torch.exp(-0.5 * (torch.arange(-reach, reach + 1, device=pictures.device) / sigma) ** 2)
            line = (line / line.sum()).repeat(3, 1, 1)
            picked = functional.pad(out[group], (reach, reach, reach, reach), mode="replicate")
            across = functional.conv2d(picked, line[:, :, None, :], groups=3)
            out[group] = functional.conv2d(across, line[:, :, :, None], groups=3)
    low = np.flatnonzero(rng.random(count) < _COARSE)
    for group in np.array_split(low, 2):
        if len(group):
            side = int(height * rng.uniform(0.35, 0.85))
            small = functional.interpolate(out[group], size=(side, side), mode="area")
            out[group] = functional.interpolate(small, size=pictures.shape[2:], mode="bilinear")
    return out


def printed_thing(rng: np.random.Generator, edge_px: float) -> tuple[ImageBgr, FloatArray]:
    """Return a card, sheet, coin, phone or box with typical printing on it.

    Args:
        edge_px: Of the dice next to it: dots and boxes have the size of pips and dice.

    Returns:
        Its picture, and its coverage (0 to 1), shape (H, W).
    """
    kind = rng.choice(["dots", "boxes", "text", "dice", "coin", "plain"], p=[0.22, 0.2, 0.2, 0.13, 0.13, 0.12])
    height, width = (rng.uniform(1.5, 5.5, 2) * edge_px).astype(int) + 6
    paper = rng.uniform(150, 255) if rng.random() < 0.7 else rng.uniform(0, 120)
    tint = rng.normal(0, 14 if rng.random() < 0.7 else 60, 3)
    ground = tuple(float(v) for v in np.clip(paper + tint, 0, 255))
    ink = tuple(float(v) for v in np.clip((rng.uniform(0, 70) if paper > 128 else 235) + rng.normal(0, 40, 3), 0, 255))
    if kind == "coin":
        return _coin(rng, edge_px, ground, ink)
    image: ImageBgr = np.empty((height, width, 3), np.uint8)
    image[:] = ground
    step = edge_px * rng.uniform(0.25, 0.9)
    if kind == "dots":
        radius = max(1, int(step * rng.uniform(0.15, 0.42)))
        for y in np.arange(step, height - radius, step * rng.uniform(0.8, 1.6)):
            for x in np.arange(step, width - radius, step):
                if rng.random() < 0.85:
                    thickness = -1 if rng.random() < 0.7 else 1
                    cv2.circle(image, (int(x), int(y)), radius, ink, thickness, cv2.LINE_AA)
    elif kind == "boxes":
        side = max(2, int(step * 0.6))
        for y in np.arange(step * 0.5, height - side, step * 1.3):
            for x in np.arange(step * 0.5, width - side, step * 1.2):
                cv2.rectangle(image, (int(x), int(y)), (int(x) + side, int(y) + side), ink, 1)
                if rng.random() < 0.3:
                    cv2.circle(image, (int(x) + side // 2, int(y) + side // 2), max(1, side // 4), ink, -1, cv2.LINE_AA)
    elif kind == "text":
        scale = edge_px / 60 * rng.uniform(0.5, 2.2)
        for y in np.arange(step, height, 26 * scale + 4):
            words = "".join(chr(int(c)) for c in rng.integers(33, 122, 24))
            cv2.putText(image, words, (4, int(y)), cv2.FONT_HERSHEY_SIMPLEX, scale, ink, max(1, int(scale * 2)))
    elif kind == "dice":
        _printed_dice(image, rng, edge_px, ink)
    if rng.random() < 0.5:
        cv2.rectangle(image, (0, 0), (width - 1, height - 1), ink, max(1, int(edge_px * 0.05)))
    return image, np.ones((height, width))


def _coin(
    rng: np.random.Generator, edge_px: float, ground: tuple[float, ...], ink: tuple[float, ...]
) -> tuple[ImageBgr, FloatArray]:
    radius = int(edge_px * rng.uniform(0.5, 1.0)) + 3
    image: ImageBgr = np.empty((2 * radius, 2 * radius, 3), np.uint8)
    image[:] = ground
    cv2.circle(image, (radius, radius), int(radius * 0.85), ink, 1, cv2.LINE_AA)
    digit = str(rng.integers(0, 99))
    cv2.putText(image, digit, (radius // 2, int(radius * 1.4)), cv2.FONT_HERSHEY_SIMPLEX, radius / 22, ink, 1)
    cover = np.zeros((2 * radius, 2 * radius), np.uint8)
    cv2.circle(cover, (radius, radius), radius - 1, 255, -1, cv2.LINE_AA)
    return image, cover / 255


def _printed_dice(image: ImageBgr, rng: np.random.Generator, edge_px: float, ink: tuple[float, ...]) -> None:
    """Draw faces of dice as in a rule book: outlines with pips, flat, small."""
    side = edge_px * rng.uniform(0.3, 0.8)
    sites = {1: "e", 2: "ai", 3: "aei", 4: "acgi", 5: "acegi", 6: "abcghi"}
    for y in np.arange(side * 0.4, image.shape[0] - side, side * 1.4):
        for x in np.arange(side * 0.4, image.shape[1] - side, side * 1.3):
            cv2.rectangle(image, (int(x), int(y)), (int(x + side), int(y + side)), ink, 1)
            for site in sites[int(rng.integers(1, 7))]:
                k = ord(site) - ord("a")
                at = (int(x + side * (0.25 + 0.25 * (k % 3))), int(y + side * (0.25 + 0.25 * (k // 3))))
                cv2.circle(image, at, max(1, int(side * 0.09)), ink, -1, cv2.LINE_AA)


def paste(image: ImageBgr, thing: ImageBgr, cover: FloatArray, middle: tuple[float, float], turn: float) -> FloatArray:
    """Paste an object into a picture.

    Args:
        image: Shape (H, W, 3); changed in place.
        cover: Share of each pixel that the object covers, 0 to 1.

    Returns:
        The covered share of the picture's pixels, shape (H, W), 0 to 1.
    """
    height, width = thing.shape[:2]
    c, s = np.cos(turn), np.sin(turn)
    matrix = np.array([[c, -s, 0.0], [s, c, 0.0]])
    matrix[:, 2] = np.array(middle) - matrix[:, :2] @ [(width - 1) / 2, (height - 1) / 2]
    size = (image.shape[1], image.shape[0])
    laid = cv2.warpAffine(thing, matrix, size, flags=cv2.INTER_LINEAR)
    mask = cv2.warpAffine(cover.astype(np.float32), matrix, size, flags=cv2.INTER_LINEAR)
    image[:] = np.round(image * (1 - mask[..., None]) + laid * mask[..., None]).astype(np.uint8)
    return np.asarray(mask, np.float64)
