"""Taught sets of dice: one file per set with pictures of its faces.

The reader's features are computed from the pictures, so a file works with any net.
"""

import hashlib
import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Final, Literal

import cv2
import numpy as np
from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, ValidationError

from device.errors import BadInput
from device.kept_files import give_to_owner, parse_json, read_kept, write_whole
from device.texts.catalogue import say
from vision.classification.face_net import CUT_PX, FaceReader
from vision.decision.own_faces import OwnFaces, TaughtFace
from vision.types.cures import cure_of, why
from vision.types.frame import ImageBgr

_log = logging.getLogger(__name__)

FOLDER_NAME: Final = "dice-sets"
BLANK: Final = 0
BLANK_COUNTS_AS: Final = 2
"""The value of a blank face in scoring: neither a 6 nor a 1."""
MOST_VIEWS: Final = 12
MOST_SETS: Final = 24
MOST_BYTES: Final = 4_000_000
_QUALITY: Final = 95

SetName = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^\S(.*\S)?$")]
FaceValue = Annotated[int, Field(ge=BLANK, le=6)]


class ShownFace(BaseModel):
    """One face of a set."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    colour: Annotated[str, Field(min_length=1, max_length=40)]
    value: FaceValue  # value that it counts as, 1 to 6; 0 is a blank face
    shows_pips: bool = False
    # its pictures, JPEG, `CUT_PX` pixels wide
    views: Annotated[tuple[Annotated[Base64Bytes, Field(max_length=20_000)], ...], Field(min_length=1, max_length=40)]


class DiceSet(BaseModel):
    """A set of dice with its taught faces."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    format: Literal["pushtray-dice-set/1"] = "pushtray-dice-set/1"
    name: SetName
    faces: Annotated[tuple[ShownFace, ...], Field(max_length=120)] = ()

    def with_views(self, colour: str, value: int, views: Iterable[bytes], *, shows_pips: bool) -> "DiceSet":
        """Return the set with another view of a face; the oldest of too many views are dropped."""
        old = [face for face in self.faces if (face.colour, face.value) == (colour, value)]
        others = tuple(face for face in self.faces if face not in old)
        known = [view for face in old for view in face.views]
        is_pips = old[0].shows_pips if old else shows_pips
        kept = (*known, *views)[-MOST_VIEWS:]
        face = ShownFace.model_construct(colour=colour, value=value, shows_pips=is_pips, views=kept)
        return self.model_copy(update={"faces": (*others, face)})

    def without(self, colour: str, value: int) -> "DiceSet":
        """Return the set without a face."""
        kept = tuple(face for face in self.faces if (face.colour, face.value) != (colour, value))
        return self.model_copy(update={"faces": kept})

    def to_bytes(self) -> bytes:
        return self.model_dump_json(indent=1).encode()


def dice_set_from(content: bytes, source: str) -> DiceSet:
    try:
        found = _checked(parse_json(content[: MOST_BYTES + 1]))
    except ValueError as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        reason = str(error) if first is None else f"{'.'.join(map(str, first['loc']))}: {first['msg']}".strip(": ")
        raise BadInput(say("taught.bad_file", file=source, reason=reason)) from error
    return found


def load_dice_set(path: Path) -> DiceSet:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({why(error)}): {cure_of(error.errno, 'name another')}") from error
    return dice_set_from(content, str(path))


def counts_as(face: ShownFace) -> int:
    return face.value or BLANK_COUNTS_AS


def view_of(face: ImageBgr) -> bytes:
    return bytes(cv2.imencode(".jpg", face, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1])


def faces_in(face: ShownFace) -> ImageBgr:
    faces = []
    for view in face.views:
        drawn = cv2.imdecode(np.frombuffer(view, np.uint8), cv2.IMREAD_COLOR)
        if drawn is None or drawn.shape != (CUT_PX, CUT_PX, 3):
            raise ValueError("a view is no picture of a face")
        faces.append(drawn)
    return np.stack(faces).astype(np.uint8)


class DiceSets:
    """The sets of a data folder. One thread at a time."""

    def __init__(self, folder: Path) -> None:
        """Read the sets; a damaged file is set aside and logged."""
        self._folder = folder / FOLDER_NAME
        self._sets: dict[str, DiceSet] = {}
        for path in sorted(self._folder.glob("*.json")):
            found = read_kept(path, _checked, None, "its dice are read by their pips alone")
            if found is not None:
                self._sets[found.name] = found

    def __iter__(self) -> Iterator[DiceSet]:
        return iter(sorted(self._sets.values(), key=lambda one: one.name))

    def find(self, name: str) -> DiceSet | None:
        return self._sets.get(name)

    def get(self, name: str) -> DiceSet:
        if name not in self._sets:
            raise BadInput(say("taught.unknown", name=name))
        return self._sets[name]

    def keep(self, one: DiceSet) -> None:
        if one.name not in self._sets and len(self._sets) >= MOST_SETS:
            raise BadInput(say("taught.too_many", count=MOST_SETS))
        try:
            write_whole(self._path(one.name), one.to_bytes())
            give_to_owner(self._folder.parent, self._folder, self._path(one.name))
        except OSError as error:
            raise BadInput(_refused(self._path(one.name), error)) from error
        self._sets[one.name] = one

    def delete(self, name: str) -> None:
        self.get(name)
        try:
            self._path(name).unlink(missing_ok=True)
        except OSError as error:
            raise BadInput(_refused(self._path(name), error)) from error
        del self._sets[name]

    def _path(self, name: str) -> Path:
        return self._folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.json"


def own_faces(sets: Iterable[DiceSet], net: FaceReader | None = None) -> OwnFaces | None:
    """Return the reader's features of some sets; None if they have no face."""
    shown = [face for one in sets for face in one.faces]
    if not shown:
        return None
    net = net or FaceReader()
    return OwnFaces(
        [TaughtFace(face.colour, counts_as(face), net.looks_of(faces_in(face)), face.shows_pips) for face in shown]
    )


def _checked(content: object) -> DiceSet:
    found = DiceSet.model_validate(content)
    for face in found.faces:
        faces_in(face)
    return found


def _refused(path: Path, error: OSError) -> str:
    return say("taught.not_written", path=path, reason=why(error), cure=cure_of(error.errno, "delete other files"))
