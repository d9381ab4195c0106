"""The table's interface over HTTP, on a whole tray: every route, valid and invalid requests, and across a restart."""

import http.client
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from device.app import TrayApp
from device.config.settings import Settings, with_overrides
from device.game.state.events import DiceSettled, MotionSeen
from device.runtime.source import CameraSetup
from device.texts.catalogue import translate
from tests.conftest import BlindWatch, StillCamera
from vision.types.reading import DieReading
from vision.types.sighting import Rest, TrackedDie


class TableTray:
    """A whole tray, and a page's requests to it."""

    def __init__(self, folder: Path, setup: CameraSetup) -> None:
        settings = with_overrides(Settings(), camera="simulated", data=folder, port=0)
        self.app = TrayApp(settings, setup)
        self.app.start()
        self._host = self.app.url.removeprefix("http://").rstrip("/")
        self._turn = 0

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self._host, timeout=30)
        text = body if isinstance(body, str | None) else json.dumps(body)
        connection.request(method, f"/api/{path}", text, {"content-type": "application/json"})
        answer = connection.getresponse()
        content = json.loads(answer.read())
        connection.close()
        return answer.status, content

    def good(self, method: str, path: str, body: Any = None) -> Any:
        status, content = self.ask(method, path, body)
        assert status in (200, 201), content
        return content

    def refused(self, method: str, path: str, body: Any = None) -> tuple[int, str]:
        """Return status and message of a response that is one sentence, and check that nothing changed."""
        before = self.good("GET", "state")["version"]
        status, content = self.ask(method, path, body)
        assert status >= 400, content
        assert set(content) == {"error", "reason"}
        assert "\n" not in content["error"]
        assert self.good("GET", "state")["version"] == before
        return status, content["reason"]

    def throw(self, *dice: tuple[Any, ...]) -> Any:
        """Let dice of (id, colour, value) come to rest, far from their previous places."""
        self._turn += 1
        lying = tuple(self._die(*die) for die in dice)
        self.app.post(MotionSeen())
        self.app.post(DiceSettled(Rest(1.0, 15, 1280, 960, lying, (), trusted=True)))
        # The loop answers later requests after earlier posted events.
        return self.good("PATCH", "context", {"facts": {}})

    def _die(self, number: int, colour: str | None, value: int | None, moved: bool = True) -> TrackedDie:
        x, y = 100.0 * number, 100.0 + (60.0 * self._turn if moved else 0.0)
        quad = ((x - 20, y - 20), (x + 20, y - 20), (x + 20, y + 20), (x - 20, y + 20))
        return TrackedDie(number, DieReading(colour, value, 0.99, None, (x, y), (x - 20, y - 20, 40, 40), quad), moved)


@pytest.fixture(scope="module")
def idle_lens() -> Callable[[], CameraSetup]:
    return lambda: CameraSetup(StillCamera(), None, BlindWatch())


@pytest.fixture
def make_tray(tmp_path: Path, idle_lens: Callable[[], CameraSetup]) -> Iterator[Callable[[], TableTray]]:
    trays: list[TableTray] = []

    def make() -> TableTray:
        for old in trays:
            old.app.stop()
        tray = TableTray(tmp_path, idle_lens())
        trays.append(tray)
        return tray

    yield make
    for tray in trays:
        tray.app.stop()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, idle_lens: Callable[[], CameraSetup]) -> Iterator[TableTray]:
    tray = TableTray(tmp_path_factory.mktemp("table"), idle_lens())
    yield tray
    tray.app.stop()


def test_rulings_are_chosen_used_by_the_odds_and_kept(make_tray: Callable[[], TableTray]) -> None:
    tray = make_tray()
    tray.good("PUT", "pool", {"skill": 2})
    before = tray.good("GET", "odds")["pool"]["p_success_if_pushed"]
    chosen = tray.good("PUT", "rulings/push-pool", {"rulings": {"skill_ones_locked": True}})
    row = next(row for row in chosen["rulings"] if row["name"] == "skill_ones_locked")
    assert (row["value"], row["chosen"], row["default"]) == (True, True, False)
    assert tray.good("GET", "state")["rulings"] == {"skill_ones_locked": True}
    after = tray.good("GET", "odds")["pool"]["p_success_if_pushed"]
    assert before != after
    tray = make_tray()
    kept = tray.good("GET", "rulings")["systems"][0]["rulings"][0]
    assert (kept["name"], kept["value"]) == ("skill_ones_locked", True)
    assert tray.good("GET", "odds")["pool"]["p_success_if_pushed"] == after
    back = tray.good("PUT", "rulings/push-pool", {"rulings": {"skill_ones_locked": None}})
    assert (back["rulings"][0]["value"], back["rulings"][0]["chosen"]) == (False, False)


