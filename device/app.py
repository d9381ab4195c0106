"""A whole tray: makes the parts and connects them."""

import socket

from device.config.carried import carry_over
from device.config.settings import Settings, check_settings
from device.config.settings_service import SettingsSource
from device.game.state.events import Event
from device.parts.calibration import CalibrationPart
from device.parts.camera import CameraPart
from device.parts.integrations import IntegrationsPart
from device.parts.log import LogPart
from device.parts.own_dice import OwnDicePart
from device.parts.pages import PagesPart
from device.parts.panel import PanelPart
from device.parts.phones import PhonesPart
from device.parts.reader import ReaderPart
from device.parts.ring import RingPart
from device.parts.settings import SettingsPart
from device.runtime.faults import Faults
from device.runtime.health import ServiceWatchdog
from device.runtime.loop import TrayLoop, random_first_version
from device.runtime.part import PartList
from device.runtime.shown_metadata import ShownMetadata
from device.runtime.source import CameraSetup
from device.web.core.server import bind_socket
from device.web.core.tray import TrayService


class TrayApp(PartList):
    """The parts of a whole tray. Between `start` and `stop` it runs on its own threads."""

    def __init__(
        self,
        settings: Settings,
        setup: CameraSetup | None = None,
        *,
        system_named: bool = False,
        source: SettingsSource | None = None,
        taken: socket.socket | None = None,
        no_address: str | None = None,
    ) -> None:
        """Make each part after those that it is connected to, the others it reaches later; none is started yet.

        Args:
            taken: The socket to listen on, which the tray closes; None: one at the address of the settings.
            no_address: Why that socket is not at the address of the settings; the tray moves there once it can.
        """
        super().__init__()
        check_settings(settings)
        taken = taken or bind_socket(settings.web.host, settings.web.port)
        with self.stopped_on_error(taken):
            add, metadata = self.add, ShownMetadata(settings)
            faults = add(Faults(metadata))
            self.reader = reader = add(
                ReaderPart(settings, metadata, faults.of("calibration"), on_change=self._read_again)
            )
            self.log = log = add(LogPart(settings, faults.of("clock")))
            if source is not None:
                settings = carry_over(log.folder, source, settings)
            sets, tray = reader.load_sets(log.folder), log.starting_tray(system_named=system_named)
            self.settings = add(SettingsPart(settings, source, self))
            self.ring = add(RingPart(settings, faults.of("ring"), lambda: reader.profile))
            self.camera = camera = add(
                CameraPart(
                    settings,
                    setup,
                    lambda: reader.watch(tray.dice),
                    self.ring,
                    faults.health,
                    post=self.post,
                    on_rest=log.pictures.rest_came,
                    is_lesson=lambda: own_dice.is_lesson,
                    fault=lambda: self.loop.tray.fault,
                )
            )
            self.calibration = calibration = add(
                CalibrationPart(
                    settings,
                    reader.profile,
                    faults,
                    newest=lambda: camera.newest,
                    use=reader.use_profile,
                    focus=camera.measure_focus,
                    light=camera.measure_light,
                )
            )
            self.panel = add(
                PanelPart(settings, faults.of("panel"), self.post, calibration.start_again, self.settings.choose_camera)
            )
            integrations = add(IntegrationsPart(log.folder, settings, log.rolls.shown_roll))
            self.loop = loop = add(
                TrayLoop(
                    tray,
                    log.rolls,
                    metadata.newest,
                    forget=camera.worker.forget,
                    recall=camera.worker.recall,
                    show=self.show,
                    pulse=lambda: faults.health.heartbeat("loop"),
                    on_idle=lambda: log.idle(loop.newest.version),
                    on_written=integrations.service.announce,
                    on_change=log.note,
                    first_version=random_first_version(),
                )
            )
            metadata.send_to(loop.update_metadata)
            self.tray = TrayService(
                loop, camera.worker, log.rolls, faults.health, camera.simulated, explain=reader.explain
            )
            integrations.connect(self.tray)
            log.connect(loop, integrations.forget)
            own_dice = add(
                OwnDicePart(
                    settings,
                    sets,
                    loop,
                    metadata,
                    newest=lambda: camera.newest,
                    read=reader.read_pips,
                    use=reader.use_faces,
                )
            )
            self.phones = add(PhonesPart(log.folder, settings, taken.getsockname()[0], loop, metadata))
            self.pages = add(
                PagesPart(
                    settings,
                    taken,
                    self.tray,
                    self.for_pages,
                    metadata=metadata,
                    report=faults.of("network"),
                    moving_to=self.phones.moving_to,
                    change_host=self.settings.change_host,
                    no_address=no_address,
                )
            )
            add(ServiceWatchdog(faults.health))

    @property
    def url(self) -> str:
        return self.pages.server.url

    def post(self, event: Event) -> None:
        """Post an event; returns at once. Any thread, once the tray is made."""
        self.loop.post(event)

    def _read_again(self) -> None:
        """Let another watch read the dice in the tray, by what has changed."""
        self.camera.worker.watch_with(self.reader.watch(self.loop.tray.dice, is_reread=True))
