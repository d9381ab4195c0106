"""One value of a settings file changes and nothing else; what cannot be parsed is refused, never damaged."""

import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from device.config.settings_file import NotByMachine, TomlValue, with_values
from device.config.settings_service import SettingsSource
from device.errors import BadInput


def with_value(text: str, path: tuple[str, ...], value: TomlValue | None) -> str:
    return with_values(text, {path: value})


FILE = """\
# The table's own.
[tray]
camera = "pi"          # pi, usb:0, or simulated

[web] # who gets in
host = '127.0.0.1'     # "0.0.0.0" lets phones in
names = [
  "tray.lan", # the router's
  "a#b]",
]

[ring.shape]
leds = 60
"""


def test_a_value_changes_and_its_comment_stays() -> None:
    changed = with_value(FILE, ("web", "host"), "0.0.0.0")
    assert changed == FILE.replace("'127.0.0.1'", '"0.0.0.0"')
    assert with_value("web = { port = 1 }\n", ("web", "port"), 2) == "web = { port = 2 }\n"


def test_a_list_over_lines_is_one_value() -> None:
    changed = with_value(FILE, ("web", "names"), ["dice.lan"])
    assert changed == FILE[: FILE.index("names")] + 'names = ["dice.lan"]\n\n[ring.shape]\nleds = 60\n'


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        (("web", "port"), 80, "port = 80"),
        (("ring", "shape", "dim"), 0.5, "dim = 0.5"),
        (("ring", "shape", "clockwise"), False, "clockwise = false"),
        (("tray", "system"), 'a "quoted" \\ text', 'system = "a \\"quoted\\" \\\\ text"'),
        (("web", "names"), [], "names = []"),
    ],
)
def test_each_kind_of_value_reads_back(path: tuple[str, ...], value: TomlValue, line: str) -> None:
    changed = with_value(FILE, path, value)
    assert line in changed.splitlines()
    at: Any = tomllib.loads(changed)
    for name in path:
        at = at[name]
    assert at == value
    assert with_value(changed, path, value) == changed


def test_a_new_key_comes_to_the_end_of_its_section() -> None:
    changed = with_value(FILE, ("web", "port"), 8001)
    assert changed.index('"a#b]",\n]\n') < changed.index("port = 8001\n") < changed.index("[ring.shape]")
    assert with_value("[web]", ("web", "port"), 1) == "[web]\nport = 1\n"


def test_a_new_section_comes_to_the_end() -> None:
    assert with_value(FILE, ("display", "language"), "de") == f'{FILE}\n[display]\nlanguage = "de"\n'
    assert with_value("", ("log", "level"), "info") == '[log]\nlevel = "info"\n'
    # Not into [ring.shape].
    assert with_value(FILE, ("ring", "kind"), "wled") == FILE.replace("[ring.", '[ring]\nkind = "wled"\n\n[ring.')


def test_a_key_that_goes_leaves_its_comment() -> None:
    changed = with_value(FILE, ("tray", "camera"), None)
    assert changed == FILE.replace('camera = "pi"          # pi,', "# pi,")
    taken = '[ring.shape]\nleds = 1 # b\n[web]\nport = 2\n[ring]\nkind = "none" # a\n'
    assert "kind" not in with_value(taken, ("ring", "kind"), None)
    assert with_value(FILE, ("usb", "fps"), None) == FILE


def test_line_ends_and_the_mark_at_the_beginning_stay() -> None:
    text = "\ufeff[web]\r\nport = 1 # one\r\n"
    assert with_value(text, ("web", "port"), 2) == "\ufeff[web]\r\nport = 2 # one\r\n"
    assert with_value(text, ("web", "host"), "h") == '\ufeff[web]\r\nport = 1 # one\r\nhost = "h"\r\n'


def test_quotes_over_lines_hide_what_looks_like_a_section() -> None:
    text = 'note = """\n[web]\nport = 1\\"""" # "\n[web]\nport = 2\n'
    assert with_value(text, ("web", "port"), 3) == text.replace("port = 2", "port = 3")


def test_dotted_and_quoted_keys_are_the_same_keys() -> None:
    assert with_value("web.port = 1\n", ("web", "port"), 2) == "web.port = 2\n"
    assert with_value('[web]\n"port" = 1\n', ("web", "port"), 2) == '[web]\n"port" = 2\n'


@pytest.mark.parametrize("text", ["web = 1\n", "[[web]]\nport = 1\n"])
def test_what_only_a_person_should_change_is_refused(text: str) -> None:
    with pytest.raises(NotByMachine, match="edit it by hand"):
        with_value(text, ("web", "host"), "h")


@pytest.mark.parametrize("text", ["a\nb", "a\x7fb", "\x00"])
def test_a_text_that_toml_does_not_hold_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="one line of text"):
        with_value(FILE, ("web", "host"), text)


def source(path: Path) -> SettingsSource:
    return SettingsSource(path, lambda settings: settings)


def test_a_file_with_a_secret_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    source(path).write("[web]\nport = 1\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    source(path).write('[mqtt]\npassword = "p"\n')
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_is_written_whole_with_the_rights_that_it_had(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "settings.toml"
    source(path).write("[web]\r\nport = 1\r\n")
    assert path.read_bytes() == b"[web]\r\nport = 1\r\n"
    path.chmod(0o640)
    link = tmp_path / "link.toml"
    link.symlink_to(path)
    source(link).write("[web]\nport = 2\n")
    assert link.is_symlink()
    assert path.read_text() == "[web]\nport = 2\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(one.name for one in path.parent.iterdir()) == ["settings.toml"]


def test_a_file_that_cannot_be_written_stays_and_is_reported_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.mkdir()
    with pytest.raises(BadInput, match=r"settings.toml cannot be written \(.+\): .+") as reported:
        source(path).write("[web]\nport = 1\n")
    assert "\n" not in str(reported.value)
    assert [one.name for one in tmp_path.iterdir()] == ["settings.toml"]
