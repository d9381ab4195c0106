"""The command: every subcommand exists and has help; bad input is one line and exit status 2, never a traceback."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest

from device.cli.main import SUBCOMMANDS, main, make_parser
from device.cli.read import picture_stems
from device.recording.writer import RecordingWriter
from device.storage.data_folder import DataFolder
from tests.drawing import draw
from vision.evaluation.bench import drawn_scene
from vision.tray.floor import Floor
from vision.tray.profile import Profile, save_profile


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    status = main(args)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Two seconds of an empty dark picture."""
    folder = tmp_path / "empty"
    writer = RecordingWriter(folder, 15, "push-pool", {"base": 2}, {"base": "yellow"})
    for number in range(30):
        if number == 20:
            writer.add_press("push")
        writer.add_frame(np.full((240, 320, 3), 60, np.uint8))
    writer.finish()
    return folder


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_subcommand_helps(capsys: pytest.CaptureFixture[str], name: str) -> None:
    status, out, err = run(capsys, name, "--help")
    assert (status, err) == (0, "")
    assert out.startswith(f"usage: pushtray {name}")


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_example_of_the_help_can_be_parsed(name: str) -> None:
    assert SUBCOMMANDS[name].examples
    for example in SUBCOMMANDS[name].examples:
        command = re.split("[<>]", example.split(" | ")[-1])[0].split()
        assert command[:2] == ["pushtray", name]
        args = make_parser(name).parse_args(command[2:])
        assert getattr(args, "camera", "none is asked for"), "it works where there are no settings"


def test_the_overview_names_every_subcommand(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys)
    assert status == 0
    assert all(name in out for name in SUBCOMMANDS)
    assert run(capsys, "--help")[1] == out
    assert run(capsys, "--version")[1].startswith("pushtray ")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["rnu"], "there is no subcommand 'rnu': did you mean run?"),
        (["xyzzy"], "choose one of run, read"),
        (["run"], "no camera is named"),
        (["run", "--camera", "webcam"], "no camera is called 'webcam'"),
        (["run", "--camera", "usb:x"], "no camera is called 'usb:x'"),
        (["run", "--camera", "replay:/no/such/folder"], "there is no folder /no/such/folder"),
        (["run", "--camera", "pi", "--port", "eighty"], "invalid int value: 'eighty'"),
        (["run", "--camera", "pi", "--port", "99999"], "web.port is 99999"),
        (["run", "--camera", "pi", "--system", "chess"], "system 'chess' is unknown"),
        (["run", "--camera", "pi", "--colours", "base=mauve"], "mauve"),
        (["run", "--camera", "pi", "--profile", "/no/profile.json"], "profile /no/profile.json does not exist"),
        (["run", "--camera", "pi", "--settings", "/no/settings.toml"], "cannot read settings /no/settings.toml"),
        (["run", "--camera", "pi", "--log-level", "loud"], "--log-level: invalid choice: 'loud'"),
        (["record", "--camera", "pi", "--log-level", "loud", "/no/new"], "--log-level: invalid choice: 'loud'"),
        (["run", "--frobnicate"], "unrecognized arguments: --frobnicate"),
        (["replay"], "the following arguments are required: FOLDER"),
        (["replay", "/no/such/folder"], "/no/such/folder"),
        (["record", "--camera", "pi", "/"], "/ exists already"),
        (["record", "--camera", "pi", "/dev/null/new"], "/dev/null is not a folder: name a writable folder"),
        (["record", "--camera", "pi", "--pool", "base=many", "/no/new"], "--pool has 'base=many'"),
        (["record", "--camera", "pi", "--pool", "base=99", "/no/new"], "99 dice (base): Give 0 to 20."),
        (["record", "--camera", "pi", "--seconds", "0", "/no/new"], "--seconds is 0"),
        (["evaluate", "/no/such/folder"], "/no/such/folder"),
        (["export", "--data", "/no/such/folder"], "there is no roll log in /no/such/folder"),
        (["export", "--since", "soon", "--data", "/no"], "--since is 'soon'"),
        (["export", "--format", "xml"], "invalid choice: 'xml'"),
        (["doctor", "--camera", "webcam"], "no camera is called 'webcam'"),
        (["read", "/no/such/image.jpg"], "/no/such/image.jpg"),
        (["read", "--colours", "base", "x.jpg"], "--colours has 'base'"),
        (["rulings", "--system", "chess"], "chess"),
    ],
)
def test_bad_input_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str], args: list[str], expected: str) -> None:
    status, out, err = run(capsys, *args)
    assert status == 2
    assert expected in err
    assert err.count("\n") == 1
    assert out == ""


