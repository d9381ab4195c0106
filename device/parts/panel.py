"""The buttons and lamps of the tray, with the page that tries the parts of a new one."""

from collections.abc import Callable
from functools import partial

from device.config.settings import Settings
from device.game.buttons import Button
from device.game.lamps import ALL_DARK, LightPlan
from device.game.state.events import Event
from device.game.state.tray import Tray
from device.panel.panel import Panel
from device.panel.pins import open_pins
from device.runtime.bring_up import BringUp
from device.runtime.faults import Report
from device.runtime.part import Part
from device.runtime.poweroff import ask_for_poweroff


class PanelPart(Part):
    """The panel on its pins."""

    def __init__(
        self,
        settings: Settings,
        report: Report,
        post: Callable[[Event], object],
        on_calibrate: Callable[[], object],
        choose_camera: Callable[[str], None],
    ) -> None:
        """Prepare the panel; nothing is opened yet.

        Args:
            post: Takes the event of a button.
            choose_camera: Takes the name of another camera.
        """
        self._plan, self._post = ALL_DARK, post
        self._bring_up = BringUp(settings, self._try_lamps, choose_camera)
        self.for_pages = (self._bring_up,)
        self.panel = Panel(
            settings.panel.wiring,
            None if settings.pins == "none" else partial(open_pins, settings.pins),
            self._pressed,
            on_calibrate=on_calibrate,
            on_shutdown=ask_for_poweroff,
            on_fault=report,
        )

    def start(self) -> None:
        self.panel.start()

    def stop(self) -> None:
        self.panel.close()

    def show(self, tray: Tray, plan: LightPlan) -> None:  # noqa: ARG002
        self._plan = plan
        self.panel.show(plan)

    def _try_lamps(self, plan: LightPlan | None) -> None:
        """Show other lamps for a test; None shows the tray's again."""
        self.panel.show(self._plan if plan is None else plan)

    def _pressed(self, button: Button) -> None:
        self._bring_up.pressed(button.name)
        self._post(button.event)