@pytest.mark.parametrize(
    ("method", "path", "body", "answer"),
    [
        ("PUT", "rulings/chess", {"rulings": {}}, (404, "unknown_system")),
        ("PUT", "rulings/push-pool", {"rulings": {"no_such": 1}}, (422, "bad_ruling")),
        ("PUT", "rulings/push-pool", {"rulings": {"full_auto_pushes": 11}}, (422, "bad_ruling")),
        ("PUT", "rulings/push-pool", {"rulings": [1]}, (422, "bad_value")),
        ("PUT", "roles/chess", {"roles": {}}, (404, "unknown_system")),
        ("PUT", "roles/push-pool", {"roles": {"mauve": "base"}}, (422, "unknown_colour")),
        ("PUT", "roles/push-pool", {"roles": {"base": "wild"}}, (422, "unknown_role")),
        ("PUT", "roles/push-pool", {"roles": {"base": "king"}}, (422, "bad_value")),
        ("GET", "tiles?system=chess", None, (404, "unknown_system")),
        ("POST", "prepare", {"tiles": {"attribute": "STR"}, "sheet": 99}, (404, "unknown_sheet")),
        ("POST", "prepare", {"tiles": {"attribute": -1}}, (422, "bad_value")),
        ("POST", "prepare", {"tiles": {"attribute": 400}}, (422, "bad_value")),
        ("POST", "prepare", {}, (422, "bad_value")),
        ("POST", "ask", {"op": "no_such"}, (422, "bad_value")),
        ("POST", "ask", {"op": "repair", "context": {"bonus": -1}}, (422, "bad_value")),
        ("GET", "sheets/99", None, (404, "unknown_sheet")),
        ("GET", "sheets/99999999999999999999999", None, (404, "unknown_sheet")),
        ("DELETE", "sheets/99", None, (404, "unknown_sheet")),
        ("PATCH", "sheets/99", {"title": "Bo"}, (404, "unknown_sheet")),
        ("POST", "sheets/99/undo", None, (404, "unknown_sheet")),
        ("POST", "sheets/99/carry", None, (404, "unknown_sheet")),
        ("PUT", "sheets/chosen", {"sheet": 99}, (404, "unknown_sheet")),
        ("PUT", "sheets/carry", {"carry": "never"}, (422, "bad_value")),
        ("POST", "sheets", {"title": ""}, (422, "bad_value")),
        ("POST", "sheets", {"title": "Bo", "system": "chess"}, (404, "unknown_system")),
        ("POST", "sheets/import", {"format": "pushtray-sheet/2"}, (422, "bad_sheet")),
        ("POST", "sheets/import", {}, (422, "bad_sheet")),
        ("POST", "sheets/import", [1], (422, "bad_value")),
        ("POST", "sheets/import", '{"format": NaN}', (400, "not_finite")),
        ("POST", "clocks", {"name": "A", "segments": 5}, (422, "bad_value")),
        ("POST", "clocks", {"name": "A", "segments": 4, "linked_to": 9}, (422, "bad_value")),
        ("POST", "clocks/9/tick", {"ticks": 1}, (422, "bad_value")),
        ("POST", "clocks/undo", None, (409, "nothing_to_undo")),
        ("POST", "typed-dice", {"level": "A", "value": 5}, (422, "bad_value")),
        ("POST", "typed-dice", {"level": "E", "value": 5}, (422, "bad_value")),
        ("PATCH", "typed-dice/1000001", {"value": 5}, (404, "unknown_die")),
        ("DELETE", "typed-dice/1000001", None, (404, "unknown_die")),
        ("PUT", "series", {"op": "extended", "settings": {"target": 3}}, (422, "bad_value")),
        ("POST", "asked", {}, (422, "bad_value")),
        ("POST", "asked", {"owner": "  "}, (422, "bad_value")),
        ("POST", "asked", {"owner": "A\tB"}, (422, "bad_value")),
        ("POST", "asked", {"owner": 41 * "A"}, (422, "bad_value")),
        ("POST", "asked", {"owner": "Ann", "dice": {"base": 21}}, (422, "bad_value")),
        ("POST", "asked", {"owner": "Ann", "dice": {"king": 1}}, (422, "bad_value")),
        ("POST", "asked", {"owner": "Ann", "dice": {"wild": 1}}, (422, "unknown_role")),
        ("POST", "asked", {"owner": "Ann", "aim": {"threshold": 2}}, (422, "bad_value")),
        ("POST", "asked", {"owner": "Ann", "levels": {"B": 1}}, (422, "bad_value")),
        ("POST", "asked", {"owner": "Ann", "hidden": "yes"}, (422, "bad_value")),
        ("POST", "asked/together", {"kind": "duel", "rolls": [{"owner": "Ann"}]}, (422, "bad_value")),
        ("POST", "asked/together", {"kind": "opposed", "rolls": [{"owner": "Ann"}]}, (422, "bad_value")),
        ("POST", "asked/together", {"kind": "group", "rolls": [{"owner": "Ann"}, {}]}, (422, "bad_value")),
        ("POST", "asked/99/show", None, (404, "unknown_asked")),
        ("DELETE", "asked/99", None, (404, "unknown_asked")),
    ],
)
def test_what_makes_no_sense_is_one_clear_answer(
    shared: TableTray, method: str, path: str, body: Any, answer: tuple[int, str]
) -> None:
    assert shared.refused(method, path, body) == answer


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "rulings/push-pool", {"rulings": {"full_auto_pushes": 11}}),
        ("PUT", "roles/push-pool", {"roles": {"base": "wild"}}),
        ("POST", "prepare", {"tiles": {"attribute": "Charm"}}),
        ("POST", "prepare", {"tiles": {"attribute": 400}}),
        ("POST", "prepare", {"tiles": {}}),
        ("POST", "ask", {"op": "repair", "context": {"bonus": 4, "max": 3}}),
        ("GET", "sheets/99", None),
        ("PATCH", "sheets/99", {"title": "Bo"}),
        ("POST", "sheets/import", {"format": "pushtray-sheet/2"}),
        ("POST", "clocks/9/tick", {"ticks": 1}),
        ("POST", "clocks/undo", None),
        ("POST", "typed-dice", {"level": "A", "value": 5}),
        ("DELETE", "typed-dice/1000001", None),
        ("PUT", "series", {"op": "extended", "settings": {"target": 3}}),
        ("POST", "asked", {}),
        ("POST", "asked", {"owner": "Ann", "dice": {"wild": 1}}),
        ("POST", "asked", {"owner": "Ann", "tiles": {"attribute": 0}}),
        ("POST", "asked/together", {"kind": "opposed", "rolls": [{"owner": "Ann"}]}),
        ("POST", "asked/99/show", None),
        ("PUT", "rolls/99/owner", {"owner": "Ann"}),
        ("POST", "sheets/carry/none", None),
        ("POST", "push", None),
        ("DELETE", "story/99", None),
        ("PATCH", "evenings/99", {"name": "Storm"}),
        ("POST", "restore/confirm", {"token": "gone"}),
        ("PUT", "pool", {"wild": 1}),
        ("GET", "rolls/99/picture.jpg", None),
    ],
)
def test_a_refusal_that_a_page_shows_is_a_sentence_in_its_language(
    shared: TableTray, method: str, path: str, body: Any
) -> None:
    answers = [shared.ask(method, f"{path}?lang={language}", body) for language in ("en", "de")]
    assert all(status >= 400 for status, _ in answers)
    english, german = (answer["error"] for _, answer in answers)
    assert english != german
    for text in (english, german):
        assert text[0].isupper()
        assert text.endswith((".", "!", "?"))
        assert not re.search(r"\w_\w|'\w+'|\[\d|context\.", text), text