TOO_LONG = "a" * 300
"""A name that no file system accepts, even for root."""


@pytest.mark.parametrize(
    "args",
    [
        ["read", "--profile", TOO_LONG, "x.jpg"],
        ["evaluate", TOO_LONG],
        ["evaluate", "--profile", TOO_LONG, "."],
        ["bench", TOO_LONG],
        ["calibrate", "--empty", TOO_LONG, "--out", "x.json"],
        ["replay", TOO_LONG],
        ["record", "--camera", "simulated", TOO_LONG],
        ["export", "--data", TOO_LONG],
        ["run", "--camera", "simulated", "--data", TOO_LONG],
        ["run", "--camera", "simulated", "--profile", TOO_LONG],
        ["run", "--camera", f"replay:{TOO_LONG}"],
    ],
)
def test_a_name_that_may_not_be_looked_at_is_one_line_and_status_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    status, out, err = run(capsys, *args)
    assert status == 2
    assert TOO_LONG in err
    assert "File name too long" in err
    assert (err.count("\n"), out) == (1, "")


def test_a_recordings_profile_that_may_not_be_looked_at_is_named(
    capsys: pytest.CaptureFixture[str], recording: Path
) -> None:
    path = recording / "recording.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"profile": TOO_LONG}))
    status, _, err = run(capsys, "replay", str(recording))
    assert status == 2
    assert "cannot be opened (File name too long)" in err


