"""Files that are not plain pictures: one line each, before anything large is decoded."""

import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.imaging.image_file import ImageFileParams, ImageHeader, check_header, load_image, read_header
from vision.types.errors import BadImage

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


BROKEN: dict[str, tuple[Callable[[], bytes], str]] = {
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
    make, expected = BROKEN[name]
    (tmp_path / name).write_bytes(make())
    with pytest.raises(BadImage, match=expected) as caught:
        load_image(tmp_path / name)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
    assert ": " in str(caught.value)


def drawn() -> np.ndarray:
    """Return five dice on a floor, smooth enough that data continued from another place still decodes."""
    image = np.full((240, 320, 3), (90, 110, 60), np.uint8)
    for at in range(5):
        x, y = 30 + 55 * at, 60 + 25 * (at % 3)
        cv2.rectangle(image, (x, y), (x + 36, y + 36), (40, 200, 230), -1)
        cv2.circle(image, (x + 18, y + 18), 4, (20, 20, 20), -1)
    noise = np.random.default_rng(5).normal(0, 6, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


def pixels_of(data: bytes) -> tuple[int, int]:
    """Return where a JPEG's pixels begin and end."""
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


JPEGS: dict[str, list[int]] = {
    "plain": [],
    "progressive": [cv2.IMWRITE_JPEG_PROGRESSIVE, 1],
    "restarts": [cv2.IMWRITE_JPEG_RST_INTERVAL, 5],
    "full colour": [cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444],
}


@pytest.mark.parametrize("kind", JPEGS)
@pytest.mark.parametrize("damage", [without_middle, blank_middle, doubled_middle])
def test_a_jpeg_without_its_middle_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], kind: str, damage: Callable[[bytes], bytes]
) -> None:
    data = cv2.imencode(".jpg", drawn(), JPEGS[kind])[1].tobytes()
    assert load_bytes(tmp_path, data).shape == (240, 320, 3)
    with pytest.raises(BadImage, match=r"^a\.jpg is a damaged JPEG file \(.+\): take or copy the picture again$"):
        load_bytes(tmp_path, damage(data))
    assert capfd.readouterr().err == ""


def load_bytes(folder: Path, data: bytes) -> np.ndarray:
    (folder / "a.jpg").write_bytes(data)
    return load_image(folder / "a.jpg")