@pytest.mark.parametrize(
    ("system", "tiles", "says"),
    [
        ("die-code", {"code": "3x"}, "3x"),
        ("die-code", {"code": "0d"}, "0d"),
        ("die-code", {"code": "400d"}, "400d"),
        ("step-dice", {"attribute": "E"}, "E"),
        ("hits-pool", {"ability": 3, "threshold": -1}, "-1"),
        ("hits-pool", {"ability": 400}, "400"),
        ("highest-die", {"attribute": 2, "own_dice": 400}, "400"),
        ("push-pool", {"attribute": 400}, "400"),
    ],
)
def test_a_pool_that_cannot_be_is_refused_in_every_system(
    shared: TableTray, system: str, tiles: dict[str, Any], says: str
) -> None:
    shared.good("PUT", "system", {"system": system})
    assert says in shared.ask("POST", "prepare", {"tiles": tiles})[1]["error"]
    assert shared.refused("POST", "prepare", {"tiles": tiles}) == (422, "bad_value")
    assert shared.good("GET", "state")["pool"] is None
    shared.good("PUT", "system", {"system": "push-pool"})


def test_a_roll_from_tile_to_push_over_a_restart(make_tray: Callable[[], TableTray]) -> None:
    tray = make_tray()
    tray.good("POST", "sheets", {"title": "Ann"})
    rope = {"kind": "gear", "name": "rope", "now": 1, "most": 1}
    counters = [{"kind": "attribute", "name": "STR", "now": 2}, {"kind": "skill", "name": "Fight", "now": 1}]
    edited = tray.good("PATCH", "sheets/1", {"counters": counters, "add": [rope]})
    assert edited["undo"] == "Edited"
    tiles = {"attribute": "STR", "skill": "Fight", "gear": "rope"}
    looked = tray.good("POST", "prepare", {"tiles": tiles, "declare": False})
    assert (looked["take"], looked["declared"]) == ("Take 2 base, 1 skill, 1 gear.", False)
    assert tray.good("GET", "state")["pool"] is None
    prepared = tray.good("POST", "prepare", {"tiles": tiles})
    assert prepared["declared"]
    assert "p_success" in prepared["odds"]
    state = tray.throw((1, "base", 1), (2, "base", 4), (3, "skill", 6))
    assert (state["state"], state["problem_details"][0]["text"][:25]) == ("unclear", "One gear die is missing. ")
    state = tray.throw((1, "base", 1), (2, "base", 4), (3, "skill", 6), (4, "gear", 1))
    assert state["state"] == "scored"
    assert tray.refused("POST", "sheets/1/carry") == (409, "nothing_to_carry")
    tray.good("POST", "push")
    tray = make_tray()
    state = tray.good("GET", "state")
    assert (state["state"], state["push"]["must_reroll"]) == ("awaiting_push", [2])
    assert (state["prepared"]["take"], state["pool"]) == ("Take 2 base, 1 skill, 1 gear.", prepared["pool"])


