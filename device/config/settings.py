"""All settings of the tray, read and validated before the camera starts. Command line over file over defaults."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from device.camera.base import CameraRequest
from device.camera.pi_camera import PiCameraParams
from device.camera.registry import NAMES, REPLAY, camera_kind, replay_folder
from device.camera.usb_camera import UsbCameraParams
from device.config.mains import mains_here
from device.config.messages import nearest, one_line
from device.errors import BadInput
from device.game.dice.role_mapping import distinct_roles, has_twins
from device.game.state.campaign import Carry
from device.game.state.table_state import Pool, Table, TableDefaults
from device.integrations.sections import SECTIONS, Section
from device.integrations.settings import MqttSettings
from device.kept_files import parse_toml
from device.panel.panel import PanelParams
from device.panel.pins import PinKind
from device.ring.plan import RingParams
from device.ring.wled import RingKind, WledParams
from device.section import Declared, OneOf, section
from device.simulation.settings import SimulationSettings
from device.storage.pictures import MemorySettings
from device.texts.catalogue import ENGLISH, error_text, languages
from rules.dice import Role
from rules.errors import BadRequest
from rules.system import DEFAULT_SYSTEM_ID, find_system, systems
from vision.colour.classes import COLOUR_NAMES, STANDARD_COLOURS
from vision.types.cures import cure_of, why

LogLevel: TypeAlias = Literal["debug", "info", "warning", "error"]
"""The lowest level of messages that a tray prints."""

LOG_LEVELS: tuple[LogLevel, ...] = get_args(LogLevel)

HomePath: TypeAlias = Annotated[Path, AfterValidator(Path.expanduser)]
"""A path that may start with ~."""

LARGEST_BYTES = 1_000_000
"""The largest settings file that is read."""

_HOST_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*")
"""In the form that browsers send: other letters are `xn--...`."""

_NAMED_HOST = re.compile(rf"{_HOST_NAME.pattern}(:[0-9]{{1,5}})?")

_ORIGIN = re.compile(rf"https?://({_HOST_NAME.pattern}|\[[0-9A-Fa-f:.]+\])(:[0-9]{{1,5}})?")
"""In the form that browsers send."""


@section
class TraySettings:
    """Camera, rule system and files.

    Attributes:
        camera: `simulated`, `pi`, `pi:1`, `usb:N` (`usb:0` is the first) or `replay:FOLDER`.
            Without it, start with `--camera`.
        system: Id of the rule system.
        profile: The tray's calibration file; without it one in the data folder, named after the camera.
        data: Folder for the roll log; without it `~/.local/share/pushtray`.
    """

    camera: str = ""
    system: str = DEFAULT_SYSTEM_ID
    profile: HomePath | None = None
    data: HomePath | None = None


@section
class WebSettings:
    """Address of the display.

    Attributes:
        host: Address the tray listens on. With 127.0.0.1 only this machine can open it.
        port: Port the tray listens on. 0 takes a free one.
        names: Other names that pages may be opened by, such as one from a router or a proxy: `["tray.lan"]`. Add the
            port unless it is 80 or 443: `["tray.lan:8443"]`.
        origins: Addresses of other hosts whose pages may read the rolls, such as Foundry's: `["http://vtt.lan:30000"]`.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    names: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for origin in self.origins:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(
                    f"origins has {origin!r}: write it as in http://vtt.lan:30000, without anything behind"
                )
        for name in self.names:
            if not _NAMED_HOST.fullmatch(name):
                raise ValueError(f"names has {name!r}: write it as in tray.lan or tray.lan:8443, without http://")


@section
class PhoneSettings:
    """Phones at the table.

    Attributes:
        pin: Whether a phone must enter the PIN shown on the display before it may change anything. `auto`: if the tray
            listens beyond 127.0.0.1 or has `names` under `[web]`; `on`: always; `off`: never. The display needs no PIN:
            with `on` or `names` it sends the secret in the data folder.
    """

    pin: Literal["auto", "on", "off"] = "auto"


@section
class PinSettings:
    """Buttons and lamps.

    Attributes:
        pins: Real pins, simulated ones (`mock`), or no panel. Default: `mock` with the simulated camera, `gpio` with a
            Pi camera, `none` otherwise.
        wiring: Pins and rhythm of the panel, see `PanelParams`.
    """

    pins: Literal["", PinKind] = ""
    wiring: PanelParams = field(default_factory=PanelParams)


@section
class RingSettings:
    """The light ring.

    Attributes:
        kind: No ring, or a WLED ring.
        shape: Shape and colours of the ring, see `RingParams`.
        port: Connection to WLED, see `WledParams`.
    """

    kind: RingKind = "none"
    shape: RingParams = field(default_factory=RingParams)
    port: WledParams = field(default_factory=WledParams)


@section
class SheetSettings:
    """Characters' sheets.

    Attributes:
        carry: How a result's consequences reach the player's sheet: `ask` waits for a tap, `always` does not. A choice
            on the display overrides it from then on.
    """

    carry: Carry = Carry.ASK


