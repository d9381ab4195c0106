"""The settings file of a tray that runs: what it says, what holds now, and one value changed at a time."""

import threading
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from device.config.settings import LARGEST_BYTES, Settings, check_settings, read_settings
from device.config.settings_file import with_value, write_whole
from device.config.table_settings import BadSetting, TableSetting, Value, table_settings
from device.errors import BadInput
from device.kept_files import parse_toml
from device.texts.catalogue import say
from rules.system import JsonValue
from vision.types.cures import cure_of, why


class UnknownSetting(BadInput):
    """A key that is not on the list."""


@dataclass(frozen=True, slots=True)
class SettingsSource:
    file: Path
    override: Callable[[Settings], Settings]


class SettingsService:
    """Reads and changes the settings file for the page `/settings`. Any thread may ask; one changes at a time."""

    def __init__(
        self,
        source: SettingsSource,
        running: Settings,
        *,
        live: frozenset[str],
        take_up: Callable[[str, Settings], None],
        probe: Callable[[Settings], None],
        restart: Callable[[], None],
    ) -> None:
        """Begin with what the tray was started with.

        Args:
            live: Keys that hold at once; the others hold from the next start on.
        """
        self._source = source
        self._settings = table_settings(running)
        self._running = {one.listed.key: one.value_in(running) for one in self._settings}
        self._live = live
        self._apply_live_setting = take_up
        self._probe = probe
        self.restart = restart
        self._lock = threading.Lock()

    def view(self) -> dict[str, JsonValue]:
        """Return every setting that the table may touch: what it may be, what the file says, what holds now."""
        body, said, wanted = self._read()
        groups: dict[str, list[JsonValue]] = {}
        pending: list[JsonValue] = []
        for one in self._settings:
            shown = self._shown(one, body, said, wanted)
            groups.setdefault(one.listed.group, []).append(shown)
            if shown["pending"]:
                pending.append(one.listed.key)
        return {
            "file": str(self._source.file),
            "restart": pending,
            "groups": [
                {"name": name, "title": say(f"settings.group.{name}"), "settings": shown}
                for name, shown in groups.items()
            ],
        }

    def change(self, key: str, value: object, *, must_hold: bool = False) -> dict[str, JsonValue]:
        setting = next((one for one in self._settings if one.listed.key == key), None)
        if setting is None:
            raise UnknownSetting(say("settings.unknown", key=key[:80]))
        wanted = None if value is None else setting.checked(value)
        with self._lock:
            text = self._text()
            changed = self._changed(text, setting, wanted)
            try:
                effective = self._source.override(read_settings(tomllib.loads(changed.removeprefix("\ufeff"))))
                check_settings(effective)
                self._probe(effective)
            except BadInput as error:
                raise BadSetting(str(error)) from error
            if must_hold and setting.value_in(effective) != (setting.usual if wanted is None else wanted):
                raise BadSetting(say("settings.fixed", key=key))
            if changed != text:
                write_whole(self._source.file, changed)
            if key in self._live:
                try:
                    self._apply_live_setting(key, effective)
                except BadInput as error:
                    write_whole(self._source.file, text)
                    raise BadSetting(str(error)) from error
                self._running[key] = setting.value_in(effective)
        return self.view()

    def _changed(self, text: str, setting: TableSetting, value: Value | None) -> str:
        if setting.listed.group != "dice":
            return with_value(text, setting.path, value)
        # A file that names one class of dice names all that there are.
        named = dict(read_settings(tomllib.loads(text.removeprefix("\ufeff"))).colours)
        usual = str(setting.usual or named[setting.path[1]])
        for label, colour in (named | {setting.path[1]: usual if value is None else str(value)}).items():
            text = with_value(text, ("colours", label), colour)
        return text

    def _shown(
        self, setting: TableSetting, body: dict[str, Any], said: Settings, wanted: Settings
    ) -> dict[str, JsonValue]:
        key = setting.listed.key
        in_file: Any = body
        for name in setting.path:
            in_file = in_file.get(name) if isinstance(in_file, dict) else None
        effective = setting.value_in(wanted)
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
            "holds": _json(self._running[key]),
            "live": key in self._live,
            "pending": effective != self._running[key],
            "overridden": setting.value_in(said) != effective,
        }

    def _read(self) -> tuple[dict[str, Any], Settings, Settings]:
        body = tomllib.loads(self._text().removeprefix("\ufeff"))
        said = read_settings(body)
        return body, said, self._source.override(said)

    def _text(self) -> str:
        try:
            if not self._source.file.exists():
                return ""
            raw = self._source.file.read_bytes()
            text = raw.decode("utf-8")
            parse_toml(text.removeprefix("\ufeff"))
        except OSError as error:
            cure = cure_of(error.errno, "change it by hand")
            raise BadInput(say("settings.not_read", text=f"{why(error)}: {cure}")) from error
        except ValueError as error:
            raise BadInput(say("settings.not_read", text=str(error))) from error
        if len(raw) > LARGEST_BYTES:
            raise BadInput(say("settings.not_read", text=f"{len(raw)} > {LARGEST_BYTES} bytes"))
        return text


def _json(value: Value | None) -> JsonValue:
    return list(value) if isinstance(value, list) else value
