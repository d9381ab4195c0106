"""Calibration from the first picture to a saved profile: the workflow on drawn pictures, and its page in a browser."""

import itertools
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest

from device.calibration.empty_tray import CalibrationParams, judge_framing
from device.calibration.workflow import CalibrationWorkflow, floor_from_corners, save_with_backup
from device.camera.live_picture import Picture
from device.check import CheckStatus
from device.cli.main import main
from device.errors import BadInput, DeviceError
from device.simulation.scenery import SceneryParams, die_look, scenery
from device.texts.catalogue import translate
from device.web.app import WebServer
from device.web.core.server import bind_socket
from tests.drawing import draw
from tests.narrowing import parts_of
from tests.web.accessible import trips
from tests.web.conftest import FakeTray
from tests.web.ports import free_port
from tests.web.windows import Windows
from vision.imaging.image_file import load_image
from vision.pipeline.calibrate import calibrate
from vision.rendering.scene import DiePose
from vision.tray.framing import Framing
from vision.tray.own_things import PATCH_CELLS, Thing
from vision.tray.profile import Profile, load_profile
from vision.types.errors import BadProfile
from vision.types.frame import Frame

COLOURS = {"base": "yellow", "skill": "green", "gear": "black"}
SCENERY = SceneryParams(width_px=960, height_px=720)
PLACES = [(-80.0, -50.0), (0.0, 40.0), (70.0, -20.0), (-60.0, 55.0), (40.0, -65.0), (95.0, 55.0)]
UPRIGHT = {  # a rotation with this value on top, the die's axes as columns
    1: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    2: [[1, 0, 0], [0, 0, -1], [0, 1, 0]],
    3: [[0, 0, -1], [0, 1, 0], [1, 0, 0]],
    4: [[0, 0, 1], [0, 1, 0], [-1, 0, 0]],
    5: [[1, 0, 0], [0, 0, 1], [0, -1, 0]],
    6: [[1, 0, 0], [0, -1, 0], [0, 0, -1]],
}


def shown(*dice: tuple[str, int]) -> Frame:
    """Return a drawn tray with dice of these classes and values."""
    poses = tuple(
        DiePose(
            die_look(COLOURS[label], 16.0, number),
            np.array([*PLACES[number], 8.0]),
            np.array(UPRIGHT[value], dtype=np.float64),
        )
        for number, (label, value) in enumerate(dice)
    )
    return Frame(draw(replace(scenery(SCENERY), dice=poses)), 0.0, 0)


@pytest.fixture(scope="module")
def pictures() -> dict[str, Frame]:
    return {
        "empty": shown(),
        "base": shown(("base", 5), ("base", 3), ("base", 1), ("base", 6)),
        "skill": shown(("skill", 2), ("skill", 4), ("skill", 6)),
        "gear": shown(("gear", 1), ("gear", 3), ("gear", 5)),
        "mixed": shown(("base", 2), ("skill", 5), ("gear", 4), ("base", 6)),
    }


class Studio:
    """A workflow, its picture, and its results."""

    def __init__(self, pictures: dict[str, Frame], folder: Path) -> None:
        self.pictures = pictures
        self.now = "empty"
        self.made: list[Any] = []
        self.path = folder / "profile.json"
        self.sequences = itertools.count()
        self.card_lies_there = True
        self.is_dark = False
        self.workflow = CalibrationWorkflow(
            self.newest,
            self.path,
            self.made.append,
            colours=COLOURS,
            focus=self.focus_on_card,
            light=self.measure_light,
        )

    def measure_light(self) -> None:
        if self.is_dark:
            raise DeviceError("too little light: add a lamp")

    def focus_on_card(self) -> float:
        """Do what a camera with a moving lens does."""
        if not self.card_lies_there:
            raise DeviceError("nothing sharp was found: lay the calibration card flat on the floor")
        return 3.65

    def newest(self) -> Frame | None:
        """Return the camera's picture, a new frame each time."""
        frame = self.pictures.get(self.now)
        return None if frame is None else replace(frame, sequence=next(self.sequences))

    def take_all(self) -> None:
        for name in ("empty", "base", "skill", "gear"):
            self.now = name
            self.workflow.take_empty() if name == "empty" else self.workflow.take_dice(name)


