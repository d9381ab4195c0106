"""The settings file of a running tray, and the restart that some changes need."""

import threading
from collections.abc import Callable, Sequence

from device.config.settings import Settings
from device.config.settings_service import SettingsService, SettingsSource
from device.errors import BadInput
from device.runtime.part import Part, PartList
from device.runtime.update import Updates
from device.texts.catalogue import translate


class SettingsPart(Part):
    """Changes settings: at once where a part takes them up, else with the next start."""

    def __init__(self, settings: Settings, source: SettingsSource | None, parts: PartList) -> None:
        """Use a settings file for these parts; without one nothing can be changed."""
        self._restart_requested = threading.Event()
        self._dropped = ""
        self._service: SettingsService | None = None
        self.for_pages: tuple[object, ...] = (Updates(),)
        if source is not None:
            self._service = SettingsService(
                source,
                settings,
                is_live=parts.is_live,
                apply=parts.apply,
                probe=parts.probe,
                restart=self._restart_requested.set,
            )
            self.for_pages += (self._service,)

    @property
    def is_restart_requested(self) -> bool:
        return self._restart_requested.is_set()

    @property
    def change_host(self) -> Callable[[str | None], object] | None:
        """Stores another address to listen on, or None for the default; None without a settings file."""
        service = self._service
        return None if service is None else lambda host: service.change({"web.host": host}, must_hold=True)

    def restart_arguments(self, words: Sequence[str]) -> list[str]:
        """Return the command's arguments for the next start, without an option that a page has changed."""
        kept: list[str] = []
        for word in words:
            is_value = bool(self._dropped and kept and kept[-1] == self._dropped)
            if is_value:
                kept.pop()
            elif not (self._dropped and word.startswith(f"{self._dropped}=")):
                kept.append(word)
        return kept

    def choose_camera(self, name: str) -> None:
        """Store another camera in the settings file and restart with it, overriding the command line."""
        if self._service is None:
            raise BadInput(translate("web.phone.fixed"))
        self._service.change({"tray.camera": name})
        self._dropped = "--camera"
        self._restart_requested.set()
