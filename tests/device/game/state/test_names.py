"""Names that look alike are one name."""

import unicodedata

import pytest

from device.game.state.names import digits_of, name_key, tidy_name, told_name

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
def test_an_invisible_text_is_no_name(name: str) -> None:
    with pytest.raises(ValueError, match="not a name"):
        tidy_name(name)
    assert told_name(name) == name


@pytest.mark.parametrize(
    "typed",
    [
        *(
            "123456",
            "123 456",
            "123-456",
            " 123\u2013456\r\n",
            "1.2.3.4.5.6",
            "PIN: 123456",
            "123\u200b456",
            "\ufeff123456",
        ),
        *("123\u00a0456", "123\u202f456", "123\u2011456", "\u2066123456\u2069", "12\u00ad34\u206056", "1\ufe0f23456"),
        *("\uff11\uff12\uff13\uff14\uff15\uff16", "\u0661\u0662\u0663 \u0664\u0665\u0666"),
    ],
)
def test_of_what_was_typed_the_digits_count(typed: str) -> None:
    assert digits_of(typed) == "123456"
