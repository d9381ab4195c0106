import errno
import re
import socket
import time
from pathlib import Path
from typing import Any

import httpx
import ifaddr
import pytest

from device.cli.logs import logging_to_stderr
from device.errors import BadInput, DeviceError
from device.storage.phones import PhoneFile
from device.web.app import WebServer
from device.web.core.addresses import is_for_all, listening_refusal, network_url, page_url
from device.web.core.pairing import Pairing
from device.web.core.server import AddressLine, bind_socket, when_free
from device.web.features.phones.qr_code import qr_svg
from tests.web.conftest import FakeTray, scene


def test_a_port_in_use_is_named_with_its_cure() -> None:
    with bind_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BadInput, match=rf"port {port} .* in use: .*--port"):
            bind_socket("127.0.0.1", port)


def test_an_address_that_may_come_is_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    waits: list[float] = []
    with bind_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]

        def wait(seconds: float) -> bool:
            waits.append(seconds)
            if len(waits) == 10:
                taken.close()
            return False

        found = when_free(lambda: bind_socket("127.0.0.1", port), wait)
    assert found is not None
    found.close()
    assert waits == [1.0] * 10
    assert [record.getMessage().partition(" is ")[0] for record in caplog.records] == [
        f"waiting up to 40 s: port {port} on 127.0.0.1"
    ]


def test_an_address_that_never_comes_is_no_fault_of_the_settings() -> None:
    def missing() -> socket.socket:
        return bind_socket("203.0.113.7", 8000)

    with pytest.raises(DeviceError, match=r"cannot listen on 203\.0\.113\.7"):
        when_free(missing, lambda _: False)
    assert when_free(missing, lambda _: True) is None, "Ctrl-C"
    with pytest.raises(BadInput, match="70000"):
        when_free(lambda: bind_socket("127.0.0.1", 70000), lambda _: False)


@pytest.mark.parametrize(
    ("host", "port"),
    [
        ("not a host", 80),
        ("203.0.113.7", 8000),
        ("127.0.0.1", 70000),
        ("..", 8000),
        ("a" * 70, 8000),
        ("\ud800", 8000),
        ("255.255.255.255", 0),
        ("224.0.0.1", 0),
    ],
)
def test_an_address_that_is_not_ours_is_named(host: str, port: int) -> None:
    with pytest.raises(BadInput, match="cannot listen on"):
        bind_socket(host, port)


@pytest.mark.parametrize(
    ("host", "port", "refused", "expected"),
    [
        ("10.1.2.3", 8000, OSError(errno.EADDRNOTAVAIL, ""), "10.1.2.3, .*not an address.*: .*0.0.0.0"),
        ("127.0.0.1", 80, OSError(errno.EACCES, ""), "port 80 is kept for the system: choose a --port above 1023"),
        ("127.0.0.1", 8000, OSError(errno.EACCES, ""), "port 8000 on 127.0.0.1 may not be used: choose another --port"),
        ("127.0.0.1", 8000, OSError(errno.EADDRINUSE, ""), "is in use: stop the other program or choose another"),
        ("::1", 8000, OSError(errno.EAFNOSUPPORT, ""), "lacks its protocol: give an IPv4 address"),
        ("127.0.0.1", 8000, OSError(errno.EMFILE, "Too many open files"), "start this program again"),
        ("tray.lan", 80, socket.gaierror(socket.EAI_AGAIN, "Temporary failure"), "cannot be looked up now: wait for"),
        ("tray.lan", 80, socket.gaierror(socket.EAI_NONAME, "Name not known"), r"\(Name not known\): check its name"),
    ],
)
def test_each_refusal_of_an_address_has_its_own_cure(host: str, port: int, refused: OSError, expected: str) -> None:
    assert re.search(expected, ": ".join(listening_refusal(host, port, refused)))


def test_a_tray_on_every_address_names_addresses_that_open(tray: FakeTray) -> None:
    with WebServer(tray, bind_socket("0.0.0.0", 0), "0.0.0.0") as server:
        assert server.url.startswith("http://127.0.0.1:")
        for url in filter(None, (server.url, server.network_url)):
            assert httpx.get(url, verify=False, timeout=5).status_code == 200
            assert is_for_all(httpx.URL(url).host) is False


def test_an_address_of_its_own_is_named_as_it_is() -> None:
    assert page_url("127.0.0.1", 8000) == "http://127.0.0.1:8000/"
    assert page_url("::", 8000) == "http://[::1]:8000/"
    assert page_url("fd00::7", 80) == "http://[fd00::7]:80/"
    assert network_url("127.0.0.1", 8000) is None
    assert is_for_all("[::]")
    assert not is_for_all("tray.lan")


def adapters(*addresses: str, name: str = "eth0") -> list[ifaddr.Adapter]:
    return [ifaddr.Adapter(name, name, [ifaddr.IP(one, 24, name)]) for one in addresses]


