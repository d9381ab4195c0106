"""Pictures from untrusted files: the header is read first, and only what it declares is decoded."""

import stat
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.imaging.jpeg import START_OF_FRAME, check_jpeg, jpeg_segments
from vision.types.cures import cure_of, why
from vision.types.errors import BadImage
from vision.types.frame import MAX_SIDE_PX, ImageBgr

_GREYS = (255, 0, 128)
_BAND_PX = 512
_GREY_APART = 40
"""Colours that differ from a grey by no more gray levels than this are invisible on it."""

_CONVERT = "save it as JPEG"
_BOXED = (
    (
        frozenset({b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis"}),
        f"a HEIC picture, as iPhones take: {_CONVERT} (heif-convert does), or set the phone to Most Compatible",
    ),
    (frozenset({b"avif", b"avis"}), f"an AVIF picture: {_CONVERT} (avifdec does)"),
    (frozenset({b"mif1", b"msf1"}), f"a HEIF picture: {_CONVERT} (heif-convert does)"),
    (frozenset({b"crx "}), f"a camera's raw picture: {_CONVERT} with the camera's own program"),
)
_BEGINNINGS = (
    (b"GIF8", "a GIF file: save it as JPEG or PNG"),
    (b"II*\x00", "a TIFF file, or a camera's raw picture: save it as JPEG or PNG"),
    (b"MM\x00*", "a TIFF file, or a camera's raw picture: save it as JPEG or PNG"),
    (b"\xff\x0a", f"a JPEG XL picture: {_CONVERT} (djxl does)"),
    (b"\x00\x00\x00\x0cJXL ", f"a JPEG XL picture: {_CONVERT} (djxl does)"),
    (b"\x00\x00\x00\x0cjP  ", f"a JPEG 2000 picture: {_CONVERT}"),
    (b"8BPS", "a Photoshop file: save it as JPEG or PNG"),
    (b"%PDF", "a PDF file: save its picture as JPEG or PNG"),
    (b"<svg", "an SVG drawing: save it as PNG"),
    (b"\x1aE\xdf\xa3", "a video: save one of its pictures as JPEG or PNG"),
)
"""First bytes of files that are not read, with what they are and the cure."""


@dataclass(frozen=True, slots=True)
class ImageFileParams:
    """Limits of what is read."""

    min_px: int = 48  # least length of the shorter side; below it no die could be recognised
    max_px: int = MAX_SIDE_PX
    # Greatest number of pixels: limits the memory for decoding to about eight bytes each. A phone's 64 megapixels are
    # 9248x6944, its 108 megapixels 12032x9024.
    max_pixels: int = 120_000_000
    max_bytes: int = 400_000_000


@dataclass(frozen=True, slots=True)
class ImageHeader:
    """The header of a picture file."""

    kind: str  # `JPEG`, `PNG`, `BMP` or `WebP`
    width_px: int
    height_px: int
    channels: int  # number of colour channels; 4 in a JPEG is CMYK
    whole: bool  # whether the file is complete
    frames: int = 1  # number of frames; more than 1 if it is animated
    see_through: bool = False  # whether the picture may have transparent parts
    clear_gray: int | None = None  # the gray level, 0-255, that means transparent in a grey PNG; None otherwise


def load_image(path: Path, params: ImageFileParams | None = None) -> ImageBgr:
    """Read a picture file. Grey and 16-bit pictures become plain 8-bit colour.

    Transparent parts become one plain grey, as in a viewer, whatever colour is still stored there. The grey is white,
    black or the middle between them, whichever is farthest from the colours of the picture, so that no die is lost in
    it.

    Args:
        path: JPEG, PNG, BMP or WebP. A rotation in the metadata (EXIF) is ignored: pixels are returned as stored.

    Returns:
        Shape (H, W, 3), uint8.

    Raises:
        BadImage: Missing, not a picture, cut short, damaged, animated, CMYK, too small or large; one line with the
            cure.
    """
    limits = params or ImageFileParams()
    return decode_image(_bytes_of(path, limits), path.name, limits)


def decode_image(data: bytes, name: str, params: ImageFileParams | None = None) -> ImageBgr:
    """Decode a picture in memory, as `load_image` does.

    Returns:
        Shape (H, W, 3), uint8.

    Raises:
        BadImage: As `load_image`.
    """
    limits = params or ImageFileParams()
    header = read_header(data, name)
    check_header(header, name, limits)
    if header.kind == "JPEG":
        check_jpeg(data, name)
    flags = (cv2.IMREAD_UNCHANGED if header.see_through else cv2.IMREAD_COLOR) | cv2.IMREAD_IGNORE_ORIENTATION
    try:
        image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), flags)
    except cv2.error as error:
        raise BadImage(f"{name} is a damaged {header.kind} file: take or copy the picture again") from error
    if image is None or image.shape[:2] != (header.height_px, header.width_px):
        raise BadImage(f"{name} is a damaged {header.kind} file: take or copy the picture again")
    return np.ascontiguousarray(_on_grey(image, header.clear_gray) if header.see_through else image, dtype=np.uint8)


