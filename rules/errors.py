"""Misuse of the rules by a caller. A breach of a game rule is an answer, not one of these errors."""

from rules.facts import JsonValue


class RulesError(Exception):
    """Base of all errors that the rules raise.

    Attributes:
        kind: What is wrong, one word, where a person's input can be; None where only a program's can.
        values: Names and numbers that belong to the kind.
    """

    def __init__(self, text: str, kind: str | None = None, **values: JsonValue) -> None:
        """Create the error with its message for programs."""
        super().__init__(text)
        self.kind = kind
        self.values = values


class BadRequest(RulesError, ValueError):
    """A request that cannot be understood; the message names what, the value, and the cure."""
