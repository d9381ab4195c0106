"""The part that a run covers if everything takes half an hour: a spread sample, or all with PUSHTRAY_SWEEP=full."""

import os
from collections.abc import Sequence
from typing import TypeVar

IS_FULL = os.environ.get("PUSHTRAY_SWEEP") == "full"
Kind = TypeVar("Kind")


def sample(kinds: Sequence[Kind], turn: int, count: int = 1) -> list[Kind]:
    """Return so many of them, the next ones with each turn, so that none is left out; a full sweep takes all."""
    if IS_FULL:
        return list(kinds)
    return [kinds[(turn * count + at) % len(kinds)] for at in range(min(count, len(kinds)))]
