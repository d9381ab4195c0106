"""Thrown dice as rigid bodies: the pose of each one at every moment until all lie still.

A throw is computed completely before its first picture is drawn, so it does not depend on the frame rate. Units are SI
inside MuJoCo and millimetres outside, in the world frame of vision.rendering.scene.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from device.errors import DeviceError
from device.simulation.mujoco_extra import mujoco
from device.simulation.throw_aim import Aim, AimParams, aim_past
from vision.types.frame import FloatArray

_MM = 0.001
_TRAY, _NET, _DIE = 1, 2, 4
"""Contact bits: floor and walls, the invisible net on the walls, other dice."""
_GEOMS_OF_A_DIE = 9
_FLOOR_GEOM = 0
"""The floor is first in the model, then the walls, then the dice."""


@dataclass(frozen=True, slots=True)
class ThrowParams:
    step_s: float = 0.0005  # time step, at most an eighth of `contact_s`: longer steps add energy to every bounce
    contact_s: float = 0.004  # time constant of a contact, at least two steps: larger is softer and sinks deeper
    # Damping ratio of contacts with floor and walls. At 0.1 a die dropped from 5 cm keeps 0.3 to 0.75 of its speed,
    # depending on how it lands (measured), and eight dice lie still 1.2 s after the throw began; at 0.2 they do 0.3 s
    # sooner; below 0.09 they dance for seconds.
    floor_damping: float = 0.1
    # damping ratio of contacts between two dice; 0.2 returns about half of the speed, as hard plastic does
    dice_damping: float = 0.2
    friction: float = 0.35  # sliding friction of dice on the floor (felt 0.4 to 0.7)
    wall_friction: float = 0.2  # sliding friction of dice on the walls (varnished wood 0.15 to 0.3)
    dice_friction: float = 0.25
    # Speed of the fastest die below which the cloth of the floor no longer bounces dice but holds them; see
    # `held_damping` and `held_friction`. A die of 16 mm needs 0.22 m/s to tip over an edge: at higher speeds it would
    # be caught in mid-tumble.
    held_speed_m_s: float = 0.2
    held_damping: float = 1.0  # damping ratio that replaces `floor_damping` once the floor holds the dice
    # Sliding friction that replaces `friction` once the floor holds the dice. Without it no die ever comes to rest
    # leaning on another; with it one in 640 leans on one, or on the wall. Walls do not hold dice: if they did, one in
    # 195 would lean, mostly on walls.
    held_friction: float = 0.55
    density_kg_m3: float = 1180.0
    speed_m_s: float = 1.5
    speed_spread: float = 0.12  # standard deviation of each die's own speed, as a share of `speed_m_s`
    rise_m_s: float = -0.3
    # mean rate of tumbling, turns per second; about an axis across the throw, with a share about any axis
    spin_hz: float = 8.0
    release_height_mm: float = 24.0  # height of the lowest die's centre above the wall's rim; must clear it
    # distance outside the wall from which the hand starts; each die leaves it when over the wall
    release_back_mm: float = 60.0
    # time over which a die's position and turn are compared to detect that it lies still; see `rest_shift_mm` and
    # `rest_turn_deg`
    rest_s: float = 0.12
    # Greatest shift within `rest_s` of a die that lies still. Positions are compared, not speeds: a contact trembles by
    # a thousandth of a millimetre at several millimetres per second.
    rest_shift_mm: float = 0.2
    rest_turn_deg: float = 0.3
    longest_s: float = 3.2
    # Number of attempts at a throw. One throw in ten is repeated; this many in a row never happened in 20,000.
    tries: int = 30
    sample_s: float = 0.004
    aim: AimParams = field(default_factory=AimParams)


@dataclass(frozen=True)
class TrayBox:
    inner_mm: tuple[tuple[float, float], ...]
    wall_mm: float
    # Height of an invisible net above the walls for dice that are inside. It cannot be seen from above, and without it
    # every second big throw would lose a die over the rim.
    net_mm: float = 90.0

    @cached_property
    def _walls(self) -> tuple[FloatArray, FloatArray]:
        """Return each wall's direction to the inside, shape (2, W), and its position along it, shape (W,)."""
        corners = np.asarray(self.inner_mm)
        along = np.roll(corners, -1, axis=0) - corners
        inward = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.linalg.norm(along, axis=1, keepdims=True)
        return inward.T, np.sum(corners * inward, axis=1)

    def depth_mm(self, xy_mm: FloatArray) -> FloatArray:
        """Return how far inside the nearest wall places of shape (N, 2) are, shape (N,), negative outside."""
        inward, walls_mm = self._walls
        return np.asarray((xy_mm @ inward - walls_mm).min(axis=1))


