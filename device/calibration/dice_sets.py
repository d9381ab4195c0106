"""Taught sets of dice: one file per set with pictures of its faces."""

import hashlib
import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple, Self

import cv2
import numpy as np
from pydantic import (
    AfterValidator,
    Base64Bytes,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from device.body import face_word
from device.errors import BadInput
from device.game.state.bounds import Sides
from device.kept_files import give_to_owner, parse_json, read_kept, set_aside, sync_folder, write_whole
from device.texts.catalogue import translate
from rules.dice import BLANK
from vision.classification.face_net import CUT_PX, FaceReader
from vision.decision.own_faces import CUBE, OwnFaces, TaughtFace
from vision.imaging.image_file import ImageFileParams, decode_image
from vision.types.cures import cure_of, why
from vision.types.errors import BadImage
from vision.types.frame import F32, ImageBgr

_log = logging.getLogger(__name__)

FOLDER_NAME: Final = "dice-sets"
MAX_VIEWS: Final = 12
MAX_SETS: Final = 24
MAX_BYTES: Final = 8_000_000
_FORMAT: Final = "pushtray-dice-set/1"
_QUALITY: Final = 95
_VIEW: Final = ImageFileParams(min_px=CUT_PX, max_px=CUT_PX)

# it is a part of URLs, and a line of lists
_NAME: Final = re.compile(r"[^\s/.\x00-\x1f\x7f-\x9f](?:[^/\x00-\x1f\x7f-\x9f]{0,38}[^\s/\x00-\x1f\x7f-\x9f])?")
_MAX_NAME: Final = 40


def set_name(name: str) -> str:
    """Return a set's name, checked."""
    if _NAME.fullmatch(name) is None:
        raise BadInput(translate("taught.bad_name", name=repr(name)))
    return name


SetName = Annotated[str, AfterValidator(set_name)]
ClassLabel = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f-\x9f]{1,40}$")]
FaceValue = Annotated[int, Field(ge=0, le=12)]


class DieKind(NamedTuple):
    """Dice with the same faces."""

    colour: str
    sides: int = 6


def check_on_die(value: int, sides: int) -> None:
    """Raise `BadInput` unless a die has such a face."""
    if not (sides != CUBE) <= value <= sides:
        raise BadInput(translate("tray.refused.face", die=f"d{sides}", value=face_word(value), sides=sides))


class ShownFace(BaseModel):
    """One face of a set."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    colour: ClassLabel
    value: FaceValue  # value that it counts as, 1 to `sides`; 0 is a blank face, which only a d6 has
    times: Annotated[int, Field(ge=1, le=12)] | None = None  # as in `TaughtFace`
    sides: Sides = 6
    shows_pips: bool = False
    # its pictures, JPEG, `CUT_PX` pixels wide
    views: Annotated[tuple[Annotated[Base64Bytes, Field(max_length=20_000)], ...], Field(min_length=1, max_length=40)]

    @field_validator("views")
    @classmethod
    def _are_pictures(cls, views: tuple[bytes, ...]) -> tuple[bytes, ...]:
        pictures_of(views)
        return views

    @model_validator(mode="after")
    def _is_on_the_die(self) -> Self:
        check_on_die(self.value, self.sides)
        return self

    @property
    def kind(self) -> DieKind:
        return DieKind(self.colour, self.sides)


class DiceSet(BaseModel):
    """A set of dice with its taught faces."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    format: Literal["pushtray-dice-set/1"] = _FORMAT
    name: SetName
    faces: Annotated[tuple[ShownFace, ...], Field(max_length=240)] = ()

    @field_validator("faces")
    @classmethod
    def _are_different(cls, faces: tuple[ShownFace, ...]) -> tuple[ShownFace, ...]:
        if len({(face.kind, face.value) for face in faces}) < len(faces):
            raise ValueError("it has a face twice")
        return faces

    def with_views(self, kind: DieKind, value: int, views: Iterable[bytes], *, shows_pips: bool) -> "DiceSet":
        """Return the set with another view of a face; the oldest of too many views are dropped."""
        old = self.find(kind, value)
        kept = (*(old.views if old else ()), *views)[-MAX_VIEWS:]
        if old is not None:
            return self.with_face(old.model_copy(update={"views": kept}))
        new = ShownFace.model_construct(**kind._asdict(), value=value, shows_pips=shows_pips, views=kept)
        return self.with_face(new)

    def with_face(self, face: ShownFace) -> "DiceSet":
        """Return the set with a face, in place of one of its kind and value."""
        others = self.without(face.kind, face.value)
        return others.model_copy(update={"faces": (*others.faces, face)})

    def find(self, kind: DieKind, value: int) -> ShownFace | None:
        return next((face for face in self.faces if (face.kind, face.value) == (kind, value)), None)

    def get(self, kind: DieKind, value: int) -> ShownFace:
        face = self.find(kind, value)
        if face is None:
            raise BadInput(translate("taught.no_such_face"))
        return face

    def without_view(self, kind: DieKind, value: int, key: str) -> "DiceSet":
        """Return the set without one view of a face, and without the face if that was its last one."""
        face = self.get(kind, value)
        kept = tuple(view for view in face.views if view_key(view) != key)
        return self.with_face(face.model_copy(update={"views": kept})) if kept else self.without(kind, value)

    def times_of(self, face: ShownFace) -> int:
        """Return how many faces of a die are this one; a blank one without a number is what the others leave."""
        others = sum(one.times or 1 for one in self.only(face.kind).faces if one.value != face.value)
        return face.times or (max(1, face.sides - others) if face.value == BLANK else 1)

    def without(self, kind: DieKind, value: int) -> "DiceSet":
        """Return the set without a face."""
        kept = tuple(face for face in self.faces if (face.kind, face.value) != (kind, value))
        return self.model_copy(update={"faces": kept})

    def named(self, name: str) -> "DiceSet":
        return self.model_copy(update={"name": set_name(name)})

    def only(self, kind: DieKind) -> "DiceSet":
        """Return the set without other kinds of dice."""
        return self.model_copy(update={"faces": tuple(face for face in self.faces if face.kind == kind)})

    def to_bytes(self) -> bytes:
        return self.model_dump_json(indent=1).encode()


