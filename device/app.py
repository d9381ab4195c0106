"""A whole tray: makes, connects and starts all parts, and stops them in three seconds."""

import itertools
import logging
import secrets
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

from device.archive.book import RollArchive
from device.archive.roll_summaries import RollSummary
from device.calibration.dice_sets import DiceSets, own_faces
from device.calibration.teaching import NamedDie, Teaching
from device.calibration.workflow import CalibrationWorkflow
from device.camera.base import FrameSource
from device.camera.pi_camera import PiCamera
from device.camera.pi_memory import MEASURES, MeasuringPiCamera
from device.camera.worker import CameraWorker
from device.config.carried import carry_over
from device.config.settings import Settings, check_settings
from device.config.settings_service import SettingsService, SettingsSource
from device.config.table_settings import SERVICES
from device.diagnostics.probes import CheckParams, check_clock
from device.errors import BadInput, DeviceError
from device.game.buttons import BUTTONS, Button
from device.game.lamps import ALL_DARK, LightPlan
from device.game.snapshot import TrayMetadata
from device.game.state.events import DiceSettled, DieRestored, Event, FacesForgotten
from device.game.state.tray import FAULT_PARTS, Tray
from device.integrations.sections import SECTIONS
from device.integrations.service import Integrations
from device.message import message
from device.panel.panel import Panel
from device.panel.pins import open_pins
from device.ring.geometry import FloorPlan, ring_view
from device.ring.plan import plan_ring
from device.ring.wled import WledRing
from device.runtime.bring_up import BringUp
from device.runtime.health import Health, ServiceManager, ServiceWatchdog
from device.runtime.loop import LoopBusy, Offer, TrayLoop
from device.runtime.poweroff import ask_for_poweroff
from device.runtime.source import CameraSetup, make_camera_setup
from device.runtime.spare_memory import SpareMemory, give_back
from device.runtime.startup import make_watch, starting_table, starting_tray
from device.runtime.tray_profile import own_profile_path, profile_path, tray_metadata
from device.runtime.update import Updates
from device.storage.backup import Restored, put_in_place
from device.storage.changes import ChangeLog
from device.storage.data_folder import DataFolder
from device.storage.display_secret import display_secret, name_display_url
from device.storage.import_log import Staged
from device.storage.log_file import FILE_NAME
from device.storage.log_rows import now_utc
from device.storage.phones import FILE_NAME as PHONES_NAME
from device.storage.phones import PhoneFile
from device.storage.pictures import PictureKeeper
from device.storage.rolls import RollLog
from device.texts.catalogue import localizable, translate
from device.web.app import WebServer
from device.web.core.addresses import EVERYWHERE, is_loopback
from device.web.core.pairing import Pairing
from device.web.core.server import bind_socket
from device.web.core.table import TableService
from device.web.core.tray import TrayService
from device.web.features.archive.service import ArchiveService
from device.web.features.phones.views import Entrance
from vision.decision.own_faces import OwnFaces
from vision.pipeline.explain import stage_pictures
from vision.pipeline.reader import Reader
from vision.tray.profile import Profile, load_profile
from vision.types.errors import BadProfile, VisionError
from vision.types.frame import Frame, ImageBgr

_log = logging.getLogger(__name__)

MEASURE_S = 25.0
"""The longest wait for a camera to measure its light again, in seconds."""

STOP_S = 2.8
"""The longest time for all parts together to stop, in seconds."""


