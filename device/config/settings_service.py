"""The settings file of a running tray: its content, the current values, and changes of one value."""

import threading
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from device.config.settings import LARGEST_BYTES, Settings, check_settings, read_settings
from device.config.settings_file import MARK, value_at, with_values
from device.config.table_settings import BadSetting, Kind, TableSetting, Value, table_settings
from device.errors import BadInput
from device.integrations.sections import SECTIONS, has_secret
from device.kept_files import parse_toml, write_whole
from device.texts.catalogue import translate
from rules.system import JsonValue
from vision.types.cures import cure_of, why


class UnknownSetting(BadInput):
    """A key that is not on the list."""


@dataclass(frozen=True, slots=True)
class SettingsSource:
    file: Path
    override: Callable[[Settings], Settings]

    def read(self) -> str:
        try:
            if not self.file.exists():
                return ""
            raw = self.file.read_bytes()
            text = raw.decode("utf-8")
            parse_toml(text.removeprefix(MARK))
        except OSError as error:
            cure = cure_of(error.errno, "change it by hand")
            raise BadInput(translate("settings.not_read", text=f"{why(error)}: {cure}")) from error
        except ValueError as error:
            raise BadInput(translate("settings.not_read", text=str(error))) from error
        if len(raw) > LARGEST_BYTES:
            raise BadInput(translate("settings.not_read", text=f"{len(raw)} > {LARGEST_BYTES} bytes"))
        return text

    def write(self, text: str) -> None:
        """Write the file, all or nothing, with its previous permissions; one with secrets is only for its owner."""
        is_secret = any(has_secret(one) for one in settings_of(text).services.values())
        try:
            write_whole(self.file, text.encode(), 0o600 if is_secret else None)
        except OSError as error:
            cure = cure_of(error.errno, "change it by hand")
            raise BadInput(translate("settings.not_written", file=str(self.file), why=why(error), cure=cure)) from error


def settings_of(text: str) -> Settings:
    return read_settings(tomllib.loads(text.removeprefix(MARK)))


class SettingsService:
    """Reads and changes the settings file for the page `/settings`. Any thread; one change at a time."""

    def __init__(
        self,
        source: SettingsSource,
        running: Settings,
        *,
        is_live: Callable[[str], bool],
        apply: Callable[[str, Settings], None],
        probe: Callable[[Settings], None],
        restart: Callable[[], None],
    ) -> None:
        """Start with the settings that the tray was started with.

        Args:
            is_live: Returns whether a key takes effect at once; the others do so at the next start.
            apply: Takes up a live key.
        """
        self._source = source
        self._settings = {one.listed.key: one for one in table_settings(running)}
        self._running = {key: one.value_in(running) for key, one in self._settings.items()}
        self._is_live, self._apply = is_live, apply
        self._probe = probe
        self.restart = restart
        self._lock = threading.Lock()

    def view(self) -> dict[str, JsonValue]:
        """Return every setting of the page: its type, its value in the file, its current value."""
        body, stored, wanted = self._read()
        groups: dict[str, list[JsonValue]] = {}
        pending: list[JsonValue] = []
        for one in self._settings.values():
            if one.listed.group in SECTIONS:
                continue
            shown = self._shown(one, body, stored, wanted)
            groups.setdefault(one.listed.group, []).append(shown)
            if shown["pending"]:
                pending.append(one.listed.key)
        return {
            "file": str(self._source.file),
            "restart": pending,
            "groups": [
                {"name": name, "title": translate(f"settings.group.{name}"), "settings": shown}
                for name, shown in groups.items()
            ],
        }

    def forms(self) -> dict[str, list[JsonValue]]:
        """Return the settings of each service in the form of `view`, with secrets only as set or not."""
        read = self._read()
        shown = [(one.listed.group, self._shown(one, *read)) for one in self._settings.values()]
        return {name: [form for group, form in shown if group == name] for name in SECTIONS}

    def clear(self, name: str) -> None:
        """Remove every key of a service from the file."""
        self.change({one.listed.key: None for one in self._settings.values() if one.listed.group == name})

    def change(self, values: Mapping[str, object], *, must_hold: bool = False) -> dict[str, JsonValue]:
        """Change some keys together; one that is None returns to its default."""
        wanted: dict[str, Value | None] = {}
        for key, value in values.items():
            if key not in self._settings:
                raise UnknownSetting(translate("settings.unknown", key=key[:80]))
            wanted[key] = None if value is None else self._settings[key].checked(value)
        with self._lock:
            text = self._source.read()
            changed = self._changed(text, wanted)
            try:
                effective = self._source.override(settings_of(changed))
                check_settings(effective)
                self._probe(effective)
            except BadInput as error:
                raise BadSetting(str(error)) from error
            holds = {key: self._settings[key].value_in(effective) for key in wanted}
            for key, value in wanted.items():
                if must_hold and holds[key] != (self._settings[key].usual if value is None else value):
                    raise BadSetting(translate("settings.fixed", key=key))
            if changed != text:
                self._source.write(changed)
            try:
                for key in filter(self._is_live, wanted):
                    self._apply(key, effective)
                    self._running[key] = holds[key]
            except BadInput as error:
                self._source.write(text)
                raise BadSetting(str(error)) from error
        return self.view()

    def _changed(self, text: str, wanted: Mapping[str, Value | None]) -> str:
        values: dict[tuple[str, ...], Value | None] = {}
        for key, value in wanted.items():
            setting = self._settings[key]
            values[setting.path] = value
            if setting.listed.group == "dice":
                # A file that names one class of dice must name all of them.
                named = dict(settings_of(text).colours)
                named[setting.path[1]] = str(value or setting.usual or named[setting.path[1]])
                values |= {("colours", label): colour for label, colour in named.items()}
        return with_values(text, values)

    def _shown(
        self, setting: TableSetting, body: dict[str, Any], stored: Settings, wanted: Settings
    ) -> dict[str, JsonValue]:
        key = setting.listed.key
        in_file = value_at(body, setting.path)
        effective, holds = setting.value_in(wanted), self._running[key]
        if is_secret := setting.kind is Kind.SECRET:
            in_file = holds = None
        words: list[JsonValue] = [{"value": one, "title": setting.title_of(one)} for one in setting.words]
        return {
            "key": key,
            "title": setting.title,
            "help": setting.help,
            "kind": setting.kind.value,
            "words": words,
            "suggested": list(setting.listed.suggested),
            "low": setting.low,
            "high": setting.high,
            "is_open": setting.is_open,
            "usual": _json(setting.usual),
            "value": in_file,
            "holds": _json(holds),
            "live": self._is_live(key),
            "pending": effective != self._running[key],
            "overridden": setting.value_in(stored) != effective,
            "kept": is_secret and effective is not None,
        }

    def _read(self) -> tuple[dict[str, Any], Settings, Settings]:
        body = tomllib.loads(self._source.read().removeprefix(MARK))
        stored = read_settings(body)
        return body, stored, self._source.override(stored)


def _json(value: Value | None) -> JsonValue:
    return list(value) if isinstance(value, list) else value
