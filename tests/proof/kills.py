"""Kills and power cuts: a tray is ended at random moments while it is played, changed, copied and read by others.

A kill is SIGKILL. A power cut happens on a separate ext4 on a loop device: the tray is stopped, the image is copied as
the file system has written it so far, and the tray continues with that copy. So all that was never synced is gone, as
is what ext4 had not yet committed. The next write to the log arrived in part: some of its sectors, and halves of them.
Not covered: a drive that reports unwritten data as written.
"""

import itertools
import os
import random
import signal
import sqlite3
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from device.storage.log_file import FILE_NAME, connect_to_read
from device.storage.rolls import RollLog, logged_since
from tests.device.storage.test_log_file import LOOK
from tests.proof.tray import GONE, Refused, Tray, begin, command, play_roll, running

Key = tuple[int, frozenset[tuple[int, int]]]
"""A result: its roll's number, and each die with its face."""
DUMPS = Path(__file__).parents[1] / "device" / "data"
UNKNOWN = object()
GUEST = "guest"
_HALF_SECTOR = 256


@dataclass
class Kept:
    """A value that a person changes repeatedly.

    Attributes:
        answered: Value that the tray confirmed last; `UNKNOWN` if none is known.
        asked: Values requested since, without an answer.
    """

    answered: Any = UNKNOWN
    requested: list[Any] = field(default_factory=list)

    def check(self, found: Any, what: str) -> bool:
        """Check the stored value, which counts from then on; return whether there was something to check."""
        was_known = self.answered is not UNKNOWN
        assert not was_known or found in (self.answered, *self.requested), f"{what}: {found!r}, not {self.answered!r}"
        self.answered, self.requested = found, []
        return was_known