@pytest.fixture
def studio(pictures: dict[str, Frame], tmp_path: Path) -> Studio:
    return Studio(pictures, tmp_path)


def test_well_placed_tray_is_well(studio: Studio) -> None:
    reported: dict[str, Any] = studio.workflow.look()
    assert reported == json.loads(json.dumps(reported))
    assert [check["verdict"] for check in reported["checks"]] == ["ok"] * 4, reported["checks"]
    assert reported["floor"]["shape"] == "rectangle"


@pytest.mark.parametrize(
    ("spoil", "part"),
    [
        (lambda image: cv2.GaussianBlur(image, (0, 0), 4.0), "focus"),
        (lambda image: (image * 0.12).astype(np.uint8), "light"),
        (lambda image: image[:, 260:], "place"),
    ],
    ids=["blurred", "dark", "cut off"],
)
def test_what_is_wrong_is_reported_with_its_cure(studio: Studio, spoil: Callable[[Any], Any], part: str) -> None:
    studio.pictures = {"empty": Frame(np.ascontiguousarray(spoil(studio.pictures["empty"].image_bgr)), 0.0, 1)}
    reported: dict[str, Any] = studio.workflow.look()
    wrong = {check["part"]: check["cure"] for check in reported["checks"] if check["verdict"] != "ok"}
    assert wrong.get(part), reported["checks"]


def test_leaning_camera_is_reported(studio: Studio) -> None:
    level = Framing(0.05, 0.6, 0.01, 3.0, 100.0, 0.0, 0.9)
    verdicts = [check.status for check in judge_framing(replace(level, tilt=0.2), CalibrationParams())]
    assert verdicts == [CheckStatus.OK, CheckStatus.WARN, CheckStatus.OK, CheckStatus.OK]
    for change, part in (({"evenness": 0.2}, "light"), ({"burnt": 0.3}, "light"), ({"width_share": 0.2}, "place")):
        judged = judge_framing(replace(level, **change), CalibrationParams())
        assert [check.part for check in judged if check.status is not CheckStatus.OK] == [part]


def test_whole_calibration_makes_a_profile_that_reads_the_proof(studio: Studio) -> None:
    studio.take_all()
    studio.now = "mixed"
    proof: dict[str, Any] = studio.workflow.proof()
    assert sorted((die["colour"], die["value"]) for die in proof["dice"]) == [
        ("base", 2),
        ("base", 6),
        ("gear", 4),
        ("skill", 5),
    ]
    assert proof["trusted"] is True
    assert proof["warnings"] == []
    assert studio.made == []
    studio.workflow.save()
    assert len(studio.made) == 1
    assert sorted(colour.label for colour in load_profile(studio.path).palette) == ["base", "gear", "skill"]


def cut_off(frame: Frame) -> Frame:
    """Return the same tray with its left quarter out of the picture."""
    return replace(frame, image_bgr=np.ascontiguousarray(frame.image_bgr[:, 260:]))


def test_tray_whose_check_fails_is_never_saved(studio: Studio) -> None:
    studio.take_all()
    studio.workflow.save()
    before = studio.path.read_text()
    studio.pictures = {"empty": cut_off(studio.pictures["empty"])}
    studio.now = "empty"
    assert "fail" in {check["verdict"] for check in parts_of(studio.workflow.look())["checks"]}
    for take in (studio.workflow.take_empty, studio.workflow.calibrate_again):
        with pytest.raises(BadProfile, match=r"place fails: .* is cut off: move the camera") as refused:
            take()
        assert "\n" not in str(refused.value)
    with pytest.raises(BadInput, match="empty tray comes first"):
        studio.workflow.save()
    assert studio.path.read_text() == before
    assert len(studio.made) == 1


def test_what_is_reported_of_the_taken_tray_is_what_is_saved(studio: Studio) -> None:
    studio.workflow.take_empty()
    reported: dict[str, Any] = studio.workflow.look()
    studio.now = "base"
    studio.workflow.take_dice("base")
    later: dict[str, Any] = studio.workflow.look()
    assert (later["floor"], later["checks"]) == (reported["floor"], reported["checks"])
    studio.workflow.save()
    assert np.allclose(load_profile(studio.path).floor.outline_px, reported["floor"]["outline_px"], atol=0.1)


