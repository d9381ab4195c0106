import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from device.errors import BadInput
from device.recording.recording import RecordedPress, find_recordings, load_recording
from device.recording.writer import RecordingWriter
from vision.types.frame import ImageBgr


def picture(level: int, width: int = 32, height: int = 24) -> ImageBgr:
    return np.full((height, width, 3), level, np.uint8)


def write(folder: Path, count: int = 3) -> RecordingWriter:
    writer = RecordingWriter(folder, 15.0, "push-pool", {"base": 2}, {"base": "yellow"})
    for index in range(count):
        if index == 1:
            writer.add_press("push")
        writer.add_frame(picture(40 * index))
    return writer


def test_what_was_written_is_what_is_read(tmp_path: Path) -> None:
    recording = write(tmp_path / "night").finish()
    again = load_recording(tmp_path / "night")
    assert again == recording
    assert (again.fps, again.width_px, again.height_px, again.system) == (15.0, 32, 24, "push-pool")
    assert dict(again.pool) == {"base": 2}
    assert again.presses == (RecordedPress(1, "push"),)
    assert again.presses_at(1) == (RecordedPress(1, "push"),)
    assert again.presses_at(0) == ()
    frames = list(again.load_frames())
    assert [frame.sequence for frame in frames] == [0, 1, 2]
    assert [frame.t_s for frame in frames] == [0.0, pytest.approx(1 / 15), pytest.approx(2 / 15)]
    assert [int(frame.image_bgr.mean()) for frame in frames] == [0, 40, 80]


def test_nothing_stands_under_the_name_until_it_is_whole(tmp_path: Path) -> None:
    writer = write(tmp_path / "night")
    assert not (tmp_path / "night").exists()
    assert find_recordings(tmp_path) == ()
    writer.discard()
    writer.discard()
    assert list(tmp_path.iterdir()) == []


def test_a_recording_is_never_overwritten(tmp_path: Path) -> None:
    write(tmp_path / "night").finish()
    with pytest.raises(BadInput, match="exists already"):
        write(tmp_path / "night")


def test_frames_of_two_sizes_are_refused(tmp_path: Path) -> None:
    writer = write(tmp_path / "night")
    with pytest.raises(BadInput, match="64x24"):
        writer.add_frame(picture(0, width=64))


def test_a_recording_without_a_frame_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no frame"):
        write(tmp_path / "night", count=0).finish()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match=r"cannot make .*file is not a folder: "):
        write(tmp_path / "file" / "more" / "night")
    with pytest.raises(BadInput, match=r"cannot make .*: give it a shorter name, or name a writable folder"):
        # This name could be created; its draft's, some letters longer, is too long for any file system.
        write(tmp_path / ("a" * 254))


def test_recordings_are_found_in_a_folder_or_are_it(tmp_path: Path) -> None:
    for name in ("b", "a"):
        write(tmp_path / name).finish()
    assert [path.name for path in find_recordings(tmp_path)] == ["a", "b"]
    assert find_recordings(tmp_path / "a") == (tmp_path / "a",)
    with pytest.raises(BadInput, match="not a folder"):
        find_recordings(tmp_path / "c")


@pytest.mark.parametrize(
    ("key", "value", "word"),
    [
        ("format", "pushtray-recording/9", "format"),
        ("fps", 0, "fps"),
        ("fps", True, "fps"),
        ("fps", "15", "fps"),
        ("width", 1.5, "width"),
        ("height", 0, "height"),
        ("system", "", "system"),
        ("pool", [1], "pool"),
        ("pool", {"base": -1}, "base"),
        ("colours", ["yellow"], "colours"),
        ("colours", {"base": 3}, "colours.base is 3"),
        ("colours", {"base": "yelow"}, "colours.base is 'yelow': did you mean yellow"),
        ("colours", {"base": ["yellow"]}, "colours.base"),
        ("profile", 3, "profile"),
        ("presses", {}, "presses"),
        ("presses", [{"frame": 1, "button": "fire"}], "button"),
        ("presses", [{"frame": "x", "button": "push"}], "frame"),
    ],
)
def test_a_bad_field_is_named(tmp_path: Path, key: str, value: object, word: str) -> None:
    write(tmp_path / "night").finish()
    path = tmp_path / "night" / "recording.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))
    with pytest.raises(BadInput, match=word) as caught:
        load_recording(tmp_path / "night")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "\ufeff{}", "[" * 100_000])
