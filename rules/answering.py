"""Requests as lines of JSON, one answer each: the contract's form of scoring and of odds."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from rules.errors import BadRequest
from rules.request import Fields, show_value
from rules.system import Facts, JsonValue, find_system


class Question(Enum):
    """What the requests ask for."""

    SCORE = "score"
    ODDS = "odds"


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one line.

    Attributes:
        error: The error message; None if the request was understood.
    """

    text: str
    error: str | None


def answer_line(line: str | bytes, question: Question) -> Answer:
    """Answer one request.

    Args:
        line: JSON text of one request; bytes are UTF-8.

    Returns:
        The answer. A line that cannot be understood is answered with an error.
    """
    request_id: JsonValue = None
    try:
        request, complaint = _parse(line)
        request_id = _read_id(request)
        result = _answer(request, complaint, question)
    except BadRequest as error:
        return Answer(json.dumps({"id": request_id, "error": str(error)}), str(error))
    return Answer(json.dumps({"id": request_id, "result": result}, allow_nan=False), None)


def refuse(error: str) -> Answer:
    """Answer a line that could not be read."""
    return Answer(json.dumps({"id": None, "error": error}), error)


def _answer(request: Facts, complaint: str | None, question: Question) -> Facts:
    if complaint is not None:
        raise BadRequest(complaint)
    fields = Fields(request, "")
    system = find_system(fields.text("system"))
    if question is Question.ODDS:
        return system.odds(request)
    return system.answer(fields.text("op"), request)


def _parse(line: str | bytes) -> tuple[Facts, str | None]:
    """Parse one line into its object and, for a number that JSON does not allow, an error message.

    Such a number becomes null, so that the request's id can still be read.
    """
    complaints: list[str] = []

    def refuse_constant(name: str) -> None:
        complaints.append(f"the line holds {name}: JSON has no such number, send a finite one")

    def read_float(text: str) -> float | None:
        value = float(text)
        if math.isfinite(value):
            return value
        complaints.append(f"the line holds {text[:20]}: send a number of ordinary size")
        return None

    try:
        text = line.decode("utf-8-sig") if isinstance(line, bytes) else line
        request = json.loads(text, parse_constant=refuse_constant, parse_float=read_float)
    except UnicodeDecodeError as error:
        raise BadRequest(
            f"byte {error.start} of the line is not UTF-8: send one JSON object a line in UTF-8"
        ) from error
    except json.JSONDecodeError as error:
        raise BadRequest(
            f"the line is not JSON at character {error.pos}: {error.msg}; send one object a line"
        ) from error
    except RecursionError as error:
        raise BadRequest("the line is nested too deep: send one flat JSON object a line") from error
    except ValueError as error:  # Python refuses to parse numbers of thousands of digits
        raise BadRequest("the line holds a number of too many digits: send numbers that dice can show") from error
    if not isinstance(request, dict):
        raise BadRequest(f"the line is {show_value(request)}: send one JSON object a line")
    return request, complaints[0] if complaints else None


def _read_id(request: Facts) -> JsonValue:
    request_id = request.get("id")
    if isinstance(request_id, Mapping | list):
        raise BadRequest(f"id is {show_value(request_id)}: give a text or a number")
    return request_id