def test_rolls_are_requested_made_in_their_order_and_kept_over_a_restart(
    make_tray: Callable[[], TableTray],
) -> None:
    tray = make_tray()
    prepared = {"tiles": {"attribute": 2}, "owner": "Flo", "label": "Wits"}
    assert tray.good("POST", "prepare", prepared)["declared"] is True
    state = tray.good("GET", "state")
    assert (state["asked"]["owner"], state["take"][0]["count"]) == ("Flo", 2)
    assert tray.good("POST", "reset")["asked"] is None
    answer = tray.good("POST", "asked", {"owner": " Ann ", "label": "Strength + Fight", "dice": {"base": 2}})
    current = answer["asked"]
    assert (current["id"], current["roll"]) == (2, 1)
    assert (current["owner"], current["label"]) == ("Ann", "Strength + Fight")
    assert answer["take"] == [{"role": "base", "colour": "base", "count": 2}]
    tray.good("POST", "asked", {"owner": "Zo", "dice": {"gear": 1}})
    tray.good("POST", "asked", {"owner": "Bo"})
    assert [one["owner"] for one in tray.good("DELETE", "asked/4")["asked_next"]] == ["Zo"]
    assert tray.throw((1, "base", 6), (2, "base", 2))["asked"]["owner"] == "Ann"
    tray = make_tray()
    assert tray.good("GET", "state")["asked"]["owner"] == "Ann"
    assert tray.refused("DELETE", "asked/2") == (409, "roll_lies_there")
    after = tray.good("POST", "reset")
    assert (after["asked"]["owner"], after["pool"]["gear"], after["asked_next"]) == ("Zo", 1, [])
    tray.throw((5, "gear", 3))
    rows = tray.good("GET", "rolls")["rolls"]
    assert [(row["owner"], row["label"]) for row in rows] == [("Zo", None), ("Ann", "Strength + Fight")]


