"""The numbers in FAQ and recipes match the program."""

import re
from pathlib import Path

import pytest

from device.game.lamps import PatternParams
from device.game.state.asked_rolls import MOST_WAITING
from device.game.undo import UNDO_S
from device.integrations.club import ClubParams
from device.integrations.delivery import DeliveryParams
from device.integrations.outbox import OutboxParams
from device.runtime.state_lines import LineParams
from device.standard_tray import MOST_DICE_AT_ONCE
from device.storage.pictures import MemorySettings
from device.web.core import pin_pauses
from device.web.core.connections import ConnectionParams
from device.web.core.places import PlaceParams
from device.web.core.stream import StreamParams
from systemd.kiosk import KioskParams
from tests.narrowing import there
from vision.tracking.watch import READINGS

DEVICE = Path(__file__).parents[2] / "device"
TARGETS = (DEVICE.parent / ".ci/pages/eslint.config.js").read_text(encoding="utf-8")
LINK = (DEVICE / "web/ui/lib/link.js").read_text(encoding="utf-8")
UNIT = (DEVICE.parent / "systemd/pushtray.service").read_text(encoding="utf-8")
PAUSES_S = (DeliveryParams().pause_first_s, DeliveryParams().pause_most_s)
WORDS = {2: "two", 3: "three", 20: "twenty"}
FACTS = [
    ("FAQ.md", f"up to {MemorySettings().pictures_mb} MB", True),
    ("FAQ.md", f"Lamps blink {PatternParams().fast_hz:g} times a second at most", True),
    ("FAQ.md", "for a day at most", DeliveryParams().oldest_s == 86_400),
    ("FAQ.md", f"missed {WORDS[int(there(re.search(r'MISSED_BEATS = ([0-9]+)', LINK))[1])]} heartbeats", True),
    (
        "RECIPES.md",
        f"waits one second, then two, four, up to {pin_pauses.MOST_S / 3600:g} hours".replace("2 h", "two h"),
        True,
    ),
    ("RECIPES.md", f"After {pin_pauses.MOST_A_DAY} wrong ones in a day", pin_pauses.FIRST_S == 1),
    ("RECIPES.md", f"Up to {MOST_WAITING} rolls wait for their turn", True),
    ("FAQ.md", "is there for ten seconds", UNDO_S == 10),
    ("FAQ.md", "two readings must agree", READINGS == 2),
    ("FAQ.md", "up to 20 dice at once", MOST_DICE_AT_ONCE == 20),
    ("integrations/README.md", "twenty results", ClubParams().most_rolls == 20),
    ("integrations/README.md", f"{OutboxParams().most} messages a channel, a day at most", True),
    (
        "integrations/README.md",
        "after a failure 1 s, then twice as long each time, up to 5 minutes",
        PAUSES_S == (1, 300),
    ),
    ("integrations/README.md", "tries ten times, in a quarter of an hour", DeliveryParams().most_tries == 10),
    ("integrations/README.md", f"{ClubParams().most_trays} trays at most, {ClubParams().payload_bytes >> 10} kB", True),
    ("README.md", f"{LineParams().most_waiting} lines wait", True),
    ("web/README.md", f"{ConnectionParams().most} connections, {ConnectionParams().of_address} an address", True),
    ("web/README.md", f"{ConnectionParams().head_s:g} s for a head", True),
    ("web/README.md", f"{PlaceParams().of_caller} streams a caller", True),
    ("web/README.md", "A heartbeat comes every four seconds", StreamParams().heartbeat_s == 4),
    ("../systemd/README.md", "Ten starts in five minutes", "IntervalSec=300\nStartLimitBurst=10" in UNIT),
    ("../systemd/README.md", "after ten quiet minutes", KioskParams("").blank_s == 600),
]


@pytest.mark.parametrize(("document", "words", "holds"), FACTS)
def test_a_number_in_the_texts_is_the_programs(document: str, words: str, holds: bool) -> None:
    text = " ".join((DEVICE / document).read_text(encoding="utf-8").split())
    assert words in text
    assert holds


@pytest.mark.parametrize("document", ["FAQ.md", "web/README.md", "texts/languages/en.json"])
def test_browsers_are_those_that_the_lint_holds_the_pages_to(document: str) -> None:
    text = (DEVICE / document).read_text(encoding="utf-8")
    for name, version in re.findall(r'"(chrome|firefox|safari) >= ([0-9.]+)"', TARGETS):
        said = rf"{name}( (and|or) Edge)?( from)? {re.escape(version)}\b"
        assert re.search(said, text, re.IGNORECASE), (name, version)


def test_the_five_rows_of_the_readme_are_rows_of_the_readers_table() -> None:
    """Good and wrong pictures of each, as in the full table: of its first kind of pictures, or of all."""
    root = DEVICE.parent
    rows = re.findall(r"^\| \d+ [^|]* \| (\d+) \| (\d+) \|$", (root / "README.md").read_text(encoding="utf-8"), re.M)
    assert len(rows) == 5
    full = re.findall(
        r"^\|[^|]+\|([^|]*\d -> [^|]*)\|([^|]*)\|$", (root / "vision/README.md").read_text(encoding="utf-8"), re.M
    )
    measured = [[[int(one) for one in re.findall(r"-> (\d+)", cell)] for cell in row] for row in full]
    for good, wrong in rows:
        assert any(int(good) in (now[0], sum(now)) and bad[0] == int(wrong) for now, bad in measured), good
