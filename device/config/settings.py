"""All settings of the tray, read and checked before the camera starts. Command line over file over defaults."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from device.camera.pi_camera import PiCameraParams
from device.camera.registry import KINDS, camera_kind, replay_folder
from device.camera.usb_camera import UsbCameraParams
from device.config.settings_file import load_toml, nearest, read_section
from device.errors import BadInput
from device.game.dice.role_mapping import distinct_roles
from device.game.state.campaign import Carry
from device.game.state.table_state import Pool, Table, Usual
from device.panel.panel import PIN_KINDS, PanelParams
from device.ring.plan import RingParams
from device.ring.wled import RING_KINDS, WledParams
from device.texts.catalogue import ENGLISH, languages
from rules.dice import Role
from rules.errors import BadRequest
from rules.system import DEFAULT_SYSTEM_ID, Facts, find_system, systems
from vision.colour import COLOUR_NAMES, STANDARD_COLOURS

TRAY_SHAPES = ("rectangle", "round", "hexagon", "octagon")
"""Shapes of floor that a simulated tray may have."""

LOG_LEVELS = ("debug", "info", "warning", "error")
"""From which level on a tray prints messages."""

_HOST_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*")
"""As browsers send it: other letters than these come as `xn--...`."""

_PINS_OF = {"simulated": "mock", "pi": "gpio", "usb": "none", "replay": "none"}
"""Which pins a tray with this kind of camera has where the settings do not say."""


@dataclass(frozen=True, slots=True)
class TraySettings:
    """What is played with.

    Attributes:
        camera: `simulated`, `pi`, `usb:N` or `replay:FOLDER`; empty: must come from the command line.
        system: Id of the rule system.
        profile: The tray's calibration file.
        data: Folder for the roll log.
    """

    camera: str = ""
    system: str = DEFAULT_SYSTEM_ID
    profile: Path | None = None
    data: Path | None = None


@dataclass(frozen=True, slots=True)
class WebSettings:
    """Where the display is served.

    Attributes:
        host: Address to listen on; 127.0.0.1 lets nobody in from outside.
        port: 1 to 65535; 0 takes a free one.
        names: Further host names that pages may be opened by, as a router or a proxy gives them: `["tray.lan"]`.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what no browser sends as a host.

        Raises:
            BadInput: A name with a scheme, a port or a path, or none.
        """
        for name in self.names:
            if not _HOST_NAME.fullmatch(name):
                raise BadInput(f"web.names has {name!r}: write a name alone, as in tray.lan, without http:// or port")


@dataclass(frozen=True, slots=True)
class PinSettings:
    """Which pins the panel is on.

    Attributes:
        pins: `gpio`, `mock` or `none`; empty: as the camera's kind has it.
        wiring: See `PanelParams`.
    """

    pins: str = ""
    wiring: PanelParams = field(default_factory=PanelParams)


@dataclass(frozen=True, slots=True)
class RingSettings:
    """The light ring.

    Attributes:
        kind: `none`, `wled`, or `emulator`, which is not there but speaks like one.
        shape: See `RingParams`.
        port: See `WledParams`.
    """

    kind: str = "none"
    shape: RingParams = field(default_factory=RingParams)
    port: WledParams = field(default_factory=WledParams)


@dataclass(frozen=True, slots=True)
class SimulationSettings:
    """The simulated tray.

    Attributes:
        seed: Makes a whole evening of throws repeatable; None: every throw was never seen before.
        fps: Frames a second.
        look: Another floor, other lamps; None: blue felt in a wooden frame.
        shape: The floor's: `rectangle`, `round`, `hexagon`, `octagon`.
    """

    seed: int | None = None
    fps: int = 15
    look: int | None = None
    shape: str = "rectangle"

    def __post_init__(self) -> None:
        """Refuse what cannot be simulated.

        Raises:
            BadInput: A value is out of its range.
        """
        if not 1 <= self.fps <= 60:
            raise BadInput(f"simulation.fps is {self.fps}, must be 1 to 60")
        for name, number in (("seed", self.seed), ("look", self.look)):
            if number is not None and number < 0:
                raise BadInput(f"simulation.{name} is {number}, must be 0 or more")
        if self.shape not in TRAY_SHAPES:
            raise BadInput(f"simulation.shape is {self.shape!r}: {nearest(self.shape, TRAY_SHAPES)}")


@dataclass(frozen=True, slots=True)
class SheetSettings:
    """Characters' sheets.

    Attributes:
        carry: How a result's consequences reach the sheet in use: `ask` waits for a tap, `always` does not. The table
            may choose otherwise on the display; its word is kept and holds from then on.
    """

    carry: str = Carry.ASK.value

    def __post_init__(self) -> None:
        """Refuse another word.

        Raises:
            BadInput: There is no such way.
        """
        if self.carry not in set(Carry):
            raise BadInput(f"sheets.carry is {self.carry!r}: {nearest(self.carry, [way.value for way in Carry])}")


@dataclass(frozen=True, slots=True)
class DisplaySettings:
    """The pages.

    Attributes:
        language: Of pages in browsers that chose none: the code of a catalogue, `en` or `de`.
    """

    language: str = ENGLISH

    def __post_init__(self) -> None:
        """Refuse a language that nobody has written.

        Raises:
            BadInput: There is no such catalogue.
        """
        if self.language not in languages():
            raise BadInput(f"display.language is {self.language!r}: {nearest(self.language, languages())}")


@dataclass(frozen=True, slots=True)
class LogSettings:
    """Messages on standard error, which the journal keeps where the tray is a service.

    Attributes:
        level: The lowest level that is printed: `debug`, `info`, `warning` or `error`.
    """

    level: str = "info"

    def __post_init__(self) -> None:
        """Refuse another word.

        Raises:
            BadInput: There is no such level.
        """
        if self.level not in LOG_LEVELS:
            raise BadInput(f"log.level is {self.level!r}: {nearest(self.level, LOG_LEVELS)}")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a table may set.

    Attributes:
        tray: What is played with.
        web: Where the display is served.
        panel: Buttons and lamps.
        ring: Light ring.
        usb: USB camera.
        pi: The Pi's own camera.
        simulation: The simulated tray.
        sheets: Characters' sheets.
        display: The pages.
        log: Messages on standard error.
        colours: Body colour by colour class.
        pool: Declared dice by role where nobody says otherwise: at a new table, and after each Reset; empty: none.
        context: Facts of the roll, in the same way.
        roles: For each system id, the role of a colour class.
        rulings: For each system id, house rulings by name.
    """

    tray: TraySettings = field(default_factory=TraySettings)
    web: WebSettings = field(default_factory=WebSettings)
    panel: PinSettings = field(default_factory=PinSettings)
    ring: RingSettings = field(default_factory=RingSettings)
    usb: UsbCameraParams = field(default_factory=UsbCameraParams)
    pi: PiCameraParams = field(default_factory=PiCameraParams)
    simulation: SimulationSettings = field(default_factory=SimulationSettings)
    sheets: SheetSettings = field(default_factory=SheetSettings)
    display: DisplaySettings = field(default_factory=DisplaySettings)
    log: LogSettings = field(default_factory=LogSettings)
    colours: Mapping[str, str] = field(default_factory=lambda: dict(STANDARD_COLOURS))
    pool: Mapping[str, int] = field(default_factory=dict)
    context: Facts = field(default_factory=dict)
    roles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    rulings: Mapping[str, Facts] = field(default_factory=dict)

    @property
    def pins(self) -> str:
        """Which pins the panel is on: `gpio`, `mock` or `none`."""
        return self.panel.pins or _PINS_OF[camera_kind(self.tray.camera)]

    @property
    def data_folder(self) -> Path:
        """Where the roll log is kept."""
        return self.tray.data or default_data_folder()

    def table(self) -> Table:
        """What holds at the table when the tray starts.

        Raises:
            BadInput: The pool names a role that the system does not roll.
        """
        system = find_system(self.tray.system)
        table = Table(
            system=system.id,
            context=dict(self.context),
            colour_classes=tuple(self.colours),
            colour_roles=self.roles,
            rulings=self.rulings,
        )
        pool = Pool.from_counts(self.pool, distinct_roles(system, table)) if self.pool else None
        return replace(table, pool=pool, usual=Usual(system.id, pool, table.context))