@section
class DisplaySettings:
    """The pages.

    Attributes:
        language: Language for browsers that haven't chosen one.
        idle_min: Minutes without a touch before an empty tray shows its idle screen. 0: never.
        undo_s: Seconds in which a press can be undone; longer while the button has the focus.
        remember: Whether the tray learns a face when its value is corrected: `ask` leaves it to a tap.
    """

    language: Annotated[str, OneOf(tuple(languages()))] = ENGLISH
    idle_min: Annotated[float, Field(ge=0, le=240)] = 5.0
    undo_s: Annotated[float, Field(ge=3, le=120)] = 10.0
    remember: Literal["ask", "always", "never"] = "ask"


@section
class LogSettings:
    """Messages on standard error, which the journal stores if the tray is a service.

    Attributes:
        level: Lowest level to print. `--log-level` overrides it.
    """

    level: LogLevel = "info"


def _with_services(kind: type[Declared]) -> type[Declared]:
    """Add the section of each service in `device/integrations/channels`."""
    for name, settings in SECTIONS.items():
        if name not in kind.__annotations__:
            kind.__annotations__[name] = settings
            setattr(kind, name, field(default_factory=settings))
    return kind


@section
@_with_services
class Settings:
    """All settings; a section for each service of `SECTIONS` is added to those below.

    Attributes:
        tray: Camera, rule system and files of the tray, see `TraySettings`.
        web: Address at which the display is served, see `WebSettings`.
        phones: PIN of the phones at the table, see `PhoneSettings`.
        panel: Buttons and lamps, see `PinSettings`.
        ring: The light ring, see `RingSettings`.
        usb: Parameters of a USB camera, see `UsbCameraParams`.
        pi: Parameters of the Pi's own camera, see `PiCameraParams`.
        simulation: The simulated tray, see `SimulationSettings`.
        sheets: Characters' sheets, see `SheetSettings`.
        display: Language of the pages, see `DisplaySettings`.
        memory: Pictures and evenings, see `MemorySettings`.
        log: Messages on standard error, see `LogSettings`.
        mqtt: An MQTT broker that receives state and results, see `MqttSettings`.
        colours: Body colour by colour class, as in `base = "yellow"`.
        pool: Declared dice by role, as in `base = 5`, at a new table and after each Reset.
        context: Facts of the roll, as in `attribute = 4`, at a new table and after each Reset.
        roles: Role by colour class, a section for each rule system: `[roles.push-pool]`, then `skill = "negative"`. A
            choice on the display overrides it.
        rulings: House rulings by name, a section for each rule system: `[rulings.push-pool]`. `pushtray rulings` lists
            them. A choice on the display overrides it.
    """

    tray: TraySettings = field(default_factory=TraySettings)
    web: WebSettings = field(default_factory=WebSettings)
    phones: PhoneSettings = field(default_factory=PhoneSettings)
    panel: PinSettings = field(default_factory=PinSettings)
    ring: RingSettings = field(default_factory=RingSettings)
    usb: UsbCameraParams = field(default_factory=UsbCameraParams)
    pi: PiCameraParams = field(default_factory=PiCameraParams)
    simulation: SimulationSettings = field(default_factory=SimulationSettings)
    sheets: SheetSettings = field(default_factory=SheetSettings)
    display: DisplaySettings = field(default_factory=DisplaySettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    log: LogSettings = field(default_factory=LogSettings)
    mqtt: MqttSettings = field(default_factory=MqttSettings)
    colours: Mapping[str, str] = field(default_factory=lambda: dict(STANDARD_COLOURS))
    pool: Mapping[str, int] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)
    roles: Mapping[str, Mapping[str, Role]] = field(default_factory=dict)
    rulings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def services(self) -> dict[str, Section]:
        """The settings of each service that receives results, by its name."""
        return {name: getattr(self, name) for name in SECTIONS}

    @property
    def pins(self) -> PinKind:
        """The kind of pins of the panel: `gpio`, `mock` or `none`."""
        return self.panel.pins or camera_kind(self.tray.camera).pins

    @property
    def camera_request(self) -> CameraRequest[Any]:
        kind = camera_kind(self.tray.camera)
        params = getattr(self, kind.section) if kind.section else None
        if isinstance(params, PiCameraParams) and params.mains_hz is None:
            params = replace(params, mains_hz=mains_here().hz)
        return CameraRequest(self.tray.camera, params, self.data_folder)

    @property
    def data_folder(self) -> Path:
        return self.tray.data or default_data_folder()

    def table(self) -> Table:
        system = find_system(self.tray.system)
        table = Table(
            system=system.id,
            context=dict(self.context),
            colour_classes=tuple(self.colours),
            colour_roles=self.roles,
            rulings=self.rulings,
        )
        try:
            pool = Pool.from_counts(self.pool, distinct_roles(system, table)) if self.pool else None
        except BadInput as error:
            raise BadInput(f"pool is {dict(self.pool)}: {error_text(error)}") from error
        if pool is not None and has_twins(pool, table):
            raise BadInput("pool has skill and negative dice, which have one colour: name only one of the two kinds")
        return replace(table, pool=pool, usual=TableDefaults(system.id, pool, table.context))


