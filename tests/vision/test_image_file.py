"""Files that are no plain picture: one line each, before anything large is decoded."""

import os
import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.errors import BadImage
from vision.image_file import load_image, read_header

PICTURE = np.random.default_rng(3).integers(0, 255, (60, 80, 3), dtype=np.uint8)


def encoded(kind: str, image: np.ndarray = PICTURE) -> bytes:
    return cv2.imencode(kind, image)[1].tobytes()


def png_header(width: int, height: int) -> bytes:
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize("kind", [".jpg", ".png", ".bmp", ".webp"])
def test_plain_pictures(tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"a{kind}"
    file.write_bytes(encoded(kind))
    image = load_image(file)
    assert image.shape == PICTURE.shape
    assert image.dtype == np.uint8
    header = read_header(file.read_bytes(), "a")
    assert (header.width_px, header.height_px) == (80, 60)


def test_grey_deep_and_transparent_pictures_become_plain(tmp_path: Path) -> None:
    grey = PICTURE[:, :, 0]
    for name, image in (
        ("grey.png", grey),
        ("grey.jpg", grey),
        ("deep.png", PICTURE.astype(np.uint16) * 257),
        ("clear.png", np.dstack([PICTURE, grey])),
    ):
        cv2.imwrite(str(tmp_path / name), image)
        read = load_image(tmp_path / name)
        assert read.shape == (60, 80, 3), name
        assert read.dtype == np.uint8, name
    assert np.array_equal(load_image(tmp_path / "deep.png"), PICTURE)


BROKEN = {
    "cut.jpg": (lambda: encoded(".jpg")[:-40], "cut short"),
    "stub.jpg": (lambda: encoded(".jpg")[:12], "cut short"),
    "cut.png": (lambda: encoded(".png")[:-40], "cut short"),
    "cut.webp": (lambda: encoded(".webp")[:-40], "cut short"),
    "cut.bmp": (lambda: encoded(".bmp")[:-40], "cut short"),
    "text.jpg": (lambda: b"dear diary\n" * 90, "no picture"),
    "empty.jpg": (lambda: b"", "empty"),
    "one.png": (lambda: encoded(".png", PICTURE[:1, :1]), "1x1 pixels"),
    "huge.png": (lambda: png_header(20_000, 20_000), "20000x20000 pixels"),
    "long.png": (lambda: png_header(60, 900_000), "60x900000 pixels"),
    "hollow.png": (lambda: png_header(640, 480), "damaged"),
    "film.gif": (lambda: b"GIF89a" + bytes(40), "GIF"),
    "deep.tif": (lambda: b"II*\x00" + bytes(40), "TIFF"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_one_line_says_what_and_the_cure(tmp_path: Path, name: str) -> None:
    make, said = BROKEN[name]
    (tmp_path / name).write_bytes(make())
    with pytest.raises(BadImage, match=said) as caught:
        load_image(tmp_path / name)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
    assert ": " in str(caught.value)


def test_cmyk_is_named(tmp_path: Path) -> None:
    data = bytearray(encoded(".jpg"))
    start = data.index(b"\xff\xc0")
    data[start + 9] = 4
    (tmp_path / "ink.jpg").write_bytes(bytes(data))
    with pytest.raises(BadImage, match="CMYK"):
        load_image(tmp_path / "ink.jpg")


def test_animated_pictures_are_refused(tmp_path: Path) -> None:
    data = encoded(".png")
    film = struct.pack(">I4sIII", 8, b"acTL", 3, 0, 0)
    (tmp_path / "film.png").write_bytes(data[:33] + film + data[33:])
    with pytest.raises(BadImage, match="animated"):
        load_image(tmp_path / "film.png")


def test_a_folder_a_pipe_and_nothing_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    for path, said in ((tmp_path, "no file"), (tmp_path / "pipe.jpg", "no file"), (tmp_path / "x.jpg", "not exist")):
        with pytest.raises(BadImage, match=said):
            load_image(path)