def test_a_roll_that_is_prepared_keeps_what_its_asker_measures_it_by(make_tray: Callable[[], TableTray]) -> None:
    tray = make_tray()
    tray.good("POST", "asked", {"owner": "Ann", "label": "Notice", "aim": {"difficulty": -2}})
    prepared = tray.good("POST", "prepare", {"tiles": {"attribute": 3, "skill": 3, "difficulty": 1}, "owner": "Ann"})
    assert (prepared["pool"]["base"], prepared["pool"]["skill"]) == (3, 1)
    other = tray.good("POST", "prepare", {"tiles": {"attribute": 3, "skill": 3}, "owner": "Zo", "declare": False})
    assert other["pool"]["skill"] == 3
    assert tray.good("GET", "state")["asked"]["aim_text"] == "Harder: \N{MINUS SIGN}2 dice"
    assert [one["name"] for one in tray.good("GET", "tiles")["aims"]] == ["difficulty"]


def test_a_hidden_roll_is_nowhere_to_be_read_until_it_is_shown_and_a_restart_hides_it_too(
    make_tray: Callable[[], TableTray],
) -> None:
    tray = make_tray()
    order = {"kind": "opposed", "label": "Stealth", "rolls": [{"owner": "Ann"}, {"owner": "Guard", "hidden": True}]}
    answer = tray.good("POST", "asked/together", order)
    assert (answer["asked"]["owner"], answer["asked_next"][0]["hidden"]) == ("Ann", True)
    tray.throw((1, "base", 6), (2, "base", 6))
    tray.good("POST", "reset")
    tray.throw((3, "base", 6), (4, "base", 1))
    for _ in range(2):
        state = tray.good("GET", "state")
        assert (state["asked"]["owner"], state["state"], state["outcome"], state["dice"]) == (
            "Guard",
            "scored",
            None,
            [],
        )
        assert state["together"][0]["members"][1]["count"] is None
        assert tray.ask("GET", "frame.jpg")[1]["reason"] == "hidden"
        assert tray.good("GET", "odds")["table"] is None
        row = tray.good("GET", "rolls")["rolls"][0]
        assert (row["owner"], row["hidden"], row["outcome"], row["dice"]) == ("Guard", True, None, [])
        assert tray.refused("POST", "push") == (409, "hidden")
        tray = make_tray()
    shown = tray.good("POST", "asked/2/show")
    assert shown["together"][0]["text"] == "Ann beats Guard, 2 to 1."
    assert (shown["outcome"]["successes"], len(shown["dice"])) == (1, 2)
    row = tray.good("GET", "rolls")["rolls"][0]
    assert (row["hidden"], row["outcome"]["successes"], row["asked"]["together"]["winner"]) == (False, 1, 0)


def test_consequences_go_to_the_sheet_with_one_tap(make_tray: Callable[[], TableTray]) -> None:
    tray = make_tray()
    tray.good("POST", "sheets", {"title": "Ann"})
    tray.good("PATCH", "context", {"facts": {"attribute_name": "STR"}})
    tray.throw((1, "base", 3), (2, "base", 4))
    tray.good("POST", "push")
    state = tray.throw((1, "base", 1), (2, "base", 1))
    assert state["state"] == "resolved"
    assert [item["text"] for item in state["consequences"]["items"]] == ["Strength −2"]
    sheet = tray.good("POST", "sheets/1/carry")
    assert (sheet["counters"][0]["now"], sheet["undo"], sheet["missed"]) == (1, "Roll 1, push 1", [])
    assert tray.refused("POST", "sheets/1/carry") == (409, "already_carried")
    tray = make_tray()
    assert tray.good("GET", "state")["consequences"]["carried"] is True
    assert tray.good("POST", "sheets/1/undo")["counters"][0]["now"] == 3
    assert tray.refused("POST", "sheets/1/undo") == (409, "nothing_to_undo")
    tray.good("PUT", "sheets/carry", {"carry": "always"})
    tray.good("POST", "reset")
    tray.good("PATCH", "context", {"facts": {"attribute_name": "STR"}})
    tray.throw((1, "base", 3), (2, "base", 4))
    tray.good("POST", "push")
    tray.throw((1, "base", 1), (2, "base", 2))
    assert tray.good("GET", "sheets/1")["counters"][0]["now"] == 2


