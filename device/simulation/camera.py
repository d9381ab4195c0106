"""A camera over a simulated tray: real physics, drawn pictures. Used only if named, never as a fallback."""

import secrets
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from device.errors import BadInput, DeviceError
from device.game.throw_orders import (
    BUSY_TEXT,
    HandAction,
    MendOrder,
    PointPx,
    SimulatedThrow,
    ThrowRefusal,
    ThrowRefused,
)
from device.simulation.hand import HandParams
from device.simulation.laying import laid_down
from device.simulation.memory import KeptDie, SimulatedMemory
from device.simulation.physics import BodyPose, ThrowParams
from device.simulation.scenery import SceneryParams, box_of, die_look, scenery
from device.simulation.script import Act, Lay, SimulatedDie, Take, Toss, TrayPlay
from device.simulation.settings import UNLESS_SET
from device.simulation.studio import Studio
from vision.colour.classes import STANDARD_COLOURS
from vision.rendering.die_patch import value_at
from vision.rendering.scene import DiePose, Scene
from vision.rendering.synthetic import DieTruth, die_truth
from vision.types.frame import Frame

_THROWN_AGAIN = 4
"""Added to the seed of dice thrown again or thrown in, which would otherwise fall as in the first throw."""


class Clock(Protocol):
    def now_s(self) -> float:
        """Return the seconds of a monotonic clock."""
        ...

    def wait_until(self, t_s: float) -> None:
        """Wait until `t_s`; return at once if it has passed."""
        ...


class RealClock:
    def now_s(self) -> float:
        return time.monotonic()

    def wait_until(self, t_s: float) -> None:
        time.sleep(max(0.0, t_s - time.monotonic()))


@dataclass(frozen=True, slots=True)
class SimulatedCameraParams:
    fps: float = UNLESS_SET.fps  # maximum frames per second; a slow machine draws fewer, and dice move on meanwhile
    # makes a whole evening repeatable; None if every throw without its own seed is new
    seed: int | None = None
    # Exposure time in seconds. A hundredth of a second suits lamps on 50 Hz mains.
    shutter_s: float = 0.01
    colours: Mapping[str, str] = field(default_factory=lambda: dict(STANDARD_COLOURS))
    scenery: SceneryParams = field(default_factory=SceneryParams)
    throwing: ThrowParams = field(default_factory=ThrowParams)
    hand: HandParams = field(default_factory=HandParams)


@dataclass(frozen=True, slots=True, eq=False)
class TrueDie:
    """The true state of a simulated die; for tests and labels, never for reading."""

    number: int
    colour: str
    pose: DiePose
    shows: DieTruth