def test_a_file_that_is_no_object_is_named(tmp_path: Path, text: str) -> None:
    write(tmp_path / "night").finish()
    (tmp_path / "night" / "recording.json").write_text(text)
    with pytest.raises(BadInput, match=r"recording\.json"):
        load_recording(tmp_path / "night")


def test_missing_and_broken_frames_are_named(tmp_path: Path) -> None:
    write(tmp_path / "night").finish()
    frames = tmp_path / "night" / "frames"
    (frames / "000002.jpg").write_bytes(b"no picture")
    with pytest.raises(BadInput, match=r"000002\.jpg is not a readable picture"):
        list(load_recording(tmp_path / "night").load_frames())
    (frames / "000002.jpg").write_bytes(b"")
    with pytest.raises(BadInput, match="not a readable picture"):
        list(load_recording(tmp_path / "night").load_frames())
    (frames / "000001.jpg").unlink()
    with pytest.raises(BadInput, match=r"lacks frame 000001\.jpg"):
        load_recording(tmp_path / "night")


def test_a_frame_without_its_middle_is_named(tmp_path: Path) -> None:
    recording = write(tmp_path / "night").finish()
    frame = recording.frames[1]
    grain = np.random.default_rng(4).integers(0, 255, (24, 32, 3), dtype=np.uint8)
    data = cv2.imencode(".jpg", grain)[1].tobytes()
    frame.write_bytes(data[:-600] + data[-200:])
    with pytest.raises(BadInput, match=r"000001\.jpg is not a readable picture"):
        recording.load_frame(1)


def test_a_frame_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    recording = write(tmp_path / "night").finish()
    frame = recording.frames[1]
    frame.unlink()
    frame.mkdir()
    with pytest.raises(BadInput, match=r"000001\.jpg cannot be read"):
        recording.load_frame(1)


def test_a_frame_of_another_size_is_named(tmp_path: Path) -> None:
    write(tmp_path / "night").finish()
    path = tmp_path / "night" / "recording.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"width": 33}))
    with pytest.raises(BadInput, match="32x24"):
        load_recording(tmp_path / "night").load_frame(0)


def truth(**changes: Any) -> dict[str, Any]:
    die = {"id": "d1", "colour": "base", "value": 5, "cocked": False, "center_px": [3, 4.5]}
    return {"rests": [{"first_frame": 0, "last_frame": 1, "dice": [die | changes]}], "hand_visible_frames": [2]}


def test_truth_is_read_where_it_is(tmp_path: Path) -> None:
    write(tmp_path / "night").finish()
    (tmp_path / "night" / "truth.json").write_text(json.dumps(truth() | {"throws": [[0, 1]], "push": {"kept": ["d1"]}}))
    recording = load_recording(tmp_path / "night")
    assert [(rest.first_frame, rest.last_frame) for rest in recording.rests] == [(0, 1)]
    assert recording.rests[0].dice[0].center_px == (3.0, 4.5)
    assert recording.hand_frames == {2}
    assert recording.throws == ((0, 1),)
    assert recording.stayed == frozenset({"d1"})


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"rests": [{}]},
        truth(value=7),
        truth(id=3),
        truth(center_px=[1]),
        truth(center_px=[10**400, 1]),
        truth(center_px=[float("nan"), 1]),
        truth(center_px=[1, float("inf")]),
        truth(center_px=[True, 1]),
        truth() | {"hand_visible_frames": "all"},
        truth() | {"throws": [[1]]},
        truth() | {"push": 3},
        truth() | {"push": {"kept": [3]}},
        {"rests": [{"first_frame": 0, "last_frame": 9, "dice": []}]},
    ],
)
def test_bad_truth_is_named(tmp_path: Path, body: object) -> None:
    write(tmp_path / "night").finish()
    (tmp_path / "night" / "truth.json").write_text(json.dumps(body))
    with pytest.raises(BadInput, match=r"truth\.json"):
        load_recording(tmp_path / "night")


def test_misused_buttons_and_rates_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="fire"):
        write(tmp_path / "night").add_press("fire")
    with pytest.raises(BadInput, match="fps"):
        RecordingWriter(tmp_path / "other", float("nan"), "push-pool", {}, {})


def test_a_recordings_file_of_a_windows_editor_is_read(tmp_path: Path) -> None:
    recording = write(tmp_path / "night").finish()
    path = tmp_path / "night" / "recording.json"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_recording(tmp_path / "night") == recording
