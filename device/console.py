"""Words for the person at the terminal. Answers go to standard output, all else to standard error, from here."""

import sys


def say(text: str) -> None:
    """Print one line on standard error at once."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