class TrayApp:
    """A whole tray. Between `start` and `stop` it runs on its own threads."""

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
        """Make all parts; none is started yet.

        Args:
            taken: The socket to listen on, which the tray closes; None: one at the address of the settings.
            no_address: Why that socket is not at the address of the settings; the tray moves there once it can.
        """
        check_settings(settings)
        self._socket = taken or bind_socket(settings.web.host, settings.web.port)
        self._closing: list[Callable[[], object]] = [self._socket.close]
        try:
            profile, unusable = _own_profile(settings)
            self._build(settings, profile, setup, system_named=system_named, source=source)
            self._report_fault("calibration", unusable)
            self._report_fault("network", no_address)
            self._no_address = no_address is not None
        except BaseException:
            self._close_all()
            raise

    @property
    def url(self) -> str:
        return self._web.url

    @property
    def where(self) -> str:
        return self._web.where

    @property
    def tray(self) -> TrayService:
        return self._tray

    @property
    def pairing(self) -> Pairing:
        return self._pairing

    @property
    def memory(self) -> ArchiveService:
        return self._memory

    @property
    def hang(self) -> str | None:
        """What hangs or broke so that only a new process helps; None if nothing did."""
        return self._hang

    @property
    def is_restart_requested(self) -> bool:
        """Whether a restart of the program was requested."""
        return self._restart_request.is_set()

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

    def start(self) -> None:
        self._loop.start()
        self._pictures.start()
        self._panel.start()
        if self._ring is not None:
            self._ring.start()
        self._camera_worker.start()
        self._integrations.start()
        self._web.start()
        self._watchdog.start()

    def wait(self, stopped: threading.Event, look: Callable[[], object] = bool) -> None:
        """Wait until the tray is stopped or a part fails permanently; call `look` every 3 s."""
        for beat in itertools.count():
            if stopped.wait(0.2):
                return
            if beat % 15 == 0:
                self._look()
                look()
            if not self._loop.is_alive:
                self._on_hang("the tray's main loop failed: see the error above")
            if self._hang is not None or self.is_restart_requested:
                return

    def _look(self) -> None:
        """Look for what is missing and makes no event of its own: the time, the address of the settings."""
        found = check_clock(now_utc(), None, CheckParams())
        self._report_fault("clock", None if found.cure is None else f"{found.text}: {found.cure}")
        if self._no_address:
            host = self._settings.web.host
            with suppress(BadInput):
                bind_socket(host, 0).close()
                self._listen_on(host)

    def stop(self) -> None:
        """Stop every part within `STOP_S`; what was announced is on disk. Safe to call twice."""
        self._close_all()

    def _build(
        self,
        settings: Settings,
        profile: Profile | None,
        setup: CameraSetup | None,
        *,
        system_named: bool,
        source: SettingsSource | None,
    ) -> None:
        folder = DataFolder(settings.data_folder)
        self._closing.append(folder.close)
        if source is not None:
            settings = carry_over(folder.path, source, settings)
        self._settings, self._profile = settings, profile
        self._pictures = PictureKeeper(folder.path, settings.memory)
        history = RollLog(folder.path / FILE_NAME, pictures=self._pictures)
        self._closing.append(history.close)
        self._changes = ChangeLog(history.path)
        named_system = settings.tray.system if system_named else None
        tray = starting_tray(history, starting_table(settings), named_system, settings.sheets.carry)
        self._hang: str | None = None
        self._restart_request = threading.Event()
        self._dropped = ""
        self._lamps = ALL_DARK
        self._health = Health(on_fault=self._show_metadata)
        self._knocks: tuple[tuple[int, str, str], ...] = ()
        self._logged: dict[str, str] = {}
        setup = make_camera_setup(settings, self.post) if setup is None else setup
        self._dice_sets = DiceSets(folder.path)
        self._faces = own_faces(self._dice_sets)
        watch = setup.watch or make_watch(settings, profile, tray.dice, self._faces)
        self._panel = Panel(
            settings.panel.wiring,
            None if settings.pins == "none" else partial(open_pins, settings.pins),
            self._pressed,
            on_calibrate=self._calibrate_again,
            on_shutdown=ask_for_poweroff,
            on_fault=partial(self._report_fault, "panel"),
        )
        self._closing.append(self._panel.close)
        self._floor = None if profile is None else FloorPlan(profile)
        self._ring_shape = settings.ring.shape
        self._ring = _make_ring(settings, partial(self._report_fault, "ring"))
        if self._ring is not None:
            self._closing.append(self._ring.close)
        if isinstance(setup.camera, MeasuringPiCamera):
            setup.camera.follow_ring(None if self._ring is None else self._ring.reading_light)
        self._camera_worker = CameraWorker(
            setup.camera,
            watch,
            self._camera_saw,
            on_frame=_both(lambda _: self._frame_came(setup.camera), setup.on_frame),
            on_hang=self._on_hang,
            is_coloured_light_on=_never if self._ring is None else self._ring.disturbs_reading,
            on_calm=_nothing if self._ring is None else self._ring.give_way,
            on_end=self._on_end,
            pulse=partial(self._health.heartbeat, "camera"),
            is_live=setup.is_live,
        )
        self._integrations = Integrations(
            folder.path,
            logged=history.shown_roll,
            sections=settings.services,
            language=settings.display.language,
            on_press=self._press,
        )
        self._closing.append(self._integrations.stop)
        spare = SpareMemory(give_back)

        def idle() -> None:
            history.run_maintenance()
            spare.idle(self._loop.newest.version)

        self._loop = TrayLoop(
            tray,
            history,
            self._metadata(),
            forget=self._camera_worker.forget,
            recall=self._camera_worker.recall,
            show=self._update_lights,
            pulse=partial(self._health.heartbeat, "loop"),
            on_idle=idle,
            on_written=self._integrations.announce,
            on_change=lambda offer, undone: self._changes.note(offer.action, offer.label, undone=undone),
            # Far from the versions of any other run, and far below the largest exact number of JavaScript.
            first_version=secrets.randbelow(2**31) * 2**20 + 1,
        )
        self._closing += [self._loop.stop, self._camera_worker.stop, self._pictures.stop]
        self._integrations.show(self._loop.newest)
        self._loop.subscribe(self._integrations.show)
        self._tray = TrayService(
            self._loop, self._camera_worker, history, self._health, setup.simulated, explain=self._explain
        )
        self._calibration = CalibrationWorkflow(
            lambda: self._camera_worker.newest,
            profile_path(settings),
            self._use_profile,
            colours=settings.colours,
            known=profile,
            focus=setup.camera.measure_focus if isinstance(setup.camera, MeasuringPiCamera) else None,
            light=self._measure_light if isinstance(setup.camera, MeasuringPiCamera) else None,
        )
        self._teaching = Teaching(
            self._dice_sets,
            lambda: self._camera_worker.newest,
            lambda image: self._reader().read(image),
            self._use_faces,
            remember=settings.display.remember,
            forgot=lambda faces: self._loop.post(FacesForgotten(faces)),
            offer=self._offer_undo_of_faces,
            on_lesson=self._show_metadata,
        )
        self._camera = setup.camera
        self._memory = self._make_memory(settings, history)
        web = settings.web
        desk = None
        if source is not None:
            live = live_settings(settings)
            desk = SettingsService(
                source,
                settings,
                live=live,
                take_up=self._apply_live_setting,
                probe=self._try_address,
                restart=self._restart_request.set,
            )
        self._bring_up = BringUp(settings, self._try_lamps, partial(self._use_camera, desk))
        pin = settings.phones.pin
        self._pairing = Pairing(
            PhoneFile(folder.path / PHONES_NAME),
            is_asked=_asks_pin(settings, self._socket.getsockname()[0]),
            display_secret=display_secret(folder.path),
            trusts_machine=pin != "on" and not web.names,
            offer=self._loop.offer,
        )
        self._pairing.on_knocks = self._show_knocks
        parts = [
            *(self._calibration, TableService(self._tray), self._integrations, self._memory, self._pairing),
            *(self._bring_up, self._teaching, Updates()),
        ]
        if desk is not None:
            parts += [desk, Entrance(lambda: self._web.is_open, partial(self._turn_entrance, desk), pin != "off")]
        self._web = WebServer(
            self._tray,
            self._socket,
            web.host,
            parts,
            names=web.names,
            origins=web.origins,
            language=settings.display.language,
        )
        self._closing.append(self._web.stop)
        name_display_url(folder.path, self._web.url)
        manager = ServiceManager()
        self._watchdog = ServiceWatchdog(self._health, manager, manager.watchdog_s)
        self._closing.append(self._watchdog.close)

    def _make_memory(self, settings: Settings, history: RollLog) -> ArchiveService:
        """Return the archive service, which can also restore a backup while the tray runs."""

        def restore(staged: Staged) -> Restored:
            old: list[Path | None] = []

            def put_back() -> Tray:
                old.append(history.swap(lambda: put_in_place(staged, history.path.parent)))
                return starting_tray(history, starting_table(settings), None, settings.sheets.carry)

            self._loop.replace(put_back)
            return Restored(staged.rows, old[0])

        def roll_in_play() -> int | None:
            roll = self._loop.newest.body.get("roll")
            return roll if isinstance(roll, int) else None

        book = RollArchive(history, timedelta(hours=settings.memory.pause_hours))

        def forgotten(roll: RollSummary) -> None:
            self._integrations.forget_roll(roll.number, roll.moment)

        return ArchiveService(
            book,
            history,
            self._pictures,
            restore,
            roll_in_play,
            forgotten=forgotten,
            offer=self._loop.offer,
            changes=self._changes.newest_first,
        )

    def _camera_saw(self, event: Event) -> None:
        if isinstance(event, DiceSettled):
            # The latest frame is the one of this rest, since the same thread reads and posts.
            self._pictures.rest_came(event.rest, self._camera_worker.newest)
            event = replace(event, shown=self._teaching.is_lesson)
        self.post(event)

    def post(self, event: Event) -> None:
        """Post an event; returns at once. Any thread, once the tray is made."""
        self._loop.post(event)

    def _press(self, name: str) -> None:
        """Press a button on behalf of the broker; a refused press changes nothing and is logged."""
        try:
            answer = self._tray.ask(BUTTONS[name].event)
        except LoopBusy:
            _log.warning("%s from the broker was not answered in time", name)
            return
        if not answer.accepted:
            _log.info("%s from the broker was refused: %s", name, localizable(answer.text or answer.reason or ""))

    def _frame_came(self, camera: FrameSource) -> None:
        self._health.frame_came()
        if isinstance(camera, PiCamera) and camera.view is not None:
            view = camera.view
            self._health.report_fault("field", view.field_fault())
            # That a lens is turned by hand is no fault of a running tray.
            self._health.report_fault("focus", None if view.lens_dioptres is None else view.focus_fault)

    def _report_fault(self, part: str, text: str | None) -> None:
        """Record a part's fault, or None, and log it if it has changed. On the part's own thread."""
        self._health.report_fault(part, text)
        if text is None:
            if self._logged.pop(part, None) is not None:
                _log.info("%s works again", part)
        elif text != self._logged.get(part):
            self._logged[part] = text
            _log.error("FAIL %s: %s", part, text)

    def _update_lights(self, tray: Tray, plan: LightPlan) -> None:
        for part, text in _faults_of(tray).items():
            if text is None and part not in self._logged:
                continue
            if text is None and tray.fault is not None:
                # Another part's fault hides this one's: whether it works again is unknown.
                self._health.report_fault(part, None)
            else:
                self._report_fault(part, text)
        self._lamps = plan
        self._panel.show(plan)
        if self._ring is not None:
            self._ring.show(plan_ring(ring_view(tray, self._floor), self._ring_shape))

    def _explain(self, image: ImageBgr) -> list[ImageBgr]:
        return [picture for _, picture in stage_pictures(image, self._reader(self._faces).trace(image))]

    def _reader(self, faces: OwnFaces | None = None) -> Reader:
        profile = self._profile
        colours = None if profile is not None and profile.palette else dict(self._settings.colours)
        return Reader(profile, colours, faces=faces)

    def _offer_undo_of_faces(self, name: str, dice: Sequence[NamedDie], undo: Callable[[], object]) -> None:
        """Offer to undo corrections together with what was learned from them, or to restore a deleted set."""

        def take_back() -> None:
            undo()
            for die in dice:
                self._loop.post(DieRestored(die.id))

        label = message("tray.undo.faces") if dice else message("tray.undo.sheet", what=name)
        self._loop.offer(Offer("faces" if dice else "set", label, take_back))

    def _use_faces(self, faces: OwnFaces | None) -> None:
        self._faces = faces
        self._restart_watch()

    def _use_profile(self, profile: Profile) -> None:
        self._report_fault("calibration", None)
        self._profile = profile
        self._floor = FloorPlan(profile)
        self._restart_watch()

    def _restart_watch(self) -> None:
        watch = make_watch(self._settings, self._profile, self._loop.tray.dice, self._faces, is_reread=True)
        self._camera_worker.watch_with(watch)
        self._show_metadata()

    def _metadata(self) -> TrayMetadata:
        """Return what screens show in addition to the tray's state."""
        faults = tuple((part, text) for part, text in self._health.faults.items() if part not in FAULT_PARTS)
        return replace(tray_metadata(self._settings, self._profile, self._faces), faults=faults, knocks=self._knocks)

    def _show_knocks(self) -> None:
        self._knocks = tuple((one.id, one.word, one.device) for one in self._pairing.knocks)
        self._show_metadata()

    def _show_metadata(self) -> None:
        self._loop.update_metadata(replace(self._metadata(), is_lesson=self._teaching.is_lesson))

    def _apply_live_setting(self, key: str, wanted: Settings) -> None:
        section, name = key.rsplit(".", 1)
        if section == "ring.shape":
            self._ring_shape = replace(self._ring_shape, **{name: getattr(wanted.ring.shape, name)})
        elif section == "colours":
            self._settings = replace(self._settings, colours=wanted.colours)
            self._calibration.name_colours(wanted.colours)
            self._restart_watch()
        elif key in {"display.idle_min", "display.undo_s"}:
            self._settings = replace(self._settings, display=wanted.display)
            self._show_metadata()
        elif key == "display.remember":
            self._teaching.remember = wanted.display.remember
        elif section in SECTIONS:
            self._integrations.apply(wanted.services)
        elif key == "web.host":
            self._listen_on(wanted.web.host)
        elif key == "display.language":
            self._web.set_language(wanted.display.language)
        else:
            raise AssertionError(f"{key} is marked live and nothing applies it")

    def _listen_on(self, host: str) -> None:
        # Requires the PIN before the first device can connect, and until the last one is gone.
        self._pairing.is_asked = self._pairing.is_asked or _asks_pin(self._settings, host)
        try:
            self._web.listen_on(host)
            self._settings = replace(self._settings, web=replace(self._settings.web, host=host))
            self._no_address = False
            self._report_fault("network", None)
        finally:
            self._pairing.is_asked = _asks_pin(self._settings, self._settings.web.host)

    def _pressed(self, button: Button) -> None:
        self._bring_up.pressed(button.name)
        self.post(button.event)

    def _try_lamps(self, plan: LightPlan | None) -> None:
        self._panel.show(self._lamps if plan is None else plan)

    def _use_camera(self, desk: SettingsService | None, name: str) -> None:
        """Store another camera in the settings file and restart with it, overriding the command line."""
        if desk is None:
            raise BadInput(translate("web.phone.fixed"))
        desk.change({"tray.camera": name})
        self._dropped = "--camera"
        self._restart_request.set()

    def _turn_entrance(self, desk: SettingsService, is_open: bool) -> None:
        desk.change({"web.host": EVERYWHERE if is_open else None}, must_hold=True)

    def _try_address(self, wanted: Settings) -> None:
        """Listen briefly on the new address, unless this run does already."""
        now, then = self._settings.web, wanted.web
        if (now.host, now.port) != (then.host, then.port):
            bind_socket(then.host, 0 if then.port == now.port else then.port).close()

    def _calibrate_again(self) -> None:
        """Measure the camera's light and the floor again, on a separate thread because it takes seconds."""
        threading.Thread(target=self._measure_again, name="calibrate", daemon=True).start()

    def _measure_light(self) -> None:
        """Let a camera that can measure its light do so again, and wait for a picture in it."""
        if not isinstance(self._camera, MeasuringPiCamera):
            return
        self._camera.measure_again()
        ends_s = time.monotonic() + MEASURE_S
        before: Frame | None = None
        while self._camera.is_measuring or self._camera_worker.newest is before:
            if self._camera.is_measuring:
                before = self._camera_worker.newest
            fault = self._loop.tray.fault
            if fault is not None and fault.part == "camera" and fault.text != MEASURES:
                raise DeviceError(fault.text)
            if time.monotonic() >= ends_s:
                raise DeviceError(translate("calibration.no_light"))
            time.sleep(0.05)

    def _measure_again(self) -> None:
        try:
            self._measure_light()
            path, warnings = self._calibration.calibrate_again()
            _log.info("calibrated again: %s", path)
            for warning in warnings:
                _log.warning("%s", warning)
        except (BadInput, DeviceError, VisionError) as error:
            self._health.report_fault("calibration", str(error))
            _log.error("not calibrated: %s", error)
        else:
            self._health.report_fault("calibration", None)

    def _on_hang(self, text: str) -> None:
        self._hang = text

    def _on_end(self) -> None:
        """Keep the last picture and result of a recording that has ended, and continue to serve pages."""
        text = "the recording has ended: restart the program to play it again"
        self._health.end("camera")
        self._health.report_fault("recording", text)
        _log.warning("%s", text)

    def _close_all(self) -> None:
        """Stop the running parts in parallel, since each has its own longest wait; the files come last."""
        parts, self._closing = self._closing, []
        files, running = parts[:3], parts[3:]
        threads = [threading.Thread(target=close, name="stop", daemon=True) for close in reversed(running)]
        for thread in threads:
            thread.start()
        deadline_s = time.monotonic() + STOP_S
        for thread in threads:
            thread.join(timeout=max(0.0, deadline_s - time.monotonic()))
        for close in reversed(files):
            close()