@dataclass(frozen=True, slots=True)
class _Table:
    box: TrayBox
    size_mm: float
    rounding: float
    params: ThrowParams

    @property
    def half_mm(self) -> tuple[float, float]:
        x, y = np.abs(np.asarray(self.box.inner_mm)).max(axis=0)
        return float(x), float(y)


@dataclass(frozen=True, slots=True, eq=False)
class BodyPose:
    center_mm: FloatArray
    rotation: FloatArray

    @property
    def uppermost(self) -> tuple[int, bool]:
        """The axis of the die that points up, and whether it is the positive end."""
        up = self.rotation[2]
        axis = int(np.argmax(np.abs(up)))
        return axis, bool(up[axis] > 0)


@dataclass(frozen=True)
class Motion:
    sample_s: float
    centers_mm: npt.NDArray[np.float64]
    quaternions: npt.NDArray[np.float64]
    tries: int

    @property
    def duration_s(self) -> float:
        """Time from the release until the last die is at rest."""
        return (len(self.centers_mm) - 1) * self.sample_s

    @cached_property
    def still_from(self) -> npt.NDArray[np.int64]:
        """Shape (N,): the sample from which each die has its last pose (within 0.05 mm and 0.2 degrees)."""
        shift = np.abs(self.centers_mm - self.centers_mm[-1]).max(axis=2) > 0.05
        turn = np.abs(np.sum(self.quaternions * self.quaternions[-1], axis=2)) < math.cos(math.radians(0.1))
        differs = shift | turn
        last_different = len(differs) - 1 - np.argmax(differs[::-1], axis=0)
        return np.where(differs.any(axis=0), last_different + 1, 0)

    def pose_at(self, die: int, t_s: float) -> BodyPose:
        """Return the pose of a die `t_s` after the release; times outside the motion give its ends."""
        place = min(max(t_s / self.sample_s, 0.0), len(self.centers_mm) - 1.0)
        before = int(place)
        after = min(before + 1, len(self.centers_mm) - 1)
        share = place - before
        q0, q1 = self.quaternions[before, die], self.quaternions[after, die]
        q = q0 * (1.0 - share) + (q1 if float(q0 @ q1) >= 0 else -q1) * share
        center = self.centers_mm[before, die] * (1.0 - share) + self.centers_mm[after, die] * share
        return BodyPose(center, rotation_of(q / np.linalg.norm(q)))

    def rolled_on(self, die: int) -> Motion:
        """Return the motion of a die that starts a quarter turn differently, so that a side comes up on top."""
        upright, _ = self.pose_at(die, self.duration_s).uppermost
        quarter, turned = np.zeros(4), np.empty_like(self.quaternions[:, die])
        quarter[[0, 1 + (upright + 1) % 3]] = math.sqrt(0.5)
        for sample, quaternion in enumerate(self.quaternions[:, die]):
            mujoco.mju_mulQuat(turned[sample], np.ascontiguousarray(quaternion), quarter)
        quaternions = self.quaternions.copy()
        quaternions[:, die] = turned
        return replace(self, quaternions=quaternions)


def rotation_of(quaternion: FloatArray) -> FloatArray:
    """Return the rotation matrix, shape (3, 3), of a unit quaternion, shape (4,), w first."""
    out = np.empty(9)
    mujoco.mju_quat2Mat(out, np.ascontiguousarray(quaternion, dtype=np.float64))
    return out.reshape(3, 3)


