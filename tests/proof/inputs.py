"""External bytes, corrupted in every way: each reader accepts them, or refuses them with its own errors.

`spoil` tries the same inputs each time; `fuzz.py` searches for new ones.
"""

import atexit
import io
import json
import random
import shutil
import sqlite3
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from device.archive.book import RollArchive
from device.archive.statistics import statistics
from device.cli.score import run_odds, run_score
from device.config.settings import load_settings
from device.errors import PushTrayError
from device.game.machine import step
from device.game.snapshot import TrayMetadata, take_snapshot
from device.game.state.campaign import Carry
from device.game.state.events import DiceSettled, PushPressed, ResetPressed
from device.game.state.states import Empty
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.integrations.club import ClubTrays
from device.kept_files import parse_json
from device.recording.recording import load_recording
from device.ring.plan import RingParams, white_plan
from device.ring.wled_protocol import find_answer, is_shown, led_count
from device.runtime.startup import starting_tray
from device.storage.backup import back_up, import_copy
from device.storage.live_state import pack_live
from device.storage.log_file import FILE_NAME
from device.storage.phones import PhoneFile
from device.storage.rolls import RollLog
from device.storage.serialisation import pack_state
from rules.errors import RulesError
from rules.sheet_file import new_sheet, sheet_from_json, sheet_to_json
from rules.system import systems
from tests.device.conftest import Dice
from tests.device.ring.wled_emulator import WledEmulator
from tests.device.storage.test_log_file import roll
from tests.narrowing import there
from tests.proof.tray import SETTINGS
from tests.vision.tray.test_profile import PROFILE
from vision.imaging.image_file import decode_image
from vision.tray.profile import load_profile, save_profile
from vision.types.errors import VisionError

ROOT = Path(__file__).parents[1]
REFUSALS = (PushTrayError, VisionError, RulesError)
"""What a reader may raise: each message names what, the value, the cure."""
WORDS = (b"null", b"-1", b"1e999", b"NaN", b"[" * 3000, b'{"a":' * 3000, b"9" * 5000, b'"\\ud800"', b"\xff\xfe",
         b"\x00", b"true", b'""', b"[]", b"{}", b"1.5",
         b"0e999999999", b"99999999999999999999", b"\xf0\x9f\x8e\xb2" * 500)  # fmt: skip


