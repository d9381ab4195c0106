"""Move what pages of an earlier version stored in `integrations.json` into the settings file."""

import logging
from pathlib import Path
from typing import Any, Final

from device.config.settings import Settings, with_services
from device.config.settings_file import with_values
from device.config.settings_service import SettingsSource
from device.errors import BadInput
from device.integrations.sections import SECTIONS, Section, read_section, section_values
from device.kept_files import read_kept
from vision.types.cures import why

_log = logging.getLogger(__name__)

FILE_NAME: Final = "integrations.json"


def carry_over(folder: Path, source: SettingsSource, settings: Settings) -> Settings:
    """Return the settings, overridden by that file; later starts read it all from the settings file."""
    path = folder / FILE_NAME
    kept: dict[str, Section] = read_kept(path, _sections_of, {}, "set again on /integrations what was set there")
    if not kept:
        return settings
    values: dict[tuple[str, ...], Any] = {
        (name, key): None if value == section_values(SECTIONS[name]())[key] else value
        for name, section in kept.items()
        for key, value in section_values(section).items()
    }
    try:
        source.write(with_values(source.read(), values))
        path.unlink()
    except (BadInput, OSError) as error:
        reason = why(error) if isinstance(error, OSError) else error
        _log.error("FAIL settings: %s stays next to %s, which cannot take it up: %s", path, source.file, reason)
    return with_services(settings, **kept)


def _sections_of(body: Any) -> dict[str, Section]:
    return {name: read_section(SECTIONS[name], values) for name, values in body["sections"].items() if name in SECTIONS}
