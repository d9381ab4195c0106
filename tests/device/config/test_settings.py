"""Settings: every key known, every value of its kind, one line with the cure."""

from pathlib import Path
from typing import Any

import pytest

from device.config.settings import Settings, check_settings, load_settings, read_settings, with_overrides
from device.errors import BadInput

WHOLE = """
[tray]
camera = "usb:1"
system = "push-pool"
data = "/tmp/somewhere"
[web]
port = 8080
[colours]
base = "white"
skill = "red"
gear = "blue"
[pool]
base = 4
gear = 1
[context]
attribute = 4
[roles.push-pool]
skill = "negative"
[rulings.push-pool]
skill_ones_locked = true
[panel]
pins = "mock"
[panel.wiring]
push_pin = 16
brightness = 1
[ring.shape]
size_mm = [300, 200]
[usb]
exposure = 120
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text(text)
    return path


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    settings = load_settings(write(tmp_path, WHOLE))
    check_settings(settings)
    table = settings.table()
    assert settings.tray.camera == "usb:1"
    assert settings.data_folder == Path("/tmp/somewhere")
    assert (settings.panel.wiring.push_pin, settings.panel.wiring.brightness) == (16, 1.0)
    assert settings.ring.shape.size_mm == (300.0, 200.0)
    assert settings.usb.exposure == 120.0
    assert table.pool is not None
    assert table.pool.as_json() == {"base": 4, "skill": 0, "gear": 1, "negative": 0, "plain": 0}
    assert table.colour_roles == {"push-pool": {"skill": "negative"}}
    assert settings.pins == "mock"


def test_the_emulated_ring_of_an_older_file_is_no_ring(tmp_path: Path) -> None:
    assert load_settings(write(tmp_path, '[ring]\nkind = "emulator"')).ring.kind == "none"


def test_an_empty_file_leaves_the_defaults(tmp_path: Path) -> None:
    assert load_settings(write(tmp_path, "")) == Settings()


def test_the_command_line_holds_over_the_file(tmp_path: Path) -> None:
    settings = load_settings(write(tmp_path, WHOLE))
    changed = with_overrides(settings, camera="pi", port=9, host="0.0.0.0", data=Path("x"), log_level="error")
    assert (changed.tray.camera, changed.web.port, changed.web.host) == ("pi", 9, "0.0.0.0")
    assert changed.tray.system == "push-pool"
    assert (settings.log.level, changed.log.level) == ("info", "error")
    assert with_overrides(settings) == settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tray]\ncamara = 'pi'", "unknown key tray.camara: did you mean camera?"),
        ("[trya]\ncamera = 'pi'", "unknown key trya: did you mean tray?"),
        ("[panel.wiring]\npush_pn = 3", "unknown key panel.wiring.push_pn: did you mean push_pin?"),
        ("[web]\nzzz = 3", "unknown key web.zzz: choose one of host, names, origins, port"),
        ("tray = 3", "tray is 3: write a section [tray]"),
        ("colours = 'red'", "colours is 'red': write a section [colours]"),
        ("[web]\nport = '80'", "web.port is '80': give a whole number"),
        ("[web]\nport = true", "web.port is True: give a whole number"),
        ("[usb]\nexposure = 'auto'", "usb.exposure is 'auto': give a number"),
        ("[ring.shape]\nsize_mm = [1, 2, 3]", "ring.shape.size_mm is [1, 2, 3]: give a list of 2, each a number"),
        ("[panel.wiring]\npush_pin = 2.5", "panel.wiring.push_pin is 2.5: give a whole number"),
        ("[panel.wiring]\npush_pin = 3", "panel.wiring.push_pin is 3, which belongs to I2C"),
        ('[sheets]\ncarry = "alway"', "sheets.carry is 'alway': did you mean always?"),
        ('[log]\nlevel = "warn"', "log.level is 'warn': did you mean warning?"),
        ("[log]\nlevel = 3", "log.level is 3: give a text"),
        ("[simulation]\nfps = 0", "simulation.fps is 0, must be 1 to 60"),
        ("[web\nport", "are not TOML"),
        ("a = " + "[" * 3000, "are not TOML (it is nested too deeply): correct"),
        (f"a{'.a' * 3000} = 1", "it is nested too deeply"),
        ("a = " + "9" * 5000, "are not TOML"),
        ("a = 0x" + "f" * 9000, "are not TOML"),
    ],
)
def test_what_is_wrong_in_the_file_is_named_with_its_cure(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        load_settings(write(tmp_path, text))
    assert message in str(caught.value)
    assert "settings.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "no camera is named"),
        ({"tray": {"camera": "webcam"}}, "no camera is called 'webcam'"),
        ({"tray": {"camera": "replay:/no/such"}}, "there is no folder /no/such"),
        ({"tray": {"camera": "pi", "system": "chess"}}, "system 'chess' is unknown"),
        ({"tray": {"camera": "pi"}, "web": {"port": 70000}}, "web.port is 70000"),
        ({"tray": {"camera": "pi"}, "colours": {"base": "yelow"}}, "colours.base is 'yelow': did you mean yellow?"),
        ({"tray": {"camera": "pi"}, "colours": {"base": 3}}, "colours.base is 3"),
        ({"tray": {"camera": "pi"}, "panel": {"pins": "gpi"}}, "panel.pins is 'gpi': did you mean gpio?"),
        ({"tray": {"camera": "pi"}, "ring": {"kind": "led"}}, "ring.kind is 'led'"),
        ({"tray": {"camera": "pi"}, "pool": {"base": -1}}, "pool is {'base': -1}: -1 dice (base): Give 0 to 20."),
        ({"tray": {"camera": "pi"}, "pool": {"base": 99}}, "pool is {'base': 99}: 99 dice (base): Give 0 to 20"),
        ({"tray": {"camera": "pi"}, "pool": {"bass": 2}}, "pool is {'bass': 2}: These rules have no bass dice"),
        ({"tray": {"camera": "pi"}, "roles": {"push-pol": {}}}, "unknown key roles.push-pol: did you mean push-pool?"),
        (
            {"tray": {"camera": "pi"}, "pool": {"skill": 1, "negative": 2}},
            "pool has skill and negative dice, which have one colour: name only one of the two kinds",
        ),
        (
            {"tray": {"camera": "pi"}, "roles": {"push-pool": {"skill": "wld"}}},
            "roles.push-pool.skill is 'wld': did you mean wild?",
        ),
        (
            {"tray": {"camera": "pi"}, "roles": {"push-pool": {"skil": "base"}}},
            "unknown key roles.push-pool.skil: did you mean skill?",
        ),
        (
            {"tray": {"camera": "pi"}, "rulings": {"push-pool": {"skill_one_locked": True}}},
            "did you mean skill_ones_locked?",
        ),
        ({"tray": {"camera": "pi"}, "rulings": {"push-pool": {"skill_ones_locked": 1}}}, "is 1: choose one of"),
        ({"tray": {"camera": "pi"}, "rulings": {"push-pool": {"full_auto_pushes": 11}}}, "choose one of 1 to 10"),
    ],
)
def test_what_no_tray_can_do_is_refused_before_it_starts(body: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        check_settings(read_settings(body))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("camera", "pins"), [("simulated", "mock"), ("pi", "gpio"), ("usb:0", "none"), ("replay:x", "none")]
)
def test_a_real_tray_never_falls_back_to_mock_pins(camera: str, pins: str) -> None:
    assert with_overrides(Settings(), camera=camera).pins == pins


def test_the_users_own_file_is_found_and_a_named_one_must_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert load_settings(None) == Settings()
    own = tmp_path / "pushtray" / "settings.toml"
    own.parent.mkdir()
    own.write_text("[web]\nport = 9000\n")
    assert load_settings(None).web.port == 9000
    assert Settings().data_folder == tmp_path / "data" / "pushtray"
    with pytest.raises(BadInput, match="No such file"):
        load_settings(tmp_path / "none.toml")


@pytest.mark.parametrize(
    "key",
    [
        *(f"panel.wiring.{name}" for name in ("push_pin", "ready_pin", "brightness", "pwm_hz", "settle_s", "tick_s")),
        *(f"ring.shape.{name}" for name in ("leds", "brightness", "dim", "point_s", "max_stretches")),
        *(f"ring.port.{name}" for name in ("tries", "answer_s", "retry_s")),
        *(f"usb.{name}" for name in ("fps", "width_px", "blank_reads", "close_s")),
        *(f"pi.{name}" for name in ("fps", "mains_hz", "half_periods", "gain", "lens_mm", "lens_dioptres", "buffers")),
    ],
)
def test_a_number_out_of_range_is_refused_under_the_name_that_the_file_has_for_it(tmp_path: Path, key: str) -> None:
    section, _, name = key.rpartition(".")
    with pytest.raises(BadInput, match=rf": {key} is (-9|190)"):
        load_settings(write(tmp_path, f"[{section}]\n{name} = {190 if name == 'push_pin' else -9}\n"))


def test_a_file_of_a_windows_editor_is_read(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"\xef\xbb\xbf" + WHOLE.replace("\n", "\r\n").encode())
    assert load_settings(path).web.port == 8080
    path.write_bytes('[web]\nhost = "übel"\n'.encode("utf-16"))
    with pytest.raises(BadInput, match="are not UTF-8: save the file as UTF-8"):
        load_settings(path)


def test_origins_of_pages_that_may_read(tmp_path: Path) -> None:
    allowed = ("http://vtt.lan:30000", "https://vtt.example.org", "http://[fe80::1]:30000")
    settings = load_settings(write(tmp_path, f"[web]\norigins = {list(allowed)}\n"))
    assert settings.web.origins == allowed
    for wrong in ("vtt.lan", "http://vtt.lan/", "http://vtt.lan/game", "*", "null", "", "ftp://vtt.lan", "http://a b"):
        with pytest.raises(BadInput, match=r"web\.origins has .*: write it as in http://vtt\.lan:30000"):
            load_settings(write(tmp_path, f'[web]\norigins = ["{wrong}"]\n'))


def test_further_names_of_the_tray(tmp_path: Path) -> None:
    settings = load_settings(write(tmp_path, '[web]\nnames = ["tray.lan", "dice_1.example.org:8443"]\n'))
    assert settings.web.names == ("tray.lan", "dice_1.example.org:8443")
    assert with_overrides(settings, host="0.0.0.0", port=80).web.names == settings.web.names
    for wrong in ("http://tray.lan", "tray.lan:port", "tray.lan/", "", "*.lan", "-x", "a b"):
        with pytest.raises(BadInput, match=r"web\.names has .*: write it as in tray\.lan"):
            load_settings(write(tmp_path, f'[web]\nnames = ["{wrong}"]\n'))
    with pytest.raises(BadInput, match=r"web\.names is 'tray\.lan': give a list, each a text"):
        load_settings(write(tmp_path, '[web]\nnames = "tray.lan"\n'))
