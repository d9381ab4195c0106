"""Dice thrown into a traced tray, and their labels: with pips, with symbols and numerals, or of 8, 10 and 12 faces."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tests.benchmarks.hard_trays import FLAT_DEG, labels_of
from tests.benchmarks.legible import is_legible, shows_glyph
from tests.benchmarks.own_sets import set_faces
from tests.benchmarks.traced_die import Floats, OwnFaces, face_up
from tests.benchmarks.traced_recipe import Setting
from tests.benchmarks.traced_solids import ACROSS_MM, lying_on, sides_of
from vision.rendering.die_patch import value_at
from vision.rendering.materials import f32
from vision.rendering.optics import project
from vision.rendering.scene import DieLook, DiePose
from vision.rendering.shadows import opening_of
from vision.rendering.synthetic import die_truth
from vision.training.painted_faces import Glyph
from vision.training.recipe import RecipeParams
from vision.training.throws import throw
from vision.types.frame import ImageBgr, ImageGray

Labels = list[dict[str, object]]

COUNTS = (0, 1, 2, 3, 4, 5, 5, 6, 6, 7, 8, 8, 9, 10, 11, 12, 15, 20)
PARAMS = RecipeParams(leaning=0.025, stacked=0.006, edge_lean=0.7)
MIN_COCKED_DEG = 15.0
"""Least lean of a shown die that does not lie flat, as in all shared trays."""
DEPTH = 0.02
"""Depth of engraved glyphs, in edges."""


def thrown(rng: np.random.Generator, where: Setting, counts: Sequence[int] = COUNTS) -> tuple[DiePose, ...]:
    """Return dice of all classes, each lying flat or clearly not."""
    while True:
        dice = throw(rng, tuple(where.looks.values()), int(rng.choice(counts)), where.look, PARAMS)
        if not any(FLAT_DEG < die_truth(pose, where.camera).tilt_deg <= MIN_COCKED_DEG for pose in dice):
            return dice


class PipPlay:
    """Dice with pips."""

    pictures = 6

    def prepared(self, where: Setting) -> Setting:
        """Return the tray with this play's dice."""
        return where

    def throw(self, rng: np.random.Generator, where: Setting, number: int) -> tuple[DiePose, ...]:
        """Return the dice of one picture."""
        return thrown(rng, where)

    def labels(self, picture: ImageBgr, dice: tuple[DiePose, ...], where: Setting) -> Labels | None:
        """Return the labels of the dice; None if a person could not read an uncovered flat one."""
        labels = labels_of(dice, where.camera, where.looks)
        plain = [
            pose
            for pose, truth in zip(dice, labels, strict=True)
            if not (truth["cocked"] or truth["stacked"] or truth["covered"])
        ]
        return labels if all(is_legible(picture, pose, where.camera) for pose in plain) else None


class OwnPlay(PipPlay):
    """Dice with symbols or numerals; the labels say which show a glyph, and which a person could not read."""

    pictures = 11

    def __init__(
        self, rng: np.random.Generator, kind: str, icons: Sequence[ImageGray], numerals: Sequence[ImageGray]
    ) -> None:
        """Set what the faces may show; `kind` is one of `own_sets.KINDS`."""
        self._rng, self._kind, self._icons, self._numerals = rng, kind, icons, numerals

    def prepared(self, where: Setting) -> Setting:
        """Give each class a set."""
        own = {look: self._set(look) for look in where.looks.values()}
        return replace(where, tray=replace(where.tray, own=own), tags=(*where.tags, f"faces:{self._kind}"))

    def _set(self, look: DieLook) -> OwnFaces:
        # Nothing is printed where a die is round.
        room = min(1 - 1.2 * look.rounding, 0.72 if look.ball else 1.0)
        faces = set_faces(self._rng, self._kind, self._icons, self._numerals)
        glyphs = tuple(replace(face, share=min(face.share, room)) for face in faces)
        return OwnFaces(glyphs, *_made(self._rng))

    def throw(self, rng: np.random.Generator, where: Setting, number: int) -> tuple[DiePose, ...]:
        """Return 15 to 20 dice."""
        return thrown(rng, where, range(15, 21))

    def labels(self, picture: ImageBgr, dice: tuple[DiePose, ...], where: Setting) -> Labels:
        """Return the labels of all dice."""
        labels = labels_of(dice, where.camera, where.looks)
        for pose, truth in zip(dice, labels, strict=True):
            glyph = where.tray.own[pose.look].glyphs[int(str(truth["pips"])) - 1]
            truth["glyph"] = glyph.mask is not None
            middle, axes = face_up(pose)
            truth["legible"] = (
                is_legible(picture, pose, where.camera)
                if glyph.mask is None
                else shows_glyph(picture, where.camera, middle, axes, glyph)
            )
        return labels


