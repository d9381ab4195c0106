import zoneinfo
from dataclasses import replace
from pathlib import Path

import pytest

from device.config import mains
from device.config.mains import BOTH, SIXTY, Mains, mains_of
from device.config.settings import Settings, with_overrides


@pytest.mark.parametrize(
    ("zone", "hz"),
    [
        ("Europe/Berlin", 50), ("Europe/Oslo", 50), ("Asia/Kolkata", 50), ("Australia/Sydney", 50),
        ("Africa/Lagos", 50), ("America/New_York", 60), ("America/Sao_Paulo", 60), ("America/Toronto", 60),
        ("Asia/Seoul", 60), ("Asia/Taipei", 60), ("Asia/Manila", 60), ("Asia/Riyadh", 60),
        ("America/Argentina/Buenos_Aires", 50),
    ],
)  # fmt: skip
def test_a_zone_of_one_country_says_its_mains(zone: str, hz: int) -> None:
    assert mains_of(zone) == Mains(hz, zone)  # type: ignore[arg-type]


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "UTC", "Etc/GMT-9", "Nowhere/Atall"])
def test_a_zone_that_does_not_say_it_is_asked_about(zone: str) -> None:
    assert mains_of(zone) == Mains(50, None)


def test_a_system_without_zones_is_asked_about(tmp_path: Path) -> None:
    assert mains_of("America/New_York", [str(tmp_path)]) == Mains(50, None)


def test_every_country_of_the_table_has_a_zone() -> None:
    folder = next(Path(one) for one in zoneinfo.TZPATH if Path(one, "iso3166.tab").exists())
    known = {line.split("\t")[0] for line in (folder / "iso3166.tab").read_text().splitlines() if line[0] != "#"}
    assert known >= SIXTY | BOTH
    assert not SIXTY & BOTH


def test_a_setting_counts_and_the_zone_fills_in_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mains, "tray_zone", lambda: "America/New_York")
    settings = with_overrides(Settings(), camera="pi")
    assert settings.camera_request.params.exposure_us == 8_333
    assert settings.pi.mains_hz is None, "the file stays without it"
    fixed = replace(settings, pi=replace(settings.pi, mains_hz=50))
    assert fixed.camera_request.params.exposure_us == 10_000
