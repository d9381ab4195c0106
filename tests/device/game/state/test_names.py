"""Names that look alike are one name."""

import unicodedata

import pytest

from device.game.state.names import ascii_digits, name_key, tidy_name, told_name

ZOE = "Zo\u00eb"
ALIKE = [
    unicodedata.normalize("NFD", ZOE),
    f"{ZOE}\u200b",
    f"\u2067{ZOE}\u2069",
    f"Z\u00ado\u2060{ZOE[2]}\ufe0f",
    f" {ZOE}\u3000",
    "\uff3ao\u00eb",
]


@pytest.mark.parametrize("name", ALIKE)
def test_what_looks_alike_is_kept_as_one_name(name: str) -> None:
    assert tidy_name(name) == ZOE
    assert name_key(name) == name_key(ZOE.upper()) != name_key("Zoe")


@pytest.mark.parametrize("name", ["\u200b", "\u2067\u2069", " ", "a\u0007", "\ue000"])
def test_what_nobody_sees_is_no_name(name: str) -> None:
    with pytest.raises(ValueError, match="not a name"):
        tidy_name(name)
    assert told_name(name) == name


def test_digits_of_every_script_are_digits() -> None:
    assert ascii_digits("\u0661\u0662\u0663 \uff14\u0966x") == "123 40x"
