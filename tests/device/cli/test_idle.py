"""`pushtray bench --idle` over real trays that are not waited for."""

import re

from device.cli.idle import MEASURE_S, REST_S, idle_text, trays_at_rest


def test_a_tray_of_each_kind_is_measured_with_its_display_open() -> None:
    waited: list[float] = []
    trays = trays_at_rest(waited.append)
    assert [tray.camera for tray in trays] == ["recorded", "simulated"]
    assert sum(waited) >= 2 * (REST_S + MEASURE_S)
    for tray in trays:
        assert 0 < tray.proportional_mb <= tray.resident_mb
    assert [re.split(r" {2,}", row)[0] for row in idle_text(trays).splitlines()] == ["camera", "recorded", "simulated"]
