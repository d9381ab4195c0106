"""What the tray sends to other programs, and the presses of their users."""

import logging
from pathlib import Path

from device.archive.roll_summaries import RollSummary
from device.config.settings import Settings
from device.config.table_settings import SERVICES
from device.game.buttons import BUTTONS
from device.integrations.service import Integrations, LoggedRoll
from device.runtime.loop import LoopBusy
from device.runtime.part import Part
from device.texts.catalogue import localizable
from device.web.core.tray import TrayService

_log = logging.getLogger(__name__)


class IntegrationsPart(Part):
    """The tray's services."""

    def __init__(self, folder: Path, settings: Settings, logged: LoggedRoll) -> None:
        """Prepare the services of the settings."""
        self.service = Integrations(
            folder,
            logged=logged,
            sections=settings.services,
            language=settings.display.language,
            on_press=self._press,
        )
        self.for_pages = (self.service,)
        self.live = dict.fromkeys((one.key for one in SERVICES), self._take)

    def start(self) -> None:
        self.service.start()

    def stop(self) -> None:
        self.service.stop()

    def connect(self, tray: TrayService) -> None:
        """Show each snapshot of a tray to the services, and press its buttons for them."""
        self._tray = tray
        self.service.show(tray.snapshot())
        tray.subscribe(self.service.show)

    def forget(self, roll: RollSummary) -> None:
        """Withdraw a deleted roll. Any thread but the loop's."""
        self.service.forget_roll(roll.number, roll.moment)

    def _take(self, settings: Settings) -> None:
        self.service.apply(settings.services)

    def _press(self, name: str) -> None:
        """Press a button on behalf of the broker; a refused press changes nothing and is logged."""
        try:
            answer = self._tray.ask(BUTTONS[name].event)
        except LoopBusy:
            _log.warning("%s from the broker was not answered in time", name)
            return
        if not answer.accepted:
            _log.info("%s from the broker was refused: %s", name, localizable(answer.text or answer.reason or ""))
