"""The web's door to the table beside the dice: rulings, roles, sheets, clocks, prepared rolls, typed dice, tests.

Like `TrayPort`: any thread, bounded time, never on the event loop, `seen` included. Bodies are JSON objects as the
routes describe them.
"""

from typing import Protocol

from device.runtime.loop import Answer
from rules.system import Facts, JsonValue

Body = dict[str, JsonValue]


class TableRefused(Exception):
    """A wish that the table does not carry out; nothing has changed.

    Attributes:
        reason: One word; the routes turn it into a status.
        text: The same in a sentence with its cure.
    """

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason
        self.text = text


class TablePort(Protocol):
    """The table as the web sees it. Any method may raise `LoopBusy`, and `TableRefused` where it gives a body."""

    def rulings(self) -> Body:
        """Every system with its rulings: name, default, choices, why, and the value in force."""
        ...

    def choose_rulings(self, system_id: str, choices: Facts) -> Body:
        """Choose some rulings of a system; None is the default again. Gives that system's rulings."""
        ...

    def roles(self) -> Body:
        """Every system with what each colour class counts as."""
        ...

    def choose_roles(self, system_id: str, roles: Facts) -> Body:
        """Say what some colour classes count as; None is the default again. Gives that system's roles."""
        ...

    def tiles(self, system_id: str | None) -> Body:
        """What is tapped before a roll, what may be asked, which tests run over several rolls."""
        ...

    def prepare(self, tiles: Facts, sheet: int | None, *, use_chosen: bool, declare: bool) -> Body:
        """Say which dice to take, and declare them where wanted.

        Args:
            tiles: What was tapped.
            sheet: Whose counters the tiles name.
            use_chosen: Take the sheet in use where none is named.
            declare: Declare pool, typed dice and context at once, if the roll can be made.
        """
        ...

    def ask(self, op: str, context: Facts, sheet: int | None, *, carry: bool) -> Body:
        """Ask the rules something beside a roll, with what the sheet knows; its consequences may be carried over."""
        ...

    def sheets(self) -> Body:
        """Every sheet, which is in use, how consequences reach it."""
        ...

    def sheet(self, sheet_id: int) -> Body:
        """One sheet."""
        ...

    def new_sheet(self, title: str, system_id: str | None) -> Body:
        """File the sheet of a new character."""
        ...

    def edit_sheet(self, sheet_id: int, changes: Facts) -> Body:
        """Change a sheet by hand: `title`, `counters`, `add`, `remove`, `marks`."""
        ...

    def remove_sheet(self, sheet_id: int) -> Body:
        """Throw a sheet away. Gives every sheet that is left."""
        ...

    def choose_sheet(self, sheet_id: int | None) -> Body:
        """Use a sheet from now on, or none. Gives every sheet."""
        ...

    def choose_carry(self, carry: str) -> Body:
        """Say how consequences reach the sheet in use, `ask` or `always`. Gives every sheet."""
        ...

    def export_sheet(self, sheet_id: int) -> Body:
        """One sheet as a file's content."""
        ...

    def import_sheet(self, content: Facts) -> Body:
        """File a sheet out of a file's content; another version of it is refused."""
        ...

    def carry(self, sheet_id: int, seen: int | None = None) -> Body:
        """Carry the consequences of the result that lies there over to a sheet."""
        ...

    def undo_sheet(self, sheet_id: int) -> Body:
        """Take the latest change of a sheet back."""
        ...

    def rest_sheet(self, sheet_id: int, rest: str) -> Body:
        """Let a character rest."""
        ...

    def clocks(self) -> Body:
        """The table's clocks, what can be undone, what the latest tick did."""
        ...

    def add_clock(
        self, name: str, segments: int, *, filled: int, linked_to: int | None, opposed_to: int | None
    ) -> Body:
        """Put a clock up. Gives the clocks, as all of these do."""
        ...

    def tick_clock(self, clock_id: int, ticks: int) -> Body:
        """Tick a clock; a negative number empties it."""
        ...

    def undo_clock(self) -> Body:
        """Take the latest tick back."""
        ...

    def remove_clock(self, clock_id: int) -> Body:
        """Take a clock away."""
        ...

    def type_die(self, role: str, level: str, value: int) -> Answer:
        """Type in what a die shows that no camera reads."""
        ...

    def change_typed_die(self, die_id: int, value: int | None, seen: int | None = None) -> Answer:
        """Change a typed face; None takes it back."""
        ...

    def remove_typed_die(self, die_id: int, seen: int | None = None) -> Answer:
        """Take a typed die away."""
        ...

    def begin_series(self, op: str, settings: Facts) -> Answer:
        """Begin a test over several rolls: every finished roll from now on belongs to it."""
        ...

    def end_series(self) -> Answer:
        """Put the test away."""
        ...