def _asks_pin(settings: Settings, host: str) -> bool:
    """Return whether devices on the network must enter a PIN if the tray listens on this host."""
    # A local proxy has a name in the settings; its clients seem to connect from this machine.
    is_open = bool(settings.web.names) or not is_loopback(host)
    return settings.phones.pin == "on" or (settings.phones.pin == "auto" and is_open)


def live_settings(settings: Settings) -> frozenset[str]:
    """Return the keys that take effect at once; the others do so at the next start.

    Simulated dice are painted once, so their colours need a restart.
    """
    shines = {f"ring.shape.{name}" for name in ("brightness", "dim", "point_s", "cheer_s")}
    painted = set() if settings.tray.camera == "simulated" else {f"colours.{label}" for label in settings.colours}
    sent = {one.key for one in SERVICES}
    shown = {"display.language", "display.idle_min", "display.undo_s", "display.remember"}
    return frozenset(shown | {"web.host"} | shines | painted | sent)


def _own_profile(settings: Settings) -> tuple[Profile | None, str | None]:
    """Return the calibration, and why it cannot be used; one that the settings name must be right."""
    path = own_profile_path(settings)
    try:
        return (None if path is None else load_profile(path)), None
    except BadProfile as error:
        if settings.tray.profile is not None:
            raise
        return None, str(error)


def _make_ring(settings: Settings, on_fault: Callable[[str | None], None]) -> WledRing | None:
    """Make the ring of the settings; the caller starts it."""
    if settings.ring.kind == "none":
        return None
    return WledRing(settings.ring.port, settings.ring.shape, on_fault=on_fault)


def _faults_of(tray: Tray) -> dict[str, str | None]:
    """Return the fault of each part, None if it has none, so that a fault that is over is cleared."""
    fault = tray.fault
    return {part: fault.text if fault is not None and fault.part == part else None for part in FAULT_PARTS}


def _never() -> bool:
    return False


def _nothing() -> None:
    return None


def _both(first: Callable[[Frame], None], second: Callable[[Frame], None] | None) -> Callable[[Frame], None]:
    def call_both(frame: Frame) -> None:
        first(frame)
        if second is not None:
            second(frame)

    return call_both
