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


def drawn() -> np.ndarray:
    """Five dice on a floor: smooth enough that data which goes on from another place still decodes."""
    image = np.full((240, 320, 3), (90, 110, 60), np.uint8)
    for at in range(5):
        x, y = 30 + 55 * at, 60 + 25 * (at % 3)
        cv2.rectangle(image, (x, y), (x + 36, y + 36), (40, 200, 230), -1)
        cv2.circle(image, (x + 18, y + 18), 4, (20, 20, 20), -1)
    noise = np.random.default_rng(5).normal(0, 6, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


def pixels_of(data: bytes) -> tuple[int, int]:
    """Where a JPEG's pixels begin and end."""
    scan = data.index(b"\xff\xda")
    return scan + 2 + int.from_bytes(data[scan + 2 : scan + 4], "big"), data.rindex(b"\xff\xd9")


def without_middle(data: bytes, count: int = 200) -> bytes:
    start, end = pixels_of(data)
    middle = (start + end) // 2
    return data[:middle] + data[middle + count :]


def blank_middle(data: bytes, count: int = 512) -> bytes:
    start, end = pixels_of(data)
    middle = (start + end) // 2
    return data[:middle] + bytes(count) + data[middle + count :]


def doubled_middle(data: bytes) -> bytes:
    start, end = pixels_of(data)
    middle = (start + end) // 2
    return data[: middle + 400] + data[middle:end] + data[end:]


JPEGS = {
    "plain": [],
    "progressive": [cv2.IMWRITE_JPEG_PROGRESSIVE, 1],
    "restarts": [cv2.IMWRITE_JPEG_RST_INTERVAL, 5],
    "full colour": [cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444],
}


@pytest.mark.parametrize("kind", JPEGS)
@pytest.mark.parametrize("damage", [without_middle, blank_middle, doubled_middle])
def test_a_jpeg_without_its_middle_is_refused(tmp_path, capfd, kind: str, damage) -> None:
    data = cv2.imencode(".jpg", drawn(), JPEGS[kind])[1].tobytes()
    assert load_bytes(tmp_path, data).shape == (240, 320, 3)
    with pytest.raises(BadImage, match=r"^a\.jpg is a damaged JPEG file \(.+\): take or copy the picture again$"):
        load_bytes(tmp_path, damage(data))
    assert capfd.readouterr().err == ""


def load_bytes(folder: Path, data: bytes) -> np.ndarray:
    (folder / "a.jpg").write_bytes(data)
    return load_image(folder / "a.jpg")


def test_what_cameras_write_beside_the_pixels_is_no_damage(tmp_path: Path) -> None:
    data = encoded(".jpg", drawn())
    wanted = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    tables, (start, end) = data.index(b"\xff\xdb"), pixels_of(data)
    strange = {
        "stray bytes before the tables": data[:tables] + b"\x01" * 5 + data[tables:],
        "filling before the end": data[:end] + b"\x35" * 10 + data[end:],
        "an unknown version": data[:11] + b"\x07" + data[12:],
        "no selection of coefficients": data[: start - 3] + bytes(3) + data[start:],
        "a second picture behind it": data + data,
        "a turn beside the pixels": data[:2] + b"\xff\xe1\x00\x22Exif\x00\x00MM\x00*" + bytes(22) + data[2:],
    }
    for what, file in strange.items():
        assert np.array_equal(load_bytes(tmp_path, file), wanted), what
        at = pixels_of(file)[0] + 2000
        with pytest.raises(BadImage, match="damaged"):
            load_bytes(tmp_path, file[:at] + file[at + 200 :])
    with pytest.raises(BadImage, match="extraneous"):
        load_bytes(tmp_path, data[:end] + b"\x35" * 40 + data[end:])


def test_a_jpeg_of_a_rare_kind_is_not_called_damaged(tmp_path: Path) -> None:
    data = bytearray(encoded(".jpg", drawn()))
    data[data.index(b"\xff\xc0") + 11] = 0x31
    with pytest.raises(BadImage, match="rare way: save it as PNG"):
        load_bytes(tmp_path, bytes(data))


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
