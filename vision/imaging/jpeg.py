"""JPEG files whose middle was lost or overwritten: OpenCV decodes them with grey or shifted blocks and raises nothing.

A second decoder, which takes each warning for an error, goes through the data first. It is given only what its
pixels depend on, so that it says nothing about the notes beside them and about what cheap cameras write otherwise.
Data that was changed into other sound data, for as many blocks, nobody can detect: JPEG has no checksum.
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
# Some cameras fill up the data before the end marker; what damage leaves over is blocks, of 383 times never under 13.
_MOST_FILLING_BYTES = 8
_FILLING = re.compile(r"(\d+) extraneous bytes before marker 0xd9$")


def jpeg_segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Go through what precedes the pixels: the marker of each segment, where its length stands, and its end.

    The last is the start of the first scan; what is cut short ends before it.
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
    """Refuse a JPEG whose data no longer fits its size.

    Raises:
        BadImage: Damaged, or of a kind that cannot be checked; one line with the cure.
    """
    try:
        # An eighth of the size: all of the data is gone through, but few pixels are made of it.
        simplejpeg.decode_jpeg(_bare(data), "GRAY", min_height=1, min_width=1, min_factor=8, strict=True)
    except ValueError as error:
        # The decoder stops at its first complaint, and the filling before the end is the last thing there is.
        filling = _FILLING.search(str(error))
        if filling and int(filling[1]) <= _MOST_FILLING_BYTES:
            return
        flaw = str(error).rpartition(": ")[2]
        if "subsampling" in flaw:
            raise BadImage(f"{name} is a JPEG whose colours are stored in a rare way: save it as PNG") from error
        raise BadImage(f"{name} is a damaged JPEG file ({flaw}): take or copy the picture again") from error


def _bare(data: bytes) -> bytes:
    """The file without its notes and without stray bytes between the segments."""
    parts = [data[:2]]
    sequential = False
    for marker, at, end in jpeg_segments(data):
        if marker in _NOTES:
            continue
        body = data[at:end]
        if marker in START_OF_FRAME:
            sequential = marker in _SEQUENTIAL
        if marker == _START_OF_SCAN:
            # Three bytes that mean nothing in such a file: decoders pass over what some phones put there.
            parts += [b"\xff\xda", body[:-3] + b"\x00\x3f\x00" if sequential else body, data[end:]]
        else:
            parts += [bytes((0xFF, marker)), body]
    return b"".join(parts)
