"""A restart on request: the same process, with the current settings and the old log."""

from pathlib import Path

from tests.device.running_tray import running
from tests.narrowing import there


def test_a_tray_starts_again_with_the_settings_of_now(tmp_path: Path) -> None:
    with running(tmp_path) as tray:
        first = tray.ask("state")
        (tmp_path / "pushtray").mkdir(exist_ok=True)
        (tmp_path / "pushtray/settings.toml").write_text("[display]\nidle_min = 7\n")
        assert tray.ask("restart", {}) == {}
        line = there(tray.process.stderr).readline()
        assert "PushTray is at " in line, line
        assert tray.process.poll() is None, "it is the same process"
        tray.url = line.split("PushTray is at ")[1].split()[0]
        again = tray.ask("state")
        assert (first["idle_min"], again["idle_min"]) == (5, 7)
        assert again["version"] != first["version"]