class Evening:
    """What people were told, across all restarts of the tray, and whether it is there.

    Attributes:
        count: Number of each thing that was tried, lost or found.
    """

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.chance = folder, chance
        self.count: Counter[str] = Counter()
        self.told: dict[Key, str] = {}
        self.kept = {name: Kept() for name in ("setting", "sheet", "evening")}
        self.phones: dict[str, Kept] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    @property
    def log(self) -> Path:
        return self.folder / "data" / FILE_NAME

    def note(self, state: Any) -> None:
        """Note a state that the tray has shown."""
        if state["state"] in ("scored", "resolved") and state["outcome"] is not None:
            dice = frozenset((die["id"], die["value"]) for die in state["dice"])
            with self._lock:
                self.told[state["roll"], dice] = "pushed" if state["state"] == "resolved" else "scored"

    def act_until_killed(self, tray: Tray, after_s: float, end: Callable[[Tray], None]) -> None:
        """Play, change, copy, restore and read, until the tray is ended."""
        acts = [self._play, self._change, self._copy, self._read]
        with self._lock:
            self._stopped = threading.Event()
        threads = [threading.Thread(target=self._go_on, args=(act, tray)) for act in acts]
        for thread in threads:
            thread.start()
        time.sleep(after_s)
        end(tray)
        self._stopped.set()
        for thread in threads:
            thread.join()

    def _go_on(self, act: Callable[[Tray], None], tray: Tray) -> None:
        while not self._stopped.is_set():
            try:
                act(tray)
            except GONE:
                # It was killed in the middle of a response.
                if tray.process.is_alive():
                    self._stopped.wait(0.05)
            except Refused as error:
                self.count[f"refused with {error}"] += 1
            except AssertionError as error:
                if not self._stopped.is_set() and tray.process.is_alive():
                    self.count[f"never came: {error}"] += 1

    def _play(self, tray: Tray) -> None:
        play_roll(tray, self.chance, self.note)
        self.count["rolls"] += 1

    def _set(self, kept: Kept, value: Any, ask: Callable[[], object]) -> None:
        kept.requested.append(value)
        ask()
        kept.answered, kept.requested = value, []
        self.count["answered changes"] += 1

    def _change(self, tray: Tray) -> None:
        number = self.chance.randint(1, 50)
        which = self.chance.choice(("setting", "sheet", "phone", "phone", "evening"))
        if which == "setting":
            self._set(self.kept[which], number,
                      lambda: tray.ask("PUT", "settings/display.idle_min", {"value": number}))  # fmt: skip
        elif which == "sheet":
            sheets = tray.ask("GET", "sheets")["sheets"]
            if not sheets:
                tray.ask("POST", "sheets", {"title": "Ada"})
                return
            path, title = f"sheets/{sheets[0]['id']}", f"Ada {number}"
            self._set(self.kept[which], title, lambda: tray.ask("PATCH", path, {"title": title}))
        elif which == "evening":
            evenings = tray.ask("GET", "evenings")["evenings"]
            if evenings:
                path, name = f"evenings/{evenings[-1]['id']}", f"Evening {number}"
                self._set(self.kept[which], name, lambda: tray.ask("PATCH", path, {"name": name}))
        elif len(self.phones) < 8:
            _, cookie = tray.send("POST", "phones/pair", {"pin": tray.ask("GET", "phones")["pins"]["player"]}, "x=y")
            assert cookie is not None
            self.phones[cookie] = Kept(None)
            self.count["phones paired"] += 1
        else:
            cookie, kept = self.chance.choice(list(self.phones.items()))
            if kept.answered is None:
                name = f"Player {next(self._numbers)}"
                self._set(kept, name, lambda: tray.send("PUT", "phones/me", {"name": name}, cookie))
            else:
                self._set(kept, GUEST, lambda: tray.send("DELETE", "phones/me", None, cookie))
                del self.phones[cookie]

    def _copy(self, tray: Tray) -> None:
        """Download a copy over the web; now and then, restore it."""
        with self._lock:
            before = set(self.told)
        self._stopped.wait(self.chance.random())
        copy = tray.ask("GET", "backup")
        place = self.folder.parent / "copy"
        place.write_bytes(copy)
        self._check_copy(place, before)
        self.count["copies over the web"] += 1
        if self.chance.random() < 0.2:
            answer = tray.ask("POST", "restore", copy)
            # A restored log has the sheets of another moment.
            self.kept |= {"sheet": Kept(), "evening": Kept()}
            try:
                with suppress(Refused):
                    tray.ask("POST", "restore/confirm", {"token": answer["token"]})
                    self.count["restores over the web"] += 1
            finally:  # a tray killed in the middle of its response may still have restored the copy
                self.kept |= {"sheet": Kept(), "evening": Kept()}

    def _check_copy(self, copy: Path, before: set[Key]) -> None:
        with closing(sqlite3.connect(copy)) as database:
            assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        restored = any(self.log.parent.glob(f"{FILE_NAME}.old*"))
        assert restored or before <= set(found_in(copy)), "a copy lacks what was announced before it was taken"

    def _read(self, tray: Tray) -> None:
        """Read the log as another program."""
        with self._lock:
            before = set(self.told)
        which = self.chance.choice(("backup", "export", "doctor", "sqlite3"))
        place, data = self.folder.parent / "backup", str(self.log.parent)
        if which == "sqlite3":
            subprocess.run(["python3", "-c", LOOK, str(self.log)], check=False, stderr=subprocess.DEVNULL)
        else:
            more = {"backup": [str(place)], "doctor": ["--camera", "simulated"], "export": []}[which]
            process = command(which, *more, "--data", data)
            process.join()
            if tray.process.is_alive():
                assert process.exitcode == 0 or which == "doctor", f"{which} ended with {process.exitcode}"
                if which == "backup":
                    self._check_copy(place, before)
        self.count[f"read by {which}"] += 1

    def check_log(self) -> None:
        """Check, without a running tray, that the log has every announced result once."""
        old = [one for one in self.log.parent.glob(f"{FILE_NAME}.old*") if not one.name.endswith(("-wal", "-shm"))]
        logs = [self.log, *old]
        found = [found_in(log) for log in logs]
        for key, kind in self.told.items():
            times = [log[key][kind] for log in found]
            corrected = [sum(log[key].values()) for log in found]
            assert any(corrected), f"roll {key[0]} was announced, and is lost"
            assert max(times) <= 1, f"roll {key[0]} is there {times} times"
        self.count["announced results, each found once"] = len(self.told)
        with closing(connect_to_read(self.log)) as database:
            assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"

    def check_tray(self, tray: Tray) -> None:
        """Check that a restarted tray has every confirmed change."""
        settings = tray.ask("GET", "settings")
        idle = next(one["value"] for group in settings["groups"] for one in group["settings"]
                    if one["key"] == "display.idle_min")  # fmt: skip
        checked = 0 + self.kept["setting"].check(idle, "display.idle_min")
        assert "asked of everybody" in (self.folder / "settings.toml").read_text()
        sheets, evenings = tray.ask("GET", "sheets")["sheets"], tray.ask("GET", "evenings")["evenings"]
        if sheets:
            checked += self.kept["sheet"].check(sheets[0]["title"], "sheet")
        if evenings:
            checked += self.kept["evening"].check(evenings[-1]["name"], "name of the evening")
        for cookie, kept in self.phones.items():
            me = tray.send("GET", "phones/me", None, cookie)[0]
            checked += kept.check(GUEST if me["role"] == GUEST else me["name"], "a phone's player")
        self.phones = {cookie: kept for cookie, kept in self.phones.items() if kept.answered != GUEST}
        self.count["answered changes found after an end"] += checked


