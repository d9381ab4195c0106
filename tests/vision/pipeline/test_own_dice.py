"""Dice of taught classes: symbols are read as taught, pips stay, and what contradicts them is in doubt."""

from dataclasses import replace
from math import dist

import cv2
import numpy as np
import pytest

from tests.painted_dice import STILLS, Wearing, with_symbols
from vision.classification.face_net import FaceReader
from vision.decision.own_faces import NearFace, OwnFaces, TaughtFace, in_company, numerals
from vision.detection.squares import Squares
from vision.imaging.image_file import load_image
from vision.imaging.pyramid import ImagePyramid
from vision.pipeline import own_dice
from vision.pipeline.own_dice import by_face, faces_of, showable
from vision.pipeline.reader import Reader
from vision.training.labelled import labelled_trays
from vision.training.painted_faces import Glyph, bare_dice, cut_face, painted, repainted
from vision.types.frame import F32, ImageGray
from vision.types.reading import DieReading, Unread

TRAYS = ("d0001.jpg", "d0012.jpg", "d0041.jpg", "d0058.jpg")
DIE = DieReading("base", 1, 0.99, None, (9.0, 9.0), (0, 0, 18, 18), ((0, 0), (18, 0), (18, 18), (0, 18)))
PIPS = TaughtFace("base", 1, np.eye(1, 128, dtype=np.float32), shows_pips=True)
SYMBOL = TaughtFace("base", 6, np.eye(1, 128, 1, dtype=np.float32))


def read(reader: Reader, tray: Wearing) -> list[tuple[int, DieReading]]:
    """Return the dice with symbols, each with its value."""
    dice = reader.read(tray.image).dice
    near = [(value, [die for die in dice if dist(die.center_px, place) < 12]) for place, value in tray.dice]
    return [(value, die) for value, found in near for die in found]


@pytest.fixture(scope="module")
def taught() -> OwnFaces:
    reader, net, shown = Reader(), FaceReader(), dict[int, list[object]]()
    for name in TRAYS:
        for seed in (1, 2):
            tray = with_symbols(name, seed)
            for value, die in read(reader, tray):
                shown.setdefault(value, []).append(faces_of(tray.image, [die])[0])
    return OwnFaces(
        [TaughtFace("base", value, net.looks_of(np.stack(faces))) for value, faces in shown.items()]  # type: ignore[arg-type]
    )


def test_symbols_that_were_shown_are_read_and_pips_next_to_them_too(taught: OwnFaces) -> None:
    reader = Reader(faces=taught)
    seen = [one for name in TRAYS for one in read(reader, with_symbols(name, 9))]
    assert len(seen) >= 14
    assert [die.value for _, die in seen if die.unread is None] == [value for value, die in seen if die.unread is None]
    assert sum(die.unread is None for _, die in seen) >= len(seen) - 2
    others = [die for die in reader.read(with_symbols(TRAYS[0], 9).image).dice if die.colour != "base"]
    assert others == [die for die in Reader().read(with_symbols(TRAYS[0], 9).image).dice if die.colour != "base"]


def test_a_blank_face_is_no_number_and_dice_know_their_faces(taught: OwnFaces) -> None:
    blank = OwnFaces([replace(face, value=0 if face.value == 6 else face.value) for face in taught.of("base")])
    seen = read(Reader(faces=blank), with_symbols("d0058.jpg", 9))
    blanks = [die for value, die in seen if value == 6]
    assert [(die.value, die.unread) for die in blanks] == [(0, None)] * 2
    assert {die.faces for _, die in seen} == {(0, *range(1, 6))}


@pytest.mark.parametrize(
    ("faces", "values"),
    [
        ([(value, None) for value in range(1, 7)], ()),
        ([(6, None), (0, None), (5, None)], (0, 0, 0, 0, 5, 6)),
        ([(0, 3), (5, 2), (6, None)], (0, 0, 0, 5, 5, 6)),
        ([(1, 2), (2, 2), (3, 2)], (1, 1, 2, 2, 3, 3)),
        ([(1, None), (6, None)], ()),
        ([(0, 2), (6, None)], ()),
    ],
)
def test_how_often_a_die_has_each_face(faces: list[tuple[int, int | None]], values: tuple[int, ...]) -> None:
    own = OwnFaces([replace(SYMBOL, value=value, times=times) for value, times in faces])
    assert own.values_of("base") == values
    assert own.values_of("gear") == own.values_of(None) == ()


def test_an_untaught_symbol_is_an_unknown_face(taught: OwnFaces) -> None:
    known = OwnFaces([face for face in taught.of("base") if face.value in (1, 4)])
    seen = [die for value, die in read(Reader(faces=known), with_symbols("d0058.jpg", 9)) if value == 6]
    assert [die.unread for die in seen] == [Unread.FACE_UNKNOWN] * 2


