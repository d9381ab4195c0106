"""Calibrate a tray step by step: the card for place and focus; the empty floor; a few dice of each colour; save.

Collects pictures until they make a profile. It is used by the page `/calibrate` and by holding the reset button;
nothing of the running tray changes before `save`.
"""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

from device import kept_files
from device.calibration.empty_tray import CalibrationParams, EmptyLook, look_at_empty
from device.check import CheckStatus
from device.errors import BadInput, DeviceError
from device.standard_tray import DIE_MM, FLOOR_MM
from device.texts.catalogue import translate, word
from rules.system import JsonValue
from vision.pipeline.calibrate import calibrate
from vision.pipeline.reader import Reader
from vision.tray.floor import Floor
from vision.tray.profile import PaletteColour, Profile, save_profile
from vision.types.cures import cure_of, why
from vision.types.errors import BadProfile
from vision.types.frame import Frame
from vision.types.reading import DieReading


def floor_from_corners(corners_px: Sequence[Sequence[float]], width_px: int, height_px: int) -> Floor:
    """Return the floor from its four corners, tapped in any order."""
    corners = np.array(corners_px, dtype=np.float64)
    if corners.shape != (4, 2) or not np.isfinite(corners).all():
        raise BadInput(translate("calibration.corners", count=len(corners_px)))
    if (corners < -1.0).any() or (corners > (width_px, height_px)).any():
        raise BadInput(translate("calibration.corner_outside"))
    middle = corners.mean(axis=0)
    order = np.argsort(np.arctan2(corners[:, 1] - middle[1], corners[:, 0] - middle[0]))
    ring = corners[order]
    sides = np.roll(ring, -1, axis=0) - ring
    after = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0]
    x, y = ring.T
    area_px = 0.5 * abs(float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))))
    if not (turns > 0).all() or area_px < 0.1 * width_px * height_px:
        raise BadInput(translate("calibration.no_quad"))
    return Floor("rectangle", ring)


def save_with_backup(path: Path, profile: Profile) -> None:
    """Write a profile, all or nothing; the previous one is kept next to it as `.old`."""
    if not path.name:
        raise BadProfile(f"profile {str(path)!r} has no file name: name a file, such as tray.json")
    draft = kept_files.draft_of(path)
    old = path.with_name(path.name + ".old")
    try:
        if path.exists() and not path.is_file():
            raise BadProfile(f"profile {path} exists and is not a file: choose another name")
        path.parent.mkdir(parents=True, exist_ok=True)
        save_profile(draft, profile)
        draft.chmod(0o644)  # not secret: `sudo pushtray read --profile` reads it with the rights of the calling user
        kept_files.sync_file(draft)
        if path.exists():
            old.unlink(missing_ok=True)
            os.link(path, old)  # a link, not a move, so that the path always has a complete profile
        draft.replace(path)
        kept_files.sync_folder(path.absolute().parent)
    except OSError as error:
        cure = cure_of(error.errno, "choose another place")
        raise BadProfile(f"profile {path} cannot be written ({why(error)}): {cure}") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


