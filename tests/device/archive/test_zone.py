"""The tray's zone by its name."""

from pathlib import Path

import pytest

from device.archive.zone import tray_zone


def test_the_zone_is_named_as_the_machine_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TZ", raising=False)
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/timezone").write_text("Asia/Tokyo\n")
    assert tray_zone(tmp_path) == "Asia/Tokyo"
    (tmp_path / "usr/share/zoneinfo/Europe").mkdir(parents=True)
    (tmp_path / "usr/share/zoneinfo/Europe/Berlin").touch()
    (tmp_path / "etc/localtime").symlink_to(tmp_path / "usr/share/zoneinfo/Europe/Berlin")
    assert tray_zone(tmp_path) == "Europe/Berlin"
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    assert tray_zone(tmp_path) == "Pacific/Kiritimati"


def test_a_zone_without_a_name_is_its_distance_from_utc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "ABC-2")
    monkeypatch.setattr("time.timezone", -7200)
    assert tray_zone(tmp_path) == "Etc/GMT-2"
