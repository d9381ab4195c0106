"""Pictures from disk, without trusting them: the header is read first, and only what it promises is decoded."""

import stat
import struct
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.errors import BadImage
from vision.frame import ImageBgr
from vision.jpeg import START_OF_FRAME, check_jpeg, jpeg_segments


@dataclass(frozen=True, slots=True)
class ImageFileParams:
    """What is read at all.

    Attributes:
        least_px: Shorter side; under it no die could be told.
        most_px: Longer side.
        most_pixels: In all: bounds the memory of decoding at about four bytes for each.
        most_bytes: Of the file.
    """

    least_px: int = 48
    most_px: int = 12_000
    most_pixels: int = 64_000_000
    most_bytes: int = 200_000_000


@dataclass(frozen=True, slots=True)
class ImageHeader:
    """What a picture file says of itself.

    Attributes:
        kind: `JPEG`, `PNG`, `BMP` or `WebP`.
        width_px: Width.
        height_px: Height.
        channels: Of colour; 4 in a JPEG is CMYK.
        whole: Whether the file's end is there.
        frames: More than 1 where it is animated.
    """

    kind: str
    width_px: int
    height_px: int
    channels: int
    whole: bool
    frames: int = 1


def load_image(path: Path, params: ImageFileParams | None = None) -> ImageBgr:
    """Read a picture file. Grey, 16-bit and transparent pictures become plain 8-bit colour.

    Args:
        path: JPEG, PNG, BMP or WebP. A turn noted beside the pixels (EXIF) is not carried out: pixels are as stored.
        params: See there.

    Returns:
        Shape (H, W, 3), uint8.

    Raises:
        BadImage: Missing, no picture, cut short, damaged, animated, CMYK, too small or large; one line with the cure.
    """
    limits = params or ImageFileParams()
    return decode_image(_bytes_of(path, limits), path.name, limits)


def decode_image(data: bytes, name: str, params: ImageFileParams | None = None) -> ImageBgr:
    """Decode a picture that is in memory already, as `load_image` does.

    Args:
        data: The file's content.
        name: For messages.
        params: See there.

    Returns:
        Shape (H, W, 3), uint8.

    Raises:
        BadImage: As `load_image`.
    """
    limits = params or ImageFileParams()
    header = read_header(data, name)
    _check(header, name, limits)
    if header.kind == "JPEG":
        check_jpeg(data, name)
    flags = cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION
    try:
        image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), flags)
    except cv2.error as error:
        raise BadImage(f"{name} is a damaged {header.kind} file: take or copy the picture again") from error
    if image is None or image.shape[:2] != (header.height_px, header.width_px):
        raise BadImage(f"{name} is a damaged {header.kind} file: take or copy the picture again")
    return np.ascontiguousarray(image, dtype=np.uint8)


def read_header(data: bytes, name: str) -> ImageHeader:
    """What a picture file says of itself, nothing decoded.

    Args:
        data: The file's content.
        name: For messages.

    Raises:
        BadImage: No picture, or none of the kinds that are read.
    """
    try:
        if data[:3] == b"\xff\xd8\xff":
            return _jpeg(data)
        if data[:8] == b"\x89PNG\r\n\x1a\n":
            return _png(data)
        if data[:2] == b"BM" and len(data) > 30:
            return _bmp(data)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _webp(data)
    except (struct.error, IndexError) as error:
        raise BadImage(f"{name} is cut short after {len(data)} bytes: take or copy the picture again") from error
    if data[:4] in (b"GIF8", b"II*\x00", b"MM\x00*"):
        raise BadImage(f"{name} is a {'GIF' if data[:3] == b'GIF' else 'TIFF'} file: save it as JPEG or PNG")
    raise BadImage(f"{name} is no picture (it begins with {data[:8]!r}): give a JPEG, PNG, BMP or WebP file")


def _bytes_of(path: Path, limits: ImageFileParams) -> bytes:
    try:
        info = path.stat()
        if not stat.S_ISREG(info.st_mode):
            raise BadImage(f"{path} is no file: give the path of a picture")
        if info.st_size == 0:
            raise BadImage(f"{path} is empty: take or copy the picture again")
        if info.st_size > limits.most_bytes:
            raise BadImage(f"{path} has {info.st_size} bytes, the most is {limits.most_bytes}: save it smaller")
        return path.read_bytes()
    except FileNotFoundError as error:
        raise BadImage(f"{path} does not exist: check the path") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not a usable path"
        if isinstance(error, BadImage):
            raise
        raise BadImage(f"{path} cannot be opened ({reason}): check the path and its permissions") from error


def _check(header: ImageHeader, name: str, limits: ImageFileParams) -> None:
    size = f"{header.width_px}x{header.height_px}"
    if min(header.width_px, header.height_px) < limits.least_px:
        raise BadImage(f"{name} is {size} pixels, needs {limits.least_px} or more each way: take a larger picture")
    too_many = header.width_px * header.height_px > limits.most_pixels
    if too_many or max(header.width_px, header.height_px) > limits.most_px:
        raise BadImage(f"{name} is {size} pixels, the most is {limits.most_pixels // 1_000_000} million: shrink it")
    if header.kind == "JPEG" and header.channels not in (1, 3):
        raise BadImage(f"{name} is a CMYK JPEG ({header.channels} channels): save it as RGB")
    if header.frames > 1:
        raise BadImage(f"{name} is animated: save one of its pictures as JPEG or PNG")
    if not header.whole:
        raise BadImage(f"{name} is a {header.kind} file cut short: take or copy the picture again")


def _jpeg(data: bytes) -> ImageHeader:
    for marker, at, _ in jpeg_segments(data):
        if marker in START_OF_FRAME:
            _, height, width, channels = struct.unpack(">BHHB", data[at + 2 : at + 8])
            # A picture's end may be followed by a phone's own data.
            whole = data.rfind(b"\xff\xd9") > at
            return ImageHeader("JPEG", width, height, channels, whole)
    raise IndexError


def _png(data: bytes) -> ImageHeader:
    width, height = struct.unpack(">II", data[16:24])
    channels = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}.get(data[25], 0)
    at, frames, whole = 8, 1, False
    while at + 8 <= len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"acTL" and at + 12 <= len(data):
            (frames,) = struct.unpack(">I", data[at + 8 : at + 12])
        if kind == b"IEND":
            whole = True
            break
        at += 12 + length
    return ImageHeader("PNG", width, height, channels, whole, frames)


def _bmp(data: bytes) -> ImageHeader:
    (size,) = struct.unpack("<I", data[2:6])
    width, height, _, bits = struct.unpack("<iiHH", data[18:30])
    return ImageHeader("BMP", abs(width), abs(height), max(1, bits // 8), len(data) >= size)


def _webp(data: bytes) -> ImageHeader:
    (size,) = struct.unpack("<I", data[4:8])
    whole = len(data) >= size + 8
    kind = data[12:16]
    if kind == b"VP8X":
        width = 1 + int.from_bytes(data[24:27], "little")
        height = 1 + int.from_bytes(data[27:30], "little")
        return ImageHeader("WebP", width, height, 3, whole and len(data) >= 30, 2 if data[20] & 2 else 1)
    if kind == b"VP8L":
        (bits,) = struct.unpack("<I", data[21:25])
        return ImageHeader("WebP", 1 + (bits & 0x3FFF), 1 + ((bits >> 14) & 0x3FFF), 3, whole)
    width, height = struct.unpack("<HH", data[26:30])
    return ImageHeader("WebP", width & 0x3FFF, height & 0x3FFF, 3, whole)
