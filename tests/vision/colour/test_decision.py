"""The colour classes of dice, alone and next to one another."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.vision.colour.faces import BLACK, GREEN
from vision.colour.classes import STANDARD_COLOURS, lab_of
from vision.colour.decision import colour_classes, load_colour_net
from vision.colour.features import FEATURES, Classes, class_features
from vision.colour.top_faces import TopFace
from vision.tray.profile import PaletteColour
from vision.types.errors import VisionError

STANDARD = Classes.named(STANDARD_COLOURS)
RED_WHITE_BLUE = Classes.named({"base": "white", "skill": "red", "gear": "blue"})
TYPICAL_BGR: dict[str, list[tuple[int, int, int]]] = {
    "yellow": [(46, 201, 238), (30, 170, 240)],
    "green": [(65, 124, 28), (80, 170, 60)],
    "black": [(42, 38, 37), (20, 20, 25)],
    "white": [(235, 235, 235), (200, 225, 238)],
    "red": [(40, 35, 190), (60, 50, 150)],
    "blue": [(170, 80, 35), (120, 60, 30)],
}


def die(bgr: tuple[int, int, int]) -> TopFace:
    """Return a die of that colour in good light; on light bodies pips are dark."""
    body = np.array(bgr, float)
    dark = max(bgr) > 195 and min(bgr) > 25
    pips = np.full(3, 30.0 if dark else 220.0)
    return replace(GREEN, body_bgr=body, rim_bgr=0.85 * body, pip_bgr=pips, dark=dark, contrast=120.0, darkest=0.9)


@pytest.mark.parametrize(
    ("classes", "names"),
    [(STANDARD, ("yellow", "green", "black")), (RED_WHITE_BLUE, ("white", "red", "blue"))],
    ids=["standard", "red, white, blue"],
)
def test_typical_dice_lie_in_their_classes(classes: Classes, names: tuple[str, ...]) -> None:
    labels = dict(zip(names, ("base", "skill", "gear"), strict=True))
    dice = [(die(bgr), labels[name]) for name in names for bgr in TYPICAL_BGR[name]]
    assert colour_classes([face for face, _ in dice], np.ones(3), classes) == tuple(label for _, label in dice)


@pytest.mark.parametrize("bgr", [(170, 80, 35), (40, 35, 190), (235, 235, 235), (160, 60, 140)])
def test_a_stranger_among_standard_dice_is_of_no_class(bgr: tuple[int, int, int]) -> None:
    dice = [die(TYPICAL_BGR[name][0]) for name in ("yellow", "green", "black")]
    assert colour_classes([*dice, die(bgr)], np.ones(3), STANDARD)[-1] is None


def test_black_dice_with_red_pips_are_black() -> None:
    hazy = replace(BLACK, body_bgr=np.array([46.0, 45.0, 42.0]), rim_bgr=np.array([46.0, 45.0, 42.0]))
    assert colour_classes([replace(hazy, pip_bgr=np.array([50.0, 60.0, 200.0]))], np.full(3, 0.9), STANDARD) == (
        "gear",
    )


def test_measured_dice_lie_in_their_classes_also_in_shadow() -> None:
    green, black = (lab_of(face.body_bgr[None])[0].tolist() for face in (GREEN, BLACK))
    palette = [
        PaletteColour("skill", (*green,), 3.0, dark_pips=False),
        PaletteColour("gear", (*black,), 3.0, dark_pips=False),
    ]
    shaded = [replace(face, body_bgr=0.6 * face.body_bgr, rim_bgr=0.6 * face.rim_bgr) for face in (GREEN, BLACK)]
    labels = colour_classes([GREEN, BLACK, *shaded], np.ones(3), Classes.measured(palette))
    assert labels == ("skill", "gear", "skill", "gear")


def test_what_others_of_a_class_look_like_counts_only_where_there_are_others() -> None:
    alone = class_features([GREEN, BLACK], np.ones(3), STANDARD)
    among = class_features([GREEN, GREEN, BLACK], np.ones(3), STANDARD)
    mates, off = FEATURES.index("has_mates"), FEATURES.index("body_off_mates")
    assert alone.shape == (2, 3, len(FEATURES))
    assert alone[0, 1, mates] == 0.0
    assert among[0, 1, mates] == 1.0
    assert among[2, 1, off] > among[0, 1, off] == 0.0


def test_shares_sum_to_one_and_nothing_has_no_class() -> None:
    shares = load_colour_net("named").shares(class_features([GREEN, BLACK], np.ones(3), STANDARD))
    assert shares.sum(axis=1) == pytest.approx(1.0)
    assert colour_classes([], np.ones(3), STANDARD) == ()
    assert colour_classes([GREEN], np.ones(3), Classes.named({})) == (None,)


def test_what_was_fitted_on_other_features_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "colour.json"
    other.write_text('{"named": {"features": ["size"]}}', encoding="utf-8")
    with pytest.raises(VisionError, match="fit it again"):
        load_colour_net("named", other)
    with pytest.raises(VisionError, match="install the project again"):
        load_colour_net("named", tmp_path / "none.json")
