"""The catalogues: complete, of one shape in every language, used correctly by the code, and easy to extend."""

import ast
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from device.game.lamps import LAMP_NAMES
from device.game.throw_orders import ThrowRefusal, ThrowRefused
from device.message import message, message_or, name_key, word_key
from device.texts import catalogue as texts
from device.texts.catalogue import (
    BadCatalogue,
    Catalogue,
    LazyText,
    catalogue,
    in_language,
    languages,
    localizable,
    page_texts,
    placeholders,
    read_catalogue,
    translate,
    tree_of,
)
from rules.dice import Role
from rules.sheet import Kind
from rules.sheet_file import new_sheet
from rules.system import PushReason, RuleSystem, systems
from rules.tiles import Tile
from vision.colour.classes import COLOUR_NAMES
from vision.types.reading import Problem, Unread

ROOT = Path(texts.__file__).parents[2]
OTHERS = [code for code in languages() if code != "en"]
ENGLISH = catalogue("en").texts
TOPICS = "tray|web|first_boot|rules|word|dice|counter|calibration|list|settings|integrations|memory|taught"
A_KEY = re.compile(rf"({TOPICS})\.[\w.{{}}-]+")


def constants(path: Path) -> set[str]:
    """Return every text of a module; a placeholder of an f-string is `{}`."""
    return {shape_of(node) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if is_text(node)}


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def shape_of(node: ast.AST) -> str:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)


