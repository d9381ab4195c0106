"""What a caller of the rules can do wrong. What the rules forbid is an answer, never one of these."""


class RulesError(Exception):
    """Base of every error that the rules raise."""


class BadRequest(RulesError, ValueError):
    """A request that cannot be understood; the message says what, the value, and the cure."""
