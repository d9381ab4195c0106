"""One value of a settings file changes and nothing else; what cannot be parsed is refused, never damaged."""

import re
import stat
import tomllib
from itertools import product
from pathlib import Path

import pytest

from device.config.settings_file import NotByMachine, TomlValue, value_at, with_values
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

PORT, LEDS = ("web", "port"), ("ring", "shape", "leds")

PLACES = (
    # @ is the value; what is in parentheses goes with it.
    (PORT, "[web]\n(port = @\n)"),
    (PORT, "[web]\n(port = @)"),
    (PORT, "[web]\n(port = @ )# c"),
    (PORT, "[web] # w\nhost = 'h' # h\n(port = @ )# c\n\n[log]\nlevel = 'info'\n"),
    (PORT, "# top\n\n[web]\n# the port\n(port = @\n)# the end\n\n# the log\n[log]\nlevel = 'info'\n"),
    (PORT, "[web]\n  (port=@\t)#c  \n  names = []\n"),
    (PORT, '[ web ]\n("port" = @   )##   c\n# d\n'),
    (PORT, "['web']\n('port'   =   @\n)# d\nhost = ''"),
    (PORT, "(web.port = @\n)"),
    (PORT, "(web.port = @ )# c\n\n[log]\nlevel = 'info'\n"),
    (PORT, "web.host = 'h' # h\n(web.port = @ )# c\nweb.names = [] # n\n\n[log]\nlevel = 'info'\n"),
    (PORT, "(web . \"port\" = @ )# c\nlog.level = 'info' # i\n'web'.host = 'h'"),
    (PORT, "web = {( port = @ )} # c\n"),
    (PORT, "web = {(port = @)}"),
    (PORT, "web = { (port = @, )host = 'h' } # c\n[log]\n"),
    (PORT, "web = { host = 'h'(, port = @) } # c\n"),
    (PORT, "web = {host='h',(port=@,)names=[]} # c\n"),
    (PORT, "[[other]]\na = 1 # a\n[[other]]\n[web]\n(port = @\n)[[last]]\n"),
    (LEDS, "[ring.shape]\n(leds = @ )# c\ndim = 1\n"),
    (LEDS, "[ring.shape]\n(leds = @ )# c\n\n[web]\nport = 1\n\n[ring]\nkind = 'none' # k\n"),
    (LEDS, "[ring.port]\nport = 'p' # p\n[web]\nport = 1 # w\n[ring.'shape']\n('leds' = @ )# c\n"),
    (LEDS, "[ring]\n(shape.leds = @ )# c\nkind = 'none'\n"),
    (LEDS, "[ring]\nkind = 'none'\nshape.dim = 1 # d\n(shape.leds = @ )# c\n"),
    (LEDS, "[ring]\nshape = { (leds = @, )dim = 1 } # c\nkind = 'none'\n"),
    (LEDS, "(ring.shape.leds = @ )# c\nring.kind = 'none' # k\n"),
    (LEDS, "ring = { kind = 'none', shape = { dim = 1(, leds = @) } } # c\n"),
    (LEDS, "ring = { kind = 'none'(, shape.leds = @) } # c\n"),
)

NOTATIONS: dict[str, TomlValue] = {
    "true": True,
    "false": False,
    "0x1F": 31,
    "1_000": 1000,
    "-1e3": -1000.0,
    '"a # \\" b"': 'a # " b',
    "'it\\self'": "it\\self",
    '"""\na\nb"""': "a\nb",
    "'''\n[web] # b\n'''": "[web] # b\n",
    "[]": [],
    "[\n  \"a\", # one]\n  'b#',\n]": ["a", "b#"],
}

VALUES: dict[str, TomlValue] = {
    "true": True,
    "false": False,
    "3": 3,
    "2.5": 2.5,
    '"a \\"quoted\\" \\\\ # text"': 'a "quoted" \\ # text',
    "[]": [],
    '["x", "y"]': ["x", "y"],
}


def without_empty_sections(text: str) -> str:
    return re.sub(r", shape = \{\}|\s*\[[\w.]+\]\s*\Z", "", text).strip()


@pytest.mark.parametrize(("mark", "line_end"), [("", "\n"), ("\ufeff", "\r\n")])
@pytest.mark.parametrize(("path", "place"), PLACES)
def test_each_value_is_set_changed_and_removed_in_each_place(
    path: tuple[str, ...], place: str, mark: str, line_end: str
) -> None:
    def file(text: str, value: str = "") -> str:
        return mark + re.sub("[()]", "", text).replace("@", value).replace("\n", line_end)

    bare = file(re.sub(r"\([^)]*\)", "", place))
    for old in NOTATIONS:
        assert with_value(file(place, old), path, None) == bare
    for (old, before), (new, value) in product(NOTATIONS.items(), VALUES.items()):
        assert with_value(file(place, old), path, value) == file(place, old if value == before else new)
    for value in VALUES.values():
        text = with_value(bare, path, value)
        assert value_at(tomllib.loads(text.removeprefix(mark)), path) == value
        assert with_value(text, path, value) == text
        assert line_end not in bare or set(re.findall(r"\r?\n", text)) == {line_end}
        assert without_empty_sections(with_value(text, path, None)) == without_empty_sections(bare)


def test_each_line_keeps_its_own_end() -> None:
    text = "[web]\r\nport = 1 # one\nhost = 'h'\r\n[log]\n"
    assert with_value(text, ("web", "port"), 2) == text.replace("1", "2")
    assert with_value(text, ("web", "host"), None) == text.replace("host = 'h'\r\n", "")


def test_a_new_key_comes_to_the_end_of_its_section() -> None:
    changed = with_value(FILE, ("web", "port"), 8001)
    assert changed.index('"a#b]",\n]\n') < changed.index("port = 8001\n") < changed.index("[ring.shape]")
    assert with_value("[web]", ("web", "port"), 1) == "[web]\nport = 1\n"


def test_a_new_section_comes_to_the_end() -> None:
    assert with_value(FILE, ("display", "language"), "de") == f'{FILE}\n[display]\nlanguage = "de"\n'
    assert with_value("", ("log", "level"), "info") == '[log]\nlevel = "info"\n'
    # Not into [ring.shape].
    assert with_value(FILE, ("ring", "kind"), "wled") == FILE.replace("[ring.", '[ring]\nkind = "wled"\n\n[ring.')


def test_several_keys_change_together() -> None:
    values: dict[tuple[str, ...], TomlValue | None] = {
        ("tray", "camera"): None,
        ("web", "host"): "h",
        ("web", "names"): None,
        ("usb", "fps"): None,
        ("ring", "shape", "clockwise"): False,
    }
    assert with_values(FILE, values) == (
        "# The table's own.\n[tray]\n# pi, usb:0, or simulated\n\n"
        '[web] # who gets in\nhost = "h"     # "0.0.0.0" lets phones in\n\n'
        "[ring.shape]\nleds = 60\nclockwise = false\n"
    )


def test_quotes_over_lines_hide_what_looks_like_a_section() -> None:
    text = 'note = """\n[web]\nport = 1\\"""" # "\n[web]\nport = 2\n'
    assert with_value(text, ("web", "port"), 3) == text.replace("port = 2", "port = 3")


@pytest.mark.parametrize("text", ["web = 1\n", "[[web]]\nport = 1\n", "[[a]]\n[b]\n[[a]]\n"])
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
