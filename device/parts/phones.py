"""The phones at the table: who is paired, who knocks, and who must give a PIN."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from device.config.settings import Settings
from device.runtime.loop import TrayLoop
from device.runtime.part import Part
from device.runtime.shown_metadata import ShownMetadata
from device.storage.display_secret import display_secret
from device.storage.phones import FILE_NAME, PhoneFile
from device.web.core.addresses import is_loopback
from device.web.core.pairing import Pairing


class PhonesPart(Part):
    """The paired phones."""

    def __init__(self, folder: Path, settings: Settings, host: str, loop: TrayLoop, metadata: ShownMetadata) -> None:
        """Load the phones of a data folder; the tray listens on `host`."""
        self._settings, self._host, self._metadata = settings, settings.web.host, metadata
        pin = settings.phones.pin
        self.pairing = Pairing(
            PhoneFile(folder / FILE_NAME),
            is_required=self._asks_pin(host),
            display_secret=display_secret(folder),
            trusts_machine=pin != "on" and not settings.web.names,
            offer=loop.report,
        )
        self.pairing.on_knocks = self._show_knocks
        self.for_pages = (self.pairing,)

    @contextmanager
    def moving_to(self, host: str) -> Iterator[None]:
        """Require the PIN before the first device can connect to another address, and until the last one is gone."""
        self.pairing.is_required = self.pairing.is_required or self._asks_pin(host)
        try:
            yield
            self._host = host
        finally:
            self.pairing.is_required = self._asks_pin(self._host)

    def _asks_pin(self, host: str) -> bool:
        """Return whether devices on the network must enter a PIN if the tray listens on this host."""
        # A local proxy has a name in the settings; its clients seem to connect from this machine.
        is_open = bool(self._settings.web.names) or not is_loopback(host)
        pin = self._settings.phones.pin
        return pin == "on" or (pin == "auto" and is_open)

    def _show_knocks(self) -> None:
        self._metadata.update(knocks=tuple((one.id, one.word, one.device) for one in self.pairing.knocks))
