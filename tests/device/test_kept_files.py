"""Files that outlive the program: whole on the disk, and set aside if damaged."""

import json
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from device.camera.pi_camera import PiCameraParams
from device.camera.pi_memory import keep_settings
from device.config.carried import carry_over
from device.config.settings import Settings
from device.config.settings_service import SettingsSource
from device.kept_files import read_kept, write_whole
from device.ring.plan import RingPlan, Stretch
from device.ring.wled_protocol import find_answer, is_shown, led_count
from device.simulation.memory import FORMAT, KeptDie, SimulatedMemory
from device.storage.phones import Phone, PhoneFile
from device.storage.pictures import _BoundedFolder

WRITERS: dict[str, Callable[[Path], object]] = {
    "settings": lambda path: SettingsSource(path, lambda settings: settings).write("[web]\nport = 1\n"),
    "phones": lambda path: PhoneFile(path).write([Phone(1, "a" * 64)]),
    "camera": lambda path: keep_settings(path, PiCameraParams(), "imx708", None),
    "simulated dice": lambda path: SimulatedMemory(path).save((KeptDie("base", 1, np.zeros(3), np.eye(3)),)),
    "picture": lambda path: _BoundedFolder(path.parent, 1000).write(path.name, b"jpeg"),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_each_writer_syncs_the_file_before_it_has_its_name_and_the_folder_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], object]
) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def sync(handle: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        done.append("folder" if is_folder else "file" if os.fstat(handle).st_size else "nothing")
        fsync(handle)

    def rename(path: Path, target: Path) -> Path:
        done.append("name")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", rename)
    write(tmp_path / "kept")
    assert done == ["file", "name", "folder"]
    assert not list(tmp_path.glob(".*"))


def test_what_an_earlier_kill_left_is_written_over(tmp_path: Path) -> None:
    (tmp_path / ".a.new").write_text("longer than what is written now")
    write_whole(tmp_path / "a", b"short")
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {"a": b"short"}


PLAN = RingPlan((Stretch(0, 60, (255, 255, 255)),), 128)

DAMAGED = {
    "deep": b"[" * 200_000,
    "deep and whole": b"[" * 500 + b"]" * 500,
    "no number": b'{"format": NaN}',
    "too large a number": b'{"format": 1e999}',
    "no UTF-8": b"\xff\xfe\x00",
    "empty": b"",
    "another shape": b"[1]",
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_set_aside_named_and_replaced(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    readers: dict[str, Callable[[Path], Any]] = {
        "integrations.json": lambda path: (
            carry_over(path.parent, SettingsSource(path.parent / "s.toml", lambda one: one), Settings()).mqtt.host
        ),
        "dice.json": lambda path: SimulatedMemory(path).load(),
        "phones.json": lambda path: PhoneFile(path).load(),
        "any.json": lambda path: read_kept(path, lambda body: body["x"], (), "an empty one is used"),
    }
    for name, read in readers.items():
        path = tmp_path / name
        path.write_bytes(content)
        assert not read(path)
        assert path.with_name(f"{name}.damaged").read_bytes() == content
        assert f"{path} cannot be understood" in caplog.messages[-1]
    assert len(caplog.messages) == len(readers)


def test_a_file_that_cannot_be_read_now_keeps_its_name(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a.json").mkdir()
    assert read_kept(tmp_path / "a.json", lambda body: body, (), "an empty one is used") == ()
    assert [one.name for one in tmp_path.iterdir()] == ["a.json"]
    assert "cannot be read (Is a directory): an empty one is used" in caplog.text


def test_simulated_dice_that_lie_nowhere_are_none(tmp_path: Path) -> None:
    for center, rotation in (([1e9, 0, 0], np.eye(3)), ([0, 0, 0], np.zeros((3, 3)))):
        die = {"colour": "base", "look_seed": 1, "center_mm": center, "rotation": rotation.tolist()}
        (tmp_path / "dice.json").write_text(json.dumps({"format": FORMAT, "dice": [die]}))
        assert SimulatedMemory(tmp_path / "dice.json").load() == ()


def test_a_picture_without_content_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").touch()
    folder = _BoundedFolder(tmp_path, 1000)
    assert folder.read("a.jpg") is None
    assert not folder.has("a.jpg")


@pytest.mark.parametrize(
    "line",
    [
        b'{"state":' + b'{"a":' * 200_000,
        b'{"state": {"on": true, "bri": 128, "seg": [{"id": [], "stop": "9"}]}, "info": {"leds": {"count": true}}}',
        b'{"state": {"on": true, "bri": 128, "seg": [{"id": {}, "stop": null}]}, "info": {"leds": {"count": "60"}}}',
        b'{"state": {"on": true, "bri": NaN, "seg": [{}]}}',
        b'{"state": \xff}',
    ],
)
def test_a_ring_that_talks_nonsense_breaks_nothing(line: bytes) -> None:
    answer, _ = find_answer(line + b"\n")
    if answer is not None:
        assert not is_shown(answer, PLAN)
        assert led_count(answer) is None


def test_a_folder_and_a_device_are_never_replaced_by_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(OSError, match=re.escape(str(path))):
            write_whole(path, b"")
    assert not (tmp_path / "pipe").is_file()
