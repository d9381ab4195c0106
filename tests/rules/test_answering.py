"""One line in, one line out, whatever is in the line."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.answering import Question, answer_line
from rules.dice import Die, Role
from rules.errors import BadRequest
from rules.system import systems

DIE = {"id": "b1", "role": "base", "value": 6}


def ask(question: Question = Question.SCORE, **fields: object) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(answer_line(json.dumps(fields), question).text)
    return answer


def score_of(**changes: object) -> str:
    """Return the error of a push-pool score whose one die is changed."""
    answer = ask(id="x", system="push-pool", op="score", dice=[{**DIE, **changes}])
    assert answer["id"] == "x"
    error: str = answer["error"]
    return error


def test_a_result_carries_the_requests_id() -> None:
    for request_id in ("k1", 7, 1.5, None, True):
        answer = ask(id=request_id, system="push-pool", op="score", dice=[DIE])
        assert answer["id"] == request_id
        assert answer["result"]["successes"] == 1


def test_unknown_keys_are_ignored() -> None:
    answer = ask(system="push-pool", op="score", dice=[{**DIE, "colour": "yellow"}], title="t", context={"mood": 1})
    assert answer["result"]["success"] is True


@pytest.mark.parametrize(
    ("line", "id_", "words"),
    [
        ("{", None, "not JSON at character"),
        ('{"id": 2', None, "not JSON at character"),
        ("[1, 2]", None, "a list of 2"),
        ("17", None, "the line is 17"),
        ('{"id": "n", "system": "push-pool", "op": "score", "dice": [NaN]}', "n", "holds NaN"),
        ('{"id": "n", "system": "push-pool", "op": "score", "context": {"x": -Infinity}}', "n", "holds -Infinity"),
        ('{"id": "n", "x": 1e999}', "n", "holds 1e999"),
        ('{"id": NaN}', None, "holds NaN"),
        ("[" * 200_000, None, "nested too deep"),
        ('{"id": ' + "9" * 5000 + "}", None, "too many digits"),
        ('{"id": [1]}', None, "id is a list of 1"),
        ('{"id": 1}', 1, "system is missing"),
        ('{"id": 1, "system": "chess", "op": "score"}', 1, "system 'chess' is unknown: give one of"),
        ('{"id": 1, "system": 5, "op": "score"}', 1, "system is 5"),
        ('{"id": 1, "system": "push-pool"}', 1, "op is missing"),
        ('{"id": 1, "system": "push-pool", "op": "juggle"}', 1, 'op is "juggle"'),
        (
            '{"id": 1, "system": "push-pool", "op": "score", "context": 3, "dice": []}',
            1,
            "context is 3: give an object",
        ),
        ('{"id": 1, "system": "push-pool", "op": "score", "rulings": [], "dice": []}', 1, "rulings is a list of 0"),
        ('{"id": 1, "system": "push-pool", "op": "score"}', 1, "dice holds no dice"),
        ('{"id": 1, "system": "push-pool", "op": "score", "dice": {}}', 1, "dice is an object of 0: give a list"),
        ('{"id": 1, "system": "push-pool", "op": "score", "dice": [6]}', 1, "dice[0] is 6: give an object"),
    ],
)
def test_what_cannot_be_understood_is_answered_with_what_value_and_cure(line: str, id_: object, words: str) -> None:
    answer = answer_line(line, Question.SCORE)
    assert answer.error is not None
    assert words in answer.error
    assert "\n" not in answer.error
    assert len(answer.error) < 200
    assert json.loads(answer.text) == {"id": id_, "error": answer.error}


@pytest.mark.parametrize("name", ["b\n1", "b\u20281", "b" * 200])
@pytest.mark.parametrize("system", ["push-pool", "step-dice"])
def test_a_die_of_the_table_is_named_in_one_line(system: str, name: str) -> None:
    error = ask(Question.ODDS, system=system, table=[{"id": name, "role": "wild", "value": 6}])["error"]
    assert error.startswith('table die "b')
    assert len(error.splitlines()) == 1
    assert len(error) < 200


def test_a_die_with_a_face_that_it_has_not_is_named_in_one_line() -> None:
    with pytest.raises(BadRequest, match=r"die 'b\\n1' shows 7"):
        Die("b\n1", Role.BASE, 7)


@pytest.mark.parametrize("name", ["climb\nwalls", "climb\u2028walls", "c" * 200])
def test_a_name_of_the_senders_own_stands_in_one_line(name: str) -> None:
    attributes = {"STR": 4, "AGL": 4, "WIT": 3, "EMP": 3}
    context = {"key_attribute": "STR", "attributes": attributes, "skills": {name: -1}}
    error = ask(system="push-pool", op="creation", context=context)["error"]
    assert error.startswith('context.skills."c')
    assert len(error.splitlines()) == 1
    assert len(error) < 200


def test_bytes_that_are_no_utf_8() -> None:
    assert "byte 0 of the line is not UTF-8" in str(answer_line(b"\xff{}", Question.SCORE).error)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"value": 0}, "dice[0].value is 0: give a whole number from 1 to 6"),
        ({"value": 7}, "value is 7"),
        ({"value": True}, "value is true"),
        ({"value": 6.0}, "value is 6.0"),
        ({"value": "6"}, 'value is "6"'),
        ({"value": None}, "value is missing"),
        ({"value": 10**400}, "value is a number beyond all dice"),
        ({"role": "luck"}, "role is"),
        ({"role": None}, "role is missing"),
        ({"id": None}, "id is missing"),
        ({"id": ""}, "id is"),
        ({"id": 5}, "id is 5"),
        ({"id": "x" * 300}, "id is"),
        ({"sides": 1}, "sides is 1"),
        ({"level": "E"}, 'level is "E": give one of D, C, B, A'),
        ({"level": "C", "sides": 10}, "level C has 8"),
        ({"moved": "no"}, "moved is"),
    ],
)
def test_a_die_that_is_none(changes: dict[str, object], words: str) -> None:
    assert words in score_of(**changes)


def test_an_id_given_twice() -> None:
    answer = ask(system="push-pool", op="score", dice=[DIE, DIE])
    assert answer["error"] == 'dice[1].id "b1" is there twice: give each die its own id'


def test_no_dice_and_400_dice() -> None:
    for dice in ([], [{**DIE, "id": str(number)} for number in range(400)]):
        for system in systems():
            op = "action" if system.id == "highest-die" else "total" if system.id == "die-code" else "score"
            answer = ask(system=system.id, op=op, dice=dice)
            assert "give" in answer["error"]


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("a\u00e9\u0000 6", max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("a\u00e9\u0000 6", max_size=5), inner, max_size=4)
    ),
    max_leaves=8,
)
KEYS = st.sampled_from(["dice", "after_push", "context", "rulings", "pool", "table", "difficulty", "threshold", "op"])


@given(
    system=st.sampled_from([system.id for system in systems()]),
    op=st.sampled_from(["pool", "score", "push", "action", "total", "code", "clock", "advance", "creation", "split"]),
    fields=st.dictionaries(KEYS, JUNK, max_size=5),
    question=st.sampled_from(Question),
)
def test_junk_is_always_answered(system: str, op: str, fields: dict[str, object], question: Question) -> None:
    answer = json.loads(answer_line(json.dumps({"op": op, **fields, "id": 1, "system": system}), question).text)
    assert answer["id"] == 1
    assert ("error" in answer) != ("result" in answer)


@given(st.binary(max_size=60))
def test_any_bytes_are_answered(line: bytes) -> None:
    assert set(json.loads(answer_line(line, Question.ODDS).text)) in ({"id", "error"}, {"id", "result"})