def test_a_requested_roll_costs_its_own_player(make_tray: Callable[[], TableTray]) -> None:
    tray = make_tray()
    for name in ("Bo", "Ann"):
        tray.good("POST", "sheets", {"title": name})
    tiles = {"attribute": "STR", "skill": "Fight"}
    tray.good("POST", "asked", {"owner": "Bo"})
    tray.good("POST", "asked", {"owner": "Ann", "label": "Fight", "tiles": tiles, "sheet": 2})
    tray = make_tray()
    state = tray.good("POST", "reset")
    assert (state["prepared"]["sheet"], state["context"]["attribute_name"], state["sheet"]) == (2, "STR", 1)
    assert state["take"] == [{"role": "base", "colour": "base", "count": 3}]
    tray.throw(*((number, "base", 3) for number in (1, 2, 3)))
    tray.good("POST", "push")
    state = tray.throw((1, "base", 1), (2, "base", 4), (3, "base", 4))
    assert [item["text"] for item in state["consequences"]["items"]] == ["Strength −1"]
    sheet = tray.good("POST", "sheets/2/carry")
    assert (sheet["counters"][0]["now"], sheet["missed"]) == (2, [])
    assert tray.good("GET", "sheets/1")["counters"][0]["now"] == 3
    group = [{"owner": "Ann", "tiles": tiles, "sheet": 2}, {"owner": "Bo", "tiles": tiles, "sheet": 1}]
    tray.good("POST", "asked/together", {"kind": "group", "rolls": group})
    assert [one["take"][0]["count"] for one in tray.good("GET", "state")["asked_next"]] == [2, 3]


def test_a_sheet_is_exported_imported_and_thrown_away(make_tray: Callable[[], TableTray]) -> None:
    tray = make_tray()
    tray.good("POST", "sheets", {"title": "Ann of Århus", "system": "highest-die"})
    file = tray.good("GET", "sheets/1/export")
    assert file["format"] == "pushtray-sheet/1"
    copied = tray.good("POST", "sheets/import", file)
    assert (copied["id"], copied["title"], copied["rests"]) == (2, "Ann of Århus", ["short", "extended"])
    assert tray.refused("POST", "sheets/import", {**file, "format": "pushtray-sheet/0"}) == (422, "bad_sheet")
    tray.good("PATCH", "sheets/2", {"counters": [{"kind": "hp", "name": "HP", "now": 0}]})
    assert tray.refused("POST", "sheets/2/rest", {"rest": "long"}) == (422, "bad_value")
    rested = tray.good("POST", "sheets/2/rest", {"rest": "short"})
    assert next(one["now"] for one in rested["counters"] if one["kind"] == "hp") == 3
    left = tray.good("DELETE", "sheets/1")
    assert ([sheet["id"] for sheet in left["sheets"]], left["chosen"]) == ([2], None)
    assert tray.good("PUT", "sheets/chosen", {"sheet": 2})["chosen"] == 2
    marked = tray.good("PATCH", "sheets/2", {"title": "Bo", "marks": {"rope trick": True}})
    assert (marked["title"], marked["marks"]) == ("Bo", ["rope trick"])


def test_the_rules_are_asked_without_a_roll_and_the_sheet_follows(make_tray: Callable[[], TableTray]) -> None:
    tray = make_tray()
    tray.good("PUT", "system", {"system": "highest-die"})
    tray.good("POST", "sheets", {"title": "Zo"})
    answer = tray.good("POST", "ask", {"op": "damage", "context": {"consequence": 4}})
    assert (answer["answer"]["hp_after"], answer["answer"]["str_after"], answer["carried"]) == (0, 0, False)
    assert tray.good("GET", "sheets/1")["undo"] is None
    carried = tray.good("POST", "ask", {"op": "damage", "context": {"consequence": 4}, "carry": True})
    now = {one["name"]: one["now"] for one in carried["sheet"]["counters"]}
    assert (carried["carried"], now["HP"], now["STR"]) == (True, 0, 0)
    assert tray.good("POST", "sheets/1/undo")["undo"] is None


