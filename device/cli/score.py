"""Scores, odds and house rulings on the command line: JSON lines in, JSON lines out, no camera."""

import json
import os
import textwrap
from collections.abc import Iterator
from typing import Final, TextIO

from device.rule_messages import ruling_words, system_title
from device.texts.catalogue import ENGLISH, in_language, localizable
from rules.answering import Answer, Question, answer_line, refuse
from rules.errors import BadRequest
from rules.rulings import describe
from rules.system import Ruling, find_system, systems

MAX_LINE_BYTES: Final = 1_000_000
"""Longest request line. A hundred dice need a hundredth of it; the limit bounds memory for any input."""

_WIDTH: Final = 100


def run_score(stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
    """Score the requests, one per line."""
    return _answer_all(Question.SCORE, stdin, stdout, stderr)


def run_odds(stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
    return _answer_all(Question.ODDS, stdin, stdout, stderr)


def run_rulings(stdout: TextIO, stderr: TextIO, *, as_json: bool, system_id: str | None = None) -> int:
    """Print every house ruling with its default, its choices and the reason."""
    try:
        chosen = systems() if system_id is None else (find_system(system_id),)
    except BadRequest as error:
        print(error, file=stderr)
        return 2
    for system in chosen:
        if not as_json:
            print(f"{system.id}: {localizable(system_title(system.id))}", file=stdout)
        for ruling in system.rulings:
            if as_json:
                print(
                    json.dumps({**describe(system.id, ruling), "why": _why(system.id, ruling)}),
                    file=stdout,
                )
            else:
                print(_ruling_text(system.id, ruling), file=stdout)
    return 0


def _why(system_id: str, ruling: Ruling) -> str:
    return str(in_language(ruling_words(system_id, ruling)["why"], ENGLISH))


def _ruling_text(system_id: str, ruling: Ruling) -> str:
    if ruling.choices:
        allowed = ", ".join(json.dumps(choice) for choice in ruling.choices)
    else:
        allowed = f"{ruling.low} to {ruling.high}"
    why = textwrap.fill(_why(system_id, ruling), _WIDTH, initial_indent="      ", subsequent_indent="      ")
    return f"  {ruling.name} = {json.dumps(ruling.default)}  ({allowed})\n{why}"


def _answer_all(question: Question, stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
    errors: list[str] = []
    for number, answer in enumerate(_answers(question, stdin), start=1):
        if answer.error is not None:
            errors.append(f"request {number}: {answer.error}")
        try:
            stdout.write(answer.text + "\n")
            stdout.flush()
        except BrokenPipeError:
            _close_quietly(stdout)
            return 1
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        print(f"{errors[0]}{more}", file=stderr)
        return 2
    return 0


def _close_quietly(stdout: TextIO) -> None:
    """Redirect output still buffered for a gone reader, which the interpreter would otherwise report on exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())


def _answers(question: Question, stdin: TextIO) -> Iterator[Answer]:
    for line in _lines(stdin):
        if line is None:
            yield refuse(f"the line is longer than {MAX_LINE_BYTES} bytes: send one request a line")
        elif line.strip():
            yield answer_line(line, question)


def _lines(stdin: TextIO) -> Iterator[bytes | None]:
    """Yield the lines as bytes, None for one that is too long; invalid UTF-8 affects only its own line."""
    while line := _read(stdin):
        if len(line) < MAX_LINE_BYTES or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = _read(stdin)
        yield None


def _read(stdin: TextIO) -> bytes:
    """Read to the end of a line or up to the limit; empty at the end of the input."""
    source = getattr(stdin, "buffer", None)
    if source is None:
        return stdin.readline(MAX_LINE_BYTES).encode("utf-8", "surrogatepass")
    return bytes(source.readline(MAX_LINE_BYTES))
