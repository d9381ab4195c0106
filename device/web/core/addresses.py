"""Addresses that the display listens on: why one is refused, and which of them a browser can open."""

import errno
import ipaddress
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple, TypeAlias

import ifaddr

from vision.types.cures import cure_of, why

_NET_BITS: Final = 64
"""A single device may have every IPv6 address of such a net."""


_VIRTUAL: Final = ("br-", "docker", "veth", "virbr")
"""Name prefixes of adapters that lead only to other programs on this machine."""


class AddressRefusal(NamedTuple):
    """Why an address cannot be listened on, and the cure: half a sentence each."""

    why: str
    cure: str


def listening_refusal(host: str, port: int, error: OSError) -> AddressRefusal:
    if isinstance(error, socket.gaierror):
        if error.errno == socket.EAI_AGAIN:
            return AddressRefusal(
                f"cannot listen on host {host}, which cannot be looked up now",
                "wait for the network, or give an address as --host",
            )
        return AddressRefusal(f"cannot listen on host {host} ({why(error)})", "check its name, or choose 127.0.0.1")
    match error.errno:
        case errno.EADDRINUSE:
            return AddressRefusal(f"port {port} on {host} is in use", "stop the other program or choose another --port")
        case errno.EACCES | errno.EPERM:
            if port < 1024:
                return AddressRefusal(f"port {port} is kept for the system", "choose a --port above 1023")
            return AddressRefusal(f"port {port} on {host} may not be used", "choose another --port")
        case errno.EADDRNOTAVAIL:
            return AddressRefusal(
                f"cannot listen on {host}, which is not an address of this machine",
                f"use {own_address() or 'its own'}, or --host 0.0.0.0 for all that it has",
            )
        case errno.EAFNOSUPPORT:
            return AddressRefusal(
                f"cannot listen on {host}, for this machine lacks its protocol",
                "give an IPv4 address, such as 127.0.0.1",
            )
        case _:
            cure = cure_of(error.errno, "choose another --host or --port")
            return AddressRefusal(f"cannot listen on {host} port {port} ({why(error)})", cure)


EVERYWHERE: Final = "0.0.0.0"  # noqa: S104 - listened on where a person lets phones in
"""Every address that this machine has."""
AddressNow: TypeAlias = Callable[[], tuple[str | None, str | None]]
"""URLs, with the last slash, by which other devices open the pages now: by address and by the machine's name."""


def nowhere() -> tuple[str | None, str | None]:
    return None, None


def is_for_all(host: str) -> bool:
    """Return whether it stands for every address of this machine, like 0.0.0.0, which no browser can open."""
    with suppress(ValueError):
        return ipaddress.ip_address(host.strip("[]").partition("%")[0]).is_unspecified
    return False


def is_loopback(host: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(host.strip("[]").partition("%")[0]).is_loopback
    return False


def own_addresses() -> list[str]:
    """Return this machine's IPv4 addresses: private before public, link-local last, no loopback."""
    routed = _routed_address()
    found = [
        (ipaddress.IPv4Address(ip.ip), adapter.name)
        for adapter in ifaddr.get_adapters()
        for ip in adapter.ips
        if isinstance(ip.ip, str)
    ]

    def rank(one: tuple[ipaddress.IPv4Address, str]) -> tuple[bool, bool, bool, bool]:
        address, adapter = one
        is_virtual = adapter.startswith(_VIRTUAL)
        return address.is_link_local, is_virtual, not address.is_private, str(address) != routed

    return [str(address) for address, _ in sorted(found, key=rank) if not address.is_loopback]


def own_address() -> str | None:
    """Return the first of `own_addresses`; None without a network."""
    return next(iter(own_addresses()), None)


def _routed_address() -> str | None:
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # An address reserved for examples (RFC 5737): nothing is sent, the system only picks the outgoing interface.
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])
    return None


def page_url(host: str, port: int) -> str:
    if is_for_all(host):
        host = "::1" if ":" in host else "127.0.0.1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def network_url(host: str, port: int) -> str | None:
    """Return the URL by which other devices reach a listening address now; None if they cannot. Addresses change."""
    if not is_for_all(host):
        return None if is_loopback(host) else page_url(host, port)
    address = own_address()
    return None if address is None else page_url(address, port)


def named_url(host: str, port: int) -> str | None:
    """Return the URL by this machine's name, if it has one. It needs multicast DNS."""
    name = socket.gethostname().partition(".")[0]
    return page_url(f"{name}.local", port) if is_for_all(host) and name not in {"", "localhost"} else None


def net_of(address: str) -> str:
    """Return what counts as one device: an IPv4 address or an IPv6 net."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv4Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_network((known, _NET_BITS), strict=False))
