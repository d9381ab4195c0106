"""Back-off after wrong PINs: growing pauses for each address and its neighbours, and a limit for all together.

At most `MAX_A_FLOOD` of a million PINs can be tried until the PINs are new, which happens automatically `MAX_RENEWALS`
times a day at most, and two of them are valid: a guesser gets in one day of two hundred, as the game master one of four
hundred. While PINs are refused a phone can still ask at the display (`knocks.py`).
"""

import ipaddress
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
FREE_OF_NET: Final = 10
"""Wrong PINs of neighbouring addresses, an IPv4 net of 256, that pause no one else."""
MAX_OF_NET_S: Final = 60.0
"""The longest pause because of a neighbour, in seconds."""
MAX_A_FLOOD: Final = 500
"""Wrong PINs of all addresses after which none is accepted until the next day or new PINs."""
QUIET_S: Final = 120.0
"""Seconds without a PIN after a flood until the PINs are new."""
MAX_RENEWALS: Final = 4
"""How often in a day the PINs become new by themselves."""


@dataclass(frozen=True, slots=True)
class _Wrong:
    """Number of wrong PINs of one address, and the time of the last."""

    count: int
    last_s: float

    def left_s(self, now_s: float, free: int = 0, max_s: float = MAX_S) -> float:
        # Bound the exponent to avoid overflow.
        pause_s = min(max_s, FIRST_S * 2.0 ** min(self.count - 1 - free, 30)) if self.count > free else 0.0
        return max(0.0, self.last_s + pause_s - now_s)


class PinPauses:
    """Wrong PINs by address. One thread at a time."""

    def __init__(self) -> None:
        self._by_net: dict[str, _Wrong] = {}
        self._all_s: deque[float] = deque(maxlen=MAX_A_FLOOD)
        self._tried_s = 0.0
        self._renewed_s: deque[float] = deque(maxlen=MAX_RENEWALS)

    def left_s(self, address: str, now_s: float) -> float:
        """Return how long an address must wait before its next PIN, in seconds."""
        self._tidy(now_s)
        mine, near = self._by_net.get(net_of(address)), self._by_net.get(_neighbours(address))
        return max(
            self.left_of_all_s(now_s),
            0.0 if mine is None else mine.left_s(now_s),
            0.0 if near is None else near.left_s(now_s, FREE_OF_NET, MAX_OF_NET_S),
        )

    def left_of_all_s(self, now_s: float) -> float:
        """Return how long every address must wait, in seconds."""
        return max(0.0, self._all_s[0] + DAY_S - now_s) if len(self._all_s) == MAX_A_FLOOD else 0.0

    def tried(self, now_s: float) -> None:
        """Note that a PIN came, right or wrong."""
        self._tried_s = now_s

    def renews(self, now_s: float) -> bool:
        """Return whether the PINs must be new now, since a flood of wrong ones is over; it is then forgotten."""
        is_spent = len(self._renewed_s) == MAX_RENEWALS and now_s - self._renewed_s[0] < DAY_S
        if self.left_of_all_s(now_s) == 0 or now_s - self._tried_s < QUIET_S or is_spent:
            return False
        self._renewed_s.append(now_s)
        self.forget()
        return True

    def wrong(self, address: str, now_s: float) -> None:
        self._tidy(now_s)
        self._all_s.append(now_s)
        for net in {net_of(address), _neighbours(address)}:
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


def _neighbours(address: str) -> str:
    """Return the net of an address and its neighbours, which one person may own: 256 of IPv4, one net of IPv6."""
    net = net_of(address)
    try:
        return str(ipaddress.ip_network((net, 24), strict=False))
    except ValueError:
        return net
