"""A message for a user is one printable line, whatever it repeats from a file."""

import pytest

from device.config.settings import load_settings
from device.errors import BadInput
from device.texts.catalogue import LazyText, translate


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no key a\r\nb", r"no key a\r\nb"),
        ("a\x1b[2Jb", r"a\x1b[2Jb"),
        ("gnp\u202eexe", r"gnp\u202eexe"),
        ("half \udc80", r"half \udc80"),
        ("Würfel\u00a0– 骰子 🎲", "Würfel\u00a0– 骰子 🎲"),
    ],
)
def test_what_cannot_be_printed_is_escaped(text: str, shown: str) -> None:
    assert str(BadInput(text)) == shown


def test_a_translated_message_stays_one() -> None:
    assert isinstance(str(BadInput(translate("tray.refused.twins"))), LazyText)


def test_a_key_with_line_ends_is_refused_in_one_line(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("settings") / "settings.toml"
    path.write_text('"a\\r\\nb" = 1\n')
    with pytest.raises(BadInput, match=r"unknown key a\\r\\nb: choose one of"):
        load_settings(path)