def test_floor_that_pictures_show_in_different_places_is_reported_and_tapping_cures_it(studio: Studio) -> None:
    empty = studio.pictures["empty"]
    shifted = np.roll(empty.image_bgr, 150, axis=1)
    newest = studio.newest

    def jumping() -> Frame:
        frame = newest()
        assert frame is not None
        return replace(frame, image_bgr=shifted) if frame.sequence % 2 else frame

    studio.workflow = CalibrationWorkflow(jumping, studio.path, studio.made.append, colours=COLOURS)
    assert [check["verdict"] for check in parts_of(studio.workflow.look())["checks"]] == ["fail"]
    with pytest.raises(BadProfile, match="9 pictures"):
        studio.workflow.take_empty()
    studio.workflow.show_corners([[180, 100], [780, 100], [780, 620], [180, 620]])
    studio.workflow.take_empty()
    assert parts_of(studio.workflow.look())["tapped"] is True


def test_counts_of_dice_are_reported(studio: Studio) -> None:
    studio.workflow.take_empty()
    studio.now = "base"
    assert studio.workflow.take_dice("base") == 4


def test_steps_out_of_order_and_wrong_pictures_are_reported(studio: Studio) -> None:
    with pytest.raises(BadInput, match="empty tray comes first"):
        studio.workflow.take_dice("base")
    with pytest.raises(BadInput, match="empty tray comes first"):
        studio.workflow.save()
    studio.now = "base"
    with pytest.raises(BadProfile, match="take them out"):
        studio.workflow.take_empty()
    studio.now = "empty"
    studio.workflow.take_empty()
    with pytest.raises(BadProfile, match="no dice are read"):
        studio.workflow.take_dice("base")
    with pytest.raises(BadInput, match="colour class"):
        studio.workflow.take_dice("pink")
    studio.now = "nothing"
    with pytest.raises(BadInput, match="no picture yet"):
        studio.workflow.look()


def test_classes_that_look_alike_are_reported(studio: Studio) -> None:
    studio.workflow.take_empty()
    studio.now = "base"
    studio.workflow.take_dice("base")
    studio.workflow.take_dice("skill")  # the same yellow dice, by mistake
    assert parts_of(studio.workflow.look())["alike"] == [["base", "skill"]]
    assert any("look alike" in warning for warning in parts_of(studio.workflow.proof())["warnings"])


def test_calibrating_again_keeps_the_dice_and_the_old_profile(studio: Studio) -> None:
    studio.take_all()
    studio.workflow.save()
    first = studio.path.read_text()
    studio.now = "empty"
    studio.pictures = dict(
        studio.pictures, empty=Frame(np.roll(studio.pictures["empty"].image_bgr, 12, axis=1), 0.0, 2)
    )
    assert studio.workflow.calibrate_again() == (studio.path, [])
    again = load_profile(studio.path)
    assert sorted(colour.label for colour in again.palette) == ["base", "gear", "skill"]
    assert (studio.path.parent / "profile.json.old").read_text() == first
    assert studio.path.read_text() != first
    assert sorted(one.name for one in studio.path.parent.iterdir()) == ["profile.json", "profile.json.old"]


