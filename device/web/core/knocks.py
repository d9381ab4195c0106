"""Phones that ask to be let in without a PIN: the display shows each with a short word, and answers yes or no.

Not thread-safe; `Pairing` holds its lock.
"""

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from device.texts.catalogue import translate
from device.web.core.addresses import net_of
from device.web.core.errors import ApiError

TTL_S: Final = 90.0
"""How long a phone waits for the answer, in seconds."""
SHOWN_S: Final = 15.0
"""How long each one is shown at least, in seconds, before another may take its place."""
MAX_WAITING: Final = 4
AGAIN_S: Final = 600.0
"""How long an address that was answered no may not ask again, in seconds."""
_CONSONANTS, _VOWELS = "BDFGKLMNPRST", "AEIOU"


@dataclass(frozen=True, slots=True)
class Knock:
    id: int
    word: str  # such as "BAKO": the phone and the display show the same
    ticket: str  # what the phone gets in with, once it was answered yes
    device: str
    address: str
    began_s: float
    is_let_in: bool = False


class Knocks:
    def __init__(self, draw: Callable[[int], int] = secrets.randbelow) -> None:
        self._draw = draw
        self._known: dict[int, Knock] = {}
        self._refused_s: dict[str, float] = {}
        self._next_id = 1

    def waiting(self, now_s: float) -> tuple[Knock, ...]:
        """Return those that wait for an answer, oldest first."""
        self._tidy(now_s)
        return tuple(one for one in self._known.values() if not one.is_let_in)

    def ask(self, address: str, device: str, now_s: float) -> Knock:
        """Add a phone; an earlier one of its address is replaced."""
        net, waiting = net_of(address), self.waiting(now_s)
        if net in self._refused_s:
            raise ApiError("not_let_in", translate("web.phone.not_let_in"), status=403)
        for one in waiting:
            if one.address == net:
                del self._known[one.id]
        waiting = self.waiting(now_s)
        if len(waiting) >= MAX_WAITING:
            if now_s - waiting[0].began_s < SHOWN_S:
                seconds = int(SHOWN_S - (now_s - waiting[0].began_s)) + 1
                raise ApiError("wait", translate("web.phone.wait", count=seconds), retry_after_s=seconds)
            del self._known[waiting[0].id]
        word = "".join(letters[self._draw(len(letters))] for letters in (_CONSONANTS, _VOWELS) * 2)
        knock = Knock(self._next_id, word, secrets.token_urlsafe(32), device, net, now_s)
        self._known[knock.id] = knock
        self._next_id += 1
        return knock

    def answer(self, knock_id: int, now_s: float, *, is_let_in: bool) -> None:
        """Let a phone in, or not."""
        self._tidy(now_s)
        knock = self._known.pop(knock_id, None)
        if knock is None:
            raise ApiError("unknown_phone", translate("web.phone.unknown"))
        if is_let_in:
            self._known[knock_id] = replace(knock, is_let_in=True)
        else:
            self._refused_s[knock.address] = now_s

    def enter(self, ticket: str, now_s: float) -> Knock | None:
        """Return the phone of a ticket once it was let in; None while it waits."""
        self._tidy(now_s)
        given = ticket.encode("utf-8", "replace")
        knock = next((one for one in self._known.values() if hmac.compare_digest(one.ticket.encode(), given)), None)
        if knock is None:
            raise ApiError("not_let_in", translate("web.phone.not_let_in"), status=403)
        return self._known.pop(knock.id) if knock.is_let_in else None

    def _tidy(self, now_s: float) -> None:
        for one in [one for one in self._known.values() if now_s - one.began_s >= TTL_S]:
            del self._known[one.id]
        for net in [net for net, refused_s in self._refused_s.items() if now_s - refused_s >= AGAIN_S]:
            del self._refused_s[net]
