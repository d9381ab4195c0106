"""Style sheets of the pages: all of them used, and in one order."""

import re
from itertools import pairwise
from pathlib import Path

STATIC = Path(__file__).parents[2] / "device/web/static"
SHEETS = {
    page.stem: re.findall(r'<link rel="stylesheet" href="/static/css/(.+?)\.css">', page.read_text(encoding="utf-8"))
    for page in (STATIC / "pages").glob("*.html")
}


def test_every_style_sheet_is_loaded_by_some_page() -> None:
    named = {name for sheets in SHEETS.values() for name in sheets}
    assert named == {path.stem for path in (STATIC / "css").glob("*.css")}


def test_pages_load_style_sheets_in_the_order_of_the_table_page() -> None:
    order = SHEETS["table"]
    assert len(order) == len(set(order)) > 10
    for page, sheets in SHEETS.items():
        places = [order.index(name) for name in sheets if name in order]
        assert all(before < after for before, after in pairwise(places)), page