_SECTIONS: dict[str, type[Any]] = {
    "tray": TraySettings,
    "web": WebSettings,
    "panel": PinSettings,
    "ring": RingSettings,
    "usb": UsbCameraParams,
    "pi": PiCameraParams,
    "simulation": SimulationSettings,
    "sheets": SheetSettings,
    "display": DisplaySettings,
    "log": LogSettings,
}
_TABLES = ("colours", "pool", "context", "roles", "rulings")


def default_data_folder() -> Path:
    """The user's own folder for the roll log, by the XDG base directory specification."""
    base = os.environ.get("XDG_DATA_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".local" / "share") / "pushtray"


def default_settings_file() -> Path:
    """Where settings are looked for when none are named, by the same specification."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".config") / "pushtray" / "settings.toml"


def load_settings(path: Path | None) -> Settings:
    """Read the settings file.

    Args:
        path: The file; None: the user's own, or the defaults where there is none.

    Raises:
        BadInput: An unknown key (with the nearest right one), a value of another kind or out of range.
    """
    if path is None:
        own = default_settings_file()
        if not own.is_file():
            return Settings()
        path = own
    try:
        return read_settings(load_toml(path))
    except BadInput as error:
        raise BadInput(str(error) if str(path) in str(error) else f"settings {path}: {error}") from error


def read_settings(body: Mapping[str, Any]) -> Settings:
    """Check what a settings file says.

    Raises:
        BadInput: As `load_settings`.
    """
    values: dict[str, Any] = {}
    for key, value in body.items():
        if key in _SECTIONS:
            values[key] = read_section(_SECTIONS[key], value, key)
        elif key in _TABLES:
            if not isinstance(value, Mapping):
                raise BadInput(f"{key} is {value!r}: write a section [{key}]")
            values[key] = dict(value)
        else:
            raise BadInput(f"unknown key {key}: {nearest(key, (*_SECTIONS, *_TABLES))}")
    return Settings(**values)


def check_settings(settings: Settings) -> None:
    """Check everything that can be checked without touching the world.

    Raises:
        BadInput: The first thing that is wrong, with its cure.
    """
    _check_tray(settings)
    if not 0 <= settings.web.port <= 65535:
        raise BadInput(f"web.port is {settings.web.port}: give 1 to 65535, or 0 for a free one")
    if settings.panel.pins and settings.panel.pins not in PIN_KINDS:
        raise BadInput(f"panel.pins is {settings.panel.pins!r}: {nearest(settings.panel.pins, PIN_KINDS)}")
    if settings.ring.kind not in RING_KINDS:
        raise BadInput(f"ring.kind is {settings.ring.kind!r}: {nearest(settings.ring.kind, RING_KINDS)}")
    check_colours(settings.colours)
    _check_roles(settings)
    _check_rulings(settings)
    settings.table()


def _check_tray(settings: Settings) -> None:
    if not settings.tray.camera:
        raise BadInput(f"no camera is named: add --camera, one of {KINDS}")
    if camera_kind(settings.tray.camera) == "replay" and not replay_folder(settings.tray.camera).is_dir():
        raise BadInput(f"there is no folder {replay_folder(settings.tray.camera)}: name a recording")
    try:
        find_system(settings.tray.system)
    except BadRequest as error:
        raise BadInput(str(error)) from error


def check_colours(colours: Mapping[str, Any]) -> None:
    """Check that each colour class has a colour that the reader knows.

    Raises:
        BadInput: A colour that it does not know, with the nearest that it does.
    """
    for label, colour in colours.items():
        if colour not in COLOUR_NAMES:
            raise BadInput(f"colours.{label} is {colour!r}: {nearest(str(colour), COLOUR_NAMES)}")


def _check_roles(settings: Settings) -> None:
    known = {system.id for system in systems()}
    for system_id, roles in settings.roles.items():
        if system_id not in known:
            raise BadInput(f"unknown key roles.{system_id}: {nearest(system_id, known)}")
        if not isinstance(roles, Mapping):
            raise BadInput(f"roles.{system_id} is {roles!r}: write a section [roles.{system_id}]")
        for label, role in roles.items():
            if role not in {known_role.value for known_role in Role}:
                raise BadInput(f"roles.{system_id}.{label} is {role!r}: {nearest(str(role), Role)}")
            if label not in settings.colours:
                raise BadInput(f"unknown key roles.{system_id}.{label}: {nearest(label, settings.colours)}")


def _check_rulings(settings: Settings) -> None:
    known = {system.id: system for system in systems()}
    for system_id, chosen in settings.rulings.items():
        if system_id not in known:
            raise BadInput(f"unknown key rulings.{system_id}: {nearest(system_id, known)}")
        if not isinstance(chosen, Mapping):
            raise BadInput(f"rulings.{system_id} is {chosen!r}: write a section [rulings.{system_id}]")
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


def with_overrides(
    settings: Settings,
    *,
    camera: str | None = None,
    system: str | None = None,
    profile: Path | None = None,
    data: Path | None = None,
    host: str | None = None,
    port: int | None = None,
    log_level: str | None = None,
    colours: Mapping[str, str] | None = None,
) -> Settings:
    """The settings with what the command line says instead; None leaves a setting as it is."""
    tray = settings.tray
    tray = TraySettings(
        camera=tray.camera if camera is None else camera,
        system=tray.system if system is None else system,
        profile=tray.profile if profile is None else profile,
        data=tray.data if data is None else data,
    )
    web = settings.web
    web = replace(web, host=web.host if host is None else host, port=web.port if port is None else port)
    return replace(
        settings,
        tray=tray,
        web=web,
        log=settings.log if log_level is None else LogSettings(log_level),
        colours=settings.colours if colours is None else dict(colours),
    )
