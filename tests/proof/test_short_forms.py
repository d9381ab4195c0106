"""Short forms of the proof: what `python -m tests.benchmarks.proof` does hundreds of times, a few times."""

import logging
import random
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from tests.benchmarks.strangers import ATTACKS, attacked, attacks_on, fill, no_attack, read_routes
from tests.device.running_tray import running
from tests.proof.hostile import hostile
from tests.proof.inputs import TARGETS, spoil
from tests.proof.kills import NoBlockDevice, cuts, kills
from tests.proof.night import night
from tests.proof.outsiders import floods, reports
from tests.proof.world import world

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(autouse=True)
def silent() -> Iterator[None]:
    """Thousands of refusals are expected here."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def test_kills_lose_nothing(tmp_path: Path) -> None:
    count = kills(tmp_path, 4, 1)
    assert count["announced results, each found once"] > 0
    assert count["answered changes found after an end"] > 0


def test_power_cuts_lose_nothing(tmp_path: Path) -> None:
    try:
        assert cuts(tmp_path, 3, 1)["announced results, each found once"] > 0
    except NoBlockDevice as error:
        pytest.skip(f"no file system can be mounted here: {error}")


def test_faults_of_the_world_are_named_and_over_by_themselves(tmp_path: Path) -> None:
    assert world(tmp_path, 3)["rolls scored"] > 30


def test_a_night_leaves_the_tray_as_it_was(tmp_path: Path) -> None:
    found = night(tmp_path, 45, early=20)
    assert abs(found["late"]["descriptors"] - found["early"]["descriptors"]) <= 3
    assert abs(found["late"]["threads"] - found["early"]["threads"]) <= 3
    assert found["bytes written a roll"] < 120_000


@pytest.mark.parametrize("target", TARGETS)
def test_no_input_breaks_its_reader(target: str) -> None:
    tried, found = spoil(200, 1, (target,))
    assert found == {}
    assert tried[target] > 200


def test_a_hostile_file_costs_seconds_and_no_more(tmp_path: Path) -> None:
    for name, cost in hostile(tmp_path, 1, date.today().toordinal()).items():
        assert (name, cost.faults, cost.files) == (name, [], 1)
        assert cost.memory_mb < 300, name
        assert cost.seconds < 100, name  # far more than needed: a busy machine


def test_strangers_delay_no_user(tmp_path: Path) -> None:
    """The crowds, and attacks on routes that are other ones each day."""
    fill(tmp_path, 200)
    with running(tmp_path, "--host", "0.0.0.0") as tray:
        drawn = random.Random(date.today().toordinal()).sample([*attacks_on(read_routes(tray)).items()], 3)
        crowds = {name: how for name, how in ATTACKS.items() if how is not no_attack}
        for name, people, answers in attacked(tray, tmp_path, 0.5, crowds | dict(drawn)):
            assert not [code for code in answers if code.startswith("5") and code != "503"], (name, answers)
            for who, person in people.items():
                assert (name, who, person.failed) == (name, who, {})
                assert person.waited, (name, who)
            if "PIN" in name:
                assert "200" not in answers
            if "screens" in name:
                assert answers["200"] >= 100


def test_an_honest_phone_comes_in_during_a_flood_of_wrong_pins(tmp_path: Path) -> None:
    found = floods(tmp_path, 1, 1)
    assert (found["floods"], found["phones that were shut out"]) == (1, 0)


def test_reports_of_made_up_people_hold_nothing_of_theirs(tmp_path: Path) -> None:
    found = reports(tmp_path, 3, 1)
    assert {what for what in found if what.startswith("found in")} == set()
    assert found["archives"] == 3