def _in_file(name: str, data: bytes, read: Callable[[Path], object]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        read(path)


def _copy(path: Path) -> None:
    """Check that the tray starts with a restored copy, and can compute statistics from it."""
    folder = path.parent / "data"
    folder.mkdir()
    import_copy(str(path), str(folder / FILE_NAME))
    with closing(RollLog(folder / FILE_NAME)) as history:
        history.kept_campaign()
        edition = RollArchive(history, timedelta(hours=4)).edition()
        json.dumps(statistics(list(edition.rolls), is_part=False), allow_nan=False)


def _serial(data: bytes) -> None:
    for end in (b"", b"\n"):
        answer, _ = find_answer(data + end)
        if answer is not None:
            is_shown(answer, white_plan(RingParams(leds=60)))
            led_count(answer)


def _mqtt(data: bytes) -> None:
    club = ClubTrays("pushtray")
    for what in ("availability", "state", "roll", "last_roll", "forgotten"):
        club.hear(f"pushtray/one/{what}", data)
    json.dumps(club.since(0), allow_nan=False).encode()


def _lines(answer: Callable[[Any, Any, Any], int]) -> Callable[[bytes], None]:
    def take(data: bytes) -> None:
        out = io.StringIO()
        answer(io.TextIOWrapper(io.BytesIO(data), "utf-8", "replace"), out, io.StringIO())
        for line in out.getvalue().splitlines():
            json.loads(line)

    return take


def _sheet(data: bytes) -> None:
    try:
        body = parse_json(data)
    except ValueError:
        return
    if isinstance(body, dict):  # both callers ensure it
        json.dumps(sheet_to_json(sheet_from_json(body)), allow_nan=False)


def _state(data: bytes) -> None:
    """Check that a stored state either can be shown and continued, or is ignored."""
    with closing(sqlite3.connect(_log())) as log, log:
        log.execute("UPDATE live SET state = CAST(? AS TEXT)", (data,))
    with closing(RollLog(_log())) as history:
        state: Tray = starting_tray(history, Table("push-pool"), None, Carry.ASK)
    for event in (
        PushPressed(),
        DiceSettled(Dice.rest(*Dice.FIRST)),
        PushPressed(),
        ResetPressed(),
        DiceSettled(Dice.rest()),
    ):
        state, _ = step(state, event)
        take_snapshot(1, state, TrayMetadata("", None, {}))


@cache
def _log() -> Path:
    place = tempfile.mkdtemp(prefix="pushtray-inputs-")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    path = Path(place) / FILE_NAME
    with closing(RollLog(path)) as history:
        roll(history)
    return path


TARGETS: dict[str, Callable[[bytes], object]] = {
    "pictures": lambda data: decode_image(data, "picture"),
    "recordings": lambda data: _in_file("recording.json", data, lambda path: load_recording(path.parent)),
    "profiles": lambda data: _in_file("profile.json", data, load_profile),
    "copies": lambda data: _in_file("copy", data, _copy),
    "settings": lambda data: _in_file("settings.toml", data, load_settings),
    "serial replies": _serial,
    "MQTT": _mqtt,
    "score": _lines(run_score),
    "odds": _lines(run_odds),
    "sheets": _sheet,
    "kept states": _state,
    "phones": lambda data: _in_file("phones.json", data, lambda path: PhoneFile(path).load()),
}


def _json(body: object) -> bytes:
    return json.dumps(body).encode()


def _pictures() -> tuple[bytes, ...]:
    image = np.full((8, 12, 3), 90, np.uint8)
    return tuple(cv2.imencode(kind, image)[1].tobytes() for kind in (".png", ".bmp", ".webp", ".jpg"))


@cache
def seeds() -> dict[str, tuple[bytes, ...]]:
    """Return valid inputs of each kind."""
    golden = ROOT / "golden"
    with tempfile.TemporaryDirectory() as place:
        with closing(RollLog(Path(place) / FILE_NAME)) as history:
            for _ in range(3):
                roll(history)
            back_up(Path(place), Path(place) / "copy")
            states: list[Tray] = [there(history.kept_state()), Tray(Empty(), Table("push-pool"))]
        copy = (Path(place) / "copy").read_bytes()
        save_profile(Path(place) / "profile.json", PROFILE)
        profile = (Path(place) / "profile.json").read_bytes()
        emulator = WledEmulator(Path(place) / "ring", 60)
        reply = _json(emulator.state.answer())
    dice: list[Any] = [{"id": "a", "role": "base", "value": 6}, {"role": "skill", "value": 1}]
    requests = [_json({"system": system.id, "dice": dice}) for system in systems()]
    pool = {"pool": {"base": 3, "skill": 2}, "context": {"attribute": 3}}
    odds = [_json({"system": system.id, **pool}) for system in systems()]
    sheets = [_json(sheet_to_json(new_sheet("Ada", system.id))) for system in systems()]
    headline = {"headline": {"value": 1, "word": "successes"}}
    message = {"tray": {"name": "One"}, "state": "scored", "dice": dice, "id": "a-1", "roll": 1, "outcome": headline}
    phone = {"id": 1, "token_hash": "0" * 64, "device": "x", "name": "Ada", "sheets": [1], "game_master": False}
    kept = [text for state in states for text in (pack_live(state), pack_state(state))]
    return {
        "pictures": tuple(path.read_bytes() for path in sorted(golden.glob("stills/*.jpg"))[:2]) + _pictures(),
        "recordings": tuple(path.read_bytes() for path in sorted(golden.glob("recordings/*/recording.json"))),
        "profiles": (profile,),
        "copies": (copy,),
        "settings": (SETTINGS.encode() + b'[colours]\nbase = "yellow"\n[ring.shape]\nleds = 60\n',),
        "serial replies": (reply,),
        "MQTT": (_json(message | {"since": "2026", "time": "2026"}), b"online"),
        "score": tuple(requests),
        "odds": tuple(odds),
        "sheets": tuple(sheets),
        "kept states": tuple(text.encode() for text in kept),
        "phones": (_json({"format": "pushtray-phones/1", "phones": [phone]}),),
    }


def spoiled(target: str, count: int, seed: int) -> Iterator[bytes]:
    """Return corrupted inputs made from valid ones."""
    chance, whole = random.Random(f"{target} {seed}"), seeds()[target]
    for _ in range(count):
        data = bytearray(chance.choice(whole))
        for _ in range(chance.choice((1, 1, 1, 2, 4, 16))):
            at = chance.randrange(len(data) + 1)
            match chance.randrange(6):
                case 0 if data:
                    data[at - 1] ^= 1 << chance.randrange(8)
                case 1:
                    data[at : at + chance.choice((0, 1, 2, 8, 100))] = chance.choice(WORDS)
                case 2:
                    del data[at : at + chance.choice((1, 2, 10, 1000))]
                case 3:
                    data[at:at] = data[chance.randrange(len(data) + 1) :][: chance.choice((1, 10, 300))]
                case 4:
                    data[:] = swap_value(bytes(data), chance.choice(WORDS), chance)
                case _:
                    del data[at:]
        yield bytes(data)


def swap_value(data: bytes, word: bytes, chance: random.Random) -> bytes:
    """Return a JSON or TOML text with a word in place of one of its values."""
    starts = [at for at, byte in enumerate(data) if byte in b":=,["]
    if not starts:
        return data
    at = chance.choice(starts) + 1
    end = next((k for k in range(at, len(data)) if data[k] in b",]}\n"), len(data))
    return data[:at] + word + data[end:]


def try_one(target: str, data: bytes) -> str | None:
    """Return what a reader does wrong, as the last lines of its traceback; None if nothing."""
    try:
        TARGETS[target](data)
    except REFUSALS as error:
        return None if str(error) and "\n" not in str(error) else f"refused in no line: {error!r}"
    except Exception:  # noqa: BLE001 - that is what is looked for
        return traceback.format_exc(limit=-3)
    return None


def spoil(
    count: int, seed: int = 1, targets: tuple[str, ...] = tuple(TARGETS)
) -> tuple[Counter[str], dict[str, bytes]]:
    """Try so many corrupted inputs of each kind; return the counts, and one input for each fault found."""
    tried, found = Counter[str](), dict[str, bytes]()
    for target in targets:
        for data in (*seeds()[target], *spoiled(target, count, seed)):
            tried[target] += 1
            fault = try_one(target, data)
            if fault is not None:
                found.setdefault(f"{target}: {fault}", data)
    return tried, found
