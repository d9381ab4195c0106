"""Teach a tray its own dice: read throws, name new faces, and use what was learned at once."""

import base64
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import dist

import numpy as np

from device.calibration.dice_sets import (
    BLANK_COUNTS_AS,
    DiceSet,
    DiceSets,
    counts_as,
    dice_set_from,
    own_faces,
    view_of,
)
from device.errors import BadInput
from device.texts.catalogue import say
from rules.system import JsonValue
from vision.classification.face_net import FaceReader
from vision.decision.own_faces import OwnFaces, numerals
from vision.pipeline.own_dice import faces_of, showable
from vision.tracking.agree import edge_px
from vision.types.frame import F32, Frame, ImageBgr
from vision.types.reading import DieReading, PointPx, TrayReading

FACES: int = 6
_ALIKE = 0.7
"""Similarity above which two unnamed faces count as the same."""
_NUMERAL = 0.8
"""Share above which an unnamed face is suggested as a numeral."""
_ENOUGH_VIEWS = 8
_MOST_WAITING = 24


@dataclass(slots=True, eq=False)
class _NewFace:
    key: int
    colour: str
    pips: int | None
    views: list[bytes] = field(default_factory=list)
    looks: list[F32] = field(default_factory=list)


class Teaching:
    """The sets of a tray, and the faces that wait for a name. Any thread."""

    def __init__(
        self,
        sets: DiceSets,
        newest: Callable[[], Frame | None],
        read: Callable[[ImageBgr], TrayReading],
        use: Callable[[OwnFaces | None], None],
        remember: str = "ask",
    ) -> None:
        self._sets, self._newest, self._read, self._use = sets, newest, read, use
        self.remember = remember
        self._net = FaceReader()
        self._numerals = numerals()
        self._lock = threading.Lock()
        self._waiting: dict[int, _NewFace] = {}
        self._before: dict[str, list[DiceSet | None]] = {}
        self._next_key = 1

    @property
    def faces(self) -> OwnFaces | None:
        return own_faces(self._sets, self._net)

    def state(self) -> dict[str, JsonValue]:
        """Return the state for pages: the sets with their faces, and the unnamed faces."""
        with self._lock:
            return self._state()

    def show(self, name: str, colour: str) -> dict[str, JsonValue]:
        """Read the current dice: known faces get another view, others wait for a name."""
        frame, read = self._look()
        dice = showable(read, colour)
        if not dice:
            raise BadInput(say("taught.no_dice"))
        with self._lock:
            faces = faces_of(frame.image_bgr, dice)
            held = grown = self._set(name)
            known = own_faces([held], self._net)
            for die, face, look in zip(dice, faces, self._net.looks_of(faces), strict=True):
                near = known.nearest(colour, look) if known is not None and known.of(colour) else None
                pips = die.value if die.unread is None else None
                if near is None or not near.is_sure or (near.face.shows_pips and pips not in (None, near.face.value)):
                    self._wait(colour, die, face, look)
                elif len(near.face.looks) < _ENOUGH_VIEWS:
                    same = [one for one in held.faces if one.colour == colour and counts_as(one) == near.face.value]
                    grown = grown.with_views(colour, same[0].value, [view_of(face)], shows_pips=False)
            if grown is held:
                return self._state()
            self._note(name)
            self._sets.keep(grown)
            return self._changed()

    def name_face(self, name: str, key: int, value: int, *, anyway: bool = False) -> dict[str, JsonValue]:
        """Name an unnamed face.

        Args:
            name: Of the set; its first face creates it.
            value: 1 to 6, or 0 for a blank one.
        """
        with self._lock:
            face = self._waiting.get(key)
            if face is None:
                raise BadInput(say("taught.no_face"))
            self._learn(name, face, value, anyway=anyway)
            del self._waiting[key]
            return self._state()

    def name_numerals(self, name: str) -> dict[str, JsonValue]:
        """Name all unnamed faces that look like numerals by what they look like."""
        with self._lock:
            for face in list(self._waiting.values()):
                guess = self._guess(face)
                if guess is not None:
                    self._learn(name, face, guess, anyway=True)
                    del self._waiting[face.key]
            return self._state()

    def remember_die(self, place: PointPx, colour: str, value: int) -> dict[str, JsonValue]:
        """Learn the face of a corrected die, for the set of its class."""
        frame, read = self._look()
        near = [die for die in showable(read, None) if dist(die.center_px, place) < edge_px(die) / 2]
        if not near:
            raise BadInput(say("taught.no_dice"))
        faces = faces_of(frame.image_bgr, near[:1])
        looks = self._net.looks_of(faces)
        pips = value if self._numerals.may_show_pips(looks[0], value) else None
        with self._lock:
            held = [one.name for one in self._sets]
            of_class = [one.name for one in self._sets if colour in _colours(one)]
            name = (of_class or held or [say("taught.own_set")])[0]
            self._learn(name, _NewFace(0, colour, pips, [view_of(faces[0])], [looks[0]]), value, anyway=True)
            return {"name": name, **self._state()}

    def forget(self, name: str, colour: str, value: int) -> dict[str, JsonValue]:
        """Delete a face of a set; `undo` restores it."""
        with self._lock:
            held = self._sets.get(name)
            self._note(name)
            self._sets.keep(held.without(colour, value))
            return self._changed()

    def known(self) -> dict[str, JsonValue]:
        """Return pictures of the taught faces, as pages show them next to values."""
        with self._lock:
            faces = [face for one in self._sets for face in one.faces if not face.shows_pips]
        shown: list[JsonValue] = [
            {"colour": face.colour, "value": counts_as(face), "picture": picture(face.views[-1])} for face in faces
        ]
        return {"remember": self.remember, "faces": shown}

    def skip(self, key: int) -> dict[str, JsonValue]:
        """Discard an unnamed face, because it is not a die or badly visible."""
        with self._lock:
            self._waiting.pop(key, None)
            return self._state()

    def undo(self, name: str) -> dict[str, JsonValue]:
        with self._lock:
            steps = self._before.get(name)
            if not steps:
                raise BadInput(say("taught.nothing_to_undo"))
            before = steps.pop()
            if before is None:
                self._sets.delete(name)
            else:
                self._sets.keep(before)
            return self._changed()

    def delete(self, name: str) -> dict[str, JsonValue]:
        """Delete a set; `undo` restores it."""
        with self._lock:
            self._note(name)
            self._sets.delete(name)
            return self._changed()

    def export(self, name: str) -> bytes:
        with self._lock:
            return self._sets.get(name).to_bytes()

    def take_in(self, content: bytes, source: str) -> dict[str, JsonValue]:
        """Import the set of a file, replacing one of the same name."""
        found = dice_set_from(content, source)
        with self._lock:
            self._note(found.name)
            self._sets.keep(found)
            return self._changed()

    def _set(self, name: str) -> DiceSet:
        return self._sets.find(name) or DiceSet.model_construct(name=name)

    def _look(self) -> tuple[Frame, Sequence[DieReading]]:
        """Return the newest picture and its dice, read by pips only."""
        frame = self._newest()
        if frame is None:
            raise BadInput(say("calibration.no_picture"))
        return frame, self._read(frame.image_bgr).dice

    def _guess(self, face: _NewFace) -> int | None:
        near = self._numerals.nearest("", np.mean(face.looks, axis=0))
        return near.face.value if near.share >= _NUMERAL else None

    def _wait(self, colour: str, die: DieReading, face: ImageBgr, look: F32) -> None:
        pips = die.value if die.unread is None else None
        for one in self._waiting.values():
            same_pips = pips is None or one.pips is None or pips == one.pips
            if one.colour == colour and same_pips and float(np.mean([look @ other for other in one.looks])) > _ALIKE:
                one.views.append(view_of(face))
                one.looks.append(look)
                return
        if len(self._waiting) < _MOST_WAITING:
            self._waiting[self._next_key] = _NewFace(self._next_key, colour, pips, [view_of(face)], [look])
            self._next_key += 1

    def _learn(self, name: str, face: _NewFace, value: int, *, anyway: bool) -> None:
        held = self._set(name)
        known = own_faces([held], self._net)
        if known is not None and known.of(face.colour) and not anyway:
            near = known.nearest(face.colour, np.mean(face.looks, axis=0))
            is_other = near.is_sure and not (near.face.shows_pips and face.pips == value)
            if is_other and near.face.value != (value or BLANK_COUNTS_AS):
                twin = next(one for one in held.faces if counts_as(one) == near.face.value)
                raise Contradiction(value, twin.value, face.views[0], twin.views[0])
        self._note(name)
        self._sets.keep(held.with_views(face.colour, value, face.views, shows_pips=face.pips == value))
        self._use(self.faces)

    def _note(self, name: str) -> None:
        self._before.setdefault(name, []).append(self._sets.find(name))

    def _changed(self) -> dict[str, JsonValue]:
        self._use(self.faces)
        return self._state()

    def _state(self) -> dict[str, JsonValue]:
        return {
            "sets": [
                {
                    "name": one.name,
                    "can_undo": bool(self._before.get(one.name)),
                    "faces": [
                        {"colour": face.colour, "value": face.value, "views": len(face.views),
                         "picture": picture(face.views[-1])}
                        for face in sorted(one.faces, key=lambda face: (face.colour, face.value))
                    ],
                    "progress": _progress(one),
                }
                for one in self._sets
            ],
            "waiting": [
                {"key": face.key, "colour": face.colour, "pips": face.pips, "guess": self._guess(face),
                 "views": len(face.views), "picture": picture(face.views[0])}
                for face in self._waiting.values()
            ],
        }  # fmt: skip


class Contradiction(BadInput):
    """A face looks like one with another value: a person must decide."""

    def __init__(self, value: int, other: int, view: bytes, twin: bytes) -> None:
        super().__init__(say("taught.contradiction", one=_word(value), other=_word(other)))
        self.body: dict[str, JsonValue] = {"other": other, "picture": picture(view), "twin": picture(twin)}
        """value of the known face, and a picture of each"""


def picture(view: bytes) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(view).decode()}"


def _progress(one: DiceSet) -> dict[str, JsonValue]:
    """Return how many faces are known, of six for each class begun, unless one of them is blank on several sides."""
    by_colour = [[face.value for face in one.faces if face.colour == colour] for colour in _colours(one)]
    return {"known": len(one.faces), "of": sum(len(had) if 0 in had else FACES for had in by_colour)}


def _colours(one: DiceSet) -> set[str]:
    return {face.colour for face in one.faces}


def _word(value: int) -> str:
    return say("taught.blank") if value == 0 else str(value)
