"""Misuse of the rules by a caller. A breach of a game rule is an answer, not one of these errors."""


class RulesError(Exception):
    """Base of all errors that the rules raise."""


class BadRequest(RulesError, ValueError):
    """A request that cannot be understood; the message names what, the value, and the cure."""