class SimulatedCamera:
    """A `FrameSource` and a `SimulatedTray`. One thread reads frames; any thread may give orders."""

    def __init__(
        self,
        params: SimulatedCameraParams | None = None,
        clock: Clock | None = None,
        memory: SimulatedMemory | None = None,
    ) -> None:
        self._params = params or SimulatedCameraParams()
        self._clock = clock or RealClock()
        if not 0 < self._params.fps <= 240:
            raise BadInput(f"{self._params.fps:g} frames a second cannot be simulated: give 1 to 240")
        for colour in self._params.colours.values():
            die_look(colour, self._params.scenery.die_mm, 0)
        self._scene = scenery(self._params.scenery)
        self._play = TrayPlay(box_of(self._scene.tray), self._params.throwing, self._params.hand)
        self._lock = threading.Lock()
        self._seed = secrets.randbits(63) if self._params.seed is None else self._params.seed
        self._orders = 0
        self._dice_made = 0
        self._studio: Studio | None = None
        self._is_open = False
        self._next_s = 0.0
        self._sequence = 0
        self._memory = memory
        self._swept: tuple[SimulatedDie, ...] = ()
        self._remember()

    @property
    def name(self) -> str:
        return "simulated"

    @property
    def scene(self) -> Scene:
        """The tray without dice: geometry for tests and for the build guide's table."""
        return self._scene

    def open(self) -> None:
        """Draw the empty tray (about a second, once) and start producing frames."""
        if self._studio is None:
            self._studio = Studio(self._scene, self._params.hand, self._params.shutter_s)
        self._next_s = self._clock.now_s()
        self._is_open = True

    def close(self) -> None:
        """Stop; the dice keep their places."""
        self._is_open = False

    def read(self, timeout_s: float) -> Frame | None:  # noqa: ARG002  a frame always comes in time
        studio = self._studio
        if studio is None or not self._is_open:
            raise DeviceError("simulated camera is closed: open it first")
        self._clock.wait_until(self._next_s)
        # Later pictures do not make up for one that took too long to draw.
        t_s = max(self._next_s, self._clock.now_s() - 1 / self._params.fps)
        self._next_s = t_s + 1 / self._params.fps
        with self._lock:
            self._play.advance(t_s)
            view = self._play.view(t_s, self._params.shutter_s)
            self._keep()
        frame = Frame(studio.picture(view), t_s, self._sequence)
        self._sequence += 1
        return frame

    def throw(self, order: SimulatedThrow) -> None:
        """Throw new dice after sweeping out those in the tray. See `SimulatedTray`."""
        self._check_colours(label for label, count in order.counts if count)
        with self._lock:
            self._check_free()
            seed = self._next_seed(order.seed)
            labels = [label for label, count in order.counts for _ in range(count)]
            np.random.default_rng([*seed, 1]).shuffle(labels)
            dice = tuple(self._new_die(label, index) for index, label in enumerate(labels))
            lying = tuple(die.number for die in self._play.lying)
            self._begin((Take(lying), Toss(dice, seed)) if lying else (Toss(dice, seed),))

    def pick_up_and_rethrow(self, centers_px: tuple[PointPx, ...], hand: HandAction, seed: int | None) -> None:
        """Pick up the dice at these places in the picture and throw them again. See `SimulatedTray`."""
        with self._lock:
            self._check_free()
            named = [self._die_at(center) for center in centers_px]
            numbers = {die.number for die in named}
            if not numbers:
                raise ThrowRefused(ThrowRefusal.NO_DIE_THERE, "no dice were named to pick up: name at least one")
            chance_seed = self._next_seed(seed)
            chance = np.random.default_rng([*chance_seed, 2])
            taken = [die for die in self._play.lying if die.number in numbers]
            others = [die for die in self._play.lying if die.number not in numbers]
            thrown = list(taken)
            never: tuple[str, int] | None = None
            if hand is HandAction.LOCKED_DIE_REROLLED:
                if not others:
                    raise ThrowRefused(ThrowRefusal.NO_DIE_TO_SPARE, "no other die lies there to be picked up wrongly")
                wrong = others[int(chance.integers(len(others)))]
                taken.append(wrong)
                thrown = list(taken)
                # Dice are interchangeable: if another die showed this face, the rules would see no change.
                never = None if wrong.pose is None else (wrong.colour, value_at(wrong.look, *wrong.pose.uppermost))
            elif hand in (HandAction.DIE_LEFT_LYING, HandAction.DIE_MISSING):
                if len(taken) < 2:
                    raise ThrowRefused(
                        ThrowRefusal.NO_DIE_TO_SPARE,
                        f"{len(taken)} die is too few to leave one out: the hand needs two or more",
                    )
                out = int(chance.integers(len(taken)))
                del thrown[out]
                if hand is HandAction.DIE_LEFT_LYING:
                    del taken[out]
            elif hand is HandAction.DIE_ADDED:
                thrown.append(self._new_die(taken[0].colour, len(self._play.lying)))
            elif hand is HandAction.DIE_EXCHANGED:
                thrown[0] = self._new_die(self._other_colour(taken[0].colour), len(self._play.lying))
            toss = Toss(tuple(thrown), (*chance_seed, _THROWN_AGAIN), never)
            self._begin((Take(tuple(die.number for die in taken)), toss))

    def mend(self, order: MendOrder, seed: int | None) -> None:
        self._check_colours(order.thrown_in)
        with self._lock:
            self._check_free()
            acts: list[Act] = []
            chance_seed = self._next_seed(seed)
            laid = self._laid(order, chance_seed)
            if laid:
                acts.append(Lay(laid))
            going = [self._die_at(center) for center in (*order.taken, *order.rethrown)]
            if going:
                acts.append(Take(tuple(die.number for die in going)))
            thrown = [
                *going[len(order.taken) :],
                *(self._new_die(label, len(self._play.lying)) for label in order.thrown_in),
            ]
            if thrown:
                acts.append(Toss(tuple(thrown), (*chance_seed, _THROWN_AGAIN), mends=True))
            self._begin(tuple(acts))

    def clear(self) -> None:
        with self._lock:
            self._swept = ()
            self._check_free()
            if self._play.lying:
                self._swept = self._play.lying
                self._play.begin((Take(tuple(die.number for die in self._swept)),))

    def put_back(self) -> None:
        """Put the dice of the latest `clear` back. See `SimulatedTray`."""
        with self._lock:
            if self._swept:
                self._play.lay(self._swept)
                self._swept = ()

    @property
    def is_busy(self) -> bool:
        with self._lock:
            return self._play.is_busy

    def truth(self) -> tuple[TrueDie, ...]:
        """Return the true state of the tray when everything last lay still."""
        with self._lock:
            lying = self._play.lying
        out = []
        for die in lying:
            assert die.pose is not None  # noqa: S101  a lying die has a place
            pose = DiePose(die.look, die.pose.center_mm, die.pose.rotation)
            out.append(TrueDie(die.number, die.colour, pose, die_truth(pose, self._scene.camera)))
        return tuple(out)

    def _begin(self, acts: tuple[Act, ...]) -> None:
        self._swept = ()
        self._play.begin(acts)

    def _laid(self, order: MendOrder, seed: tuple[int, ...]) -> tuple[SimulatedDie, ...]:
        box, chance = box_of(self._scene.tray), np.random.default_rng([*seed, 3])
        poses = {die.number: die.pose for die in self._play.lying if die.pose is not None}
        wanted: list[tuple[SimulatedDie, int | None]] = [
            *((self._die_at(center), value) for center, value in order.turned),
            *((self._die_at(center), None) for center in order.flattened),
        ]
        for die, value in wanted:
            others = [pose for number, pose in poses.items() if number != die.number]
            poses[die.number] = laid_down(poses[die.number], die.look, value, others=others, box=box, chance=chance)
        return tuple(replace(die, pose=poses[die.number]) for die, _ in wanted)

    def _other_colour(self, colour: str) -> str:
        """Return a colour class of other dice in the tray, or else any other class."""
        for label in (*sorted({die.colour for die in self._play.lying}), *self._params.colours):
            if label != colour:
                return label
        raise ThrowRefused(ThrowRefusal.NO_DIE_TO_SPARE, "there are dice of one colour only: none can be exchanged")

    def _remember(self) -> None:
        kept = () if self._memory is None else self._memory.load()
        dice = tuple(
            replace(self._new_die(die.colour, die.look_seed), pose=BodyPose(die.center_mm, die.rotation))
            for die in kept
            if die.colour in self._params.colours
        )
        self._play.lay(dice)
        self._kept = dice

    def _keep(self) -> None:
        """Store the places of the dice once hand and dice are at rest: an unfinished throw is lost."""
        lying = self._play.lying
        if self._memory is None or self._play.is_busy or lying is self._kept:
            return
        self._kept = lying
        self._memory.save(
            tuple(
                KeptDie(die.colour, die.look.seed, die.pose.center_mm, die.pose.rotation)
                for die in lying
                if die.pose is not None
            )
        )

    def _check_colours(self, labels: Iterable[str]) -> None:
        for label in labels:
            if label not in self._params.colours:
                known = ", ".join(self._params.colours)
                raise BadInput(
                    f"no colour is given for {label!r} dice: choose among {known}, or name one in the settings"
                )

    def _check_free(self) -> None:
        if self._play.is_busy:
            raise ThrowRefused(ThrowRefusal.TRAY_BUSY, BUSY_TEXT)

    def _next_seed(self, own: int | None) -> tuple[int, ...]:
        self._orders += 1
        return (own,) if own is not None else (self._seed, self._orders)

    def _new_die(self, label: str, index: int) -> SimulatedDie:
        self._dice_made += 1
        look = die_look(self._params.colours[label], self._params.scenery.die_mm, index)
        return SimulatedDie(self._dice_made, label, look)

    def _die_at(self, center_px: PointPx) -> SimulatedDie:
        best: tuple[float, SimulatedDie] | None = None
        reach_px = self._params.scenery.die_mm * self._params.scenery.width_px / self._params.scenery.field_mm
        for die in self._play.lying:
            assert die.pose is not None  # noqa: S101  a lying die has a place
            shows = die_truth(DiePose(die.look, die.pose.center_mm, die.pose.rotation), self._scene.camera)
            away = float(np.hypot(shows.center_px[0] - center_px[0], shows.center_px[1] - center_px[1]))
            if away <= 0.8 * reach_px and (best is None or away < best[0]):
                best = (away, die)
        if best is None:
            raise ThrowRefused(
                ThrowRefusal.NO_DIE_THERE,
                f"no die lies at pixel ({center_px[0]:.0f}, {center_px[1]:.0f}): name places of dice",
            )
        return best[1]