def test_what_cameras_write_around_the_pixels_is_no_damage(tmp_path: Path) -> None:
    data = encoded(".jpg", drawn())
    wanted = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert wanted is not None
    tables, (start, end) = data.index(b"\xff\xdb"), pixels_of(data)
    strange = {
        "stray bytes before the tables": data[:tables] + b"\x01" * 5 + data[tables:],
        "filling before the end": data[:end] + b"\x35" * 10 + data[end:],
        "an unknown version": data[:11] + b"\x07" + data[12:],
        "no selection of coefficients": data[: start - 3] + bytes(3) + data[start:],
        "a second picture behind it": data + data,
        "a turn outside the pixels": data[:2] + b"\xff\xe1\x00\x22Exif\x00\x00MM\x00*" + bytes(22) + data[2:],
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
    for path, expected in (
        (tmp_path, "no file"),
        (tmp_path / "pipe.jpg", "no file"),
        (tmp_path / "x.jpg", "not exist"),
    ):
        with pytest.raises(BadImage, match=expected):
            load_image(path)


def boxed(major: bytes, *others: bytes) -> bytes:
    """Return the first box of an ISO base media file, as phones and converters write it, and the start of the next."""
    brands = b"".join((major, bytes(4), *others))
    return struct.pack(">I", 8 + len(brands)) + b"ftyp" + brands + b"\x00\x00\x02\x00meta" + bytes(60)


KINDS = {
    "IMG_0001.HEIC": (boxed(b"heic", b"mif1", b"MiHB", b"heic"), "HEIC picture.*heif-convert"),
    "burst.heic": (boxed(b"mif1", b"mif1", b"heic"), "HEIC picture"),
    "square.avif": (boxed(b"avif", b"avif", b"mif1", b"miaf"), "AVIF picture.*avifdec"),
    "other.heif": (boxed(b"mif1", b"mif1", b"jpeg"), "HEIF picture"),
    "raw.cr3": (boxed(b"crx ", b"crx ", b"isom"), "raw picture"),
    "clip.mov": (boxed(b"qt  ", b"qt  "), "video"),
    "clip.mp4": (boxed(b"isom", b"isom", b"avc1"), "video"),
    "new.jxl": (b"\xff\x0a" + bytes(40), "JPEG XL"),
    "new2.jxl": (b"\x00\x00\x00\x0cJXL \x0d\x0a\x87\x0a" + bytes(40), "JPEG XL"),
    "old.jp2": (b"\x00\x00\x00\x0cjP  \x0d\x0a\x87\x0a" + bytes(40), "JPEG 2000"),
    "scan.pdf": (b"%PDF-1.7\n" + bytes(40), "PDF"),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_that_is_not_read_is_named_with_how_to_convert_it(tmp_path: Path, name: str) -> None:
    data, expected = KINDS[name]
    for named in (name, "photo.jpg"):
        (tmp_path / named).write_bytes(data)
        with pytest.raises(BadImage, match=f"{named} is an? .*{expected}|{named} is an? {expected}") as caught:
            load_image(tmp_path / named)
        assert "save " in str(caught.value).partition(": ")[2]


def test_an_avif_of_opencv_itself_is_named(tmp_path: Path) -> None:
    if not cv2.haveImageWriter(".avif"):
        pytest.skip("this OpenCV writes no AVIF: the test above holds such a file's beginning")
    (tmp_path / "a.avif").write_bytes(encoded(".avif"))
    with pytest.raises(BadImage, match="is an AVIF picture"):
        load_image(tmp_path / "a.avif")


@pytest.mark.parametrize(
    ("width", "height", "is_read"), [(9248, 6944, True), (12032, 9024, True), (16320, 12240, False)]
)
def test_pictures_of_phones_are_read_up_to_the_documented_size(width: int, height: int, is_read: bool) -> None:
    header = ImageHeader("JPEG", width, height, 3, True)
    if is_read:
        check_header(header, "phone.jpg", ImageFileParams())
    else:
        with pytest.raises(BadImage, match=f"{width}x{height} pixels, the most is 120 million and 20000 along a side"):
            check_header(header, "phone.jpg", ImageFileParams())


def cut_out(paint: tuple[int, int, int], under: tuple[int, int, int]) -> np.ndarray:
    """Return a die of one colour on transparency, as in a cut-out photograph; the hidden pixels are `under`."""
    image = np.full((80, 80, 4), (*under, 0), np.uint8)
    image[30:60, 30:60] = (*paint, 255)
    image[30:60, 20:30] = (*paint, 128)
    return image


@pytest.mark.parametrize("kind", [".png", ".webp"])
@pytest.mark.parametrize(
    "paint", [(255, 255, 255), (0, 0, 0), (128, 128, 128), (40, 200, 230), (250, 250, 250), (20, 20, 20)]
)
@pytest.mark.parametrize("under", [(0, 0, 0), (255, 255, 255), (90, 40, 170)])
def test_no_die_goes_under_in_what_is_transparent(
    tmp_path: Path, kind: str, paint: tuple[int, int, int], under: tuple[int, int, int]
) -> None:
    (tmp_path / f"a{kind}").write_bytes(
        cv2.imencode(kind, cut_out(paint, under), [cv2.IMWRITE_WEBP_QUALITY, 101])[1].tobytes()
    )
    image = load_image(tmp_path / f"a{kind}").astype(int)
    die, ground, rim = image[45, 45], image[5, 5], image[45, 25]
    assert np.abs(die - paint).max() <= 2
    assert np.abs(die - ground).max() >= 80
    assert len(set(ground)) == 1, "the ground is grey whatever is stored there"
    assert np.abs(image[:20] - ground).max() == 0
    assert np.abs(rim - (die + ground) / 2).max() <= 2


def test_an_erased_die_is_gone_and_its_neighbour_stays(tmp_path: Path) -> None:
    image = np.full((80, 160, 4), (90, 110, 60, 255), np.uint8)
    image[20:60, 20:60] = (40, 200, 230, 255)
    image[20:60, 100:140] = (40, 200, 230, 0)
    cv2.imwrite(str(tmp_path / "erased.png"), image)
    shown = load_image(tmp_path / "erased.png").astype(int)
    assert np.abs(shown[40, 40] - (40, 200, 230)).max() == 0
    assert len(set(shown[40, 120])) == 1


def test_what_only_may_be_transparent_is_read_as_it_is(tmp_path: Path) -> None:
    opaque = np.dstack([PICTURE, np.full(PICTURE.shape[:2], 255, np.uint8)])
    deep = opaque.astype(np.uint16) * 257
    for name, image in (("opaque.png", opaque), ("deep.png", deep)):
        cv2.imwrite(str(tmp_path / name), image)
        assert np.array_equal(load_image(tmp_path / name), PICTURE), name


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


@pytest.mark.parametrize(
    ("colour_type", "before", "pixels", "clear"),
    [
        (3, chunk(b"PLTE", bytes([0, 0, 0, 230, 200, 40])), [0, 1], chunk(b"tRNS", bytes([0, 255]))),
        (2, b"", [0, 0, 0, 230, 200, 40], chunk(b"tRNS", bytes([0, 0, 0, 0, 0, 0]))),
        (0, b"", [0, 200], chunk(b"tRNS", bytes([0, 0]))),
        (4, b"", [0, 0, 200, 255], b""),
    ],
    ids=["palette", "one colour", "one grey", "grey and alpha"],
)
def test_every_way_of_a_png_to_be_transparent(
    tmp_path: Path, colour_type: int, before: bytes, pixels: list[int], clear: bytes
) -> None:
    half = len(pixels) // 2
    row = b"\x00" + bytes(pixels[:half]) * 32 + bytes(pixels[half:]) * 32
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, colour_type, 0, 0, 0))
    body = head + before + clear + chunk(b"IDAT", zlib.compress(row * 64)) + chunk(b"IEND", b"")
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    image = load_image(tmp_path / "a.png").astype(int)
    assert image[32, 10].tolist() == [255, 255, 255], "black that is transparent is shown as the ground"
    assert image[32, 50].tolist() in ([40, 200, 230], [200, 200, 200])


def test_a_bmp_whose_fourth_byte_means_nothing_is_read_as_it_is(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.bmp"), np.dstack([PICTURE, np.zeros(PICTURE.shape[:2], np.uint8)]))
    assert np.array_equal(load_image(tmp_path / "a.bmp"), PICTURE)


def test_a_png_of_no_bits_is_refused(tmp_path: Path) -> None:
    """Found by fuzzing: a grey PNG with a depth of 0 and a transparent level."""
    path = tmp_path / "spoiled.png"
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBBBBBI", 13, b"IHDR", 9, 9, 0, 0, 0, 0, 0, 0)
    path.write_bytes(head + struct.pack(">I4sHI", 2, b"tRNS", 1, 0) + struct.pack(">I4sI", 0, b"IEND", 0))
    with pytest.raises(BadImage):
        load_image(path)