def in_shell(line: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run a command with streams set up by the shell."""
    return subprocess.run(
        ["sh", "-c", line, sys.executable],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | changes,
        timeout=60,
    )


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--version > /dev/full", "output cannot be written (No space left on device)"),
        ("rulings > /dev/full", "output cannot be written (No space left on device)"),
        ("--version >&-", "standard output is closed"),
        ("odds >&-", "standard output is closed"),
        ("odds <&-", "standard input is closed"),
        ("score <&-", "standard input is closed"),
    ],
)
def test_streams_that_cannot_be_used_are_one_line_and_status_2(line: str, expected: str, unbuffered: str) -> None:
    done = in_shell(f'"$0" -m device {line}', PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 2
    assert done.stderr.startswith(f"pushtray: {expected}")
    assert done.stderr.count("\n") == 1


def test_a_name_that_the_output_cannot_encode_is_escaped(tmp_path: Path) -> None:
    path = tmp_path / "d\xe9s.png"
    cv2.imwrite(str(path), np.full((240, 320, 3), 90, np.uint8))
    done = in_shell(f'"$0" -m device read "{path}"', PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "d\\xe9s.png" in done.stdout


def test_pictures_of_the_same_name_are_explained_side_by_side(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    names = [tmp_path / "a" / "t.png", tmp_path / "b" / "t.bmp", tmp_path / "b" / "t-2.png", tmp_path / "b" / "u.png"]
    for level, path in enumerate(names):
        path.parent.mkdir(exist_ok=True)
        cv2.imwrite(str(path), np.full((240, 320, 3), 50 * level, np.uint8))
    out = tmp_path / "out"
    assert run(capsys, "read", "--explain", str(out), *map(str, names))[0] == 0
    stages = {path.name.removeprefix("u-") for path in out.glob("u-*")}
    assert {path.name for path in out.iterdir()} == {
        f"{stem}-{stage}" for stem in ("t", "t-2", "t-3", "u") for stage in stages
    }
    assert picture_stems(names) == ("t", "t-3", "t-2", "u")


def test_a_name_over_two_lines_is_complained_of_in_one(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "read", "miss\ning.jpg")
    assert (status, err) == (2, "pushtray: miss ing.jpg does not exist: check the path\n")


def test_scores_come_from_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    request = {"id": 1, "system": "push-pool", "op": "score", "dice": [{"id": "a", "role": "base", "value": 6}]}
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(request) + "\n"))
    status, out, err = run(capsys, "score")
    assert (status, err) == (0, "")
    assert json.loads(out)["result"]["successes"] == 1


def test_scoring_loads_no_opencv() -> None:
    code = (
        "import sys; from device.cli.main import main; "
        "main(['score']); assert not {'cv2', 'fastapi'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, check=False, timeout=60)
    assert done.returncode == 0


def test_a_replay_prints_a_line_for_each_change_and_nothing_else(
    capsys: pytest.CaptureFixture[str], recording: Path
) -> None:
    status, out, err = run(capsys, "replay", str(recording), "--json")
    assert (status, err) == (0, "")
    (line,) = (json.loads(text) for text in out.splitlines())
    assert (line["state"], line["dice"], line["outcome"], line["problems"]) == ("empty", [], None, ["no_tray"])
    assert line["t_s"] == pytest.approx(line["frame"] / 15, abs=0.001)


def test_a_replay_with_a_broken_frame_says_which(capsys: pytest.CaptureFixture[str], recording: Path) -> None:
    frame = recording / "frames" / "000012.jpg"
    frame.write_bytes(frame.read_bytes()[:40])
    status, _, err = run(capsys, "replay", str(recording))
    assert status == 2
    assert "000012.jpg" in err
    assert err.count("\n") == 1


def test_a_replay_with_an_impossible_pool_says_so(capsys: pytest.CaptureFixture[str], recording: Path) -> None:
    path = recording / "recording.json"
    body = json.loads(path.read_text())
    body["pool"] = {"wild": 2}
    path.write_text(json.dumps(body))
    status, _, err = run(capsys, "replay", str(recording))
    assert status == 2
    assert "wild" in err


@pytest.mark.parametrize(
    "words",
    [["replay", "{}"], ["evaluate", "{}"], ["run", "--camera", "replay:{}", "--data", "{}/../data", "--port", "0"]],
)
def test_an_unknown_colour_of_a_recording_is_named_before_it_plays(
    capsys: pytest.CaptureFixture[str], recording: Path, words: list[str]
) -> None:
    path = recording / "recording.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"colours": {"base": "mauve"}}))
    status, out, err = run(capsys, *(word.format(recording) for word in words))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert f"{path}: colours.base is 'mauve': choose one of " in err


def test_a_camera_is_recorded_with_presses_noted(
    capsys: pytest.CaptureFixture[str], recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    out = tmp_path / "again"
    status, _, err = run(capsys, "record", "--camera", f"replay:{recording}", "--seconds", "1", str(out))
    assert status == 0, err
    body = json.loads((out / "recording.json").read_text())
    assert (body["width"], body["height"], body["fps"]) == (320, 240, 15)
    assert len(list((out / "frames").iterdir())) == 15


def test_a_recording_makes_its_data_folder(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    words = ["record", "--camera", "simulated", "--pool", "base=1", "--seconds", "0.5"]
    data, out = tmp_path / "new" / "data", tmp_path / "also new" / "evening"
    status, _, err = run(capsys, *words, "--data", str(data), str(out))
    assert (status, [line for line in err.splitlines() if line.startswith("pushtray: ")]) == (0, []), err
    assert (data / "simulated_dice.json").is_file()
    assert (out / "recording.json").is_file()


@pytest.mark.parametrize("camera", ["simulated", "pi"])
def test_a_camera_that_keeps_something_does_not_share_its_data_folder(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, camera: str
) -> None:
    out, data = tmp_path / "evening", tmp_path / "data"
    with closing(DataFolder(data)):
        status, _, err = run(capsys, "record", "--camera", camera, "--data", str(data), str(out))
    expected = f"another pushtray uses data folder {data}: stop it, or choose another with --data"
    assert (status, err) == (2, f"pushtray: {expected}\n")
    assert not out.exists()


def test_a_recording_of_a_recording_leaves_the_data_folder_to_the_tray(
    capsys: pytest.CaptureFixture[str], recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    with closing(DataFolder(tmp_path / "data")):
        words = ("--camera", f"replay:{recording}", "--seconds", "0.2", "--data", str(tmp_path / "data"))
        assert run(capsys, "record", *words, str(tmp_path / "again"))[0] == 0
    DataFolder(tmp_path / "data").close()


def test_a_recording_takes_its_profile_along(
    capsys: pytest.CaptureFixture[str], recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    outline_px = np.array([[40.0, 30.0], [280.0, 30.0], [280.0, 210.0], [40.0, 210.0]])
    floor_bgr = np.full((6, 8, 3), 60.0)
    profile = Profile(320, 240, Floor("rectangle", outline_px), (260.0, 200.0), 16.0, 20.0, (), floor_bgr)
    save_profile(tmp_path / "tray.json", profile)
    out = tmp_path / "again"
    words = ["record", "--camera", f"replay:{recording}", "--seconds", "1"]
    status, _, err = run(capsys, *words, "--profile", str(tmp_path / "tray.json"), str(out))
    assert status == 0, err
    assert json.loads((out / "recording.json").read_text())["profile"] == "profile.json"
    assert (out / "profile.json").read_bytes() == (tmp_path / "tray.json").read_bytes()
    moved = out.rename(tmp_path / "moved")
    (tmp_path / "tray.json").write_text("{}")
    assert run(capsys, "replay", str(moved))[0] == 0
    for bad, expected in (("none.json", "does not exist"), ("tray.json", "has format None")):
        status, _, err = run(capsys, *words, "--profile", str(tmp_path / bad), str(out))
        assert (status, err.count("\n")) == (2, 1)
        assert expected in err
    assert not out.exists()


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_the_tray_stops_on_a_signal(recording: Path, tmp_path: Path, host: str) -> None:
    command = [
        sys.executable,
        "-m",
        "device",
        "run",
        "--camera",
        f"replay:{recording}",
        "--port",
        "0",
        "--host",
        host,
        "--data",
        str(tmp_path / "data"),
    ]
    tray = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    )
    try:
        assert tray.stderr is not None
        first = tray.stderr.readline()
        assert first.startswith("PushTray is at http://127.0.0.1:")
        assert "0.0.0.0" not in first
        # A name under .local has an address if the machine answers for it.
        for url in re.findall(r"http://\S+(?<!\.local):\d+/", first):
            assert httpx.get(f"{url}api/state", timeout=5).status_code == 200, url
        if host == "0.0.0.0":
            line = tray.stderr.readline()
            assert re.fullmatch(r"Phones give the PIN \d{6}, the game master's phone \d{6}\n", line), line
        tray.send_signal(signal.SIGTERM)
        assert tray.wait(timeout=30) == 0
        assert tray.stderr is not None
        assert tray.stderr.read() == ""
    finally:
        tray.kill()
        tray.communicate()


def test_an_image_is_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "grey.png"
    cv2.imwrite(str(path), np.full((240, 320, 3), 90, np.uint8))
    status, out, _ = run(capsys, "read", "--json", str(path))
    assert status == 0
    assert json.loads(out)["dice"] == []


@pytest.fixture
def profile_file(tmp_path: Path) -> str:
    """The profile of a tray in pictures of 320x240."""
    corners = np.array([[40.0, 30.0], [280.0, 30.0], [280.0, 210.0], [40.0, 210.0]])
    floor = Floor("rectangle", corners)
    save_profile(
        tmp_path / "p.json", Profile(320, 240, floor, (260.0, 200.0), 16.0, 15.0, (), np.full((3, 4, 3), 90.0))
    )
    return str(tmp_path / "p.json")


def test_a_picture_that_the_profile_does_not_fit_is_one_line_and_the_others_are_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, profile_file: str
) -> None:
    wide, right = str(tmp_path / "wide.png"), str(tmp_path / "right.png")
    cv2.imwrite(wide, np.full((180, 320, 3), 90, np.uint8))
    cv2.imwrite(right, np.full((240, 320, 3), 90, np.uint8))
    status, out, err = run(capsys, "read", "--json", "--profile", profile_file, wide, right)
    refused, read = map(json.loads, out.splitlines())
    assert status == 2
    assert (refused["image"], read["image"]) == (wide, right)
    assert err == f"pushtray: {wide}: {refused['error']}\n"
    assert "is 320x180, the profile was made from 320x240" in err


def test_an_evaluation_is_saved_into_a_new_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "grey.png"), np.full((240, 320, 3), 90, np.uint8))
    (tmp_path / "labels.json").write_text(json.dumps([{"image": "grey.png", "dice": []}]))
    report = tmp_path / "reports" / "today" / "grey.json"
    status, out, err = run(capsys, "evaluate", "--out", str(report), "--json", str(tmp_path))
    assert status == 0, err
    assert json.loads(report.read_text()) == json.loads(out)


def test_an_evaluation_names_the_picture_or_the_recording_that_the_profile_does_not_fit(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, profile_file: str
) -> None:
    reported = "is 320x180, the profile was made from 320x240, another shape: "
    (tmp_path / "stills").mkdir()
    wide = tmp_path / "stills" / "wide.png"
    cv2.imwrite(str(wide), np.full((180, 320, 3), 90, np.uint8))
    (tmp_path / "stills" / "labels.json").write_text(json.dumps([{"image": "wide.png", "dice": []}]))
    status, out, err = run(capsys, "evaluate", "--profile", profile_file, str(tmp_path / "stills"))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"pushtray: {wide}: the picture {reported}")
    night = tmp_path / "nights" / "wide"
    writer = RecordingWriter(night, 15, "push-pool", {}, {})
    for _ in range(20):
        writer.add_frame(np.full((180, 320, 3), 90, np.uint8))
    writer.finish()
    (night / "truth.json").write_text(json.dumps({"rests": [{"first_frame": 0, "last_frame": 19, "dice": []}]}))
    status, out, err = run(capsys, "evaluate", "--profile", profile_file, str(night.parent))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"pushtray: {night}: the picture {reported}")


def test_a_proof_without_dice_proves_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    empty, out_path = str(tmp_path / "empty.png"), tmp_path / "p.json"
    cv2.imwrite(empty, draw(replace(drawn_scene(3), dice=())))
    status, out, _ = run(capsys, "calibrate", "--empty", empty, "--proof", empty, "--out", str(out_path))
    assert status == 1
    assert out.splitlines()[-1] == f"{empty}: no die is seen: give a picture of a roll"
    assert out_path.exists()


def test_a_proof_of_another_shape_is_refused_before_the_profile_is_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    empty, noise, out_path = str(tmp_path / "empty.png"), str(tmp_path / "noise.png"), tmp_path / "p.json"
    cv2.imwrite(empty, draw(replace(drawn_scene(3), dice=())))
    cv2.imwrite(noise, np.random.default_rng(1).integers(0, 256, (49, 49, 3), np.uint8))
    status, _, err = run(capsys, "calibrate", "--empty", empty, "--proof", noise, "--out", str(out_path))
    assert (status, err.count("\n")) == (2, 1)
    assert "the picture is 49x49" in err
    assert not out_path.exists()


BUSY = """
import threading, time
import numpy as np
from device.cli.main import leave
from vision.nets.onnx_net import WEIGHTS, OnnxNet
net, crops = OnnxNet(WEIGHTS / "die.onnx"), np.zeros((16, 3, 64, 64), np.float32)
def work():
    while True:
        net.run(crops)
threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
print("said", end="")
leave(3)
"""


def test_a_thread_that_does_not_stop_in_time_does_not_change_the_exit_status() -> None:
    for _ in range(4):
        ended = subprocess.run([sys.executable, "-c", BUSY], capture_output=True, text=True, timeout=60, check=False)
        assert (ended.returncode, ended.stdout, ended.stderr) == (3, "said", "")
