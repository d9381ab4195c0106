"""Lines of JSON through the command's streams, and the rulings printed."""

import io
import json
from pathlib import Path

from device.cli.score import MAX_LINE_BYTES, run_odds, run_rulings, run_score
from rules.system import systems

GOOD = '{"id": "g", "system": "push-pool", "op": "pool", "context": {"attribute": 5, "skill": 2}}\n'
BAD = '{"id": "b", "system": "push-pool", "op": "pool", "context": {"attribute": 99}}\n'


class ClosedPipe(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError

    def fileno(self) -> int:
        return self.spare.fileno()

    spare: io.IOBase


def play(data: bytes) -> tuple[int, list[dict[str, object]], str]:
    out, err = io.StringIO(), io.StringIO()
    status = run_score(io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"), out, err)
    return status, [json.loads(line) for line in out.getvalue().splitlines()], err.getvalue()


def test_all_well() -> None:
    status, answers, complaint = play((GOOD + "\n" + GOOD).encode())
    assert status == 0
    assert [answer["id"] for answer in answers] == ["g", "g"]
    assert complaint == ""


def test_a_malformed_request_is_answered_in_its_place_and_the_others_too() -> None:
    status, answers, complaint = play((BAD + GOOD + "{\n" + GOOD).encode())
    assert status == 2
    assert [("error" in answer, answer["id"]) for answer in answers] == [
        (True, "b"),
        (False, "g"),
        (True, None),
        (False, "g"),
    ]
    assert complaint == "request 1: context.attribute is 99: give a whole number from 0 to 20 (and 1 more)\n"


def test_bytes_that_are_no_text_spoil_their_own_line_only() -> None:
    status, answers, _ = play(b"\xff\xfe\n" + GOOD.encode())
    assert status == 2
    assert "result" in answers[1]


def test_an_endless_line_is_refused_and_the_next_one_answered() -> None:
    status, answers, _ = play(b"x" * (3 * MAX_LINE_BYTES) + b"\n" + GOOD.encode() + b"y" * (2 * MAX_LINE_BYTES))
    assert status == 2
    assert ["error" in answer for answer in answers] == [True, False, True]


def test_a_plain_text_stream_will_do() -> None:
    out = io.StringIO()
    assert run_odds(io.StringIO('{"id": 1, "system": "push-pool", "pool": {"base": 1}}'), out, io.StringIO()) == 0
    assert json.loads(out.getvalue())["result"]["p_success"] == "1/6"


def test_a_reader_that_went_away_ends_it(tmp_path: Path) -> None:
    out = ClosedPipe()
    with open(tmp_path / "spare", "wb") as spare:
        out.spare = spare
        assert run_score(io.StringIO(GOOD), out, io.StringIO()) == 1


def test_rulings_are_printed_for_people_and_for_programs() -> None:
    out = io.StringIO()
    assert run_rulings(out, io.StringIO(), as_json=True) == 0
    listed = [json.loads(line) for line in out.getvalue().splitlines()]
    assert len(listed) == sum(len(system.rulings) for system in systems())
    assert all({"system", "name", "default", "choices", "why"} <= set(ruling) for ruling in listed)
    out = io.StringIO()
    assert run_rulings(out, io.StringIO(), as_json=False, system_id="push-pool") == 0
    assert "skill_ones_locked = false  (false, true)" in out.getvalue()
    assert "full_auto_pushes = 10  (1 to 10)" in out.getvalue()


def test_rulings_of_an_unknown_system() -> None:
    err = io.StringIO()
    assert run_rulings(io.StringIO(), err, as_json=False, system_id="chess") == 2
    assert err.getvalue().startswith("system 'chess' is unknown")
