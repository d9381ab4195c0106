"""The result of checking one part of the tray: its status, what was found, and the cure."""

from dataclasses import dataclass
from enum import StrEnum

from rules.system import JsonValue


class CheckStatus(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
    NOT_CHECKED = "not_checked"


@dataclass(frozen=True, slots=True)
class Check:
    part: str
    status: CheckStatus
    text: str
    cure: str | None = None

    def as_json(self) -> dict[str, JsonValue]:
        return {"part": self.part, "verdict": self.status.value, "text": self.text, "cure": self.cure}