def test_step_dice_are_tapped_in_and_pushed_over_a_restart(make_tray: Callable[[], TableTray]) -> None:
    tray = make_tray()
    tray.good("PUT", "system", {"system": "step-dice"})
    prepared = tray.good("POST", "prepare", {"tiles": {"attribute": "A", "skill": "D", "ammo": 1}})
    assert prepared["take"] == "Take 1 d12, 1 base, 1 ammo."
    state = tray.throw((1, "base", 1), (2, "gear", 6))
    assert (state["state"], state["problems"]) == ("unclear", ["typed_die_missing"])
    state = tray.good("POST", "typed-dice", {"level": "A", "value": 9})
    assert (state["state"], state["outcome"]["successes"], state["push"]["must_reroll"]) == ("scored", 1, [1000001])
    assert tray.good("GET", "odds")["table"]["p_success"] == "7/12"
    tray.good("POST", "push")
    tray = make_tray()
    state = tray.good("GET", "state")
    assert (state["state"], state["typed_dice"][0]["value"]) == ("awaiting_push", None)
    state = tray.good("PATCH", "typed-dice/1000001", {"value": 12})
    assert (state["state"], state["outcome"]["successes"]) == ("resolved", 2)
    row = tray.good("GET", "rolls?limit=1")["rolls"][0]
    assert [die["value"] for die in row["dice"] if die.get("typed")] == [12]
    assert tray.refused("DELETE", "typed-dice/1000001") == (409, "reset_first")


def test_a_wild_die_is_thrown_again_and_a_test_runs_over_rolls(make_tray: Callable[[], TableTray]) -> None:
    tray = make_tray()
    tray.good("PUT", "system", {"system": "die-code"})
    tray.good("POST", "prepare", {"tiles": {"code": "2d+1", "difficulty": 12}})
    tray.good("PUT", "series", {"op": "opposed"})
    state = tray.throw((1, "gear", 6), (2, "base", 3))
    assert state["awaiting"]["dice"] == [1]
    assert tray.refused("POST", "prepare", {"tiles": {"code": "2d"}}) == (409, "roll_goes_on")
    tray = make_tray()
    state = tray.throw((1, "gear", 4), (2, "base", 3))
    assert (state["awaiting"], state["outcome"]["total"], state["outcome"]["success"]) == (None, 14, True)
    assert state["series"]["text"] == translate("tray.series.other_side", value="14")
    tray.good("POST", "reset")
    state = tray.throw((1, "gear", 5), (2, "base", 5))
    assert (state["series"]["ended"], state["series"]["answer"]["result"]) == (True, "win")
    assert tray.good("DELETE", "series")["series"] is None


def test_clocks_are_shared_ticked_and_undone(make_tray: Callable[[], TableTray]) -> None:
    tray = make_tray()
    tray.good("POST", "clocks", {"name": "Alarm", "segments": 4})
    tray.good("POST", "clocks", {"name": "Guards", "segments": 6, "linked_to": 1})
    assert tray.good("POST", "clocks/2/tick", {"ticks": 2})["undo"] == "Guards +2"
    tray = make_tray()
    assert tray.good("GET", "clocks")["clocks"][1]["filled"] == 2
    assert tray.good("POST", "clocks/undo")["clocks"][1]["filled"] == 0
    assert [clock["id"] for clock in tray.good("DELETE", "clocks/1")["clocks"]] == [2]


def test_roles_are_changed_and_kept(make_tray: Callable[[], TableTray]) -> None:
    tray = make_tray()
    chosen = tray.good("PUT", "roles/die-code", {"roles": {"base": "wild"}})
    assert chosen["roles"] == {"base": "wild", "skill": "plain", "gear": "plain"}
    tray = make_tray()
    kept = next(one for one in tray.good("GET", "roles")["systems"] if one["id"] == "die-code")
    assert (kept["roles"]["base"], kept["chosen"]) == ("wild", ["base"])


def test_dice_of_one_colour_are_one_hand_that_can_be_botched(make_tray: Callable[[], TableTray]) -> None:
    tray = make_tray()
    assert tray.good("GET", "state")["pool_roles"] == ["base", "skill", "gear", "negative"]
    assert tray.good("PUT", "pool", {"plain": 3})["pool_roles"] == ["plain"]
    state = tray.throw((1, "base", 1), (2, "skill", 1), (3, "gear", 4))
    assert [die["role"] for die in state["dice"]] == ["plain"] * 3
    assert (state["outcome"]["botch"], state["outcome"]["botch_severity"]) == (True, 2)
    assert (state["push"]["locked"], state["push"]["must_reroll"]) == ([1, 2], [3])
    prepared = tray.good("POST", "prepare", {"tiles": {"attribute": 2, "skill": 1, "plain": True}})
    assert prepared["take"] == "Take 3 dice."


