"""Every service that can receive messages, by the name of its settings section."""

import importlib
import json
import pkgutil
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final, TypeAlias

from pydantic import SecretStr, TypeAdapter

from device.integrations import channels
from device.integrations.http import HttpService
from device.integrations.settings import MqttSettings

Section: TypeAlias = HttpService | MqttSettings

SECTIONS: Final[Mapping[str, type[Section]]] = {
    **{
        one.name: importlib.import_module(f"{channels.__name__}.{one.name}").SETTINGS
        for one in pkgutil.iter_modules(channels.__path__)
    },
    "mqtt": MqttSettings,
}


def read_section(kind: type[Section], values: Mapping[str, Any]) -> Section:
    # As JSON, since a strict check does not otherwise accept a text as a secret.
    section: Section = TypeAdapter(kind).validate_json(json.dumps(dict(values)))
    return section


def section_values(section: Section) -> dict[str, Any]:
    """Return the values of a section, secrets in plain text."""
    return {
        key: value.get_secret_value() if isinstance(value, SecretStr) else value
        for key, value in asdict(section).items()
    }


def has_secret(section: Section) -> bool:
    return any(isinstance(value, SecretStr) for value in asdict(section).values())