def quaternion_of(rotation: FloatArray) -> FloatArray:
    """Return the unit quaternion, shape (4,), w first, of a rotation matrix, shape (3, 3)."""
    out = np.empty(4)
    mujoco.mju_mat2Quat(out, np.ascontiguousarray(rotation, dtype=np.float64).reshape(9))
    return out


def throw_dice(
    box: TrayBox,
    lying: tuple[BodyPose, ...],
    thrown: int,
    *,
    size_mm: float,
    rounding: float,
    seed: tuple[int, ...],
    params: ThrowParams,
) -> Motion:
    """Throw dice from outside one wall and follow all dice, including those in the tray, until they lie still.

    Args:
        thrown: Number of dice that fly in; at least one.

    Returns:
        The motion; dice in the order of `lying`, then the thrown ones. A throw with a die outside the tray, or one that
        does not come to rest, is repeated, as at a table.
    """
    if thrown < 1:
        raise ValueError(f"{thrown} dice cannot be thrown: give 1 or more")
    table = _Table(box, size_mm, rounding, params)
    lying_mm = np.array([pose.center_mm[:2] for pose in lying]).reshape(-1, 2)
    model = _build(table, len(lying), thrown)
    for attempt in range(params.tries):
        chance = np.random.default_rng([*seed, attempt])
        data = _lying_data(model, lying)
        aim = aim_past(lying_mm, table.half_mm, chance, params.aim)
        velocities = _load_hand(data, table, aim, thrown, chance)
        motion = _follow(model, data, table, velocities, attempt + 1)
        if motion is not None:
            return motion
    raise DeviceError(
        f"{thrown} dice of {size_mm:g} mm do not stay in the simulated tray: throw fewer, or choose a larger floor"
    )


def settle_dice(
    box: TrayBox, lying: tuple[BodyPose, ...], *, size_mm: float, rounding: float, params: ThrowParams
) -> Motion:
    """Release dice in the tray, some of which may have lost their support, and follow them until all lie still.

    Args:
        lying: The dice; at least one.
    """
    table = _Table(box, size_mm, rounding, params)
    model = _build(table, len(lying), 0)
    motion = _follow(model, _lying_data(model, lying), table, np.empty((0, 3)), 1)
    if motion is None:
        raise DeviceError(f"{len(lying)} dice of {size_mm:g} mm do not come to rest in the simulated tray: press Reset")
    return motion


def _lying_data(model: mujoco.MjModel, lying: tuple[BodyPose, ...]) -> mujoco.MjData:
    data = mujoco.MjData(model)
    for index, pose in enumerate(lying):
        data.qpos[7 * index : 7 * index + 3] = pose.center_mm * _MM
        data.qpos[7 * index + 3 : 7 * index + 7] = quaternion_of(pose.rotation)
    return data


def _build(table: _Table, lying: int, thrown: int) -> mujoco.MjModel:
    """Build fixed floor and walls, and as many free dice.

    A die collides with floor and walls by eight balls in its corners (so that it tumbles over round corners) and with
    other dice by a box; both weigh as much as one solid cube.
    """
    params = table.params
    half = table.size_mm / 2 * _MM
    ball = max(table.rounding, 0.05) * table.size_mm * _MM
    inset = half - ball
    mass = params.density_kg_m3 * (2 * half) ** 3
    inertia = mass * (2 * half) ** 2 / 6
    corners = [(x, y, z) for x in (-inset, inset) for y in (-inset, inset) for z in (-inset, inset)]
    die_geoms = (
        f'<geom type="box" size="{half} {half} {half}" class="body"/>'
        + "".join(f'<geom type="sphere" size="{ball}" pos="{x} {y} {z}" class="corner"/>' for x, y, z in corners)
    )  # fmt: skip
    bodies = "".join(
        f'<body pos="0 0 {1 + n}" gravcomp="{0 if n < lying else 1}"><freejoint/><inertial pos="0 0 0" mass="{mass}" '
        f'diaginertia="{inertia} {inertia} {inertia}"/>{die_geoms}</body>'
        for n in range(lying + thrown)
    )
    # MuJoCo's contact bits decide which geoms collide. These are all the bits that a die can have; `_follow` removes
    # those that do not apply yet while it is carried.
    xml = f"""<mujoco>
      <option timestep="{params.step_s}" gravity="0 0 -9.81" integrator="implicitfast" cone="elliptic" impratio="4"/>
      <default>
        <geom solref="{params.contact_s} {params.dice_damping}" solimp="0.95 0.99 0.0005" condim="4"/>
        <default class="tray"><geom contype="0" conaffinity="{_TRAY}" priority="1"
          friction="{params.friction} 0.002 0.0001" solref="{params.contact_s} {params.floor_damping}"/>
          <default class="wall"><geom friction="{params.wall_friction} 0.002 0.0001"/></default></default>
        <default class="corner"><geom contype="{_TRAY | _NET}" conaffinity="0"/></default>
        <default class="body"><geom contype="{_DIE}" conaffinity="{_DIE}"
          friction="{params.dice_friction} 0.001 0.0001"/></default>
      </default>
      <worldbody><geom type="plane" size="2 2 0.1" class="tray"/>{_walls(table.box)}{bodies}</worldbody>
    </mujoco>"""
    return mujoco.MjModel.from_xml_string(xml)


