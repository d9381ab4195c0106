"""Teach a tray its own dice: read throws, name new faces, and use what was learned at once."""

import base64
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import dist, inf
from typing import TypeAlias

import numpy as np

from device.body import face_word
from device.calibration.dice_sets import (
    DiceSet,
    DiceSets,
    DieKind,
    ShownFace,
    check_on_die,
    dice_set_from,
    own_faces,
    taught_face,
    view_key,
    view_of,
)
from device.errors import BadInput
from device.texts.catalogue import translate
from rules.system import JsonValue
from vision.classification.face_net import FaceReader
from vision.decision.own_faces import CUBE, OwnFaces, numerals
from vision.pipeline.own_dice import faces_of, showable
from vision.tracking.agree import edge_px
from vision.types.frame import F32, Frame, ImageBgr
from vision.types.reading import DieReading, PointPx, TrayReading, Unread

Body: TypeAlias = dict[str, JsonValue]
FaceKey: TypeAlias = tuple[str, int, int]
"""Colour class, number of sides and value."""


def _nothing(*_: object) -> None:
    pass


_ALIKE = 0.7
"""Similarity above which two unnamed faces count as the same."""
_UNLIKE = 0.5
"""Similarity below which a new view does not look like its face: 2 in 100 of one face, 91 in 100 of different ones."""
_NUMERAL = 0.8
"""Share above which an unnamed face is suggested as a numeral."""
_ENOUGH_VIEWS = 8
_SAME_PLACE = 0.15
"""Distance, in edges of a die, within which it has not moved; readings of one rest differ by 0.03."""
_MAX_WAITING = 24
_LESSON_S = 8.0


@dataclass(slots=True, eq=False)
class _NewFace:
    key: int
    kind: DieKind
    pips: int | None
    views: list[bytes] = field(default_factory=list)
    looks: list[F32] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class NamedDie:
    """A die in the tray that a person gave a value."""

    place: PointPx
    kind: DieKind
    value: int
    id: int = 0