def sayings(path: Path) -> Iterator[ast.Call]:
    """Return every place of a module that uses a text."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("translate", "message", "message_or")
        ):
            yield node


def keys_of(call: ast.Call) -> Iterator[str]:
    """Return the keys that a place may use: several if a condition chooses."""
    key = call.args[0 if getattr(call.func, "id", "") in ("translate", "message") else 1]
    for node in (key.body, key.orelse) if isinstance(key, ast.IfExp) else (key,):
        if is_text(node):
            yield shape_of(node)


def as_pattern(key: str) -> re.Pattern[str]:
    return re.compile("[\\w-]+".join(re.escape(part) for part in key.split("{}")))


def modules() -> list[Path]:
    return [*sorted((ROOT / "device").rglob("*.py")), ROOT / "systemd/first_boot.py"]


def keys_in_code() -> dict[str, re.Pattern[str]]:
    """Return every key that the server uses, or stores under the name `key`, with the values for its placeholders."""
    found = {key for path in modules() for call in sayings(path) for key in keys_of(call)}
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assign) and [getattr(to, "id", "") for to in node.targets] == ["key"]:
                found |= {shape_of(part) for part in ast.walk(node.value) if is_text(part)}
    return {key: as_pattern(key) for key in found if A_KEY.fullmatch(key)}


def tiles_of(system: RuleSystem) -> Iterator[tuple[str, Tile]]:
    place = f"rules.{system.id}"
    yield from ((f"{place}.tiles", tile) for tile in system.tiles)
    yield from ((f"{place}.facts", tile) for tile in system.roll_facts)
    for ask in system.asks:
        yield from ((f"{place}.asks.{ask.op}.fields", tile) for tile in ask.fields)
    for kind in system.extended_tests:
        yield from ((f"{place}.series.{kind.op}.settings", tile) for tile in kind.settings)


def keys_of_rules() -> set[str]:
    """Return every key that the rule systems need by the names of their parts."""
    keys = set()
    for system in systems():
        place = f"rules.{system.id}"
        keys |= {f"{place}.{part}" for part in ("title", "about", "example")}
        keys |= {f"{at}.{tile.name}" for at, tile in tiles_of(system)}
        keys |= {
            f"{place}.aims.{tile.name}.{way}"
            for tile in system.aims
            for way in ("easier", "harder")
            if f"{place}.aims.{tile.name}.{way}" in ENGLISH
        }
        keys |= {f"{place}.asks.{ask.op}.title" for ask in system.asks}
        keys |= {f"{place}.series.{kind.op}.title" for kind in system.extended_tests}
        keys |= {f"{place}.rulings.{one.name}.{part}" for one in system.rulings for part in ("title", "why")}
    return keys


def words_of_rules() -> set[str]:
    """Return every word of the rules that a page shows: choices, roles, kinds, counters, rests, body colours."""
    words = {role.value for role in Role} | {kind.value for kind in Kind} | set(COLOUR_NAMES)
    for system in systems():
        words |= {choice for _, tile in tiles_of(system) for choice in tile.choices}
        words |= {choice for ruling in system.rulings for choice in ruling.choices if isinstance(choice, str)}
        words |= {counter.name for counter in new_sheet("Kim", system.id).counters} | set(system.rests)
    # Levels of dice are letters in every language.
    return {word for word in words if len(word) > 1}


def constants_of_rules() -> set[str]:
    return {text for path in (ROOT / "rules").glob("*.py") for text in constants(path)}


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_every_text_and_no_other(language: str) -> None:
    known = catalogue(language).texts
    assert sorted(set(ENGLISH) - set(known)) == []
    assert sorted(set(known) - set(ENGLISH)) == []


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_same_places_in_each_text(language: str) -> None:
    known = catalogue(language).texts
    # A form need not contain the number that chose it, but only a text with a number may have forms.
    wrong = [key for key in ENGLISH if placeholders(known[key]) - {"count"} != placeholders(ENGLISH[key]) - {"count"}]
    assert wrong == []
    assert [key for key in ENGLISH if "count" in placeholders(known[key]) and not takes_count(key)] == []


def takes_count(key: str) -> bool:
    return not isinstance(ENGLISH[key], str) or "count" in placeholders(ENGLISH[key])


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_forms_where_english_has_them(language: str) -> None:
    known = catalogue(language).texts
    assert {key for key in ENGLISH if isinstance(known[key], str) != isinstance(ENGLISH[key], str)} == set()


@pytest.mark.parametrize("language", languages())
def test_no_text_is_empty_or_has_a_stray_bracket(language: str) -> None:
    for key, text in catalogue(language).texts.items():
        for form in (text,) if isinstance(text, str) else text.values():
            assert form.strip() or key == "tray.problem.not_named", key
            assert not re.search(r"[{}]", re.sub(r"\{\w+\}", "", form)), key


def test_every_key_that_the_server_names_is_there() -> None:
    assert {key for key, pattern in keys_in_code().items() if not any(map(pattern.fullmatch, ENGLISH))} == set()


def test_every_text_of_the_server_is_used() -> None:
    patterns = list(keys_in_code().values())
    by_rules = keys_of_rules()
    localized = {word_key(text) for text in constants_of_rules()} | words_keyed() | {"out_of_it"}

    def is_used(key: str) -> bool:
        topic, _, name = key.partition(".")
        if topic == "page" or key == "list.last":
            # Read by the scripts, and by the catalogue itself.
            return True
        if topic == "word":
            return name in localized
        if topic == "rules":
            last = key.rsplit(".", 1)[-1]
            return key in by_rules or (
                re.fullmatch(r"rules\.[\w-]+\.\w+\.\w+", key) is not None and last.removesuffix("_to") in localized
            )
        return any(pattern.fullmatch(key) for pattern in patterns)

    assert [key for key in ENGLISH if not is_used(key)] == []


def words_keyed() -> set[str]:
    return {word_key(word) for word in words_of_rules()}


def test_the_rules_have_a_text_for_everything_that_they_name() -> None:
    assert keys_of_rules() - set(ENGLISH) == set()
    assert {word for word in words_of_rules() if f"word.{word_key(word)}" not in ENGLISH} == set()
    kinds = {kind.value for kind in Kind} | {
        counter.name
        for system in systems()
        for counter in new_sheet("Kim", system.id).counters
        if counter.kind is not Kind.SKILL
    }
    assert {name for name in kinds if f"counter.{name_key(name)}" not in ENGLISH} == set()


@pytest.mark.parametrize("reason", [*Unread, *Problem])
def test_every_doubt_has_a_head_and_a_cure(reason: Unread | Problem) -> None:
    assert {f"tray.problem.{reason.value}", f"page.problem.{reason.value}"} <= set(ENGLISH)


@pytest.mark.parametrize("lamp", LAMP_NAMES)
def test_every_lamp_has_its_name(lamp: str) -> None:
    assert f"page.lamp.{lamp}" in ENGLISH


@pytest.mark.parametrize("reason", PushReason)
def test_every_verdict_of_a_push_has_its_sentence(reason: PushReason) -> None:
    assert f"tray.push.{reason.value}" in ENGLISH


def test_what_code_says_it_gives_every_value_of_and_no_other() -> None:
    wrong = []
    for path in modules():
        for call in sayings(path):
            given = {str(keyword.arg) for keyword in call.keywords}
            keys = list(keys_of(call))
            # If a part of the key is open, the values depend on it.
            if "None" in given or not keys or not set(keys) <= set(ENGLISH):
                continue
            wanted = [values_of(key) for key in keys]
            if not all(one <= given for one in wanted) or given != frozenset().union(*wanted):
                wrong.append((path.name, call.lineno, keys, given))
    assert wrong == []


def values_of(key: str) -> frozenset[str]:
    """Return the values that a text needs, with the number that chooses its form."""
    return placeholders(ENGLISH[key]) | (frozenset() if isinstance(ENGLISH[key], str) else {"count"})


def test_a_text_is_its_english_and_can_be_shown_in_another_language() -> None:
    text = translate(
        "tray.problem.lack", number=translate("tray.problem.number.2"), dice=translate("dice.gear", count=2), count=2
    )
    assert text == "Two gear dice are missing."
    assert json.loads(json.dumps({"text": text})) == {"text": "Two gear dice are missing."}
    assert in_language({"a": [text, 1, None]}, "de") == {"a": ["Zwei Ausrüstungswürfel fehlen.", 1, None]}
    assert in_language({"a": text}, "en") == {"a": text}


def test_a_message_without_a_text_is_what_else_it_is_in_the_language_of_the_page() -> None:
    other = message("tray.display.fault.other", part="Lens")
    for language in languages():
        assert in_language([message_or(other, "tray.display.fault.lens")], language) == [in_language(other, language)]
    assert message_or("lens", "word.no_such") == message("word.no_such")
    with pytest.raises(KeyError):
        in_language(message("word.no_such"), "de")


def test_an_error_gives_its_text_back_whole() -> None:
    refused = ThrowRefused(ThrowRefusal.TRAY_BUSY, translate("tray.refused.busy"))
    assert isinstance(str(refused), LazyText)
    assert in_language(str(refused), "de").startswith("Hand oder Würfel")


@pytest.mark.parametrize(("count", "reported"), [(0, "0 dice"), (1, "1 die"), (2, "2 dice"), (21, "21 dice")])
def test_a_number_chooses_the_form(count: int, reported: str) -> None:
    assert translate("page.dice", count=count) == reported


def test_a_language_says_which_numbers_take_one() -> None:
    head = {"name": "Test", "one": [0, 1]}
    known = read_catalogue("xx", {"language": head, "a": {"one": "{count} it", "other": "{count} them"}})
    assert [known.render("a", {"count": count}) for count in (0, 1, 2)] == ["0 it", "1 it", "2 them"]


def test_lists_are_joined_in_the_language() -> None:
    known = catalogue("de")
    assert [known.shown(["a", "b", "c"][:count]) for count in range(4)] == ["", "a", "a und b", "a, b und c"]


def test_values_are_put_in_once_and_an_unknown_place_stays() -> None:
    known = read_catalogue("xx", {"language": {"name": "Test", "one": [1]}, "a": "{one} and {two}"})
    assert known.render("a", {"one": "{two}"}) == "{two} and {two}"


def test_a_key_that_is_nowhere_is_an_error_and_a_made_up_word_is_itself() -> None:
    with pytest.raises(KeyError):
        translate("page.no_such_text")
    assert localizable(message_or("rope", "word.rope")) == "rope"


@pytest.mark.parametrize(
    ("tree", "wrong"),
    [
        ({}, "has no head"),
        ({"language": {"name": "Test"}}, "has no head"),
        ({"language": {"name": "Test", "one": [1]}, "a": {"b": 3}}, "a.b is 3"),
    ],
)
def test_a_file_that_is_no_catalogue_is_refused(tree: Mapping[str, object], wrong: str) -> None:
    with pytest.raises(BadCatalogue, match=re.escape(wrong)):
        read_catalogue("xx", tree)


def test_a_text_stands_in_one_file(tmp_path: Path) -> None:
    for name, tree in (("a", {"page": {"close": "Close"}}), ("b", {"page": {"open": "Open", "close": "Shut"}})):
        (tmp_path / "xx").mkdir(exist_ok=True)
        (tmp_path / f"xx/{name}.json").write_text(json.dumps(tree), encoding="utf-8")
    with pytest.raises(BadCatalogue, match=r"xx/b\.json has close again"):
        tree_of(tmp_path, "xx")


@pytest.mark.parametrize("language", ["xx", "../en", "EN", "", "*"])
def test_a_language_that_there_is_not(language: str) -> None:
    with pytest.raises(BadCatalogue, match="is unknown: give one of de, en"):
        catalogue(language)


@pytest.fixture
def with_pseudo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Catalogue:
    """A further language, made by adding a folder with one file, which lacks a text."""

    def changed(part: object) -> object:
        if isinstance(part, dict):
            return {name: changed(one) for name, one in part.items()}
        return f"[{part}]" if isinstance(part, str) else part

    folder = tmp_path / "languages"
    shutil.copytree(texts.FOLDER, folder)
    tree = tree_of(texts.FOLDER, "en")
    del tree["page"]["undo"]
    pseudo = {topic: changed(part) for topic, part in tree.items()} | {"language": {"name": "Pseudo", "one": [1]}}
    (folder / "qps").mkdir()
    (folder / "qps/all.json").write_text(json.dumps(pseudo), encoding="utf-8")
    monkeypatch.setattr(texts, "FOLDER", folder)
    return catalogue("qps")


def test_adding_a_language_is_adding_a_folder(with_pseudo: Catalogue) -> None:
    assert {"en": "English", "de": "Deutsch", "qps": "Pseudo"}.items() <= dict(languages()).items()
    assert with_pseudo.render("page.dice", {"count": 1}) == "[1 die]"
    assert in_language([translate("tray.push.ok")], "qps") == [f"[{translate('tray.push.ok')}]"]
    assert page_texts("qps")["texts"]["page.close"] == "[Close]"


def test_a_text_that_a_language_lacks_is_english(with_pseudo: Catalogue) -> None:
    assert with_pseudo.render("page.undo", {}) is None
    assert in_language([translate("page.undo")], "qps") == ["Undo"]
    assert page_texts("qps")["texts"]["page.undo"] == "Undo"


def test_pages_get_no_texts_of_the_server() -> None:
    topics = {key.split(".")[0] for key in page_texts("de")["texts"]}
    assert topics == {"list", "page", "word", "dice"}
