"""Searches for inputs that break a reader, guided by line coverage: `python -m tests.proof.fuzz TARGET SECONDS`.

Needs Atheris (`pip install atheris`). An input that it finds becomes a test, and a word of `inputs.WORDS`.
"""

import importlib
import logging
import sys
import tempfile
from pathlib import Path
from typing import Any


def main() -> None:
    target, seconds = sys.argv[1], sys.argv[2]
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["device", "rules", "vision", "tomllib"]):
        inputs = importlib.import_module("tests.proof.inputs")
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as corpus:
        for number, data in enumerate(inputs.seeds()[target]):
            (Path(corpus) / str(number)).write_bytes(data)

        def one(data: bytes) -> None:
            fault = inputs.try_one(target, data)
            if fault is not None:
                raise AssertionError(fault)

        atheris.Setup([sys.argv[0], f"-max_total_time={seconds}", "-max_len=40000", "-timeout=25", corpus], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
