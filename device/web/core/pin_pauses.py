"""How wrong PINs are slowed down: pauses that grow for each address, and a number a day for all of them together.

At most `MOST_A_DAY` of a million PINs are tried a day, and two of these let in: in one of a thousand nights a guesser
gets in, in one of two thousand as the game master. Fewer than twenty addresses never reach that number, so a few hold
up nobody but themselves.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final

from device.web.core.addresses import net_of

FIRST_S: Final = 1.0
"""Pause after the first wrong PIN of an address, in seconds; each further one doubles it."""
MOST_S: Final = 7200.0
"""The longest pause of an address, in seconds."""
DAY_S: Final = 86_400.0
"""Seconds after which a wrong PIN is forgotten."""
MOST_A_DAY: Final = 500
"""Wrong PINs of all addresses together after which no PIN is taken before the day is over, or there are other PINs."""


@dataclass(frozen=True, slots=True)
class _Wrong:
    """Wrong PINs of one address: how many, and when the last one came."""

    count: int
    last_s: float

    def left_s(self, now_s: float) -> float:
        # The exponent is bounded, for a number of that size would not be one any more.
        return max(0.0, self.last_s + min(MOST_S, FIRST_S * 2.0 ** min(self.count - 1, 30)) - now_s)


class PinPauses:
    """Remembers wrong PINs. One thread at a time."""

    def __init__(self) -> None:
        self._by_net: dict[str, _Wrong] = {}
        self._all_s: deque[float] = deque(maxlen=MOST_A_DAY)

    def left_s(self, address: str, now_s: float) -> float:
        """Return how long an address must wait before it may give a PIN, in seconds."""
        self._tidy(now_s)
        mine = self._by_net.get(net_of(address))
        return max(self.left_of_all_s(now_s), 0.0 if mine is None else mine.left_s(now_s))

    def left_of_all_s(self, now_s: float) -> float:
        """Return how long every address must wait, in seconds."""
        return max(0.0, self._all_s[0] + DAY_S - now_s) if len(self._all_s) == MOST_A_DAY else 0.0

    def wrong(self, address: str, now_s: float) -> None:
        self._tidy(now_s)
        self._all_s.append(now_s)
        net = net_of(address)
        before = self._by_net.get(net)
        self._by_net[net] = _Wrong(1 if before is None else before.count + 1, now_s)

    def right(self, address: str) -> None:
        """Reset an address after a right PIN; mistakes of all others stay."""
        self._by_net.pop(net_of(address), None)

    def forget(self) -> None:
        """Reset all addresses, since there is another PIN."""
        self._by_net.clear()
        self._all_s.clear()

    def _tidy(self, now_s: float) -> None:
        while self._all_s and now_s - self._all_s[0] >= DAY_S:
            self._all_s.popleft()
        for net in [net for net, one in self._by_net.items() if now_s - one.last_s >= DAY_S]:
            del self._by_net[net]
