"""What a page has set: a file in the data folder that only its owner may read, since it holds keys."""

import json
import logging
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, TypeAlias, get_type_hints

from pydantic import SecretStr, TypeAdapter

from device.errors import DeviceError
from device.integrations.settings import DiscordSettings, MqttSettings, WebhookSettings
from device.kept_files import read_kept, write_whole
from vision.types.cures import cure_of, why

_log = logging.getLogger(__name__)

FILE_NAME: Final = "integrations.json"
_FORMAT: Final = 1

Section: TypeAlias = WebhookSettings | DiscordSettings | MqttSettings

SECTIONS: Final[Mapping[str, type[Section]]] = {
    "webhook": WebhookSettings,
    "discord": DiscordSettings,
    "mqtt": MqttSettings,
}


def read_sections(folder: Path) -> dict[str, Section]:
    """Return the sections that a page has set; what cannot be read is left out, and a line says so."""
    path = folder / FILE_NAME
    lost = "what pages set there does not hold, set it again on /integrations"
    return read_kept(path, _sections_of, {}, lost)


def _sections_of(body: Any) -> dict[str, Section]:
    return {name: checked(SECTIONS[name], values) for name, values in body["sections"].items() if name in SECTIONS}


def checked(kind: type[Section], values: Mapping[str, Any]) -> Section:
    # As text, for a strict check takes no text for a secret otherwise.
    section: Section = TypeAdapter(kind).validate_json(json.dumps(dict(values)))
    return section


def write_sections(folder: Path, sections: Mapping[str, Section]) -> None:
    """Keep the sections that a page has set; on return they outlive a power cut."""
    path = folder / FILE_NAME
    body = {"format": _FORMAT, "sections": {name: section_values(section) for name, section in sections.items()}}
    try:
        write_whole(path, json.dumps(body, ensure_ascii=False, indent=2).encode(), 0o600)
    except OSError as error:
        cure = cure_of(error.errno, "start the tray with another --data folder")
        raise DeviceError(f"{path} cannot be written ({why(error)}): {cure}") from error


def section_values(section: Section) -> dict[str, Any]:
    return {
        key: value.get_secret_value() if isinstance(value, SecretStr) else value
        for key, value in asdict(section).items()
    }


def kinds_of(kind: type[Section]) -> dict[str, str]:
    """Return how each key of a section is asked for: as on `/settings`, and `secret` for what no page may read."""
    kinds = {bool: "switch", int: "whole", str: "text"}
    return {key: kinds.get(hint, "secret") for key, hint in get_type_hints(kind).items()}


def secret_keys(kind: type[Section]) -> tuple[str, ...]:
    return tuple(key for key, asked in kinds_of(kind).items() if asked == "secret")
