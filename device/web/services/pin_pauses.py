"""How wrong PINs are slowed down: pauses that grow, for each address and for all of them together."""

import ipaddress
from dataclasses import dataclass
from typing import Final

_MOST_ADDRESSES: Final = 1000
"""More are not remembered one by one: the pause of all together holds whoever changes addresses."""
_NET_BITS: Final = 64
"""One device may have every IPv6 address of such a net."""


@dataclass(frozen=True, slots=True)
class PauseParams:
    """How long whoever gave a wrong PIN waits.

    Attributes:
        free: Number of wrong PINs that cost no pause.
        first_s: Pause after the first wrong PIN beyond `free`, in seconds; each further one doubles it.
        most_s: The longest pause, in seconds.
        forget_s: Seconds without a wrong PIN after which earlier ones are forgotten.
    """

    free: int
    first_s: float
    most_s: float
    forget_s: float


OF_ADDRESS: Final = PauseParams(free=0, first_s=1.0, most_s=300.0, forget_s=900.0)
OF_ALL: Final = PauseParams(free=10, first_s=2.0, most_s=60.0, forget_s=900.0)
"""A table of eight mistypes once each for nothing. At the longest pause a million PINs last two years."""


@dataclass(slots=True)
class _Wrong:
    """Wrong PINs that were counted together: how many, and when the last one came."""

    count: int
    last_s: float

    def left_s(self, now_s: float, params: PauseParams) -> float:
        """What is left of the pause."""
        if self.count <= params.free:
            return 0.0
        # The exponent is bounded, for a number of that size would not be one any more.
        pause_s = min(params.most_s, params.first_s * 2.0 ** min(self.count - params.free - 1, 30))
        return max(0.0, self.last_s + pause_s - now_s)


class PinPauses:
    """Remembers wrong PINs. One thread at a time."""

    def __init__(self, of_address: PauseParams = OF_ADDRESS, of_all: PauseParams = OF_ALL) -> None:
        """Begin with nothing wrong."""
        self._of_address = of_address
        self._of_all = of_all
        self._by_net: dict[str, _Wrong] = {}
        self._all = _Wrong(0, 0.0)

    def left_s(self, address: str, now_s: float) -> float:
        """How long an address must wait before it may give a PIN, in seconds."""
        self._tidy(now_s)
        mine = self._by_net.get(net_of(address))
        return max(self._all.left_s(now_s, self._of_all), 0.0 if mine is None else mine.left_s(now_s, self._of_address))

    def wrong(self, address: str, now_s: float) -> None:
        """An address gave a wrong PIN."""
        self._tidy(now_s)
        self._all = _Wrong(self._all.count + 1, now_s)
        net = net_of(address)
        before = self._by_net.pop(net, None)
        if len(self._by_net) >= _MOST_ADDRESSES:
            del self._by_net[next(iter(self._by_net))]
        self._by_net[net] = _Wrong(1 if before is None else before.count + 1, now_s)

    def right(self, address: str) -> None:
        """An address gave the right one: its own mistakes are forgotten, those of all others are not."""
        self._by_net.pop(net_of(address), None)

    def forget(self) -> None:
        """There is another PIN: what was tried before says nothing about it."""
        self._by_net.clear()
        self._all = _Wrong(0, 0.0)

    def _tidy(self, now_s: float) -> None:
        if now_s - self._all.last_s >= self._of_all.forget_s:
            self._all = _Wrong(0, now_s)
        over = [net for net, one in self._by_net.items() if now_s - one.last_s >= self._of_address.forget_s]
        for net in over:
            del self._by_net[net]


def net_of(address: str) -> str:
    """What counts as one device: an IPv4 address, or an IPv6 net."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv4Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_network((known, _NET_BITS), strict=False))
