"""Detection of damaged JPEG data, which OpenCV decodes with grey or shifted blocks and without an error.

A second decoder, which treats each warning as an error, reads the data first. It gets only what the pixels depend on,
so that metadata and the quirks of cheap cameras raise no warnings. Data replaced by other valid data of as many blocks
cannot be detected: JPEG has no checksum.
"""

import re
import struct
from collections.abc import Iterator

import simplejpeg

from vision.types.errors import BadImage

START_OF_FRAME = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # the other three of that row are tables
_SEQUENTIAL = (0xC0, 0xC1)
_START_OF_SCAN = 0xDA
_END = 0xD9
_NOTES = frozenset(range(0xE0, 0xF0)) | {0xFE}
# Some cameras pad the data before the end marker; damage leaves blocks over, in 383 cases never under 13 bytes.
_MAX_FILLING_BYTES = 8
_FILLING = re.compile(r"(\d+) extraneous bytes before marker 0xd9$")


def jpeg_segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Iterate over what precedes the pixels: each segment's marker, position of its length, and end.

    The last is the start of the first scan; a file that is cut short ends before it.
    """
    at = 2
    try:
        while True:
            while data[at] != 0xFF:
                at += 1
            while data[at] == 0xFF:
                at += 1
            marker = data[at]
            at += 1
            if marker in (0xD8, 0x01) or 0xD0 <= marker <= 0xD7:
                continue
            if marker == _END:
                return
            (length,) = struct.unpack(">H", data[at : at + 2])
            end = at + max(2, length)
            yield marker, at, end
            if marker == _START_OF_SCAN:
                return
            at = end
    except (IndexError, struct.error):
        return


def check_jpeg(data: bytes, name: str) -> None:
    """Reject a JPEG whose data no longer fits its size.

    Raises:
        BadImage: Damaged, or of a kind that cannot be checked; one line with the cure.
    """
    try:
        # An eighth of the size: all of the data is read, but few pixels are computed.
        simplejpeg.decode_jpeg(_bare(data), "GRAY", min_height=1, min_width=1, min_factor=8, strict=True)
    except ValueError as error:
        # The decoder stops at its first warning, and padding before the end comes last.
        filling = _FILLING.search(str(error))
        if filling and int(filling[1]) <= _MAX_FILLING_BYTES:
            return
        flaw = str(error).rpartition(": ")[2]
        if "subsampling" in flaw:
            raise BadImage(f"{name} is a JPEG whose colours are stored in a rare way: save it as PNG") from error
        raise BadImage(f"{name} is a damaged JPEG file ({flaw}): take or copy the picture again") from error


def _bare(data: bytes) -> bytes:
    """Return the file without metadata and without stray bytes between the segments."""
    parts = [data[:2]]
    sequential = False
    for marker, at, end in jpeg_segments(data):
        if marker in _NOTES:
            continue
        body = data[at:end]
        if marker in START_OF_FRAME:
            sequential = marker in _SEQUENTIAL
        if marker == _START_OF_SCAN:
            # Three bytes without meaning in such a file, which decoders ignore; some phones write other values.
            parts += [b"\xff\xda", body[:-3] + b"\x00\x3f\x00" if sequential else body, data[end:]]
        else:
            parts += [bytes((0xFF, marker)), body]
    return b"".join(parts)
