"""The installed version, and wishes for a newer one, which the system fulfils (systemd/update.py)."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from device.errors import BadInput
from device.texts.catalogue import translate
from device.version import installed_version
from rules.system import JsonValue
from vision.types.cures import why

SOURCE, STATE = Path("/etc/pushtray-updates"), Path("/run/pushtray-update/state.json")
"""The system's files: where releases are described, and how far a wish came. Root writes them."""
_MAX_BYTES = 400_000


class Updates:
    """What the page of settings knows of releases. Any thread."""

    def __init__(
        self, environment: Mapping[str, str] = os.environ, *, source: Path = SOURCE, state: Path = STATE
    ) -> None:
        self._runtime = environment.get("RUNTIME_DIRECTORY", "")
        self._source, self._state = source, state

    def view(self) -> dict[str, JsonValue]:
        """Return the version, whether releases can be looked for, and how far the latest wish came."""
        return {"version": installed_version() or "", "can_look": self._can_look, "latest": self._latest()}

    def wish(self, newer: str | None) -> None:
        """Leave a wish for the system: to look for a release, or to install one that was found.

        Raises:
            BadInput: This tray is not installed, nothing names its releases, or the wish cannot be left.
        """
        if not self._can_look:
            raise BadInput(translate("web.update.off"))
        latest = self._latest()
        if newer is not None and (latest["state"], latest["version"]) != ("found", newer):
            raise BadInput(translate("web.update.not_found"))
        try:
            Path(self._runtime, "update").write_text("look" if newer is None else f"install {newer}", encoding="ascii")
        except OSError as error:
            raise BadInput(translate("web.update.not_left", why=why(error))) from error

    @property
    def _can_look(self) -> bool:
        return bool(self._runtime) and self._source.is_file()

    def _latest(self) -> dict[str, JsonValue]:
        try:
            with self._state.open("rb") as file:
                body = json.loads(file.read(_MAX_BYTES))
            return {name: body[name] for name in ("state", "version", "changes", "code", "detail")}
        except (OSError, ValueError, KeyError, TypeError):
            return {"state": "none", "version": "", "changes": None, "code": "", "detail": ""}
