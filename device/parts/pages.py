"""The pages of the tray: their address, their language, and what they show at rest."""

import socket
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from functools import partial

from device.config.settings import Settings
from device.errors import BadInput
from device.runtime.faults import Report
from device.runtime.part import Part
from device.runtime.shown_metadata import ShownMetadata
from device.storage.display_secret import name_display_url
from device.web.app import WebServer
from device.web.core.addresses import EVERYWHERE
from device.web.core.server import bind_socket
from device.web.core.table import TableService
from device.web.core.tray import TrayService
from device.web.features.phones.views import Entrance


class PagesPart(Part):
    """The server of the pages."""

    def __init__(
        self,
        settings: Settings,
        taken: socket.socket,
        tray: TrayService,
        parts: Iterable[object],
        *,
        metadata: ShownMetadata,
        report: Report,
        moving_to: Callable[[str], AbstractContextManager[None]],
        change_host: Callable[[str | None], object] | None,
        no_address: str | None,
    ) -> None:
        """Prepare to serve.

        Args:
            taken: The socket to listen on; the part closes it.
            parts: What pages find of the tray, each by its class.
            moving_to: Held while the tray moves to another address.
            change_host: Stores another address in the settings, or None for the default; None if it cannot be changed.
            no_address: Why the socket is not at the address of the settings; the tray moves there once it can.
        """
        self._settings, self._report, self._moving_to = settings, report, moving_to
        web, display = settings.web, settings.display
        self._host = web.host
        self._is_elsewhere = no_address is not None
        found: list[object] = [TableService(tray), *parts]
        if change_host is not None:
            turn = partial(_turn_entrance, change_host)
            found.append(Entrance(lambda: self.server.is_open, turn, settings.phones.pin != "off"))
        self.server = WebServer(
            tray,
            taken,
            web.host,
            found,
            names=web.names,
            origins=web.origins,
            language=display.language,
        )
        self.live = {
            "web.host": lambda wanted: self._listen_on(wanted.web.host),
            "display.language": lambda wanted: self.server.set_language(wanted.display.language),
            "display.idle_min": lambda wanted: metadata.update(idle_min=wanted.display.idle_min),
            "display.undo_s": lambda wanted: metadata.update(undo_s=wanted.display.undo_s),
        }
        name_display_url(settings.data_folder, self.server.url)
        report(no_address)

    def start(self) -> None:
        self.server.start()

    def stop(self) -> None:
        self.server.stop()

    def check(self) -> None:
        """Move to the address of the settings if it was missing and is there by now."""
        if self._is_elsewhere:
            with suppress(BadInput):
                bind_socket(self._host, 0).close()
                self._listen_on(self._host)

    def probe(self, settings: Settings) -> None:
        """Listen briefly on another address, unless this run does already."""
        now, then = self._settings.web, settings.web
        if (self._host, now.port) != (then.host, then.port):
            bind_socket(then.host, 0 if then.port == now.port else then.port).close()

    def _listen_on(self, host: str) -> None:
        with self._moving_to(host):
            self.server.listen_on(host)
        self._host, self._is_elsewhere = host, False
        self._report(None)


def _turn_entrance(change_host: Callable[[str | None], object], is_open: bool) -> None:
    change_host(EVERYWHERE if is_open else None)
