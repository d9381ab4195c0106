"""What the tests of the device share: dice at rest, made by hand."""

import threading
from collections.abc import Callable

import pytest

from vision.reading import DieReading, Unread
from vision.sighting import Rest, TrackedDie

EDGE_PX = 40.0
Point = tuple[float, float]


def tracked_die(
    die_id: int,
    colour: str | None,
    value: int | None,
    at: Point | None = None,
    moved: bool | None = None,
    *,
    unread: Unread | None = None,
) -> TrackedDie:
    """A die of 40 px, a hundred px apart from the next id's where no place is given."""
    x, y = at if at is not None else (100.0 * die_id, 300.0)
    half = EDGE_PX / 2
    quad = ((x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half))
    box = (x - half, y - half, EDGE_PX, EDGE_PX)
    return TrackedDie(die_id, DieReading(colour, value, 0.99, unread, (x, y), box, quad), moved)


def seen_rest(*dice: TrackedDie, problems=(), trusted=None) -> Rest:
    """A rest, trusted where nothing speaks against it."""
    clear = not problems and all(die.reading.unread is None for die in dice)
    return Rest(1.0, 15, 1280, 960, tuple(dice), tuple(problems), clear if trusted is None else trusted)


FIRST = (
    tracked_die(1, "base", 5),
    tracked_die(2, "base", 6),
    tracked_die(3, "skill", 1),
    tracked_die(4, "gear", 3),
)
LEFT = (tracked_die(2, "base", 6, moved=False),)
THROWN = (
    tracked_die(1, "base", 1, (700, 500), moved=True),
    tracked_die(2, "base", 6, moved=False),
    tracked_die(3, "skill", 6, (800, 500), moved=True),
    tracked_die(4, "gear", 1, (900, 500), moved=True),
)


class Dice:
    """A roll with its push: `FIRST` must reroll 1, 3, 4; `LEFT` lies there meanwhile; `THROWN` came of it."""

    FIRST, LEFT, THROWN = FIRST, LEFT, THROWN
    die = staticmethod(tracked_die)
    rest = staticmethod(seen_rest)


@pytest.fixture(scope="session")
def dice() -> type[Dice]:
    return Dice


@pytest.fixture
def wait_until() -> Callable[[Callable[[], bool]], None]:
    """Wait for another thread, in short steps, at most five seconds."""

    def wait(is_so: Callable[[], bool]) -> None:
        pause = threading.Event()
        for _ in range(500):
            if is_so():
                return
            pause.wait(0.01)
        raise AssertionError("it did not come about in five seconds")

    return wait
