"""Files made to stop, starve or fool the tray, drawn by shape; each is read by a new process, which is measured."""

import base64
import json
import multiprocessing
import os
import random
import shutil
import sqlite3
import struct
import time
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from device.calibration.dice_sets import dice_set_from
from device.game.state.campaign import Carry
from device.game.state.table_state import Table
from device.runtime.startup import starting_tray
from device.storage.backup import restore
from device.storage.log_file import FILE_NAME
from device.storage.rolls import RollLog
from tests.proof.inputs import REFUSALS, TARGETS, seeds, swap_value

Draw = Callable[[random.Random], bytes]
_NUMBERS = (
    "0e999999999",
    "1e-9999999",
    "9" * 4000,
    "9" * 400_000,
    "1e308",
    "-0",
    "NaN",
    "1/0",
    "0/1e9",
    "1_0",
    "¾",
    "٣",
)
_TABLES = ("rolls", "live", "book", "evening_ends", "evening_names")
_PATIENCE_S = 120.0
_SLOW = "length(hex(randomblob(1000000000)))"


def _words(chance: random.Random) -> bytes:
    """Return a JSON value that is costly or odd."""
    number, depth = chance.choice(_NUMBERS), chance.choice((50, 3000, 200_000))
    return chance.choice(
        (
            number.encode(),
            json.dumps(number).encode(),
            json.dumps(f"{number}/{chance.choice(_NUMBERS)}").encode(),
            b"[" * depth + b"]" * depth,
            b'{"a":' * depth + b"1" + b"}" * depth,
            b"[" + b"0," * chance.choice((1000, 1_000_000)) + b"0]",
            json.dumps("a" * chance.choice((1000, 3_000_000))).encode(),
            json.dumps(chance.choice(("\udc80", "\u202e", "\0", "\r\n", "%s%s%n", "{0.__class__}"))).encode(),
        )
    )


def _copy(change: Callable[[sqlite3.Connection, random.Random], None]) -> Draw:
    def draw(chance: random.Random) -> bytes:
        with closing(sqlite3.connect("")) as log:
            log.deserialize(seeds()["copies"][0])
            with suppress(sqlite3.Error):
                log.execute("PRAGMA writable_schema = ON")
                change(log, chance)
            log.commit()
            return log.serialize()

    return draw


def _values(log: sqlite3.Connection, chance: random.Random) -> None:
    table = chance.choice([one for one in _TABLES if log.execute(f"SELECT 1 FROM {one}").fetchone()])
    column, kind = chance.choice([row[1:3] for row in log.execute(f"PRAGMA table_info({table})")])
    if kind == "INTEGER":
        number = chance.choice((-1, 0, 2**62, -(2**63)))
        log.execute("PRAGMA ignore_check_constraints = ON")
        log.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = (SELECT max(rowid) FROM {table})", (number,))
        return
    (found,) = log.execute(f"SELECT {column} FROM {table}").fetchone()
    text = found.encode() if found else b"{}"
    word = swap_value(text, _words(chance), chance) if b":" in text else _words(chance)
    log.execute(f"UPDATE {table} SET {column} = CAST(? AS TEXT)", (word,))


def _statements(log: sqlite3.Connection, chance: random.Random) -> None:
    table = chance.choice(_TABLES)
    (sql,) = log.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    columns = [row[1] for row in log.execute(f"PRAGMA table_info({table})")]
    column = chance.choice(columns)
    endless = f"WITH RECURSIVE n({column}) AS (VALUES (1) UNION ALL SELECT 1 FROM n)"
    changed = chance.choice(
        (
            sql.replace("(", f"(CHECK ({_SLOW} > 0), ", 1),
            sql.replace(column, "rowid", 1),
            sql.replace(column, f"{column} TEXT GENERATED ALWAYS AS ({_SLOW}), {column}2", 1),
            sql.replace("TEXT", "TEXT COLLATE odd", 1),
            f"CREATE VIEW {table} AS {endless} SELECT * FROM n",
            f"CREATE VIRTUAL TABLE {table} USING fts5({', '.join(columns)})",
            f"CREATE TABLE {table} ({'a, ' * 1900} b)",
            sql[: chance.randrange(len(sql))],
        )
    )
    log.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (changed, table))
    body = f"SELECT {_SLOW}"
    log.execute(
        "INSERT INTO sqlite_master VALUES ('trigger', 't', ?, 0, ?)",
        (table, f"CREATE TRIGGER t BEFORE DELETE ON {table} BEGIN {body}; END"),
    )


