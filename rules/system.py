"""The registry of all rule systems.

A system is a module that ends in `SYSTEM = ...`, a `RuleSystem`. `device` and the web display use systems only through
it. A system has names but no texts, which are in the catalogues of `device`.
"""

import importlib
import pkgutil
from functools import cache
from typing import Final

import rules
from rules.errors import BadRequest
from rules.facts import Facts, JsonValue
from rules.outcome import NO_PUSH, IllegalPlay, Outcome, PushReason, PushVerdict, Ruling, as_facts
from rules.rulebook import RuleSystem

__all__ = [
    "DEFAULT_SYSTEM_ID",
    "NO_PUSH",
    "Facts",
    "IllegalPlay",
    "JsonValue",
    "Outcome",
    "PushReason",
    "PushVerdict",
    "RuleSystem",
    "Ruling",
    "as_facts",
    "find_system",
    "systems",
]

DEFAULT_SYSTEM_ID: Final = "push-pool"
"""The system of a tray without one in its settings; also the first in every list."""


@cache
def systems() -> tuple[RuleSystem, ...]:
    """Return every rule system, the default first, then by id.

    Every module of this package that ends in `SYSTEM = ...` is one; a new system is one new file.
    """
    found: list[RuleSystem] = []
    for module in pkgutil.iter_modules(rules.__path__, prefix="rules."):
        system: RuleSystem | None = getattr(importlib.import_module(module.name), "SYSTEM", None)
        if system is not None:
            found.append(system)
    return tuple(sorted(found, key=lambda system: (system.id != DEFAULT_SYSTEM_ID, system.id)))


def find_system(system_id: str) -> RuleSystem:
    """Return the rule system of that id.

    Raises:
        BadRequest: There is none; the message lists the existing ones.
    """
    for system in systems():
        if system.id == system_id:
            return system
    shown = ascii(system_id) if len(system_id) <= 40 else "a text of " + str(len(system_id)) + " characters"
    raise BadRequest(f"system {shown} is unknown: give one of {', '.join(system.id for system in systems())}")
