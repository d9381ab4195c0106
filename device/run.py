"""`pushtray run`: waits for the address and the drive, runs the tray, starts it again where that was requested."""

import logging
import os
import socket
import sys
import threading
from contextlib import ExitStack

from device.app import TrayApp
from device.backoff import Backoff
from device.config.settings import Settings, check_settings
from device.config.settings_service import SettingsSource
from device.errors import StorageFault
from device.runtime.health import ServiceManager
from device.runtime.signals import signals_set
from device.runtime.spare_memory import hold_memory
from device.runtime.state_lines import StateLines
from device.storage.display_secret import FILE_NAME as SECRET_NAME
from device.web.core.fault_page import FaultPage
from device.web.core.guard import guard_for
from device.web.core.server import AddressLine, NoSuchAddress, bind_socket, when_free

_log = logging.getLogger(__name__)

RETRY_S, MAX_RETRY_S = 1.0, 15.0
"""Pause before a drive that does not work is tried again, in seconds; doubles up to the second number."""


def run_tray(
    settings: Settings, *, system_named: bool = False, lines_to: int | None = None, source: SettingsSource | None = None
) -> int:
    """Run a tray until Ctrl-C or a termination signal.

    Args:
        lines_to: Descriptor of an output that gets a line of JSON at the start and for each change; the tray ends if
            its reader goes away. None: no such output.

    Returns:
        The exit status: 0; 1 if a part hangs or broke so that only a new process helps, or writing to `lines_to`
        failed.
    """
    hold_memory()
    stopped = threading.Event()
    with signals_set(stopped):
        app = _make_app(settings, stopped, system_named=system_named, source=source)
        if app is None:
            return 0
        lines = None if lines_to is None else StateLines(lines_to, on_gone=stopped.set)
        try:
            if lines is not None:
                lines.put(app.tray.snapshot())
                app.tray.subscribe(lines.put)
                lines.start()
            app.start()
            line = AddressLine("PushTray is at %s (Ctrl-C stops it)", lambda: app.pages.server.where)
            line.look()
            pairing = app.phones.pairing
            if pairing.is_required:
                pins = pairing.pins
                _log.info("Phones give the PIN %s, the game master's phone %s", pins.player, pins.game_master)
            if not pairing.trusts_machine:
                path = settings.data_folder / SECRET_NAME
                _log.info("This machine's display opens %sdisplay?key=KEY once; KEY is in %s", app.url, path)
            app.wait(stopped, line.look)
        finally:
            app.stop()
            if lines is not None:
                lines.stop()
    if app.hang is not None:
        _log.error("%s: start the program again", app.hang)
        return 1
    if app.settings.is_restart_requested:
        # The same command with the current settings. Nothing of this run stays open.
        os.execv(sys.executable, [sys.executable, *app.settings.restart_arguments(sys.orig_argv[1:])])  # noqa: S606 - this very program
    return 1 if lines is not None and lines.has_failed else 0


def _make_app(
    settings: Settings, stopped: threading.Event, *, system_named: bool, source: SettingsSource | None
) -> TrayApp | None:
    """Make the tray. While the drive of its data folder does not work, a page shows that; None once it is stopped."""
    check_settings(settings)
    no_address: str | None = None

    def bind() -> socket.socket:
        nonlocal no_address
        try:
            return bind_socket(settings.web.host, settings.web.port)
        except NoSuchAddress as error:
            no_address = str(error)
            return bind_socket("127.0.0.1", settings.web.port)

    taken = when_free(bind, stopped.wait)
    if taken is None:
        return None
    page: FaultPage | None = None
    manager, pauses = ServiceManager(), Backoff(RETRY_S, MAX_RETRY_S)
    with taken, ExitStack() as stack:
        while True:
            try:
                return TrayApp(
                    settings, system_named=system_named, source=source, taken=taken.dup(), no_address=no_address
                )
            except StorageFault as error:
                text = str(error)
            if page is None:
                guard = guard_for(taken.getsockname()[0], socket.gethostname(), settings.web.names)
                page = stack.enter_context(FaultPage(taken.dup(), "history", text, guard, settings.display.language))
                _log.error("FAIL history: %s", text)
                _log.info("PushTray is at %s and waits for its drive (Ctrl-C stops it)", page.url)
                manager.notify(READY="1", STATUS="waiting for its drive")
            page.tell(text)
            manager.notify(WATCHDOG="1")
            if stopped.wait(pauses.pause_s):
                return None
            pauses.grow()
