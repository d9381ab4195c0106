"""The archive over HTTP, on a whole tray: evenings, rolls, stories, statistics, pictures, copies."""

import csv
import http.client
import io
import json
import re
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.types import Message

from device.app import TrayApp
from device.archive.book import BRIEF_NAME
from device.config.settings import Settings, with_overrides
from device.game.snapshot import Snapshot
from device.game.state.events import MotionSeen
from device.kept_files import write_whole
from device.runtime.loop import LoopParams
from device.runtime.source import CameraSetup
from device.storage.log_file import FILE_NAME
from device.texts.catalogue import translate
from device.web.app import create_app
from device.web.features.archive.routes import COPY_KIND
from tests.conftest import StillCamera
from tests.event_loop import run_coroutine
from tests.web.resting import ScriptedWatch, reading, until
from vision.types.sighting import Rest, TrackedDie


class Remembering:
    """A whole tray with requests for its evenings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        settings = with_overrides(Settings(), camera="simulated", data=folder, port=0)
        self._watch = ScriptedWatch()
        picture = np.full((960, 1280, 3), 90, np.uint8)
        self.app = TrayApp(settings, CameraSetup(StillCamera(picture), watch=self._watch))
        self.app.start()
        self.host = self.app.url.removeprefix("http://").rstrip("/")
        self._turn = 0

    def raw(
        self, method: str, path: str, body: bytes | None = None, kind: str = "application/json"
    ) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self.host, timeout=20)
        connection.request(method, path, body, {} if body is None else {"content-type": kind})
        answer = connection.getresponse()
        content = answer.status, answer.read()
        connection.close()
        return content

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        status, content = self.raw(method, f"/api/{path}", None if body is None else json.dumps(body).encode())
        assert status < 400, content
        return json.loads(content)

    def refused(self, method: str, path: str, body: Any = None) -> tuple[int, str, str]:
        status, content = self.raw(method, f"/api/{path}", None if body is None else json.dumps(body).encode())
        refusal = json.loads(content)
        assert status >= 400, refusal
        assert "\n" not in refusal["error"]
        return status, refusal["reason"], refusal["error"]

    def undo(self) -> Any:
        """Undo the latest press; return its action."""
        undo = self.ask("GET", "state")["undo"]
        self.ask("POST", "undo", {"id": undo["id"]})
        return undo["action"]

    def send(self, copy: bytes) -> tuple[int, dict[str, Any]]:
        status, content = self.raw("POST", "/api/restore", copy, COPY_KIND)
        return status, json.loads(content)

    def roll(self, owner: str, *dice: tuple[str, int]) -> None:
        """Play a roll of a player's, as the camera's thread would post it, and end it."""
        self._turn += 1
        self.ask("POST", "asked", {"owner": owner, "label": f"Roll {self._turn}"})
        self.lie(*dice)
        self.ask("POST", "reset")

    def lie(self, *dice: tuple[str, int]) -> None:
        """Let dice come to rest and be scored."""
        self._turn += 1
        first = 10 * self._turn
        lying = tuple(TrackedDie(first + k, reading(k + 1, *die), None) for k, die in enumerate(dice))
        self._watch.reported.put(Rest(1.0, 15, 1280, 960, lying, (), trusted=True))
        until(lambda: self.ask("GET", "state")["state"] == "scored")


@pytest.fixture
def tray(tmp_path: Path) -> Iterator[Remembering]:
    """A tray with two rolls."""
    one = Remembering(tmp_path)
    one.roll("Mira", ("base", 6), ("base", 2), ("gear", 3))
    one.roll("Ann", ("base", 2), ("skill", 1))
    yield one
    one.app.stop()


def test_evenings_and_rolls(tray: Remembering) -> None:
    known = tray.ask("GET", "evenings")
    assert (known["players"], known["evenings"][0]["rolls"]) == (["Ann", "Mira"], known["rolls"])
    page = tray.ask("GET", "story?player=mira&limit=1")
    (roll,) = page["rolls"]
    assert (roll["owner"], roll["label"], roll["throws"][0]["p_success"]) == ("Mira", "Roll 1", "91/216")
    assert (page["total"], page["next_before"]) == (1, None)
    every = tray.ask("GET", "story")["rolls"]
    assert [one["id"] for one in every] == sorted((one["id"] for one in every), reverse=True)
    first = tray.ask("GET", "story?limit=1")
    assert tray.ask("GET", f"story?limit=200&before={first['next_before']}")["rolls"] == every[1:]
    assert tray.ask("GET", "story?evening=1&text=mira")["total"] == 1
    assert tray.ask("GET", "story?from=2999-01-01")["total"] == 0
    assert tray.refused("GET", "story?evening=77")[:2] == (404, "unknown_evening")
    assert tray.refused("GET", "story?from=soon")[:2] == (422, "bad_value")


def test_a_roll_is_given_to_another_player(tray: Remembering) -> None:
    def owners() -> list[str]:
        return [one["owner"] for one in tray.ask("GET", "story")["rolls"]]

    before = owners()
    number = tray.ask("GET", "story?player=mira")["rolls"][0]["roll"]
    tray.ask("PUT", f"rolls/{number}/owner", {"owner": "Zo"})
    assert sorted(owners()) == ["Ann", "Zo"]
    assert tray.ask("GET", "evenings")["players"] == ["Ann", "Zo"]
    assert tray.ask("GET", "players/rolls?owner=Zo")["counts"]["rolls"] == 1
    assert tray.undo() == "given"
    assert owners() == before
    tray.ask("PUT", f"rolls/{number}/owner", {"owner": None})
    assert tray.ask("GET", "evenings")["players"] == ["Ann"]
    assert tray.refused("PUT", "rolls/77/owner", {"owner": "Zo"})[:2] == (404, "unknown_roll")
    assert tray.refused("PUT", f"rolls/{number}/owner", {"owner": "Zo", "sheet": 9})[:2] == (404, "unknown_sheet")
    assert tray.refused("PUT", f"rolls/{number}/owner", {"owner": "Z" * 41})[:2] == (422, "bad_value")


def test_a_picture_of_the_roll(tray: Remembering) -> None:
    def first_throw() -> Any:
        return tray.ask("GET", "story?player=mira")["rolls"][0]["throws"][0]

    until(lambda: first_throw()["picture"] is not None)
    row = first_throw()["picture"]
    until(lambda: tray.raw("GET", f"/api/rolls/{row}/picture.jpg")[0] == 200)
    assert tray.raw("GET", f"/api/rolls/{row}/picture.jpg")[1].startswith(b"\xff\xd8")
    assert b"<polygon" in tray.raw("GET", f"/api/rolls/{row}/read.svg")[1]
    for name in ("picture.jpg", "read.svg"):
        assert tray.refused("GET", f"rolls/999999/{name}")[:2] == (404, "no_picture")
    for path in (tray.folder / "pictures").iterdir():
        path.unlink()
    assert first_throw()["picture"] is None, "what is gone is not asked for"


def test_a_hidden_roll_is_remembered_once_it_is_shown(tray: Remembering) -> None:
    def rolled() -> tuple[int, int]:
        faces = tray.ask("GET", "statistics")["faces"]
        return tray.ask("GET", "story")["total"], sum(one["throws"] for one in faces if one["colour"] == "base")

    def kept() -> int:
        return len(list((tray.folder / "pictures").glob("*.jpg")))

    rolls, dice = rolled()
    pictures = kept()
    tray.ask("POST", "asked", {"owner": "Guard", "label": "Notice", "hidden": True})
    tray.lie(("base", 6), ("base", 1))
    (row,) = tray.ask("GET", "rolls?limit=1")["rolls"]
    assert (row["owner"], row["dice"], row["odds"], row["picture"]) == ("Guard", [], None, None)
    assert rolled() == (rolls, dice)
    assert "Guard" not in tray.ask("GET", "evenings")["players"]
    until(lambda: kept() == pictures + 1)
    assert tray.refused("GET", f"rolls/{row['id']}/picture.jpg")[:2] == (404, "no_picture")
    tray.ask("POST", f"asked/{tray.ask('GET', 'state')['asked']['id']}/show")
    assert rolled() == (rolls + 1, dice + 2)
    assert tray.raw("GET", f"/api/rolls/{row['id']}/picture.jpg")[0] == 200
    tray.ask("POST", "reset")


def test_an_evening_as_a_page_and_as_files(tray: Remembering) -> None:
    status, html = tray.raw("GET", "/story?evening=1&lang=de")
    page = html.decode()
    assert status == 200
    assert '<html lang="de">' in page
    assert "<title>Der Abend vom " in page
    assert "Mira: Roll 1" in page
    assert "<script" not in page
    assert "<img" not in tray.raw("GET", "/story?pictures=false")[1].decode()
    rows = list(csv.DictReader(io.StringIO(tray.raw("GET", "/api/story.csv?player=Mira")[1].decode("utf-8-sig"))))
    assert [row["owner"] for row in rows] == ["Mira"]
    sheet = tray.raw("GET", "/api/story.csv?separator=semicolon")[1]
    assert sheet.startswith(b"\xef\xbb\xbfid;at;evening;")
    assert tray.raw("GET", "/api/story.csv?separator=pipe")[0] == 422
    (line,) = tray.raw("GET", "/api/story.jsonl?player=Mira")[1].splitlines()
    assert json.loads(line)["owner"] == "Mira"
    assert tray.raw("GET", "/story?evening=77")[0] == 404


def test_statistics_in_both_languages(tray: Remembering) -> None:
    reported = tray.ask("GET", "statistics?player=Mira&lang=de")
    assert [(one["colour"], one["throws"]) for one in reported["faces"]] == [("base", 2), ("gear", 1)]
    assert reported["faces"][0]["text"] == "2 Würfel geworfen: zu wenig, um etwas zu sagen."
    assert [(one["player"], one["won"]) for one in reported["luck"]] == [("Mira", 1)]


def test_an_evening_is_named_and_ended(tray: Remembering) -> None:
    assert tray.ask("PATCH", "evenings/1", {"name": " The old mill "})["evenings"][-1]["name"] == "The old mill"
    assert tray.ask("PATCH", "evenings/1", {"name": ""})["evenings"][-1]["name"] is None
    assert tray.refused("PATCH", "evenings/77", {"name": "x"})[:2] == (404, "unknown_evening")
    before = len(tray.ask("GET", "evenings")["evenings"])
    assert tray.ask("POST", "evenings/end")["evenings"][0]["over"]
    assert tray.undo() == "evening"
    assert not tray.ask("GET", "evenings")["evenings"][0]["over"]
    assert tray.ask("POST", "evenings/end")["evenings"][0]["over"]
    noted = [(one["text"], one["undone"]) for one in tray.ask("GET", "evenings?lang=de")["changes"]]
    assert noted[:2] == [("Abend beendet", False), ("Abend beendet", True)]
    tray.roll("Zo", ("base", 3))
    assert len(tray.ask("GET", "evenings")["evenings"]) == before + 1


def test_a_roll_is_deleted_with_its_picture_but_not_while_it_lies_there(tray: Remembering) -> None:
    tray.roll("Zo", ("gear", 4))
    until(lambda: tray.ask("GET", "story?limit=1")["rolls"][0]["throws"][0]["picture"] is not None)
    roll = tray.ask("GET", "story?limit=1")["rolls"][0]
    pictures = len(list((tray.folder / "pictures").iterdir()))
    brief = tray.folder / BRIEF_NAME
    brief.write_bytes(b"what was folded")
    assert tray.ask("DELETE", f"story/{roll['id']}") == {"forgotten": roll["id"]}
    assert not brief.exists()
    assert len(list((tray.folder / "pictures").iterdir())) == pictures - 1
    assert tray.ask("GET", "story?limit=1")["rolls"][0]["id"] != roll["id"]
    assert tray.refused("DELETE", f"story/{roll['id']}")[:2] == (404, "unknown_roll")
    assert tray.undo() == "roll"
    until(lambda: len(list((tray.folder / "pictures").glob("*.jpg"))) == pictures)
    assert tray.ask("GET", "story?limit=1")["rolls"][0] == roll
    tray.ask("DELETE", f"story/{roll['id']}")
    tray.lie(("base", 5))
    newest = tray.ask("GET", "story?limit=1")["rolls"][0]["id"]
    assert tray.refused("DELETE", f"story/{newest}")[:2] == (409, "roll_in_play")
    tray.ask("POST", "reset")


def test_one_thread_writes_the_log_and_one_its_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writes: list[tuple[str, str]] = []
    connect = sqlite3.connect

    def recorded(database: Any, *args: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(database, *args, **options)
        if str(database).partition("?")[0].endswith(f"/{FILE_NAME}"):
            connection.set_trace_callback(lambda text: writes.append((threading.current_thread().name, text)))
        return connection

    def write(path: Path, content: bytes) -> None:
        picture_writers.add(threading.current_thread().name)
        write_whole(path, content)

    picture_writers: set[str] = set()
    monkeypatch.setattr(sqlite3, "connect", recorded)
    monkeypatch.setattr("device.storage.pictures.write_whole", write)
    tray = Remembering(tmp_path)
    writes.clear()
    try:
        tray.roll("Mira", ("base", 6))
        tray.roll("Ann", ("base", 2))
        tray.ask("PATCH", "evenings/1", {"name": "The old mill"})
        tray.ask("POST", "evenings/end")
        tray.undo()
        (last, first) = (one["id"] for one in tray.ask("GET", "story")["rolls"])
        tray.ask("DELETE", f"story/{first}")
        tray.undo()
        tray.ask("PUT", f"rolls/{last}/owner", {"owner": "Zo"})
        checked = tray.send(tray.raw("GET", "/api/backup")[1])[1]
        tray.ask("POST", "restore/confirm", {"token": checked["token"]})
        tray.roll("Ann", ("base", 3))
        running = writes.copy()
    finally:
        tray.app.stop()
    is_write = re.compile("INSERT|UPDATE|DELETE|REPLACE|BEGIN IMMEDIATE|COMMIT|PRAGMA wal_checkpoint")
    by = {thread: {is_write.match(text) and text for one, text in running if one == thread} for thread, _ in running}
    written = " ".join(text for text in by["loop"] if text)
    for table in ("rolls", "live", "book", "evening_ends", "evening_names"):
        assert re.search(rf"(INTO|FROM) {table}\b", written), table
    assert {thread for thread, texts in by.items() if texts != {None}} == {"loop"}
    assert picture_writers == {"pictures"}


def test_a_backup_is_put_back_while_the_tray_runs_and_what_was_there_is_kept(tray: Remembering) -> None:
    status, copy = tray.raw("GET", "/api/backup")
    assert (status, copy[:15]) == (200, b"SQLite format 3")
    count = tray.ask("GET", "evenings")["rolls"]
    tray.roll("Zo", ("skill", 6))
    status, checked = tray.send(copy)
    assert (status, checked["rows_now"] > checked["rows"]) == (200, True)
    assert tray.ask("GET", "evenings")["rolls"] == count + 1, "nothing is replaced yet"
    assert tray.refused("POST", "restore/confirm", {"token": "another"})[:2] == (409, "no_copy")
    done = tray.ask("POST", "restore/confirm", {"token": checked["token"]})
    assert done["rows"] == checked["rows"]
    assert (tray.folder / done["old"]).is_file()
    assert tray.ask("GET", "evenings")["rolls"] == count
    tray.roll("Zo", ("skill", 6))
    assert tray.ask("GET", "evenings")["rolls"] == count + 1, "the tray goes on in the log that is there now"
    assert tray.refused("POST", "restore/confirm", {"token": checked["token"]})[:2] == (409, "no_copy")
    left = {path.name for path in tray.folder.iterdir()} - {
        "history.sqlite3",
        "history.sqlite3-wal",
        "history.sqlite3-shm",
    }
    assert not [name for name in left if name.startswith(".")], left


def test_a_copy_that_a_busy_tray_did_not_take_waits_to_be_asked_for_again(
    tray: Remembering, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = tray.ask("GET", "evenings")["rolls"]
    checked = tray.send(tray.raw("GET", "/api/backup")[1])[1]
    tray.roll("Zo", ("gear", 5), ("base", 4))
    is_busy, goes_on = threading.Event(), threading.Event()

    def hold(_: Snapshot) -> None:
        is_busy.set()
        assert goes_on.wait(10)

    end = tray.app.tray.subscribe(hold)
    tray.app.post(MotionSeen())
    assert is_busy.wait(5)
    end()
    loop = tray.app.loop
    with monkeypatch.context() as patched:
        patched.setattr(loop, "_params", LoopParams(replace_s=0.01))
        assert tray.refused("POST", "restore/confirm", {"token": checked["token"]})[:2] == (503, "busy")
    goes_on.set()
    tray.ask("POST", "reset")
    assert tray.ask("GET", "evenings")["rolls"] == count + 1, "it was not put back later"
    assert tray.ask("POST", "restore/confirm", {"token": checked["token"]})["rows"] == checked["rows"]
    assert tray.ask("GET", "evenings")["rolls"] == count


def test_a_bad_copy_is_refused_in_one_line_and_changes_nothing(tray: Remembering) -> None:
    count = tray.ask("GET", "evenings")["rolls"]
    copy = tray.raw("GET", "/api/backup")[1]
    for bad, why in {b"no log": "it is not a roll log", copy[:5000]: "it has no rolls", b"": "it is empty"}.items():
        status, refusal = tray.send(bad)
        assert (status, refusal["reason"]) == (422, "bad_copy")
        assert refusal["error"].startswith(translate("memory.refused.bad_copy", why=why).removesuffix(".")), refusal
        assert "\n" not in refusal["error"]
    assert tray.raw("POST", "/api/restore", b"{}", "application/json")[0] == 415
    status, checked = tray.send(copy)
    assert tray.ask("DELETE", "restore") == {"dropped": True}
    assert tray.refused("POST", "restore/confirm", {"token": checked["token"]})[:2] == (409, "no_copy")
    assert tray.ask("GET", "evenings")["rolls"] == count
    assert not list(tray.folder.glob(".*"))


def test_only_the_tray_s_own_screen_carries_the_log_away_or_deletes(tray: Remembering) -> None:
    app = create_app(tray.app.tray, [tray.app.log.archive])

    def answered(client: str, method: str, path: str) -> tuple[int, bytes]:
        """Return the application's response to a request from an address."""
        sent: list[Message] = []
        coming: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> Message:
            return coming.pop() if coming else {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)

        kind = COPY_KIND if path == "/api/restore" else "application/json"
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "headers": [(b"host", b"localhost"), (b"content-type", kind.encode()), (b"content-length", b"0")],
            "query_string": b"",
            "client": (client, 5),
        }
        run_coroutine(app(scope, receive, send))
        return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])

    managed = [("GET", "backup"), ("POST", "restore"), ("POST", "restore/confirm"), ("DELETE", "story/1")]
    for method, path in managed:
        status, body = answered("192.0.2.7", method, f"/api/{path}")
        assert (status, json.loads(body)["reason"]) == (403, "not_allowed"), path
    assert answered("192.0.2.7", "GET", "/api/evenings")[0] == 200
    for own in ("127.0.0.1", "::1"):
        assert answered(own, "DELETE", "/api/story/999999")[0] == 404
