"""Back-off after wrong PINs: growing pauses for each address, and a daily limit for all together.

At most `MAX_A_DAY` of a million PINs can be tried a day, and two of them are valid: a guesser gets in one night of a
thousand, as the game master one of two thousand. Fewer than twenty addresses never reach that limit, so they only slow
down themselves.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final

from device.web.core.addresses import net_of

FIRST_S: Final = 1.0
"""Pause after the first wrong PIN of an address, in seconds; doubled by each further one."""
MAX_S: Final = 7200.0
"""The longest pause of an address, in seconds."""
DAY_S: Final = 86_400.0
"""Seconds after which a wrong PIN is forgotten."""
MAX_A_DAY: Final = 500
"""Wrong PINs of all addresses after which none is accepted until the next day or new PINs."""


@dataclass(frozen=True, slots=True)
class _Wrong:
    """Number of wrong PINs of one address, and the time of the last."""

    count: int
    last_s: float

    def left_s(self, now_s: float) -> float:
        # Bound the exponent to avoid overflow.
        return max(0.0, self.last_s + min(MAX_S, FIRST_S * 2.0 ** min(self.count - 1, 30)) - now_s)


class PinPauses:
    """Wrong PINs by address. One thread at a time."""

    def __init__(self) -> None:
        self._by_net: dict[str, _Wrong] = {}
        self._all_s: deque[float] = deque(maxlen=MAX_A_DAY)

    def left_s(self, address: str, now_s: float) -> float:
        """Return how long an address must wait before its next PIN, in seconds."""
        self._tidy(now_s)
        mine = self._by_net.get(net_of(address))
        return max(self.left_of_all_s(now_s), 0.0 if mine is None else mine.left_s(now_s))

    def left_of_all_s(self, now_s: float) -> float:
        """Return how long every address must wait, in seconds."""
        return max(0.0, self._all_s[0] + DAY_S - now_s) if len(self._all_s) == MAX_A_DAY else 0.0

    def wrong(self, address: str, now_s: float) -> None:
        self._tidy(now_s)
        self._all_s.append(now_s)
        net = net_of(address)
        before = self._by_net.get(net)
        self._by_net[net] = _Wrong(1 if before is None else before.count + 1, now_s)

    def right(self, address: str) -> None:
        """Reset an address after a right PIN; those of others stay."""
        self._by_net.pop(net_of(address), None)

    def forget(self) -> None:
        """Reset all addresses for a new PIN."""
        self._by_net.clear()
        self._all_s.clear()

    def _tidy(self, now_s: float) -> None:
        while self._all_s and now_s - self._all_s[0] >= DAY_S:
            self._all_s.popleft()
        for net in [net for net, one in self._by_net.items() if now_s - one.last_s >= DAY_S]:
            del self._by_net[net]
