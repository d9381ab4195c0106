"""Words for the person at the terminal. Answers go to standard output, all else to standard error, from here."""

import sys
from contextlib import suppress


def say(text: str) -> None:
    """Print one line on standard error at once; nowhere, where that is closed or its disk is full."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()


def complain(error: Exception | str) -> None:
    """Print an error as one line on standard error, whatever is in it."""
    say(f"pushtray: {' '.join(str(error).split())}")