def test_grit_dice_get_a_colour_of_their_own_where_the_table_says_so(make_tray: Callable[[], TableTray]) -> None:
    tray = make_tray()
    tray.good("PUT", "system", {"system": "highest-die"})
    tiles = {"tiles": {"attribute": 2, "own_dice": 1}}
    before = tray.good("POST", "prepare", tiles)
    assert (before["take"], before["pool"]) == ("Take 3 dice.", {"plain": 3})
    state = tray.good("GET", "state")
    assert (state["pool_roles"], state["pool"]) == (["plain"], {"plain": 3})
    assert tray.refused("PUT", "pool", {"grit": 1}) == (422, "unknown_role")
    tray.good("PUT", "roles/highest-die", {"roles": {"gear": "grit"}})
    after = tray.good("POST", "prepare", tiles)
    assert (after["take"], after["pool"]) == ("Take 2 normal, 1 grit.", {"plain": 2, "grit": 1})
    tray = make_tray()
    state = tray.throw((1, "base", 3), (2, "skill", 4), (3, "base", 5))
    assert state["problem_details"][0]["text"].startswith("One die too many. One grit die is missing.")
    state = tray.throw((1, "base", 3), (2, "skill", 4), (3, "gear", 6))
    assert (state["state"], [die["role"] for die in state["dice"]]) == ("scored", ["plain", "plain", "grit"])
    back = tray.good("PUT", "roles/highest-die", {"roles": {"gear": None}})
    assert (back["roles"]["gear"], tray.good("GET", "state")["pool"]) == ("plain", {"plain": 3})


def test_shots_are_taken_off_the_sheet_and_given_back(make_tray: Callable[[], TableTray]) -> None:
    tray = make_tray()
    tray.good("PUT", "system", {"system": "step-dice"})
    tray.good("POST", "sheets", {"title": "Bo"})
    tray.good("PATCH", "sheets/1", {"counters": [{"kind": "resource", "name": "ammo", "now": 9}]})
    tray.good("POST", "prepare", {"tiles": {"attribute": "D", "ammo": 2}})
    state = tray.throw((1, "base", 4), (2, "gear", 5), (3, "gear", 2))
    assert [item["text"] for item in state["consequences"]["items"]] == ["ammo −7"]

    def ammo() -> Any:
        return next(one["now"] for one in tray.good("GET", "sheets/1")["counters"] if one["name"] == "ammo")

    tray.good("POST", "sheets/1/carry")
    assert ammo() == 2
    tray.good("POST", "sheets/1/undo")
    assert ammo() == 9


def test_what_a_sheet_has_not_is_not_used_up(make_tray: Callable[[], TableTray]) -> None:
    tray = make_tray()
    tray.good("POST", "sheets", {"title": "Ann"})
    hurt = [{"kind": "attribute", "name": "STR", "now": 1}]
    tray.good("PATCH", "sheets/1", {"counters": hurt})
    recover = {"op": "recover", "context": {"attribute_name": "STR", "amount": 2}, "carry": True}
    assert tray.good("POST", "ask", recover)["answer"]["illegal"] == "no_resource_left"
    tray.good("PATCH", "sheets/1", {"counters": [{"kind": "resource", "name": "grub", "now": 1}]})
    done = tray.good("POST", "ask", recover)
    now = {one["name"]: one["now"] for one in done["sheet"]["counters"]}
    assert (done["carried"], now["STR"], now["grub"]) == (True, 2, 0)


def test_a_question_that_leaves_the_sheet_alone_is_asked_as_it_stands(make_tray: Callable[[], TableTray]) -> None:
    tray = make_tray()
    tray.good("PUT", "system", {"system": "highest-die"})
    tray.good("POST", "sheets", {"title": "Zo"})
    made = tray.good("POST", "ask", {"op": "creation", "context": {"dice": [5, 3]}})
    assert (made["answer"]["points"], made["answer"]["hp"]) == (1, None)


def test_the_page_of_the_interface_names_every_path(shared: TableTray) -> None:
    connection = http.client.HTTPConnection(shared.app.url.removeprefix("http://").rstrip("/"), timeout=30)
    connection.request("GET", "/openapi.json")
    paths = json.loads(connection.getresponse().read())["paths"]
    connection.close()
    assert {"/api/rulings", "/api/prepare", "/api/sheets/{sheet_id}/carry", "/api/typed-dice", "/api/series"} <= set(
        paths
    )


def test_every_system_has_its_tiles(shared: TableTray) -> None:
    for system in shared.good("GET", "state")["systems"]:
        reported = shared.good("GET", f"tiles?system={system['id']}")
        assert reported["system"] == system["id"]
        assert reported["tiles"]
