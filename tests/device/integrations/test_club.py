"""The trays of a club: the broker's messages about them, valid or not; two tables that share rolls; 200 at once."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.integrations.club import ClubParams, ClubTrays
from device.integrations.messages import Sender
from device.integrations.mqtt import MqttLink
from device.integrations.settings import MqttSettings
from tests.benchmarks.club_trays import Publishers
from tests.device.conftest import wait_until
from tests.device.integrations.counterparts import Broker
from tests.narrowing import parts_of

ROLL = {
    "id": "r1",
    "kind": "scored",
    "time": "2026-01-31T19:30:05.125+00:00",
    "tray": {"id": "left", "name": "Left table"},
    "owner": "Mira",
    "label": "Fight",
    "dice": [{"id": "1", "role": "base", "value": 6}],
    "outcome": {"headline": {"value": 1, "word": "success"}, "success": True},
}
STATE = {
    "tray": {"id": "left", "name": "Left table"},
    "state": "scored",
    "system_title": "Push pool",
    "owner": "Mira",
    "label": "Fight",
    "dice": [{"role": "base", "colour": "base", "value": 6}],
    "push": {"eligible": True},
    "fault": None,
}


@pytest.fixture
def club() -> ClubTrays:
    return ClubTrays("pushtray")


def translate(club: ClubTrays, topic: str, body: Any) -> None:
    club.hear(f"pushtray/{topic}", body if isinstance(body, bytes) else json.dumps(body).encode())


def trays(club: ClubTrays) -> list[Any]:
    return [parts_of(tray) for tray in club.since(0)[1]]


def test_a_tray_is_shown_with_name_state_who_and_last_results(club: ClubTrays) -> None:
    translate(club, "left/availability", b"online")
    translate(club, "left/state", STATE)
    translate(club, "left/roll", ROLL)
    translate(club, "left/last_roll", ROLL)
    translate(club, "left/roll", {**ROLL, "id": "r2", "kind": "pushed"})
    (tray,) = trays(club)
    assert (tray["id"], tray["name"], tray["available"], tray["state"]) == ("left", "Left table", True, "scored")
    assert (tray["owner"], tray["label"], tray["may_push"], tray["fault"]) == ("Mira", "Fight", True, None)
    assert [(roll["id"], roll["kind"]) for roll in tray["rolls"]] == [("r2", "pushed"), ("r1", "scored")]
    assert (tray["rolls"][1]["value"], tray["rolls"][1]["word"]) == (1, "success")
    translate(club, "left/availability", b"offline")
    assert trays(club)[0]["available"] is False


def test_only_what_changed_is_reported_again(club: ClubTrays) -> None:
    news: list[int] = []
    end = club.listen(lambda: news.append(1))
    translate(club, "left/availability", b"online")
    translate(club, "right/availability", b"online")
    version, both = club.since(0)
    assert [tray["id"] for tray in both] == ["left", "right"]
    translate(club, "right/availability", b"online")
    assert (club.since(version), len(news)) == ((version, []), 2)
    translate(club, "left/roll", ROLL)
    version, (left,) = club.since(version)
    translate(club, "left/roll", {**ROLL, "id": "r2"})
    later, (again,) = club.since(version)
    assert [[roll["id"] for roll in parts_of(tray)["rolls"]] for tray in (left, again)] == [["r1"], ["r2"]]
    assert [[roll["id"] for roll in tray["rolls"]] for tray in trays(club)] == [["r2", "r1"], []]
    version = later
    translate(club, "right/state", {**STATE, "tray": {"name": "Right"}})
    assert [tray["name"] for tray in club.since(version)[1]] == ["Right"]
    end()
    end()
    translate(club, "left/availability", b"offline")
    assert len(news) == 5


@pytest.mark.parametrize(
    ("topic", "payload"),
    [
        ("left/roll", b"\xff\xfe"),
        ("left/roll", b"[" * 5000),
        ("left/roll", b'{"id": "x", "pad": "' + b"a" * 70_000 + b'"}'),
        ("left/state", b"null"),
        ("left/state", b'"text"'),
        ("left/roll", b'{"id": 7}'),
        ("left/nothing", b"{}"),
        ("a/b/c/state", b"{}"),
        ("../state", b"{}"),
        ("<b>/state", b"{}"),
        ("left", b"{}"),
        ("", b"{}"),
    ],
)
def test_what_is_no_message_of_a_tray_changes_nothing(club: ClubTrays, topic: str, payload: bytes) -> None:
    translate(club, "left/availability", b"online")
    before = club.since(0)
    translate(club, topic, payload)
    club.hear(topic, payload)
    assert club.since(0) == before


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*ROLL, *STATE, "name", "headline", "value"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=60)
@given(
    st.sampled_from(["state", "roll", "last_roll"]), st.dictionaries(st.sampled_from([*ROLL, *STATE]), JSON, max_size=4)
)
def test_whatever_a_broker_says_what_is_shown_has_its_form(what: str, body: dict[str, Any]) -> None:
    club = ClubTrays("pushtray")
    translate(club, f"left/{what}", body)
    text = json.dumps(club.since(0)[1], ensure_ascii=False, allow_nan=False)
    text.encode()
    for tray in trays(club):
        assert isinstance(tray["name"], str)
        for roll in tray["rolls"]:
            assert all(
                roll[key] is None or isinstance(roll[key], str) for key in ("kind", "time", "owner", "label", "word")
            )
            assert all(set(die) == {"role", "value"} for die in roll["dice"])


def test_bounds_hold_whatever_comes(club: ClubTrays) -> None:
    club = ClubTrays("pushtray", ClubParams(max_trays=2, max_rolls=3, max_text=5, max_dice=4))
    for name in ("a", "b", "c"):
        translate(club, f"{name}/availability", b"online")
    for number in range(6):
        translate(club, "a/roll", {**ROLL, "id": str(number), "dice": ROLL["dice"] * 9})  # type: ignore[operator]
    first, second = trays(club)
    assert {first["id"], second["id"]} == {"a", "b"} or {first["name"], second["name"]} == {"Left ", "b"}
    rolled = next(tray for tray in (first, second) if tray["id"] == "a")
    assert [roll["id"] for roll in rolled["rolls"]] == ["5", "4", "3"]
    assert (rolled["name"], len(rolled["rolls"][0]["dice"])) == ("Left ", 4)


@pytest.fixture
def on_broker(broker: Broker) -> Iterator[ClubTrays]:
    """A club that listens to a broker and publishes nothing."""
    club = ClubTrays("club-of-tests")
    where = MqttSettings(host="127.0.0.1", port=broker.port, base="club-of-tests")
    link = MqttLink(where, Sender("club", "club", "en"), "club", on_heard=club.hear, is_silent=True)
    link.start()
    yield club
    link.stop()


def test_two_hundred_trays_are_all_shown_with_their_last_result(broker: Broker, on_broker: ClubTrays) -> None:
    with Publishers(broker.port, "club-of-tests", 200) as publishers:
        publishers.roll(2)
        wait_until(lambda: sum(len(tray["rolls"]) for tray in trays(on_broker)) == 400)
        shown = trays(on_broker)
        assert len(shown) == 200
        assert all(tray["available"] and tray["state"] == "scored" for tray in shown)
        assert {tray["rolls"][0]["id"] for tray in shown} == publishers.last_ids
    wait_until(lambda: not any(tray["available"] for tray in trays(on_broker)))