def _walls(box: TrayBox) -> str:
    thick = 0.02
    parts = []
    corners = np.asarray(box.inner_mm) * _MM
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        along = end - start
        length = float(np.hypot(*along))
        outward = np.array([along[1], -along[0]]) / length
        high, net = box.wall_mm * _MM, box.net_mm * _MM
        x, y = (start + end) / 2 + outward * thick / 2
        turn = math.degrees(math.atan2(along[1], along[0]))
        shape = f'type="box" class="wall" euler="0 0 {turn}"'
        parts.append(f'<geom {shape} size="{length / 2 + thick} {thick / 2} {high / 2}" pos="{x} {y} {high / 2}"/>')
        parts.append(
            f'<geom {shape} size="{length / 2 + thick} {thick / 2} {net / 2}" pos="{x} {y} {high + net / 2}" '
            f'conaffinity="{_NET}"/>'
        )
    return "".join(parts)


def _load_hand(data: mujoco.MjData, table: _Table, aim: Aim, thrown: int, chance: np.random.Generator) -> FloatArray:
    """Put the thrown dice into the hand, which moves towards the tray: a loose heap, three abreast, two high.

    They have room to turn (a cube turns within 1.74 of its edge).

    Returns:
        Shape (thrown, 3), m/s: the speed of each die when the hand releases it.
    """
    params = table.params
    first = len(data.qpos) // 7 - thrown
    room = 1.8 * table.size_mm
    forward = aim.forward
    across = np.array([0.0, 1.0, 0.0])
    speed = params.speed_m_s * aim.haste
    spin = 2 * math.pi * params.spin_hz
    release_velocities = np.empty((thrown, 3))
    for n in range(thrown):
        row, rest = divmod(n, 6)
        layer, column = divmod(rest, 3)
        over_wall = np.array([aim.side * table.half_mm[0], aim.hand_y_mm, table.box.wall_mm + params.release_height_mm])
        over_wall += across * (column - 1) * room + np.array([0.0, 0.0, layer * room])
        over_wall += chance.uniform(-0.04, 0.04, 3) * table.size_mm
        own = speed * max(0.5, 1.0 + chance.normal(0.0, params.speed_spread))
        sideways = chance.normal(0.0, 0.12) + 0.1 * (column - 1)
        velocity = forward * own + across * sideways + np.array([0.0, 0.0, params.rise_m_s])
        turn = chance.normal(size=4)
        at, v = 7 * (first + n), 6 * (first + n)
        back_m = (params.release_back_mm + row * room) * _MM
        data.qpos[at : at + 3] = over_wall * _MM - forward / abs(forward[0]) * back_m
        data.qpos[at + 3 : at + 7] = turn / np.linalg.norm(turn)
        data.qvel[v : v + 3] = forward * speed
        release_velocities[n] = velocity
        wheel = np.cross(np.array([0.0, 0.0, 1.0]), forward) * spin * chance.uniform(0.4, 1.3)
        # A free body's angular velocity is given in its own frame.
        world_spin = wheel + chance.normal(0.0, 0.45 * spin, 3)
        data.qvel[v + 3 : v + 6] = rotation_of(data.qpos[at + 3 : at + 7]).T @ world_spin
    return release_velocities


