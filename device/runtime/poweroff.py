"""Request a safe power-off. The tray lacks the permission, so it leaves a file for the system."""

import logging
import os
from collections.abc import Mapping
from pathlib import Path

from vision.types.cures import why

_log = logging.getLogger(__name__)


def ask_for_poweroff(environment: Mapping[str, str] | None = None) -> bool:
    """Create the file in the service's runtime folder that systemd/pushtray-poweroff.path watches."""
    variables = os.environ if environment is None else environment
    folder = variables.get("RUNTIME_DIRECTORY", "")
    if not folder:
        _log.info("reset was held to switch the machine off: only the installed service does that")
        return False
    try:
        Path(folder, "poweroff").touch()
    except OSError as error:
        _log.warning("the machine cannot be switched off (%s): use sudo poweroff", why(error))
        return False
    return True