class SolidPlay(PipPlay):
    """Dice of 8, 10 and 12 faces, each of another class, and dice of 6 of any class among them."""

    shown = 8
    pictures = 14
    dice = 9

    def __init__(self, rng: np.random.Generator, numerals: Sequence[ImageGray]) -> None:
        """Set the numerals, from 1 to 12."""
        self._rng, self._numerals = rng, numerals
        faces = [(count, value) for count in (6, 8, 10, 12) for value in range(1, count + 1)]
        self._deck = [faces[k] for _ in range(2) for k in rng.permutation(len(faces))]

    def prepared(self, where: Setting) -> Setting:
        """Make the dice; those of 6 faces show pips or numerals."""
        classes = dict(zip((8, 10, 12), self._rng.permutation(list(where.looks)), strict=True))
        classes[6] = self._rng.choice(list(where.looks))
        self.looks: dict[int, DieLook] = {}
        self.classes = {count: str(label) for count, label in classes.items()}
        own: dict[DieLook, OwnFaces] = {}
        for count, label in self.classes.items():
            look = where.looks[label]
            look = replace(look, size_mm=ACROSS_MM.get(count, look.size_mm), seed=look.seed + count)
            self.looks[count] = look
            share = float(self._rng.uniform(0.5, 0.75))
            glyphs = [Glyph(mask, share, 0.0) for mask in self._numerals[:count]]
            if count > 6 or self._rng.random() < 0.5:
                own[look] = OwnFaces(tuple(glyphs), *_made(self._rng))
        return replace(where, tray=replace(where.tray, own=own), tags=(*where.tags, "faces:solids"))

    def throw(self, rng: np.random.Generator, where: Setting, number: int) -> tuple[DiePose, ...]:
        """Return dice of which the first pictures show each face twice."""
        if number < self.shown:
            faces = self._deck[number * self.dice : (number + 1) * self.dice]
        else:
            counts = [int(count) for count in rng.choice([6, 8, 8, 10, 10, 12, 12], self.dice)]
            faces = [(count, int(rng.integers(count)) + 1) for count in counts]
        return self._placed(rng, where, faces)

    def _placed(
        self, rng: np.random.Generator, where: Setting, faces: Sequence[tuple[int, int]]
    ) -> tuple[DiePose, ...]:
        opening, half = opening_of(where.look), np.asarray(where.look.floor_mm) / 2
        dice: list[DiePose] = []
        taken: list[tuple[Floats, float]] = []
        while len(dice) < len(faces):
            count, value = faces[len(dice)]
            look, turn = self.looks[count], float(rng.uniform(0, 2 * np.pi))
            tip = 0.71 if count == 6 else max(float(np.linalg.norm(side.corners[0])) for side in sides_of(count))
            at, reach = rng.uniform(-half, half), tip * look.size_mm
            free = all(np.hypot(*(at - other)) > reach + room for other, room in taken)
            if free and float(opening.distance_mm(f32(at[0]), f32(at[1]))) < -reach:
                rotation = _cube_showing(look, value, turn) if count == 6 else lying_on(count, value, turn)
                dice.append(DiePose(look, np.array([*at, look.size_mm / 2]), rotation))
                taken.append((at, reach))
        return tuple(dice)

    def labels(self, picture: ImageBgr, dice: tuple[DiePose, ...], where: Setting) -> Labels:
        """Return the labels of all dice: with its faces, the top one's outline, and the square around its glyph."""
        labels: Labels = []
        for pose in dice:
            count = next(count for count, look in self.looks.items() if look == pose.look)
            own = where.tray.own.get(pose.look)
            if count == 6:
                value = die_truth(pose, where.camera).value
                middle, axes = face_up(pose)
                outline = middle + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2 @ axes
            else:
                value = 1 + int(np.argmax([(pose.rotation @ side.normal)[2] for side in sides_of(count)]))
                side, place = sides_of(count)[value - 1], pose.look.size_mm * pose.rotation.T
                middle, outline = pose.center_mm + side.middle @ place, pose.center_mm + side.corners @ place
                axes = side.width * np.array([side.right, side.up]) @ place
            square = middle + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2 @ axes
            legible = (
                shows_glyph(picture, where.camera, middle, axes, own.glyphs[value - 1])
                if own
                else is_legible(picture, pose, where.camera)
            )
            labels.append(
                {
                    "role": self.classes[count],
                    "sides": count,
                    "pips": value,
                    "cocked": False,
                    "stacked": False,
                    "covered": False,
                    "glyph": own is not None,
                    "legible": legible,
                    "center_px": project(where.camera, middle[None])[0].tolist(),
                    "top_quad_px": project(where.camera, square).tolist(),
                    "top_outline_px": project(where.camera, outline).tolist(),
                }
            )
        return labels


def _made(rng: np.random.Generator) -> tuple[float, float]:
    """Return to which depth a set's glyphs are engraved, and their wear."""
    return float(rng.choice([0.0, DEPTH])), float(rng.choice([0.0, 0.5, 0.85]))


def _cube_showing(look: DieLook, value: int, turn: float) -> Floats:
    axis, sign = next((a, s) for a in range(3) for s in (1.0, -1.0) if value_at(look, a, s > 0) == value)
    rotation = np.zeros((3, 3))
    rotation[:, axis] = 0.0, 0.0, sign
    rotation[:, (axis + 1) % 3] = np.cos(turn), np.sin(turn), 0.0
    rotation[:, (axis + 2) % 3] = np.cross(rotation[:, axis], rotation[:, (axis + 1) % 3])
    return rotation