class Teaching:
    """The sets of a tray, and the faces that wait for a name. Any thread."""

    def __init__(
        self,
        sets: DiceSets,
        newest: Callable[[], Frame | None],
        read: Callable[[ImageBgr], TrayReading],
        use: Callable[[OwnFaces | None], None],
        *,
        remember: str = "ask",
        forgot: Callable[[frozenset[FaceKey]], object] = _nothing,
        offer: Callable[[str, Sequence[NamedDie], Callable[[], object]], object] = _nothing,
        on_lesson: Callable[[], object] = _nothing,
    ) -> None:
        """Share the sets of a data folder.

        Args:
            use: Receives the taught faces after each change.
            forgot: Receives the faces that a change deleted.
            offer: Receives the name of a set that was deleted, or that learned the faces of corrected dice, with these
                dice, and what undoes that.
            on_lesson: Called when a lesson begins, and when it ends.
        """
        self._sets, self._newest, self._read, self._use = sets, newest, read, use
        self.remember, self._forgot, self._offer = remember, forgot, offer
        self._net = FaceReader()
        self._numerals = numerals()
        self._lock = threading.Lock()
        self._waiting: dict[int, _NewFace] = {}
        self._before: dict[str, list[DiceSet | None]] = {}
        self._taught = _symbols(sets)
        self._next_key = 1
        self._lesson_ends_s, self._on_lesson = -inf, on_lesson
        self._lesson_over = threading.Timer(0.0, on_lesson)

    @property
    def is_lesson(self) -> bool:
        """Whether dice are being shown to the tray, so that throws are no rolls."""
        return time.monotonic() < self._lesson_ends_s

    def hold_lesson(self) -> Body:
        """Take throws for shown ones for some seconds: a page that shows dice repeats this."""
        is_new = not self.is_lesson
        self._lesson_ends_s = time.monotonic() + _LESSON_S
        self._lesson_over.cancel()
        self._lesson_over = threading.Timer(_LESSON_S + 0.1, self._on_lesson)
        self._lesson_over.daemon = True
        self._lesson_over.start()
        if is_new:
            self._on_lesson()
        return {}

    def end_lesson(self) -> Body:
        """Take throws for rolls again."""
        self._lesson_over.cancel()
        self._lesson_ends_s = -inf
        self._on_lesson()
        return {}

    def state(self) -> Body:
        """Return the state for pages: the sets with their faces, and the unnamed faces."""
        with self._lock:
            return self._state()

    def show(self, name: str, kind: DieKind) -> Body:
        """Read the current dice: known faces get another view, others wait for a name; `seen` says where they lie."""
        image, read = self._look()
        dice = showable(read, *kind)
        if not dice:
            raise BadInput(translate("taught.no_dice"))
        with self._lock:
            faces = faces_of(image, dice, kind.sides)
            # The same dice were shown as another kind, such as before that was chosen.
            for key in [
                key for key, one in self._waiting.items() if one.kind.colour == kind.colour and one.kind != kind
            ]:
                self._waiting.pop(key)
            held = grown = self._set(name)
            nearest = nearest_of(held, kind)
            seen: list[JsonValue] = []
            for die, face, look in zip(dice, faces, self._net.looks_of(faces, kind.sides), strict=True):
                near = nearest(look)
                pips = die.value if die.unread is None else None
                known = None if near is not None and near.shows_pips and pips not in (None, near.value) else near
                seen.append(
                    {
                        "top_quad_px": [[float(x), float(y)] for x, y in die.top_quad_px],
                        "value": None if known is None else known.value,
                        "unread": None if known is not None else Unread.FACE_UNKNOWN.value,
                    }
                )
                if known is None:
                    self._wait(kind, pips, face, look)
                elif len(known.views) < _ENOUGH_VIEWS:
                    grown = grown.with_views(kind, known.value, [view_of(face)], shows_pips=False)
            return {**self._put(name, grown), "seen": seen}

    def name_face(self, name: str, key: int, value: int, *, anyway: bool = False) -> Body:
        """Name an unnamed face: its value, or 0 for a blank one; the first face of a set creates it."""
        with self._lock:
            face = self._waiting.get(key)
            if face is None:
                raise BadInput(translate("taught.no_face"))
            return self._learn(name, face, value, anyway=anyway)

    def name_numerals(self, name: str) -> Body:
        """Name all unnamed faces that look like numerals by what they look like."""
        with self._lock:
            for face in list(self._waiting.values()):
                guess = self._guess(face)
                if guess is not None:
                    self._learn(name, face, guess, anyway=True)
            return self._state()

    def remember_dice(self, named: Sequence[NamedDie], *, anyway: bool = False) -> Body:
        """Learn the faces of confirmed or corrected dice, each for the set of its class.

        Raises:
            Contradiction: One looks unlike its value, and not `anyway`.
        """
        image, read = self._look()
        found: list[tuple[DieReading, NamedDie, ImageBgr]] = []
        for sides in {one.kind.sides for one in named}:
            seen = showable(read, None, sides)
            near = [
                (die, one)
                for one in named
                for die in seen
                if one.kind.sides == sides and dist(die.center_px, one.place) < _SAME_PLACE * edge_px(die)
            ]
            faces = faces_of(image, [die for die, _ in near], sides)
            found += [(*pair, face) for pair, face in zip(near, faces, strict=True)]
        if not found:
            raise BadInput(translate("taught.moved"))
        grown = dict[str, DiceSet]()
        with self._lock:
            for die, one, face in found:
                of_class = [
                    held.name for held in self._sets if one.kind.colour in {kind.colour for kind in _kinds(held)}
                ]
                name = (of_class or [held.name for held in self._sets] or [translate("taught.own_set")])[0]
                held, is_pips = grown.get(name) or self._set(name), (die.value, die.sides) == (one.value, CUBE)
                view = view_of(face)
                if not anyway:
                    shown = view, self._net.looks_of(face[None], one.kind.sides)[0]
                    check_agrees(held, (one.kind, one.value), shown, pips=die.value if is_pips else None)
                grown[name] = held.with_views(one.kind, one.value, [view], shows_pips=is_pips)
            for name, held in grown.items():
                self._put(name, held)
            state = self._state()
        names = ", ".join(grown)
        self._offer(names, [one for _, one, _ in found], partial(self._undo_if_newest, grown))
        return {"name": names, "values": [one.value for _, one, _ in found], **state}

    def _undo_if_newest(self, changed: Mapping[str, DiceSet | None]) -> None:
        if any(self._sets.find(name) != one for name, one in changed.items()):
            raise BadInput(translate("tray.undo.too_late"))
        for name in changed:
            self.undo(name)

    def forget(self, name: str, kind: DieKind, value: int) -> Body:
        """Delete a face of a set; `undo` restores it."""
        with self._lock:
            return self._put(name, self._sets.get(name).without(kind, value))

    def views(self, name: str, kind: DieKind, value: int) -> Body:
        """Return the pictures of a face, the newest first."""
        with self._lock:
            views = self._sets.get(name).get(kind, value).views
        return {"views": [{"key": view_key(view), "picture": picture(view)} for view in reversed(views)]}

    def forget_view(self, name: str, kind: DieKind, value: int, key: str) -> Body:
        """Delete one picture of a face; `undo` restores it."""
        with self._lock:
            return self._put(name, self._sets.get(name).without_view(kind, value, key))

    def count(self, name: str, kind: DieKind, value: int, times: int) -> Body:
        """Set how many faces of a die are this one."""
        with self._lock:
            one = self._sets.get(name)
            left = kind.sides - sum(face.times or 1 for face in one.without(kind, value).only(kind).faces)
            if times > left:
                raise BadInput(translate("taught.too_many_faces", sides=kind.sides, left=max(1, left)))
            return self._put(name, one.with_face(one.get(kind, value).model_copy(update={"times": times})))

    def known(self) -> Body:
        """Return pictures of the taught faces, as pages show them next to values."""
        with self._lock:
            faces = [face for one in self._sets for face in one.faces if not face.shows_pips]
        shown: list[JsonValue] = [
            {**face.kind._asdict(), "value": face.value, "picture": picture(face.views[-1])} for face in faces
        ]
        return {"remember": self.remember, "faces": shown}

    def skip(self, key: int) -> Body:
        """Discard an unnamed face, because it is not a die or badly visible."""
        with self._lock:
            self._waiting.pop(key, None)
            return self._state()

    def undo(self, name: str) -> Body:
        with self._lock:
            if not self._before.get(name):
                raise BadInput(translate("taught.nothing_to_undo"))
            self._sets.put(name, self._before[name][-1])
            self._before[name].pop()
            return self._changed()

    def delete(self, name: str) -> Body:
        """Delete a set; `undo` restores it."""
        with self._lock:
            self._sets.get(name)
            state = self._put(name, None)
        self._offer(name, (), partial(self._undo_if_newest, {name: None}))
        return state

    def export(self, name: str) -> bytes:
        with self._lock:
            return self._sets.get(name).to_bytes()

    def take_in(self, content: bytes, source: str, name: str | None = None) -> Body:
        """Import the set of a file, under another name if one is given; `undo` deletes it."""
        found = dice_set_from(content, source)
        one = found if name is None else found.named(name)
        with self._lock:
            self._sets.check_import(one)
            return self._put(one.name, one)

    def _set(self, name: str) -> DiceSet:
        return self._sets.find(name) or DiceSet.model_construct(name=name)

    def _look(self) -> tuple[ImageBgr, Sequence[DieReading]]:
        """Return the newest picture and its dice, read by pips only."""
        frame = self._newest()
        if frame is None:
            raise BadInput(translate("calibration.no_picture"))
        return frame.image_bgr, self._read(frame.image_bgr).dice

    def _guess(self, face: _NewFace) -> int | None:
        near = self._numerals.nearest("", np.mean(face.looks, axis=0))
        return near.face.value if face.kind.sides == CUBE and near.share >= _NUMERAL else None

    def _wait(self, kind: DieKind, pips: int | None, face: ImageBgr, look: F32) -> None:
        for one in self._waiting.values():
            same_pips = pips is None or one.pips is None or pips == one.pips
            if one.kind == kind and same_pips and float(np.mean([look @ other for other in one.looks])) > _ALIKE:
                one.views.append(view_of(face))
                one.looks.append(look)
                return
        if len(self._waiting) < _MAX_WAITING:
            self._waiting[self._next_key] = _NewFace(self._next_key, kind, pips, [view_of(face)], [look])
            self._next_key += 1

    def _learn(self, name: str, face: _NewFace, value: int, *, anyway: bool) -> Body:
        check_on_die(value, face.kind.sides)
        held = self._set(name)
        if not anyway:
            shown = face.views[0], np.mean(face.looks, axis=0)
            check_agrees(held, (face.kind, value), shown, pips=face.pips)
        grown = held.with_views(face.kind, value, face.views, shows_pips=face.pips == value)
        self._put(name, grown)
        self._waiting.pop(face.key, None)
        return self._state()

    def _put(self, name: str, one: DiceSet | None) -> Body:
        """Store the new content of a set; `undo` restores the old one."""
        before = self._sets.find(name)
        if (before or self._set(name)) == one:
            return self._state()
        self._sets.put(name, one)
        self._before.setdefault(name, []).append(before)
        return self._changed()

    def _changed(self) -> Body:
        taught = _symbols(self._sets)
        forgotten, self._taught = self._taught - taught, taught
        if forgotten:
            self._forgot(forgotten)
        self._use(own_faces(self._sets))
        return self._state()

    def _state(self) -> Body:
        return {
            "sets": [
                {
                    "name": one.name,
                    "can_undo": bool(self._before.get(one.name)),
                    "faces": [
                        {**face.kind._asdict(), "value": face.value, "times": one.times_of(face),
                         "views": len(face.views), "picture": picture(face.views[-1])}
                        for face in sorted(one.faces, key=lambda face: (face.kind, face.value))
                    ],
                    "progress": _progress(one),
                }
                for one in self._sets
            ],
            "deleted": [
                name for name, held in self._before.items() if held and held[-1] and self._sets.find(name) is None
            ],
            "waiting": [
                {"key": face.key, **face.kind._asdict(), "pips": face.pips, "guess": self._guess(face),
                 "views": len(face.views), "picture": picture(face.views[0])}
                for face in self._waiting.values()
            ],
        }  # fmt: skip