def dice_set_from(content: bytes, source: str) -> DiceSet:
    if len(content) > MAX_BYTES:
        raise BadInput(translate("taught.bad_file", file=source, reason=f"> {MAX_BYTES // 1_000_000} MB"))
    try:
        body = parse_json(content)
        found = body.get("format") if isinstance(body, dict) else None
        one = DiceSet.model_validate(body) if found == _FORMAT else None
    except ValueError as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        where = "" if first is None else f"{'.'.join(map(str, first['loc']))}: "
        reason = str(error) if first is None else first["msg"].removeprefix("Value error, ")
        raise BadInput(translate("taught.bad_file", file=source, reason=where + reason)) from error
    if one is None:
        format_text = repr(found)[:40]
        if str(found).startswith(_FORMAT[:-1]):
            raise BadInput(translate("taught.format", file=source, found=format_text, needed=_FORMAT))
        raise BadInput(translate("taught.bad_file", file=source, reason=f"format: {format_text}"))
    return one


def load_dice_set(path: Path) -> DiceSet:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({why(error)}): {cure_of(error.errno, 'name another')}") from error
    return dice_set_from(content, str(path))


def view_of(face: ImageBgr) -> bytes:
    return bytes(cv2.imencode(".jpg", face, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1])


def view_key(view: bytes) -> str:
    return hashlib.sha256(view).hexdigest()[:16]


def pictures_of(views: Iterable[bytes]) -> ImageBgr:
    """Decode views of faces; their size is read first, since a small file may hold a picture of gigabytes."""
    try:
        return np.stack([decode_image(view, "a view", _VIEW) for view in views])
    except BadImage as error:
        raise ValueError("a view is not a picture of a face") from error


class NameTaken(BadInput):
    """An imported set has the name of another one."""

    def __init__(self, name: str, free: str) -> None:
        super().__init__(translate("taught.exists", name=name))
        self.free = free


class DiceSets:
    """The sets of a data folder. One thread at a time."""

    def __init__(self, folder: Path) -> None:
        """Read the sets; a damaged file is set aside and logged."""
        self._folder = folder / FOLDER_NAME
        self._sets: dict[str, DiceSet] = {}
        self._paths: dict[str, Path] = {}  # a file that a person copied here has another name
        for path in sorted(self._folder.glob("*.json")):
            found = read_kept(path, DiceSet.model_validate, None, "its dice are read by pips only")
            if found is not None:
                name = self._free_name(found.name)
                if name != found.name:
                    _log.warning("%s is a second set called %s: it is listed as %s", path, found.name, name)
                self._sets[name], self._paths[name] = found.named(name), path

    def __iter__(self) -> Iterator[DiceSet]:
        return iter(sorted(self._sets.values(), key=lambda one: one.name))

    def find(self, name: str) -> DiceSet | None:
        return self._sets.get(name)

    def get(self, name: str) -> DiceSet:
        if name not in self._sets:
            raise BadInput(translate("taught.unknown", name=name))
        return self._sets[name]

    def check_import(self, one: DiceSet) -> None:
        """Raise `NameTaken` if another set has this one's name."""
        if self.find(one.name) not in (None, one):
            raise NameTaken(one.name, self._free_name(one.name))

    def _free_name(self, name: str) -> str:
        """Return the name itself, or the first free one of `NAME 2`, `NAME 3`, ..."""
        number, free = 1, name
        while free in self._sets:
            number += 1
            end = f" {number}"
            free = name[: _MAX_NAME - len(end)].rstrip() + end
        return free

    def put(self, name: str, one: DiceSet | None) -> None:
        """Store the new content of a set; None deletes it."""
        if one is not None and name not in self._sets and len(self._sets) >= MAX_SETS:
            raise BadInput(translate("taught.too_many", count=MAX_SETS))
        own_path = self._folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.json"
        path = self._paths.get(name, own_path)
        try:
            if name not in self._sets and path.exists():
                set_aside(path)  # it could not be read when the program started
            if one is None:
                with suppress(FileNotFoundError):
                    path.unlink()
                    sync_folder(path.parent)
            else:
                write_whole(path, one.to_bytes())
                give_to_owner(self._folder.parent, self._folder, path)
        except OSError as error:
            cure = cure_of(error.errno, "delete other files")
            raise BadInput(translate("taught.not_written", path=path, reason=why(error), cure=cure)) from error
        self._sets.pop(name, None)
        if one is not None:
            self._sets[name] = one


@lru_cache(maxsize=512)
def _looks_of(views: tuple[bytes, ...], sides: int) -> F32:
    return FaceReader().looks_of(pictures_of(views), sides)


def own_faces(sets: Iterable[DiceSet]) -> OwnFaces | None:
    """Return the reader's features of some sets; None if they have no face."""
    faces = [taught_face(face) for one in sets for face in one.faces]
    return OwnFaces(faces) if faces else None


def taught_face(face: ShownFace) -> TaughtFace:
    looks = _looks_of(face.views, face.sides)
    return TaughtFace(face.colour, face.value, looks, face.shows_pips, face.sides, face.times)
