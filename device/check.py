"""What was found of one part of the tray: how it is, what was seen, and the cure."""

from dataclasses import dataclass
from enum import StrEnum

from rules.system import JsonValue


class CheckStatus(StrEnum):
    """How a part is."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
    NOT_CHECKED = "not_checked"


@dataclass(frozen=True, slots=True)
class Check:
    """What was found of one part.

    Attributes:
        part: Part that was checked.
        status: Status of the part.
        text: Finding in one line.
        cure: What to do about it, in one line; None where nothing needs doing.
    """

    part: str
    status: CheckStatus
    text: str
    cure: str | None = None

    def as_json(self) -> dict[str, JsonValue]:
        """As programs and the page `/calibrate` read it."""
        return {"part": self.part, "verdict": self.status.value, "text": self.text, "cure": self.cure}