_SETTINGS = TypeAdapter(Settings)


def default_data_folder() -> Path:
    """Return the user's default folder for the roll log, by the XDG base directory specification."""
    base = os.environ.get("XDG_DATA_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".local" / "share") / "pushtray"


def default_settings_file() -> Path:
    """Return the default path of the settings file, by the same specification."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".config") / "pushtray" / "settings.toml"


def load_settings(path: Path | None) -> Settings:
    if path is None:
        own = default_settings_file()
        if not own.is_file():
            return Settings()
        path = own
    body = _load_toml(path)
    try:
        return read_settings(body)
    except BadInput as error:
        raise BadInput(f"settings {path}: {error}") from error


def _load_toml(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise BadInput(f"settings {path} are larger than {LARGEST_BYTES} bytes: name another file")
        # Windows editors begin a file with a byte order mark, which TOML does not allow.
        return parse_toml(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        cure = cure_of(error.errno, "name another file with --settings")
        raise BadInput(f"cannot read settings {path}: {why(error)}: {cure}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"settings {path} are not UTF-8: save the file as UTF-8") from error
    except ValueError as error:
        raise BadInput(f"settings {path} are not TOML ({error}): correct the file") from error


def read_settings(body: Mapping[str, Any]) -> Settings:
    try:
        # As JSON, since a strict check then takes a list for a tuple and a text for a path or an enum. A date, which
        # JSON lacks and no key holds, is refused as the text that it becomes.
        return _SETTINGS.validate_json(json.dumps(body, default=str))
    except ValidationError as error:
        raise BadInput(one_line(error, Settings, body)) from error


def check_settings(settings: Settings) -> None:
    _check_tray(settings)
    check_colours(settings.colours)
    _check_roles(settings)
    _check_rulings(settings)
    settings.table()


def _check_tray(settings: Settings) -> None:
    if not settings.tray.camera:
        raise BadInput(f"no camera is named: add --camera, one of {NAMES}")
    if camera_kind(settings.tray.camera) is REPLAY and not replay_folder(settings.tray.camera).is_dir():
        raise BadInput(f"there is no folder {replay_folder(settings.tray.camera)}: name a recording")
    try:
        find_system(settings.tray.system)
    except BadRequest as error:
        raise BadInput(str(error)) from error


def check_colours(colours: Mapping[str, Any]) -> None:
    for label, colour in colours.items():
        if colour not in COLOUR_NAMES:
            raise BadInput(f"colours.{label} is {colour!r}: {nearest(str(colour), COLOUR_NAMES)}")


def _check_roles(settings: Settings) -> None:
    known = {system.id for system in systems()}
    for system_id, roles in settings.roles.items():
        if system_id not in known:
            raise BadInput(f"unknown key roles.{system_id}: {nearest(system_id, known)}")
        for label in roles:
            if label not in settings.colours:
                raise BadInput(f"unknown key roles.{system_id}.{label}: {nearest(label, settings.colours)}")


def _check_rulings(settings: Settings) -> None:
    known = {system.id: system for system in systems()}
    for system_id, chosen in settings.rulings.items():
        if system_id not in known:
            raise BadInput(f"unknown key rulings.{system_id}: {nearest(system_id, known)}")
        rulings = {ruling.name: ruling for ruling in known[system_id].rulings}
        for name, value in chosen.items():
            if name not in rulings:
                raise BadInput(f"unknown key rulings.{system_id}.{name}: {nearest(name, rulings)}")
            ruling = rulings[name]
            fits = (
                any(value == choice and type(value) is type(choice) for choice in ruling.choices)
                if ruling.choices
                else type(value) is int and (ruling.low or 0) <= value <= (ruling.high or value)
            )
            if not fits:
                allowed = (
                    ", ".join(str(choice).lower() for choice in ruling.choices) or f"{ruling.low} to {ruling.high}"
                )
                raise BadInput(f"rulings.{system_id}.{name} is {value!r}: choose one of {allowed}")


def with_services(settings: Settings, **services: Section) -> Settings:
    changed: dict[str, Any] = dict(services)
    return replace(settings, **changed)


def with_overrides(
    settings: Settings,
    *,
    camera: str | None = None,
    system: str | None = None,
    profile: Path | None = None,
    data: Path | None = None,
    host: str | None = None,
    port: int | None = None,
    log_level: LogLevel | None = None,
    colours: Mapping[str, str] | None = None,
) -> Settings:
    """Return the settings, overridden by the command line; None keeps a setting."""
    sections: dict[str, dict[str, Any]] = {
        "tray": {"camera": camera, "system": system, "profile": profile, "data": data},
        "web": {"host": host, "port": port},
        "log": {"level": log_level},
    }
    changed: dict[str, Any] = {} if colours is None else {"colours": dict(colours)}
    for name, values in sections.items():
        given = {key: value for key, value in values.items() if value is not None}
        kept = getattr(settings, name)
        try:
            changed[name] = replace(kept, **given)
        except ValidationError as error:
            raise BadInput(f"{name}.{one_line(error, type(kept), given)}") from error
    return replace(settings, **changed)