def test_calibrating_again_reports_what_it_takes_for_the_trays_own(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    def littered(*args: Any, **known: Any) -> Profile:
        return replace(
            calibrate(*args, **known),
            things=(Thing((412.0, 230.0), 30.0, np.full((PATCH_CELLS, PATCH_CELLS, 3), 90.0)),),
        )

    monkeypatch.setattr("device.calibration.workflow.calibrate", littered)
    studio.workflow.take_empty()
    warnings = parts_of(studio.workflow.proof())["warnings"]
    _, reported = studio.workflow.calibrate_again()
    assert len(reported) == 1
    assert "412, 230" in reported[0]
    assert reported == warnings


def test_profile_that_cannot_be_written_leaves_the_old_one(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    studio.workflow.take_empty()
    studio.workflow.save()
    before = studio.path.read_text()

    def full(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadProfile, match="No space left"):
        save_with_backup(studio.path, studio.made[0])
    assert studio.path.read_text() == before
    assert not studio.path.with_name(studio.path.name + ".new").exists()


def test_profile_goes_only_where_a_file_can_be(studio: Studio, tmp_path: Path) -> None:
    studio.workflow.take_empty()
    studio.workflow.save()
    for nameless in (Path(), Path("/")):
        with pytest.raises(BadProfile, match="has no file name"):
            save_with_backup(nameless, studio.made[0])
    folder, pipe = tmp_path / "scratch" / "folder", tmp_path / "scratch" / "pipe"
    folder.mkdir(parents=True)
    os.mkfifo(pipe)
    for taken in (folder, pipe):
        with pytest.raises(BadProfile, match="is not a file"):
            save_with_backup(taken, studio.made[0])
    assert sorted(folder.parent.iterdir()) == [folder, pipe]
    assert pipe.is_fifo()


def test_four_corners_in_any_order_are_the_same_floor() -> None:
    corners = [[200.0, 150.0], [1100.0, 160.0], [1080.0, 820.0], [210.0, 800.0]]
    floor = floor_from_corners(corners, 1280, 960)
    for order in ([2, 0, 3, 1], [3, 2, 1, 0]):
        other = floor_from_corners([corners[at] for at in order], 1280, 960)
        assert {tuple(point) for point in other.outline_px} == {tuple(point) for point in floor.outline_px}


@pytest.mark.parametrize(
    "corners",
    [
        [[0, 0], [1, 1], [2, 2]],
        [[200, 150], [1100, 160], [1080, 820], [2000, 800]],
        [[200, 150], [1100, 160], [1080, 820], [700, 300]],
        [[200, 150], [210, 150], [210, 160], [200, 160]],
        [[200, 150], [float("nan"), 160], [1080, 820], [210, 800]],
    ],
    ids=["three", "outside", "dented", "tiny", "no number"],
)
def test_corners_that_make_no_floor_are_refused(corners: list[list[float]]) -> None:
    with pytest.raises(BadInput, match="tap"):
        floor_from_corners(corners, 1280, 960)


@pytest.fixture
def calibrated_over_http(studio: Studio, tray: FakeTray, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(tray, "picture", lambda width_px: picture_of(studio))
    with WebServer(tray, bind_socket("127.0.0.1", free_port()), parts=[studio.workflow]) as server:
        yield server.url.rstrip("/")


def picture_of(studio: Studio) -> Picture:
    _, jpeg = cv2.imencode(".jpg", studio.pictures[studio.now].image_bgr)
    number = sorted(studio.pictures).index(studio.now)
    return Picture(number, jpeg.tobytes(), number, (1280, 960))


def test_calibration_over_http_and_its_refusals(calibrated_over_http: str, studio: Studio) -> None:
    with httpx.Client(verify=False, base_url=calibrated_over_http, timeout=20) as client:
        assert client.get("/api/calibration").json()["has_empty"] is False
        refused = client.post("/api/calibration/save", json={})
        assert (refused.status_code, refused.json()["reason"]) == (409, "picture_will_not_do")
        for path, body in (
            ("corners", {"corners": [[1, 2]]}),
            ("corners", {"corners": [[0, 0], [1, 1e9], [2, 2], [3, 3]]}),
            ("dice", {"label": ""}),
            ("dice", {"label": "base", "more": 1}),
        ):
            assert client.post(f"/api/calibration/{path}", json=body).status_code == 422, body
        whole, studio.pictures = studio.pictures, {"empty": cut_off(studio.pictures["empty"])}
        refused = client.post("/api/calibration/empty", json={})
        assert (refused.status_code, refused.json()["reason"]) == (409, "picture_will_not_do")
        assert "place fails" in refused.json()["error"]
        studio.pictures = whole
        assert client.post("/api/calibration/empty", json={}).json()["has_empty"] is True
        studio.now = "base"
        assert client.post("/api/calibration/dice", json={"label": "base"}).json()["count"] == 4


def test_focus_is_measured_on_the_card_and_forgets_the_pictures_before(
    calibrated_over_http: str, studio: Studio
) -> None:
    with httpx.Client(verify=False, base_url=calibrated_over_http, timeout=20) as client:
        assert client.get("/api/calibration").json()["can_focus"] is True
        client.post("/api/calibration/empty", json={})
        reported = client.post("/api/calibration/focus", json={}).json()
        assert (reported["dioptres"], reported["has_empty"]) == (3.65, False)
        client.post("/api/calibration/empty", json={})
        studio.card_lies_there = False
        refused = client.post("/api/calibration/focus", json={})
        assert (refused.status_code, refused.json()["reason"]) == (409, "picture_will_not_do")
        assert refused.json()["error"].startswith(
            translate("calibration.focus_stays", error="nothing sharp was found: lay the")
        )
        assert client.get("/api/calibration").json()["has_empty"] is True
    by_hand = CalibrationWorkflow(studio.newest, studio.path, studio.made.append, colours=COLOURS)
    assert by_hand.look()["can_focus"] is False


def test_light_is_measured_on_the_empty_tray_and_forgets_the_pictures_before(
    calibrated_over_http: str, studio: Studio
) -> None:
    with httpx.Client(verify=False, base_url=calibrated_over_http, timeout=20) as client:
        assert client.get("/api/calibration").json()["can_measure_light"] is True
        client.post("/api/calibration/empty", json={})
        assert client.post("/api/calibration/light", json={}).json()["has_empty"] is False
        studio.is_dark = True
        refused = client.post("/api/calibration/light", json={})
        assert (refused.status_code, refused.json()["error"]) == (409, "too little light: add a lamp")
    by_hand = CalibrationWorkflow(studio.newest, studio.path, studio.made.append, colours=COLOURS)
    assert by_hand.look()["can_measure_light"] is False
    with pytest.raises(BadInput, match=re.escape(translate("calibration.no_light_to_fix"))):
        by_hand.measure_light()


def test_without_dice_nothing_is_saved_and_an_empty_tray_proves_nothing(
    calibrated_over_http: str, studio: Studio
) -> None:
    with httpx.Client(verify=False, base_url=calibrated_over_http, timeout=20) as client:
        assert client.post("/api/calibration/empty", json={}).json()["has_dice"] is False
        proof = client.post("/api/calibration/proof", json={}).json()
        assert (proof["trusted"], proof["dice"]) == (False, [])
        refused = client.post("/api/calibration/save", json={})
        assert (refused.status_code, "no dice were shown" in refused.json()["error"]) == (409, True)
        studio.now = "base"
        assert client.post("/api/calibration/dice", json={"label": "base"}).json()["has_dice"] is True
        assert client.post("/api/calibration/save", json={}).status_code == 200
        assert client.get("/api/calibration").json()["has_dice"] is True, "those of the profile in use"


def test_tray_that_is_not_calibrated_has_no_such_path(served: str) -> None:
    assert httpx.get(f"{served}/api/calibration", timeout=5).status_code == 404


@pytest.mark.browser
def test_page_guides_from_the_first_look_to_the_saved_profile(
    windows: Windows, calibrated_over_http: str, studio: Studio
) -> None:
    page = windows.lend((800, 480), "dark")
    page.goto(f"{calibrated_over_http}/calibrate")
    page.get_by_test_id("calibration-checks").get_by_text("focus").wait_for()
    found = trips(page)
    report = page.get_by_test_id("calibration-report")
    studio.card_lies_there = False
    page.get_by_test_id("calibration-focus").click()
    report.get_by_text("lay the calibration card flat on the floor").wait_for()
    studio.card_lies_there = True
    page.get_by_test_id("calibration-focus").click()
    report.get_by_text("Take the card out now").wait_for()
    page.get_by_test_id("calibration-light").click()
    report.get_by_text(translate("page.calibrate.light_measured")).wait_for()
    page.get_by_test_id("calibration-empty").click()
    report.get_by_text(translate("page.calibrate.empty_taken")).wait_for()
    page.get_by_text(translate("page.calibrate.dice_first")).wait_for()
    assert page.get_by_test_id("calibration-save").is_disabled()
    found += trips(page)
    for label, count in (("base", 4), ("skill", 3), ("gear", 3)):
        studio.now = label
        page.get_by_test_id("calibration-dice").filter(has_text=label).click()
        report.get_by_text(f"{count} {label} dice taken.").wait_for()
    found += trips(page)
    studio.now = "mixed"
    page.get_by_test_id("calibration-proof").click()
    report.get_by_text("Every die is read and trusted.").wait_for()
    page.locator("#picture[data-etag]").wait_for()
    found += trips(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is cut off at the right"
    page.get_by_test_id("calibration-save").click()
    report.get_by_text("Saved and in use").wait_for()
    found += trips(page)
    page.locator("#tap").click()
    found += trips(page)
    assert ([line for line in windows.complaints if "409" not in line], found) == ([], [])
    assert len(studio.made) == 1


@pytest.mark.browser
def test_floor_is_shown_by_tapping_its_four_corners(
    windows: Windows, calibrated_over_http: str, studio: Studio, tmp_path: Path
) -> None:
    studio.pictures = dict(studio.pictures, empty=Frame(np.full((720, 960, 3), 90, np.uint8), 0.0, 0))
    page = windows.lend()
    page.goto(f"{calibrated_over_http}/calibrate")
    page.get_by_text(translate("calibration.no_floor")).wait_for()
    page.locator("#tap").click()
    box = page.locator("#picture").bounding_box()
    assert box is not None
    for x, y in ((0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8)):
        page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
    page.locator("#tap[aria-pressed='false']").wait_for()
    page.get_by_text(translate("calibration.no_floor")).wait_for(state="hidden")
    reported: dict[str, Any] = studio.workflow.look()
    assert reported["tapped"] is True
    shown_px = sorted(tuple(point) for point in reported["floor"]["outline_px"])
    wanted_px = sorted((x * 960, y * 720) for x in (0.2, 0.8) for y in (0.2, 0.8))
    assert np.allclose(shown_px, wanted_px, atol=4.0)
    page.close()


@pytest.fixture
def stills(pictures: dict[str, Frame], tmp_path: Path) -> Path:
    for name, frame in pictures.items():
        cv2.imwrite(str(tmp_path / f"{name}.png"), frame.image_bgr)
    return tmp_path


def calibrate_in(folder: Path, *more: str) -> int:
    dice = [word for label in COLOURS for word in ("--dice", f"{label}={folder / label}.png")]
    words = ["calibrate", "--empty", str(folder / "empty.png"), *dice, "--out", str(folder / "made.json")]
    return main([*words, *more])


def test_command_line_makes_the_profile_and_proves_it(stills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert calibrate_in(stills, "--proof", str(stills / "mixed.png")) == 0
    report = capsys.readouterr().out
    assert sorted(re.findall(r"mixed.png: (\w+ \d) at", report)) == ["base 2", "base 6", "gear 4", "skill 5"]
    assert report.splitlines()[-1].endswith("every die is read and trusted")
    cv2.imwrite(str(stills / "dark.png"), load_image(stills / "mixed.png") // 12)
    assert calibrate_in(stills, "--proof", str(stills / "dark.png")) == 1
    assert "not trusted" in capsys.readouterr().out.splitlines()[-1]
    assert (stills / "made.json.old").exists()


def test_command_line_reports_which_check_fails(
    stills: Path, pictures: dict[str, Frame], capsys: pytest.CaptureFixture[str]
) -> None:
    assert calibrate_in(stills) == 0
    assert "fails" not in capsys.readouterr().out
    cv2.imwrite(str(stills / "cut.png"), cut_off(pictures["empty"]).image_bgr)
    assert main(["calibrate", "--empty", str(stills / "cut.png"), "--out", str(stills / "cut.json")]) == 0
    assert re.search(r"cut.png: place fails: .* is cut off: move the camera", capsys.readouterr().out)


def test_command_line_takes_the_corners_of_the_floor(stills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corners = ["180,100", "780,100", "780,620", "180,620"]
    assert calibrate_in(stills, "--corners", *corners) == 0
    outline = load_profile(stills / "made.json").floor.outline_px
    assert sorted(",".join(f"{part:.0f}" for part in point) for point in outline) == sorted(corners)
    for wrong in (["1,2", "3", "4,5", "6,7"], ["a,b", "1,2", "3,4", "5,6"], ["0,0", "5,0", "5,5", "0,5"]):
        capsys.readouterr()
        assert calibrate_in(stills, "--corners", *wrong) == 2
        assert capsys.readouterr().err.count("\n") == 1