def _masses(log: sqlite3.Connection, chance: random.Random) -> None:
    names = ", ".join(row[1] for row in log.execute("PRAGMA table_info(rolls)") if row[1] != "id")
    count = chance.choice((10, 1000, 20_000))
    letters = chance.choice((0, 100, 20_000_000 // count))
    step = chance.choice((1, 1000, 2**40))
    column = chance.choice(("label", "dice", "context", "outcome"))
    log.execute(
        f"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {count}) "
        f"INSERT INTO rolls (id, {names}) SELECT 1000 + x * {step}, {names} FROM n, (SELECT * FROM rolls LIMIT 1)"
    )
    log.execute(f"UPDATE rolls SET {column} = {column} || hex(zeroblob({letters // 2}))")
    log.execute(
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ?) "
        "INSERT OR REPLACE INTO evening_names SELECT x, hex(zeroblob(20)) FROM n",
        (count,),
    )


def _flipped(chance: random.Random) -> bytes:
    data = bytearray(seeds()["copies"][0])
    for _ in range(chance.choice((1, 3, 40))):
        at = chance.randrange(100 if chance.random() < 0.3 else len(data))
        data[at] ^= 1 << chance.randrange(8)
    if chance.random() < 0.2:
        del data[chance.randrange(len(data)) :]
    return bytes(data)


def _picture(chance: random.Random) -> bytes:
    """Return a small file that declares, and often holds, a huge picture."""
    wide, high = (chance.choice((64, 1100, 11_000, 65_535, 2**31 - 1)) for _ in range(2))

    def part(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = zlib.compress(bytes(min(wide * high * 3, 40_000_000)), 9)
    header = struct.pack(">IIBBBBB", wide, high, chance.choice((8, 16)), chance.choice((0, 2, 6)), 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", rows) + part(b"IEND", b"")
    bmp = b"BM" + struct.pack("<IIIIiiHHIIiiII", 2**20, 0, 54, 40, wide, high, 1, 24, 0, 0, 0, 0, 0, 0) + bytes(500)
    webp = b"RIFF" + struct.pack("<I", 300) + b"WEBPVP8X" + struct.pack("<II", 10, 0)
    webp += (min(wide, 2**24) - 1).to_bytes(3, "little") + (min(high, 2**24) - 1).to_bytes(3, "little") + bytes(300)
    return chance.choice((png, bmp, webp))


def _dice_set(chance: random.Random) -> bytes:
    small = seeds()["pictures"][-1]
    pictures = [small, *(_picture(chance) for _ in range(chance.choice((0, 1, 5))))]
    faces = [
        {
            "colour": f"c{k // 6}",
            "value": k % 6 + 1,
            "views": [base64.b64encode(chance.choice(pictures)).decode()] * chance.choice((1, 40)),
        }
        for k in range(chance.choice((1, 240)))
    ]
    whole = json.dumps({"format": "pushtray-dice-set/1", "name": "Odd", "faces": faces}).encode()
    return swap_value(whole, _words(chance), chance) if chance.random() < 0.5 else whole


def _of(target: str) -> Draw:
    return lambda chance: swap_value(chance.choice(seeds()[target]), _words(chance), chance)


def _restored(path: Path) -> None:
    folder = path.parent / "data"
    restore(path, folder)
    _opened(folder / FILE_NAME)


def _opened(path: Path) -> None:
    with closing(RollLog(path)) as history:
        history.rolls(500)
        starting_tray(history, Table("push-pool"), None, Carry.ASK)


def _reader(target: str) -> Callable[[Path], object]:
    return lambda path: TARGETS[target](path.read_bytes())


def _set_read(path: Path) -> None:
    dice_set_from(path.read_bytes(), "set")


FILES: dict[str, tuple[Draw, Callable[[Path], object]]] = {
    "a copy with odd values": (_copy(_values), _restored),
    "a copy with statements of its own": (_copy(_statements), _restored),
    "a copy of many or long rows": (_copy(_masses), _restored),
    "a copy with flipped bits": (_flipped, _restored),
    "a log with flipped bits": (_flipped, _opened),
    "a set of dice": (_dice_set, _set_read),
    "a picture": (_picture, _reader("pictures")),
    **{
        f"{target} with odd values": (_of(target), _reader(target))
        for target in ("recordings", "profiles", "settings", "sheets", "score", "odds", "phones")
    },
}
"""How to draw each kind of file, and what reads it."""


@dataclass
class Cost:
    """The most that files of a kind cost: seconds, and megabytes of the process with those of its child."""

    files: int = 0
    seconds: float = 0.0
    memory_mb: float = 0.0
    faults: list[str] = field(default_factory=list)


def hostile(folder: Path, count: int, seed: int) -> dict[str, Cost]:
    """Read so many hostile files of each kind, each in a new process.

    Returns:
        The cost of each kind. A file that is neither read nor refused in one line is a fault.
    """
    costs = {name: Cost() for name in FILES}
    for name, (draw, read) in FILES.items():
        for number in range(count):
            place = folder / f"{name} {number}"
            place.mkdir(parents=True)
            (place / "file").write_bytes(draw(random.Random(f"{seed} {name} {number}")))
            _add(costs[name], read, place / "file")
            shutil.rmtree(place)
    return costs


def _add(cost: Cost, read: Callable[[Path], object], path: Path) -> None:
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_try, args=(there, read, path))
    process.start()
    here.recv()
    before_mb, begun_s = _private_mb(process.pid), time.monotonic()
    here.send("begin")
    # Sampled from here: a library may hold the interpreter's lock while it takes memory.
    while not (is_over := here.poll(0.005)) and time.monotonic() < begun_s + _PATIENCE_S:
        cost.memory_mb = max(cost.memory_mb, _private_mb(process.pid) - before_mb)
    cost.files += 1
    cost.seconds = max(cost.seconds, time.monotonic() - begun_s)
    fault = here.recv() if is_over else "it does not end"
    cost.faults += [fault] if fault else []
    process.kill()
    process.join()


def _private_mb(process: int | None) -> float:
    """Return the memory that a process and its children share with no other; 0 once they are gone."""
    place = Path(f"/proc/{process}")
    try:
        children = (place / f"task/{process}/children").read_text().split()
        command = (place / "cmdline").read_bytes()
        # Until it runs a program of its own, a new child has its parent's memory.
        children = [one for one in children if Path(f"/proc/{one}/cmdline").read_bytes() != command]
        own = int((place / "status").read_text().partition("RssAnon:")[2].split()[0]) / 1000
    except (OSError, IndexError):
        return 0.0
    return own + sum(_private_mb(int(child)) for child in children)


def _try(answer: Connection, read: Callable[[Path], object], path: Path) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # libpng's warnings
    answer.send("ready")
    answer.recv()
    fault: str | None = None
    try:
        read(path)
    except REFUSALS as error:
        fault = None if str(error) and "\n" not in str(error) else f"refused in no line: {error!r}"
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        fault = repr(error)[:300]
    answer.send(fault)
    answer.recv()
