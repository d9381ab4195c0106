"""The picture in README.md and the tables of rooms in the README of each package say what the code says."""

import runpy
from pathlib import Path
from typing import Any

import pytest

HOUSE = Path(__file__).resolve().parents[2] / ".ci" / "house.py"


@pytest.fixture(scope="module")
def house() -> dict[str, Any]:
    return runpy.run_path(str(HOUSE))


def test_pages_show_the_rooms_as_they_are(house: dict[str, Any]) -> None:
    stale = [path.name for path, text in house["pages"]().items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "python .ci/house.py writes them anew"


def test_what_follows_from_other_arrows_is_not_drawn(house: dict[str, Any]) -> None:
    imports = {"cli": {"web", "game", "errors"}, "web": {"game", "errors"}, "game": {"errors"}, "errors": set()}
    drawn = {"cli": {"web"}, "web": {"game"}, "game": {"errors"}, "errors": set()}
    assert house["without_detours"](imports) == drawn
    assert house["without_detours"]({**imports, "ring": {"errors"}})["ring"] == {"errors"}


@pytest.mark.parametrize(
    ("module", "room"),
    [
        ("device.app", "app"),
        ("device.errors", "check, console, errors, section, standard_tray"),
        ("device.game.machine", "game"),
        ("device.game.state.layout", "game/state"),
        ("device.web.services.tray", "web"),
        ("vision.tracking.settle", "vision"),
    ],
)
def test_room_of_a_module(house: dict[str, Any], module: str, room: str) -> None:
    assert house["room_of"](module) == room


def test_a_page_without_its_marks_is_refused(house: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="lacks the lines"):
        house["with_part"]("no marks here", "picture")