def test_the_address_of_phones_follows_the_network(
    tray: FakeTray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairing = Pairing(PhoneFile(tmp_path / "phones.json"), is_required=False)
    there = adapters("127.0.0.1", name="lo")
    monkeypatch.setattr("ifaddr.get_adapters", lambda: there)
    monkeypatch.setattr("socket.gethostname", lambda: "dice")
    reported = []
    with WebServer(tray, bind_socket("0.0.0.0", 0), "0.0.0.0", [pairing]) as server:
        port = httpx.URL(server.url).port

        def phones() -> dict[str, Any]:
            return dict(httpx.get(f"{server.url}api/phones", verify=False, timeout=5).json())

        assert (server.network_url, server.where, phones()["address"]) == (None, server.url, None)
        assert httpx.get(f"{server.url}api/phones/qr.svg", verify=False, timeout=5).status_code == 404
        for address in ("192.168.1.7", "192.168.1.9", "192.168.4.1"):
            there[1:] = adapters("8.8.4.4") + adapters("169.254.3.3") + adapters("172.17.0.1", name="docker0")
            there += adapters(address, name="wlan0")
            assert phones()["address"] == f"http://{address}:{port}/phone"
            assert phones()["address_by_name"] == f"http://dice.local:{port}/phone"
            drawn = httpx.get(f"{server.url}api/phones/qr.svg", verify=False, timeout=5).text
            assert drawn == qr_svg(f"http://{address}:{port}/phone")
            reported.append(server.where)
    assert reported[2] == f"{server.url}, from other devices at http://192.168.4.1:{port}/, http://dice.local:{port}/"


def test_the_terminal_names_an_address_once_it_changes(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    where = iter(["here", "here", "there"])
    line = AddressLine("PushTray is at %s", lambda: next(where))
    for _ in range(3):
        line.look()
    assert [record.getMessage() for record in caplog.records] == ["PushTray is at here", "PushTray is at there"]


def test_a_name_of_the_settings_opens_the_pages(tray: FakeTray) -> None:
    with WebServer(tray, bind_socket("127.0.0.1", 0), names=("dice.example.org", "tray.lan")) as server:
        for host in ("dice.example.org", "TRAY.lan:8000", "tray.lan.", "localhost"):
            assert httpx.get(server.url, headers={"host": host}, verify=False, timeout=5).status_code == 200, host
        refused = httpx.get(server.url, headers={"host": "evil.example"}, verify=False, timeout=5)
        assert (refused.status_code, refused.json()["reason"]) == (403, "foreign_host")
        assert "'evil.example' is not this tray's name" in refused.json()["error"]
        assert "web.names" in refused.json()["error"]


def test_a_press_comes_through_a_proxy_that_puts_its_own_host(tray: FakeTray) -> None:
    with WebServer(tray, bind_socket("127.0.0.1", 0), names=("dice.example.org", "vtt.lan:8443")) as server:
        push = f"{server.url}api/push"
        for origin, status in (
            ("https://dice.example.org", 200),
            ("https://vtt.lan:8443", 200),
            # Another program of the same machine.
            ("http://dice.example.org:3000", 403),
            ("https://vtt.lan", 403),
            ("https://evil.example", 403),
            ("null", 403),
        ):
            assert httpx.post(push, headers={"origin": origin}, verify=False, timeout=5).status_code == status, origin


def test_stopping_ends_open_streams_within_the_grace(tray: FakeTray) -> None:
    server = WebServer(tray, bind_socket("127.0.0.1", 0))
    server.start()
    with httpx.stream("GET", f"{server.url}api/events", verify=False, timeout=5) as stream:
        lines = stream.iter_lines()
        next(lines)
        before = time.monotonic()
        server.stop()
        assert time.monotonic() - before < 1.5
        assert list(lines)[-1] == ""
    with pytest.raises(httpx.ConnectError):
        httpx.get(server.url, verify=False, timeout=1)


def test_stopping_does_not_wait_for_a_client_that_reads_nothing(tray: FakeTray) -> None:
    server = WebServer(tray, bind_socket("127.0.0.1", 0))
    server.start()
    big = scene("scored") | {"problem_details": [{"code": "x", "text": "y" * 4_000_000, "dice": []}]}
    with socket.create_connection(("127.0.0.1", int(server.url.rsplit(":")[-1].strip("/")))) as stuck:
        stuck.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        stuck.recv(100)
        for _ in range(5):
            tray.show(big)
        before = time.monotonic()
        server.stop()
        assert time.monotonic() - before < 2.9


def test_stopping_twice_is_safe(tray: FakeTray) -> None:
    server = WebServer(tray, bind_socket("127.0.0.1", 0))
    server.start()
    server.stop()
    server.stop()


def test_what_breaks_in_a_request_is_logged_as_all_else(
    tray: FakeTray, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(tray, "snapshot", broken)
    with logging_to_stderr(), WebServer(tray, bind_socket("127.0.0.1", 0)) as server:
        assert httpx.get(f"{server.url}api/state", verify=False, timeout=5).json()["reason"] == "broken"
    first, second, *rest = capsys.readouterr().err.splitlines()
    assert first == "uvicorn.error: Exception in ASGI application"
    assert second == "Traceback (most recent call last):"
    assert "ZeroDivisionError: oh" in [line.strip(" |") for line in rest]
