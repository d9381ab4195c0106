"""The one door between the web and the tray: what pages may ask of the loop, and what they get.

The web owns no state. Every method may be called from any thread, several at a time, and returns within a bounded time;
the tray answers through its own loop thread. On its event loop the web calls `snapshot` and what it awaits, no more.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Protocol

from device.camera.live_picture import Picture
from device.game.snapshot import Snapshot
from device.game.state.events import Event
from device.runtime.loop import Answer
from rules.system import Facts, JsonValue


class HandAction(StrEnum):
    """How the simulated hand plays: right, wrong in one way at a push, or mending what the tray says is wrong."""

    RIGHT = "right"
    LOCKED_DIE_REROLLED = "locked_die_rerolled"
    DIE_LEFT_LYING = "die_left_lying"
    DIE_MISSING = "die_missing"
    DIE_ADDED = "die_added"
    DIE_EXCHANGED = "die_exchanged"
    MENDS = "mends"


class TrayPort(Protocol):
    """The tray as the web sees it. Any method may raise `LoopBusy`.

    What is wanted on what a page shows may name the `seen` version of its snapshot: where state, dice or roll have
    changed since, it is refused with `stale`. None: whatever lies there now is meant.
    """

    def snapshot(self) -> Snapshot:
        """Return the newest snapshot; does not wait for the loop."""
        ...

    def subscribe(self, listener: Callable[[Snapshot], None]) -> Callable[[], None]:
        """Call `listener` with every later snapshot, in order, from the loop's thread.

        Listeners return at once and raise nothing: the web's only puts the snapshot into a one-place box, so that a
        client that does not read loses in-between snapshots and never holds up the loop.

        Returns:
            A function that ends the subscription; safe to call twice.
        """
        ...

    async def request(self, event: Event, seen: int | None = None) -> Answer:
        """Let something happen that a person wants, such as a press of a button or a word about a die.

        What only the tray knows of it (the size of the picture that was pointed at) is filled in.
        """
        ...

    def throw(
        self, dice: Mapping[str, int] | None, hand: HandAction, seed: int | None, seen: int | None = None
    ) -> Answer:
        """Let the simulated hand throw.

        Args:
            dice: How many of each colour class or role (`base`, `skill`, `gear`, `negative`); all dice in the tray are
                taken out first. None: with a push awaited, pick up and rethrow the dice that must be; else throw the
                declared pool (refused with `no_pool` where none is declared).
            hand: Which rule of the push to break, if any; has a meaning only with a push awaited. `mends`: do what the
                snapshot's `mend` says instead; refused with `nothing_to_mend` where that is null.
        """
        ...

    async def declare_pool(self, pool: Mapping[str, int] | None) -> Answer:
        """Say how many dice of each role will be thrown; None takes the declaration back: any dice will do.

        Counts are 0 to 20; a role that the system does not know is refused with `unknown_role`.
        """
        ...

    def odds(self) -> Facts:
        """Exact odds for what lies there now, in section 6's words.

        Returns:
            `{"pool": {...} | None, "table": {...} | None}`: the declared pool before its throw, and a push of the dice
            lying there; None where it has no meaning or the system cannot say.
        """
        ...

    def rolls(self, limit: int, before: int | None) -> list[dict[str, JsonValue]]:
        """Return rows of the history, newest first: at most `limit`, with `id` below `before` where given.

        Each row has at least `id`, `at` (ISO 8601 with zone), `system`, `kind` (`scored`, `pushed`, `corrected`),
        `dice` (id, colour, value; with `read_value` and `read_colour` where a person corrected them), `outcome`. Those
        of hidden rolls are whole: who may not see them gets them covered (`covered_row`).
        """
        ...

    def rolls_of(self, owner: str, limit: int) -> dict[str, JsonValue]:
        """Return one player's newest rolls, at most `limit`, and how all of them went: `rolls` and `counts`.

        A roll is its last row, with `pushed` beside it; `device.storage.own_rolls` says what is counted. Hidden ones
        are covered for who may not see them.
        """
        ...

    def rolls_csv(self, separator: str | None = None) -> Iterator[str]:
        """The whole history as CSV, a line at a time, heading first; of hidden rolls nothing but that there was one.

        Several threads draw the lines, one after the other: nothing behind it may belong to the thread that began.
        """
        ...

    def why(self, die_id: int) -> bytes | None:
        """What each stage of the reader makes of a die that lies there, as a JPEG; None: no such die, or no picture."""
        ...

    def picture(self, width_px: int | None = None) -> Picture | None:
        """The picture to show now; None before the first. Packs each at most once for a size.

        Args:
            width_px: About as wide as it is shown, 16 to 8192; None: as the camera gave it.
        """
        ...

    def health(self) -> dict[str, JsonValue]:
        """Return every part with its state, for watchdogs: at least `ok` (bool)."""
        ...
