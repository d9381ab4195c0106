"""The settings' README lists the keys as the code has them."""

import runpy
from pathlib import Path
from typing import Any

import pytest

HOUSE = Path(__file__).resolve().parents[2] / ".ci" / "house.py"


@pytest.fixture(scope="module")
def house() -> dict[str, Any]:
    return runpy.run_path(str(HOUSE))


def test_pages_show_the_code_as_it_is(house: dict[str, Any]) -> None:
    stale = [path.name for path, text in house["pages"]().items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "python .ci/house.py writes them anew"


def test_a_page_without_its_marks_is_refused(house: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="lacks the lines"):
        house["with_part"]("no marks here", "picture")