def _on_grey(image: npt.NDArray[Any], clear_gray: int | None) -> ImageBgr:
    """Put a picture, shape (H, W), (H, W, 3) or (H, W, 4), on a plain grey that it does not contain."""
    if image.dtype == np.uint16:
        image = cv2.convertScaleAbs(image, alpha=1.0 / 257.0)
    if image.ndim == 2:
        # OpenCV turns every other kind of PNG transparency into a fourth channel.
        alpha = np.where(image == clear_gray, 0, 255).astype(np.uint8)
        image = cv2.merge([image, image, image, alpha])
    if image.shape[2] == 3:
        return np.asarray(image, dtype=np.uint8)
    grey = _grey_for(image)
    shown = np.empty((*image.shape[:2], 3), dtype=np.uint8)
    # Band by band, so that a large picture is not held in memory several times.
    for top in range(0, image.shape[0], _BAND_PX):
        band = image[top : top + _BAND_PX]
        weight = cv2.merge([band[:, :, 3]] * 3)
        over = cv2.multiply(np.ascontiguousarray(band[:, :, :3]), weight, scale=1 / 255)
        under = cv2.multiply(np.full_like(weight, grey), 255 - weight, scale=1 / 255)
        shown[top : top + _BAND_PX] = cv2.add(over, under)
    return shown


def _grey_for(image: npt.NDArray[Any]) -> int:
    """Return the grey that the fewest visible pixels are close to."""
    seen = (image[:, :, 3] > 127).astype(np.uint8)
    levels = cv2.calcHist([cv2.cvtColor(image, cv2.COLOR_BGRA2GRAY)], [0], seen, [256], [0, 256])
    near = {grey: float(levels[max(0, grey - _GREY_APART) : grey + _GREY_APART + 1].sum()) for grey in _GREYS}
    return min(_GREYS, key=near.__getitem__)


def read_header(data: bytes, name: str) -> ImageHeader:
    """Read a picture file's header without decoding anything.

    Raises:
        BadImage: Not a picture, or of a kind that is not read.
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
    kind = _other_kind(data)
    if kind is not None:
        raise BadImage(f"{name} is {kind}")
    raise BadImage(f"{name} is no picture (it begins with {data[:8]!r}): give a JPEG, PNG, BMP or WebP file")


def _other_kind(data: bytes) -> str | None:
    """Return the kind of a file that is not read, with the cure; None if its first bytes do not show it."""
    if data[4:8] == b"ftyp":
        # ISO base media file format: four letters for the kind, then the compatible kinds.
        (size,) = struct.unpack(">I", data[:4])
        brands = {data[8:12], *(data[at : at + 4] for at in range(16, min(size, len(data), 256), 4))}
        for kinds, kind in _BOXED:
            if brands & kinds:
                return kind
        return "a video: save one of its pictures as JPEG or PNG"
    return next((kind for begins, kind in _BEGINNINGS if data.startswith(begins)), None)


def _bytes_of(path: Path, limits: ImageFileParams) -> bytes:
    try:
        info = path.stat()
        is_fit = stat.S_ISREG(info.st_mode) and 0 < info.st_size <= limits.max_bytes
        data = path.read_bytes() if is_fit else b""
    except FileNotFoundError as error:
        raise BadImage(f"{path} does not exist: check the path") from error
    except OSError as error:
        cure = cure_of(error.errno, "give another picture")
        raise BadImage(f"{path} cannot be opened ({why(error)}): {cure}") from error
    except ValueError as error:
        raise BadImage(f"{path} cannot be opened (not a usable path): check the path") from error
    if not stat.S_ISREG(info.st_mode):
        raise BadImage(f"{path} is no file: give the path of a picture")
    if info.st_size == 0:
        raise BadImage(f"{path} is empty: take or copy the picture again")
    if not is_fit:
        most = limits.max_bytes // 1_000_000
        raise BadImage(f"{path} has {info.st_size} bytes, the most is {most} million: save it as JPEG")
    return data


def check_header(header: ImageHeader, name: str, limits: ImageFileParams) -> None:
    """Check that a header is one of a picture that is read.

    Raises:
        BadImage: It is not; as `load_image`.
    """
    size = f"{header.width_px}x{header.height_px}"
    if min(header.width_px, header.height_px) < limits.min_px:
        raise BadImage(f"{name} is {size} pixels, needs {limits.min_px} or more each way: take a larger picture")
    too_many = header.width_px * header.height_px > limits.max_pixels
    if too_many or max(header.width_px, header.height_px) > limits.max_px:
        most = f"{limits.max_pixels // 1_000_000} million and {limits.max_px} along a side"
        raise BadImage(f"{name} is {size} pixels, the most is {most}: shrink it")
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
    see_through, clear_gray = data[25] in (4, 6), None
    while at + 8 <= len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"acTL" and at + 12 <= len(data):
            (frames,) = struct.unpack(">I", data[at + 8 : at + 12])
        if kind == b"tRNS":
            see_through = True
            if data[25] == 0:
                (clear,) = struct.unpack(">H", data[at + 8 : at + 10])
                clear_gray = clear * 255 // max(2 ** data[24] - 1, 1)
        if kind == b"IEND":
            whole = True
            break
        at += 12 + length
    return ImageHeader("PNG", width, height, channels, whole, frames, see_through, clear_gray)


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
        whole = whole and len(data) >= 30
        return ImageHeader("WebP", width, height, 3, whole, 2 if data[20] & 2 else 1, bool(data[20] & 0x10))
    if kind == b"VP8L":
        (bits,) = struct.unpack("<I", data[21:25])
        size = 1 + (bits & 0x3FFF), 1 + ((bits >> 14) & 0x3FFF)
        return ImageHeader("WebP", *size, 3, whole, see_through=bool(bits >> 28 & 1))
    width, height = struct.unpack("<HH", data[26:30])
    return ImageHeader("WebP", width & 0x3FFF, height & 0x3FFF, 3, whole)
