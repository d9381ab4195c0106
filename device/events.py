"""What happens to a tray, in the past tense. Adapters post events; only the loop turns them into state."""

from dataclasses import dataclass
from typing import TypeAlias

from device.table import Pool
from device.table_events import TableEvent
from rules.system import Facts
from vision.sighting import Rest


@dataclass(frozen=True, slots=True)
class MotionSeen:
    """Something began to move over the floor."""


@dataclass(frozen=True, slots=True)
class TrayRead:
    """Everything lies still, and this is what lies there."""

    rest: Rest


@dataclass(frozen=True, slots=True)
class ThrowOrdered:
    """The simulated hand was told to throw new dice: what lies there now is over."""


@dataclass(frozen=True, slots=True)
class PushPressed:
    """Somebody pressed push: on the tray, on a page, by a key."""


@dataclass(frozen=True, slots=True)
class ResetPressed:
    """Somebody pressed reset."""


@dataclass(frozen=True, slots=True)
class DieCorrected:
    """A person said what a die shows; None leaves what held before."""

    die_id: int
    value: int | None
    colour: str | None


@dataclass(frozen=True, slots=True)
class DieRestored:
    """A person took the word back: the camera's reading holds again."""

    die_id: int


@dataclass(frozen=True, slots=True)
class SystemChosen:
    """The table plays by another rule system from now on."""

    system: str


@dataclass(frozen=True, slots=True)
class PoolDeclared:
    """Somebody said what will be thrown; None: any dice will do."""

    pool: Pool | None


@dataclass(frozen=True, slots=True)
class ContextSet:
    """Facts of the roll were given; a None value removes the fact."""

    changes: Facts


@dataclass(frozen=True, slots=True)
class CameraFailed:
    """The camera does not answer; it is tried again after `retry_in_s`."""

    text: str
    retry_in_s: float


@dataclass(frozen=True, slots=True)
class CameraCame:
    """The camera gives frames (again)."""


Event: TypeAlias = (
    MotionSeen
    | TrayRead
    | ThrowOrdered
    | PushPressed
    | ResetPressed
    | DieCorrected
    | DieRestored
    | SystemChosen
    | PoolDeclared
    | ContextSet
    | CameraFailed
    | CameraCame
    | TableEvent
)