def _follow(
    model: mujoco.MjModel, data: mujoco.MjData, table: _Table, release_m_s: FloatArray, tries: int
) -> Motion | None:
    """Step until all dice lie still; None if one is outside or they take too long.

    A die has no weight and collides with nothing until the hand has carried it over the wall; it collides with the net
    once it is inside.
    """
    params, box, size_mm = table.params, table.box, table.size_mm
    dice = model.nbody - 1
    first_die_geom = model.ngeom - dice * _GEOMS_OF_A_DIE
    geoms = np.arange(first_die_geom, model.ngeom).reshape(-1, _GEOMS_OF_A_DIE)
    # After the previous throw the floor may still hold the dice.
    model.geom_solref[_FLOOR_GEOM, 1] = params.floor_damping
    model.geom_friction[_FLOOR_GEOM, 0] = params.friction
    held = False
    every = max(1, round(params.sample_s / params.step_s))
    sample_s = every * params.step_s
    look_back = max(1, round(params.rest_s / sample_s))
    centers: list[FloatArray] = []
    turns: list[FloatArray] = []
    first = dice - len(release_m_s)
    released = np.arange(dice) < first
    arrived = released.copy()
    _set_free(model, geoms, released, arrived)
    # Views of the data, updated by each step.
    poses, speeds = data.qpos.reshape(dice, 7), data.qvel.reshape(dice, 6)[:, :3]
    still_cos = math.cos(math.radians(params.rest_turn_deg / 2))
    for sample in range(int(params.longest_s / sample_s) + 1):
        center_mm = poses[:, :3] / _MM
        centers.append(center_mm)
        turns.append(poses[:, 3:].copy())
        if sample % look_back == 0 and box.depth_mm(center_mm[released, :2]).min(initial=0.0) < -5 * size_mm:
            return None
        if sample >= look_back and np.abs(center_mm - centers[-1 - look_back]).max() <= params.rest_shift_mm:
            half_turn_cos = np.abs(np.sum(turns[-1] * turns[-1 - look_back], axis=1)).min()
            if half_turn_cos >= still_cos:
                inside = box.depth_mm(center_mm[:, :2]) > 0.2 * size_mm
                below_rim = center_mm[:, 2] < box.wall_mm + size_mm
                lies_well = bool((inside & below_rim).all())
                return Motion(sample_s, np.asarray(centers), np.asarray(turns), tries) if lies_well else None
        if not arrived.all():
            depth_mm = box.depth_mm(center_mm[:, :2])
            leaving = ~released & (depth_mm > 0)
            arriving = ~arrived & (depth_mm > size_mm)
            if leaving.any() or arriving.any():
                speeds[leaving] = release_m_s[leaving[first:]]
                released |= leaving
                arrived |= arriving
                _set_free(model, geoms, released, arrived)
        elif not held and np.abs(speeds).max() < params.held_speed_m_s:
            held = True
            model.geom_solref[_FLOOR_GEOM, 1] = params.held_damping
            model.geom_friction[_FLOOR_GEOM, 0] = params.held_friction
        mujoco.mj_step(model, data, nstep=every)
    return None


def _set_free(
    model: mujoco.MjModel, geoms: npt.NDArray[np.int64], released: npt.NDArray[np.bool_], arrived: npt.NDArray[np.bool_]
) -> None:
    model.body_gravcomp[1:] = np.where(released, 0.0, 1.0)
    model.geom_contype[geoms[:, 0]] = model.geom_conaffinity[geoms[:, 0]] = np.where(released, _DIE, 0)
    model.geom_contype[geoms[:, 1:]] = np.where(arrived, _TRAY | _NET, np.where(released, _TRAY, 0))[:, None]