class Contradiction(BadInput):
    """A face looks like one with another value, or unlike its own: a person must decide."""

    def __init__(self, value: int, other: int, view: bytes, twin: bytes) -> None:
        key = "taught.unlike" if other == value else "taught.contradiction"
        super().__init__(translate(key, one=face_word(value), other=face_word(other)))
        self.body: Body = {"value": value, "other": other, "picture": picture(view), "twin": picture(twin)}
        """Value of the known face, and a picture of each."""


def picture(view: bytes) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(view).decode()}"


def _progress(one: DiceSet) -> Body:
    """Return how many faces are known, of all of each kind begun; of a kind with blank faces that number is unknown."""
    is_open = not one.faces or any(face.value == 0 and face.times is None for face in one.faces)
    known = sum(face.times or 1 for face in one.faces)
    return {"known": known, "of": None if is_open else sum(kind.sides for kind in _kinds(one))}


def nearest_of(one: DiceSet, kind: DieKind) -> Callable[[F32], ShownFace | None]:
    """Return what finds the face of one kind of dice that a look certainly shows."""
    own = one.only(kind)
    known = own_faces([own])
    if known is None:
        return lambda _: None
    shown = dict(zip(map(id, known.of(*kind)), own.faces, strict=True))

    def nearest(look: F32) -> ShownFace | None:
        near = known.nearest(kind.colour, look, kind.sides)
        return shown[id(near.face)] if near.is_sure else None

    return nearest


def check_agrees(one: DiceSet, named: tuple[DieKind, int], shown: tuple[bytes, F32], *, pips: int | None) -> None:
    """Raise `Contradiction` if a set has a shown face under another name, or another face under its name."""
    (kind, value), (view, look) = named, shown
    twin = nearest_of(one, kind)(look)
    if twin is not None and twin.value != value and not (twin.shows_pips and pips == value):
        raise Contradiction(value, twin.value, view, twin.views[0])
    known = one.find(kind, value)
    if known is None or (known.shows_pips and pips == value):
        return
    if taught_face(known).mean @ look < _UNLIKE * float(np.linalg.norm(look)):
        raise Contradiction(value, value, view, known.views[-1])


def _symbols(sets: Iterable[DiceSet]) -> frozenset[FaceKey]:
    faces = [face for one in sets for face in one.faces if not face.shows_pips]
    return frozenset((*face.kind, face.value) for face in faces)


def _kinds(one: DiceSet) -> set[DieKind]:
    return {face.kind for face in one.faces}