def test_a_symbol_names_the_class_of_a_die_whose_colour_is_unclear(taught: OwnFaces) -> None:
    seen = read(Reader(colours={"gear": "black"}, faces=taught), with_symbols("d0058.jpg", 9))
    told = [die for _, die in seen if die.unread == Unread.COLOUR_UNCLEAR]
    assert len(told) >= len(seen) - 1 > 0
    assert [(die.colour, die.value) for die in told] == [("base", value) for value, die in seen if die in told]


def test_a_symbol_beyond_the_floor_is_read_and_the_die_stays_outside(
    taught: OwnFaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vision.pipeline.reader.FLOOR_SLACK", -99.0)
    seen = read(Reader(faces=taught), with_symbols("d0058.jpg", 9))
    assert {die.unread for _, die in seen} == {Unread.OUTSIDE_FLOOR}
    assert sum(die.value == value for value, die in seen) >= len(seen) - 1 > 0


def test_symbols_in_a_photograph_are_not_trusted_as_pips() -> None:
    seen = read(Reader(tray=False), with_symbols("d0041.jpg", 9))
    assert len(seen) == 5
    assert all(die.unread == Unread.PIPS_UNCLEAR for _, die in seen)


def test_symbols_on_dice_of_unclear_colour_are_no_pips() -> None:
    for name in TRAYS:
        seen = read(Reader(colours={"gear": "black"}), with_symbols(name, 9))
        assert not [die for _, die in seen if die.unread == Unread.COLOUR_UNCLEAR and die.value is not None]


def test_faces_that_surely_show_pips_are_looked_at_once_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    trays = [with_symbols(name, 9).image for name in TRAYS] + [load_image(STILLS / name) for name in TRAYS]
    looks, look = dict[int, int](), FaceReader.look_at

    def counted(self: FaceReader, picture: ImagePyramid, squares: Squares, *, quarters: int = 4) -> F32:
        looks[quarters] = looks.get(quarters, 0) + len(squares.edge_px)
        return look(self, picture, squares, quarters=quarters)

    monkeypatch.setattr(FaceReader, "look_at", counted)
    found = [Reader().read(image).dice for image in trays]
    assert looks[4] < 0.35 * looks[1]
    monkeypatch.setattr(own_dice, "SURE_LEAD", np.inf)
    assert [Reader().read(image).dice for image in trays] == found


def test_a_tray_s_other_dice_count_for_and_against_pips() -> None:
    leads = np.array([-1.0, 5.0, 4.0, -np.inf])
    assert in_company(leads, [2, 3, 6, 0])[:, 1:].tolist() == [[2, 1], [1, 1], [0, 1], [0, 0]]
    faces = OwnFaces(())

    def lead(value: int, *others: float) -> float:
        return float(faces.leads_in_company(np.array([-1.0, *others]), [value, *[4] * len(others)])[0])

    assert lead(2, -5.0) == lead(2, -np.inf) < lead(2) < lead(2, 5.0) < lead(2, 5.0, 5.0, 5.0) == lead(2, *[9.0] * 8)
    assert lead(1, -5.0) < lead(1) == lead(1, 5.0), "a symbol may stand for a 1 where the others show pips"
    assert len(faces.leads_in_company(np.array([]), [])) == 0


@pytest.mark.parametrize(
    ("pips", "near", "is_steady", "value", "unread"),
    [
        # Pips stay if a face of the class shows them, or if no taught face resembles the die.
        ((1, None), NearFace(PIPS, 0.99, True), True, 1, None),
        ((3, None), NearFace(SYMBOL, 0.01, False), True, 3, None),
        ((3, None), NearFace(SYMBOL, 0.7, False), True, 3, None),
        # If a taught face contradicts, neither is trusted.
        ((3, None), NearFace(SYMBOL, 0.99, True), True, 6, Unread.FACE_UNKNOWN),
        # Doubtful pips stay doubtful, even if they look like a taught face.
        ((None, Unread.PIPS_UNCLEAR), NearFace(PIPS, 0.99, True), True, 1, Unread.FACE_UNKNOWN),
        # A face does not change how a die lies.
        ((3, Unread.COCKED), NearFace(SYMBOL, 0.99, True), False, 6, Unread.COCKED),
        # A symbol that the die net mistakes for pips that no face of the class shows is the symbol.
        ((6, None), NearFace(SYMBOL, 0.99, True), True, 6, None),
        # Pips that a class with pips was taught as a symbol, seen badly then, stay named.
        ((6, None), NearFace(SYMBOL, 0.01, False), True, 6, Unread.FACE_UNKNOWN),
        ((6, None), NearFace(replace(SYMBOL, value=5), 0.7, False), True, 6, Unread.FACE_UNKNOWN),
        ((None, Unread.PIPS_UNCLEAR), NearFace(SYMBOL, 0.99, True), True, 6, None),
        ((None, Unread.PIPS_UNCLEAR), NearFace(SYMBOL, 0.99, True), False, 6, Unread.FACE_UNKNOWN),
        ((None, Unread.PIPS_UNCLEAR), NearFace(SYMBOL, 0.7, False), True, 6, Unread.FACE_UNKNOWN),
        ((None, Unread.PIPS_UNCLEAR), NearFace(SYMBOL, 0.01, False), True, None, Unread.FACE_UNKNOWN),
    ],
)
def test_pips_and_faces_settle_it_between_them(
    pips: tuple[int | None, Unread | None], near: NearFace, is_steady: bool, value: int | None, unread: Unread | None
) -> None:
    die = replace(DIE, value=pips[0], unread=pips[1])
    told = by_face(die, near, [PIPS, SYMBOL], is_steady=is_steady)
    assert (told.value, told.unread) == (value, unread)


def test_dice_with_more_than_six_faces_may_look_cocked_when_they_are_shown() -> None:
    dice = [replace(DIE, unread=unread) for unread in (Unread.COCKED, Unread.OUTSIDE_FLOOR, None)]
    assert showable(dice, "base") == dice[2:]
    assert showable(dice, "base", 8) == [dice[0], dice[2]]


def test_numerals_of_common_fonts_are_known_without_being_shown() -> None:
    assert [face.value for face in numerals().of("")] == [1, 2, 3, 4, 5, 6]


def test_untaught_numerals_are_suggested_but_never_trusted() -> None:
    (picture,) = [one for one in labelled_trays(STILLS, "still") if one.path.name == "d0058.jpg"]
    rng, image, worn = np.random.default_rng(5), load_image(picture.path), []
    for number, die in enumerate(bare_dice([picture])):
        value = number % 4 + 2  # a 1 of single strokes is a bar, a 6 needs its line
        image = repainted(image, die, painted(rng, die, Glyph(character(str(value)), 0.7)))
        worn.append((die.square.center_xy[0].tolist(), value))
    tray = Wearing(image, tuple(worn))
    suggested = read(Reader(suggests_numerals=True), tray)
    assert [die.unread for _, die in suggested] == [Unread.FACE_UNKNOWN] * len(suggested)
    assert len(suggested) == len(worn)
    assert [die.value for _, die in suggested] == [value for value, _ in suggested]
    assert {die.value for _, die in read(Reader(), tray)} == {None}


def told_apart(one: ImageGray, other: ImageGray) -> list[tuple[bool, bool]]:
    """Return for two taught faces, each painted on some dice, whether each die is read right, and if it is trusted."""
    net, rng = FaceReader(), np.random.default_rng(1)
    pictures = [picture for picture in labelled_trays(STILLS, "still") if picture.path.name in TRAYS]
    dice = [die for die in bare_dice(pictures) if die.edge_px > 30]
    shown = [
        net.looks_of(np.stack([cut_face(rng, painted(rng, die, Glyph(mask))) for die in dice])) for mask in (one, other)
    ]
    own = OwnFaces([TaughtFace("base", value, looks[::2]) for value, looks in enumerate(shown, 1)])
    near = [(value, own.nearest("base", look)) for value, looks in enumerate(shown, 1) for look in looks[1::2]]
    return [(one.face.value == value, one.is_sure) for value, one in near]


def character(text: str) -> ImageGray:
    mask = np.zeros((96, 96), np.uint8)
    cv2.putText(mask, text, (20, 72), cv2.FONT_HERSHEY_SIMPLEX, 2.6, 255, 10, cv2.LINE_AA)
    return mask


def test_a_symbol_is_told_from_itself_mirrored() -> None:
    told = told_apart(character("R"), np.ascontiguousarray(character("R")[:, ::-1]))
    assert all(is_right for is_right, is_sure in told if is_sure)
    assert sum(is_right for is_right, _ in told) > 0.9 * len(told)


def test_a_6_and_a_9_are_told_by_their_lines_or_refused() -> None:
    six = character("6")
    nine = np.ascontiguousarray(six[::-1, ::-1])
    assert not any(is_sure for _, is_sure in told_apart(six, nine))
    six[80:90, 24:72] = nine[80:90, 24:72] = 255
    told = told_apart(six, nine)
    assert all(is_right for is_right, is_sure in told if is_sure)
    assert sum(is_right for is_right, _ in told) > 0.9 * len(told)


def test_an_untaught_numeral_is_no_trusted_1() -> None:
    dice = Reader().read(load_image(STILLS.parent / "strangers" / "small-numeral-6-1.jpg")).dice
    assert [die.unread for die in dice if dist(die.center_px, (868, 252)) < 12] == [Unread.PIPS_UNCLEAR]
    assert sum((die.value, die.unread) == (1, None) for die in dice) == 3