def found_in(log: Path) -> dict[Key, Counter[str]]:
    """Return the results in a log, and how often each is there, by kind of row."""
    found: dict[Key, Counter[str]] = {}
    for row in logged_since(log):
        dice, roll = row["dice"], row["roll"]
        assert isinstance(dice, list)
        key = roll, frozenset((die["id"], die["value"]) for die in dice)  # type: ignore[index, call-overload]
        found.setdefault(key, Counter())[str(row["kind"])] += 1  # type: ignore[arg-type]
    return _Absent(found)


class _Absent(dict[Key, Counter[str]]):
    def __missing__(self, key: Key) -> Counter[str]:
        return Counter()


def kill(tray: Tray) -> None:
    tray.kill()


def kills(folder: Path, times: int, seed: int) -> Counter[str]:
    """Kill a tray repeatedly, sometimes while it starts, and check after each that nothing is lost."""
    chance = random.Random(seed)
    evening = Evening(folder / "tray", chance)
    evening.folder.mkdir(parents=True)
    for _ in range(times):
        if chance.random() < 0.1:
            start_and_kill(evening, chance)
        tray = Tray(evening.folder)
        evening.check_tray(tray)
        evening.act_until_killed(tray, 0.1 + 1.5 * chance.random(), kill)
        evening.count["kills at play"] += 1
        if evening.log.exists():
            evening.check_log()
        if chance.random() < 0.05:
            restore_and_kill(evening, chance)
    for number in range(max(1, times // 10)):
        migrate_and_kill(folder / f"old-{number}", chance, evening.count)
    return evening.count


def start_and_kill(evening: Evening, chance: random.Random) -> None:
    process = begin(evening.folder)
    process.join(0.3 * chance.random())
    process.kill()
    process.join()
    evening.count["kills at a start"] += 1


def restore_and_kill(evening: Evening, chance: random.Random) -> None:
    """Kill `pushtray restore` of a copy of the log; the previous log is in place, or kept."""
    copy = evening.folder.parent / "to-restore"
    command("backup", str(copy), "--data", str(evening.log.parent)).join()
    process = command("restore", str(copy), "--data", str(evening.log.parent))
    process.join(0.4 * chance.random())
    process.kill()
    process.join()
    evening.check_log()
    evening.count["kills of a restore"] += 1


def migrate_and_kill(folder: Path, chance: random.Random, count: Counter[str]) -> None:
    """Kill the first start over a log of an older version until one completes; every row is there."""
    dump = chance.choice(sorted(DUMPS.glob("history_*.sql"))).read_text()
    log = folder / "data" / FILE_NAME
    log.parent.mkdir(parents=True)
    with closing(sqlite3.connect(log)) as database:
        database.executescript(dump)
        database.execute("PRAGMA journal_mode = WAL")
        (rows,) = database.execute("SELECT count(*) FROM rolls").fetchone()
    for _ in range(5):
        process = begin(folder)
        process.join(0.2 * chance.random())
        process.kill()
        process.join()
        count["kills of a migration"] += 1
    with closing(RollLog(log)) as history:
        assert history.extent().rows == rows, "a migration that was killed lost rows"


class NoBlockDevice(Exception):
    """Nothing can be mounted here: not root, or no loop devices."""


@contextmanager
def mounted(image: Path, place: Path) -> Iterator[None]:
    """Mount an image's ext4 for the duration of the context."""
    place.mkdir(exist_ok=True)
    done = subprocess.run(["mount", "-o", "loop", str(image), str(place)], check=False, capture_output=True, text=True)
    if done.returncode:
        raise NoBlockDevice(done.stderr.strip())
    try:
        yield
    finally:
        for _ in range(100):
            if subprocess.run(["umount", str(place)], check=False, stderr=subprocess.DEVNULL).returncode == 0:
                break
            time.sleep(0.05)


def make_image(image: Path) -> None:
    """Create a file with an empty ext4."""
    with image.open("wb") as file:
        file.truncate(64 * 2**20)
    try:
        subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoBlockDevice(str(error)) from error


def tear(wal: Path, chance: random.Random) -> bool:
    """Add a part of one more write to a log behind all that was synced; return whether there is a place for it."""
    data = bytearray(wal.read_bytes()) if wal.exists() else bytearray()
    head, frame_head = 32, 24
    size = frame_head + int.from_bytes(data[8:12], "big")
    ends = (at for at in range(head, len(data), size) if data[at + 8 : at + 16] != data[16:24])
    end = next(ends, len(data))
    if end <= head:
        return False
    frame = data[end - size : end]
    frame[-1] ^= 1  # other content, so that it cannot count as written
    begin, stop = sorted(chance.sample(range(0, size, _HALF_SECTOR), 2))
    data[end : end + size] = data[end : end + size].ljust(size, b"\0")
    data[end + begin : end + stop] = frame[begin:stop]
    wal.write_bytes(data)
    return True


def cuts(folder: Path, times: int, seed: int) -> Counter[str]:
    """Cut the power of a tray repeatedly, and check after each that nothing announced is lost.

    Raises:
        NoBlockDevice: Nothing can be mounted here.
    """
    chance = random.Random(seed)
    image, left, place = folder / "image", folder / "left", folder / "mounted"
    folder.mkdir(parents=True, exist_ok=True)
    make_image(image)
    evening = Evening(place / "tray", chance)

    def cut(tray: Tray) -> None:
        os.kill(tray.pid, signal.SIGSTOP)
        before = b""
        while (now := image.read_bytes()) != before:  # until ext4 wrote nothing in between
            before = now
        left.write_bytes(now)
        tray.kill()

    for _ in range(times):
        with mounted(image, place):
            evening.folder.mkdir(exist_ok=True)
            if evening.log.exists():
                evening.count["writes that came in part"] += tear(evening.log.with_name(f"{FILE_NAME}-wal"), chance)
                evening.check_log()
            tray = Tray(evening.folder)
            evening.check_tray(tray)
            evening.act_until_killed(tray, 0.1 + 2.5 * chance.random(), cut)
        left.replace(image)
        evening.count["power cuts"] += 1
    with mounted(image, place):
        evening.check_log()
        with running(evening.folder) as tray:
            evening.check_tray(tray)
        sizes = [one.stat().st_size for one in (evening.log.parent / "pictures").glob("*.jpg")]
        assert all(sizes), "a picture of 0 bytes was left"
        evening.count["pictures, none of them empty"] = len(sizes)
    return evening.count
