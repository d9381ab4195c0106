"""One word for one thing: the tables of device/texts/README.md hold in every language."""

import re

import pytest

from device.texts import catalogue as texts
from device.texts.catalogue import catalogue

README = (texts.FOLDER.parent / "README.md").read_text(encoding="utf-8")
PLACES = {"en": (2, 4), "de": (3, 5)}
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in README.splitlines() if "`page." in line]
NEVER = README.partition("In no text, in any form: ")[2].partition(".")[0].split(";")


def words(lists: list[str]) -> str:
    return "|".join(re.escape(word.strip()) for part in lists for word in part.replace("\n", " ").split(","))


@pytest.mark.parametrize("language", PLACES)
def test_each_thing_has_its_word_and_no_other(language: str) -> None:
    word, never = PLACES[language]
    known = catalogue(language).texts
    assert ROWS
    assert [row[1] for row in ROWS if known[row[1].strip("`")] != row[word]] == []
    names, expressions = (words(part) for part in ([row[never] for row in ROWS], NEVER))
    pattern = re.compile(rf"\b({names}|(?i:{expressions}))\b")
    forms = [
        (key, form) for key, text in known.items() for form in ([text] if isinstance(text, str) else text.values())
    ]
    # The rules and other programs have words of their own.
    pages = [(key, form) for key, form in forms if not key.startswith(("rules.", "word.", "integrations."))]
    wrong = [(key, found[0]) for key, form in pages if (found := pattern.search(form))]
    assert wrong == [], wrong
