"""The documents are right: keys and commands exist, examples parse, defaults and figures are true."""

import ast
import re
import shlex
import tomllib
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from device.cli.main import SUBCOMMANDS, make_parser
from device.cli.settings import run_settings
from device.config.messages import keys_of
from device.config.settings import Settings, read_settings
from device.errors import BadInput

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted(
    path
    for folder in ("", "device", "hardware", "systemd", "vision")
    for name in ("README.md", "RECIPES.md", "FAQ.md")
    for path in (ROOT / folder).rglob(name)
    if ".venv" not in path.parts and (folder or path.parent == ROOT)
)
SECTIONS = [one.name for one in fields(Settings) if is_dataclass(getattr(Settings(), one.name))]
NO_KEYS = ("jpg", "js", "json", "lan", "lock", "png", "py", "scad", "sqlite3", "svg", "yml")
"""Suffixes of file and host names."""
KEY = re.compile(rf"(?<![-\w./])(?:{'|'.join(SECTIONS)})\.(?!(?:{'|'.join(NO_KEYS)})\b)[a-z_]+(?:\.[a-z_]+)*(?![\w/(])")


def is_key(dotted: str) -> bool:
    hint = Settings
    for part in dotted.split("."):
        if part not in keys_of(hint):
            return False
        hint = keys_of(hint)[part]
    return True


def examples() -> list[tuple[str, str]]:
    return [
        (f"{page.relative_to(ROOT)}:{number}", text)
        for page in PAGES
        for number, text in enumerate(re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
    ]


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in examples()])
def test_every_example_is_read(text: str) -> None:
    assert read_settings(tomllib.loads(text)) != Settings()


def commands() -> list[tuple[str, list[str]]]:
    """Return each `pushtray` of the documents' shell blocks with its arguments, without shell syntax."""
    found = []
    for page in PAGES:
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            for line in block.replace("\\\n", " ").splitlines():
                words = shlex.split(re.split(r" [|<>] ", line)[0], comments=True)
                at = next((place for place, word in enumerate(words) if Path(word).name == "pushtray"), None)
                if at is not None and words[at - 1] not in ("-u", "stop", "start", "restart", "clone"):
                    found.append((page.relative_to(ROOT).as_posix(), words[at + 1 :]))
    return found


def test_every_command_of_a_page_is_understood() -> None:
    found = [(page, words) for page, words in commands() if words and "pushtray" not in words]
    assert {words[0] for page, words in found if page == "device/RECIPES.md"} >= {"run", "read", "replay", "backup"}
    for page, words in found:
        assert words[0] in SUBCOMMANDS, (page, words)
        make_parser(words[0]).parse_args(words[1:])


def test_settings_of_the_installed_tray_are_the_defaults_where_nothing_is_asked_for() -> None:
    text = (ROOT / "systemd" / "settings.toml").read_text(encoding="utf-8")
    for camera, pins in (("pi", "gpio"), ("usb:0", "none"), ("simulated", "mock")):
        filled = text.replace("@CAMERA@", camera).replace("@PINS@", pins).replace("@HOST@", "127.0.0.1")
        filled = filled.replace("@SYSTEM@", Settings().tray.system).replace("@LANGUAGE@", Settings().display.language)
        installed = read_settings(tomllib.loads(filled))
        assert (installed.tray.camera, installed.panel.pins) == (camera, pins)
        plain = Settings()
        assert (installed.web, installed.ring, installed.panel.wiring) == (plain.web, plain.ring, plain.panel.wiring)
    offered = re.sub(r"^# (?=\w+ = )", "", filled, flags=re.MULTILINE)
    assert read_settings(tomllib.loads(offered)).web.names == ("tray.lan",)


def test_every_key_that_a_page_names_exists() -> None:
    named = {
        (page.relative_to(ROOT).as_posix(), key)
        for page in PAGES
        for code in re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8"))
        for key in KEY.findall(code)
    }
    assert {key for _, key in named} >= {"pi.lens_mm", "web.names", "tray.profile"}
    assert [one for one in sorted(named) if not is_key(one[1])] == []


def test_every_key_that_a_message_names_exists() -> None:
    named = set()
    for path in (ROOT / "device").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                named |= {(path.name, key) for key in KEY.findall(node.value)}
    assert {key for _, key in named} >= {"usb.exposure", "ring.kind", "ring.port.port", "pi.main_px"}
    assert [one for one in sorted(named) if not is_key(one[1])] == []


def test_the_reference_lists_every_key_and_its_defaults_are_in_their_ranges(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_settings(make_parser("settings").parse_args([])) == 0
    shown = capsys.readouterr().out
    assert read_settings(tomllib.loads(shown)) == Settings()
    uncommented = re.sub(r"^# (?=\[\w+\]$|\w+ = )", "", shown, flags=re.MULTILINE)
    listed = tomllib.loads(uncommented)
    assert read_settings(tomllib.loads(re.sub(r'^\w+ = ""\n', "", uncommented, flags=re.MULTILINE))) == Settings()

    def compare(hint: Any, there: dict[str, Any]) -> None:
        assert set(there) == set(keys_of(hint))
        for key, inner in keys_of(hint).items():
            compare(inner, there[key]) if keys_of(inner) else None

    compare(Settings, listed)


def test_the_reference_of_one_section(capsys: pytest.CaptureFixture[str]) -> None:
    parser = make_parser("settings")
    run_settings(parser.parse_args(["web"]))
    assert set(tomllib.loads(capsys.readouterr().out)) == {"web"}
    with pytest.raises(BadInput, match="did you mean web"):
        run_settings(parser.parse_args(["wep"]))