class CalibrationWorkflow:
    """Collects pictures of a tray until they make a profile. Any thread, one at a time."""

    def __init__(
        self,
        newest: Callable[[], Frame | None],
        path: Path,
        use: Callable[[Profile], None],
        *,
        colours: Mapping[str, str],
        known: Profile | None = None,
        die_mm: float = DIE_MM,
        floor_mm: tuple[float, float] = FLOOR_MM,
        params: CalibrationParams | None = None,
        focus: Callable[[], float] | None = None,
        light: Callable[[], object] | None = None,
    ) -> None:
        """Start without pictures.

        Args:
            focus: Focuses the camera on the card on the floor and returns the dioptres, or raises DeviceError; None if
                the tray cannot drive the lens.
        """
        self._focus = focus
        self._light = light
        self._newest = newest
        self._path = path
        self._use = use
        self._labels = tuple(colours)
        self._colours_named = dict(colours)
        self._known = known
        self._die_mm = known.die_mm if known is not None else die_mm
        self._floor_mm = known.floor_mm if known is not None else floor_mm
        self._params = params or CalibrationParams()
        self._lock = threading.Lock()
        self._taken: EmptyLook | None = None
        self._shown_floor: Floor | None = None
        self._base: Profile | None = None
        self._colours: dict[str, PaletteColour] = {}
        self._edges: dict[str, float] = {}

    @property
    def knows_dice(self) -> bool:
        return bool(self._palette())

    def name_colours(self, colours: Mapping[str, str]) -> None:
        with self._lock:
            self._colours_named = dict(colours)

    def look(self) -> dict[str, JsonValue]:
        """Return the camera's view of the tray, and what was collected so far."""
        with self._lock:
            taken = self._taken
            look = self._looked() if taken is None else replace(taken, frame=self._frame())
            frame, floor = look.frame, look.floor
            outline: JsonValue = None if floor is None else [[float(x), float(y)] for x, y in floor.outline_px]
            return {
                "width": frame.width_px,
                "height": frame.height_px,
                "floor": None if floor is None else {"shape": floor.shape, "outline_px": outline},
                "tapped": self._shown_floor is not None,
                "checks": [check.as_json() for check in look.checks],
                "has_empty": taken is not None,
                "labels": list(self._labels),
                "dice": {label: _colour_json(colour) for label, colour in self._colours.items()},
                "alike": [list(pair) for pair in self._alike()],
                "can_focus": self._focus is not None,
                "can_measure_light": self._light is not None,
                "has_dice": self.knows_dice,
                "path": str(self._path),
            }

    def measure_focus(self) -> float:
        """Focus on the calibration card on the floor. Discards earlier pictures."""
        if self._focus is None:
            raise BadInput(translate("calibration.no_focus"))
        try:
            dioptres = self._focus()
        except DeviceError as error:
            raise BadInput(translate("calibration.focus_stays", error=str(error))) from error
        with self._lock:
            self._forget_pictures()
        return dioptres

    def measure_light(self) -> None:
        """Measure the camera's light on the empty tray. Discards earlier pictures."""
        if self._light is None:
            raise BadInput(translate("calibration.no_light_to_fix"))
        try:
            self._light()
        except DeviceError as error:
            raise BadInput(str(error)) from error
        with self._lock:
            self._forget_pictures()

    def show_corners(self, corners_px: Sequence[Sequence[float]] | None) -> None:
        """Set the floor by its corners; None returns to finding it automatically."""
        with self._lock:
            frame = self._frame()
            floor = None if corners_px is None else floor_from_corners(corners_px, frame.width_px, frame.height_px)
            self._shown_floor = floor
            self._forget_pictures()

    def take_empty(self) -> None:
        """Take the picture of the empty tray; discards what was collected before."""
        with self._lock:
            look = self._looked()
            base = self._calibrated(look, {})
            for check in look.checks:
                # Tapped corners override a failed check; a dark floor may be black.
                if check.part == "place" and check.status is CheckStatus.FAIL and self._shown_floor is None:
                    raise BadProfile(translate("calibration.not_taken", text=check.text, cure=check.cure))
            self._forget_pictures()
            self._taken, self._base = look, base

    def take_dice(self, label: str) -> int:
        with self._lock:
            if label not in self._labels:
                raise BadInput(translate("calibration.no_class", label=repr(label), labels=", ".join(self._labels)))
            taken, base = self._begun()
            frame = self._frame()
            profile = self._calibrated(taken, {label: frame})
            self._colours[label] = profile.palette[0]
            self._edges[label] = profile.edge_px
            only = replace(base, palette=profile.palette, edge_px=profile.edge_px)
            return sum(1 for die in Reader(only).read(frame.image_bgr).dice if die.colour == label)

    def proof(self) -> dict[str, JsonValue]:
        with self._lock:
            frame = self._frame()
            profile = self._profile()
            reading = Reader(profile, None if profile.palette else self._colours_named).read(frame.image_bgr)
            warnings: list[JsonValue] = [
                translate("calibration.alike", one=word(one), other=word(other)) for one, other in self._alike()
            ]
            warnings += taken_along(profile)
            unread = [die for die in reading.dice if die.unread is not None]
            warnings += [
                translate(
                    "calibration.unread",
                    x=f"{die.center_px[0]:.0f}",
                    y=f"{die.center_px[1]:.0f}",
                    reason=str(die.unread),
                )
                for die in unread
            ]
            return {
                "dice": [_die_json(die) for die in reading.dice],
                "problems": [problem.value for problem in reading.problems],
                "trusted": reading.trusted and bool(reading.dice),
                "warnings": warnings,
            }

    def save(self) -> Path:
        """Save the profile and use it from now on; the previous one is kept next to it."""
        with self._lock:
            profile = self._profile()
            save_with_backup(self._path, profile)
            self._known = profile
            self._use(profile)
            self._forget_pictures()
            return self._path

    def calibrate_again(self) -> tuple[Path, list[str]]:
        """Find the floor again in the empty tray of the newest picture; dice keep their measurements."""
        self.take_empty()
        with self._lock:
            warnings = taken_along(self._profile())
        return self.save(), warnings

    def _frame(self) -> Frame:
        frame = self._newest()
        if frame is None:
            raise BadInput(translate("calibration.no_picture"))
        return frame

    def _begun(self) -> tuple[EmptyLook, Profile]:
        if self._taken is None or self._base is None:
            raise BadInput(translate("calibration.empty_first"))
        return self._taken, self._base

    def _looked(self) -> EmptyLook:
        return look_at_empty(self._frame, self._shown_floor, self._params)

    def _calibrated(self, empty: EmptyLook, dice: Mapping[str, Frame]) -> Profile:
        pictures = {label: frame.image_bgr for label, frame in dice.items()}
        return calibrate(empty.frame.image_bgr, pictures, self._die_mm, self._floor_mm, floor=empty.floor)

    def _profile(self) -> Profile:
        """Return the profile of the pictures: dice that were shown, and those known before."""
        _, base = self._begun()
        edge_px = float(np.median(list(self._edges.values()))) if self._edges else base.edge_px
        return replace(base, palette=self._palette(), edge_px=edge_px)

    def _palette(self) -> tuple[PaletteColour, ...]:
        known = {colour.label: colour for colour in (self._known.palette if self._known is not None else ())}
        return tuple((known | self._colours).values())

    def _alike(self) -> list[tuple[str, str]]:
        return [
            (one.label, other.label)
            for one, other in combinations(self._colours.values(), 2)
            if float(np.linalg.norm(np.subtract(one.body_lab, other.body_lab))) < self._params.alike
        ]

    def _forget_pictures(self) -> None:
        self._taken = self._base = None
        self._colours.clear()
        self._edges.clear()


def _colour_json(colour: PaletteColour) -> JsonValue:
    return {"body_lab": [round(part, 1) for part in colour.body_lab], "dark_pips": colour.dark_pips}


def taken_along(profile: Profile) -> list[str]:
    """Return one sentence for each part of the tray in the profile that looks like a die."""
    return [
        translate("calibration.taken_along", x=f"{thing.center_px[0]:.0f}", y=f"{thing.center_px[1]:.0f}")
        for thing in profile.things
    ]


def _die_json(die: DieReading) -> JsonValue:
    return {
        "colour": die.colour,
        "value": die.value,
        "unread": None if die.unread is None else die.unread.value,
        "center_px": [round(float(part), 1) for part in die.center_px],
        "top_quad_px": [[round(float(x), 1), round(float(y), 1)] for x, y in die.top_quad_px],
    }
