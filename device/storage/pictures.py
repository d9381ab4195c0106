"""Pictures of rolls in the data folder: a small one of each result, and optionally whole ones of corrected readings.

The camera's thread passes each rest with its picture, the loop's thread decides what becomes a row, and a third thread
compresses and writes: no roll waits for a picture. A power cut loses only the picture.
"""

import json
import logging
import queue
import secrets
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import cv2
import numpy as np
from pydantic import Field

from device.game.state.effects import LogRow, RowKind
from device.game.state.layout import Layout
from device.kept_files import write_whole
from device.section import section
from device.storage.labels import FOLDER_NAME as LABELLED_NAME
from device.storage.labels import label_of
from device.storage.read_marks import mark_of, with_marks
from rules.system import JsonValue
from vision.types.cures import why
from vision.types.frame import Frame, ImageBgr
from vision.types.sighting import Rest

_log = logging.getLogger(__name__)

FOLDER_NAME: Final = "pictures"
_MB: Final = 1_000_000
_KEPT_RESTS: Final = 3
"""Number of recent rests kept with their pictures, so that dice can be corrected after they were taken out."""
_MAX_WAITING: Final = 32
"""Number of pictures that may wait for the drive."""
_WAIT_S: Final = 2.0
"""The longest wait for pictures to be deleted, in seconds."""
_OWN_PICTURE: Final = frozenset({RowKind.SCORED, RowKind.PUSHED, RowKind.CONTINUED})
"""Rows whose dice differ from those of the row before."""


@section
class MemorySettings:
    """Pictures and evenings.

    Attributes:
        pictures: Whether a small picture of the dice is stored with each result.
        pictures_mb: Space for small pictures, in megabytes; the oldest are deleted first. One takes about 0.02.
        labelled: Whether the whole picture is stored when a person corrects a reading, for `pushtray labelled`.
        labelled_mb: Space for whole pictures, in megabytes; the oldest are deleted first. One takes about 0.4.
        pause_hours: Hours between two rolls after which a new evening begins.
    """

    pictures: bool = True
    pictures_mb: Annotated[int, Field(ge=1, le=100_000)] = 200
    labelled: bool = False
    labelled_mb: Annotated[int, Field(ge=1, le=100_000)] = 500
    pause_hours: Annotated[float, Field(ge=0.25, le=72.0)] = 4.0


@dataclass(frozen=True, slots=True)
class PictureParams:
    longest_px: int = 480  # longer side in pixels; 480 shows pips well in a list and on paper
    margin_edges: float = 1.5
    crop_quality: int = 80  # JPEG quality of small pictures, 1 to 100: 80 takes half the bytes of 90
    # JPEG quality of whole pictures, 1 to 100: as in recordings, so that the reader reads both alike
    whole_quality: int = 95


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    rest: Rest
    frame: Frame
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """A picture to write: a crop, or a whole picture with its label (None: delete it)."""

    name: str
    frame: Frame
    layout: Layout
    is_crop: bool
    label: dict[str, JsonValue] | None = None


class PictureKeeper:
    """Stores pictures of rolls. `RollLog` asks for names and reports when their rows are on disk."""

    def __init__(self, folder: Path, settings: MemorySettings, params: PictureParams | None = None) -> None:
        self._settings = settings
        self._params = params or PictureParams()
        self._crops = _BoundedFolder(folder / FOLDER_NAME, settings.pictures_mb * _MB)
        self._labelled = _BoundedFolder(folder / LABELLED_NAME, settings.labelled_mb * _MB)
        self._lock = threading.Lock()
        self._rests: deque[_Seen] = deque(maxlen=_KEPT_RESTS)
        self._pending: list[_Job] = []
        self._queue: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="pictures", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Finish pending writes and stop. Safe to call twice."""
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join(timeout=2.0)

    def rest_came(self, rest: Rest, frame: Frame | None) -> None:
        """Store a rest with its picture; returns at once. The camera's thread."""
        if frame is not None and (self._settings.pictures or self._settings.labelled):
            with self._lock:
                self._rests.append(_Seen(rest, frame, _new_name()))

    def name_for(self, row: LogRow) -> str | None:
        """Return the file name for a row's picture; None if none is to be stored. The loop's thread."""
        is_corrected = row.kind in (RowKind.CORRECTED, RowKind.UNDONE) and self._settings.labelled
        is_result = row.kind in _OWN_PICTURE and self._settings.pictures
        if not is_corrected and not is_result:
            return None
        seen = self._seen(row.layout)
        if seen is None:
            return None
        if is_corrected:
            label = label_of(row.layout, seen.name)
            self._pending.append(_Job(seen.name, seen.frame, row.layout, is_crop=False, label=label))
            return None
        name = _new_name()
        self._pending.append(_Job(name, seen.frame, row.layout, is_crop=True))
        return name

    def keep(self) -> None:
        """Queue the pictures of rows that are on disk. The loop's thread."""
        pending, self._pending = self._pending, []
        for job in pending:
            if self._queue.qsize() < _MAX_WAITING:
                self._queue.put(partial(self._write, job))
            else:
                _log.warning("the drive is too slow for pictures of rolls: one is left out")

    def picture(self, name: str) -> bytes | None:
        """Return a picture of a roll as JPEG; None if it is gone. Any thread."""
        return self._crops.read(name)

    def has(self, name: str) -> bool:
        return self._crops.has(name)

    def keep_again(self, name: str, jpeg: bytes) -> None:
        """Restore a deleted picture of a roll; returns at once. Any thread."""
        self._queue.put(partial(self._crops.write, name, jpeg))

    def forget(self, names: list[str]) -> None:
        """Delete pictures of rolls, those that still wait for the drive as well. Any thread but the loop's."""
        is_done = threading.Event()
        self._queue.put(partial(self._remove, names, is_done))
        is_done.wait(_WAIT_S)

    def _remove(self, names: list[str], is_done: threading.Event) -> None:
        for name in names:
            self._crops.remove(name)
        is_done.set()

    def _seen(self, layout: Layout) -> _Seen | None:
        """Return the rest with exactly the readings of a layout."""
        tracked = layout.tracked()
        with self._lock:
            for seen in reversed(self._rests):
                is_size = (seen.rest.width_px, seen.rest.height_px) == (layout.width_px, layout.height_px)
                if is_size and {die.id: die.reading for die in seen.rest.dice} == tracked:
                    return seen
        return None

    def _work(self) -> None:
        while (change := self._queue.get()) is not None:
            try:
                change()
            except OSError as error:
                _log.warning(
                    "a picture of a roll is not kept (%s): make room on the drive, or see its rights", why(error)
                )

    def _write(self, job: _Job) -> None:
        if job.is_crop:
            jpeg = crop_of(job.frame.image_bgr, job.layout, self._params)
            if jpeg is not None:
                self._crops.write(job.name, jpeg)
            return
        label = f"{Path(job.name).stem}.json"
        if job.label is None:
            self._labelled.remove(label)
            self._labelled.remove(job.name)
            return
        self._labelled.write(job.name, _packed(job.frame.image_bgr, self._params.whole_quality))
        self._labelled.write(label, json.dumps(job.label).encode())


class _BoundedFolder:
    """A folder of small files with a limited total size: the oldest are deleted first. One thread writes it."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        self._path = path
        self._most = max_bytes
        self._sizes: dict[str, int] | None = None

    def read(self, name: str) -> bytes | None:
        try:
            # A power cut may leave an empty file.
            return (self._path / Path(name).name).read_bytes() or None
        except OSError:
            return None

    def has(self, name: str) -> bool:
        try:
            return (self._path / Path(name).name).stat().st_size > 0
        except OSError:
            return False

    def write(self, name: str, content: bytes) -> None:
        sizes = self._listed()
        write_whole(self._path / name, content)
        sizes.pop(name, None)
        sizes[name] = len(content)
        for oldest in list(sizes):
            if sum(sizes.values()) <= self._most or oldest == name:
                break
            self.remove(oldest)

    def remove(self, name: str) -> None:
        self._listed().pop(name, None)
        try:
            (self._path / Path(name).name).unlink(missing_ok=True)
        except OSError as error:
            _log.warning("%s is not deleted (%s): delete it by hand", self._path / name, why(error))

    def _listed(self) -> dict[str, int]:
        if self._sizes is None:
            found = [(path.name, path.stat()) for path in self._path.glob("[!.]*")] if self._path.is_dir() else []
            found.sort(key=lambda one: one[1].st_mtime)
            self._sizes = {name: stat.st_size for name, stat in found}
        return self._sizes


def crop_of(image: ImageBgr, layout: Layout, params: PictureParams) -> bytes | None:
    """Return a small crop with the dice as JPEG; None if there are none, or the layout belongs to another picture.

    Args:
        layout: The dice, in this picture's pixels.
    """
    height, width = image.shape[:2]
    if not layout.dice or (width, height) != (layout.width_px, layout.height_px):
        return None
    boxes = np.array([die.reading.box_px for die in layout.dice])
    margin = params.margin_edges * layout.edge_px
    left, top = np.floor(boxes[:, :2].min(axis=0) - margin).astype(int)
    right, bottom = np.ceil((boxes[:, :2] + boxes[:, 2:]).max(axis=0) + margin).astype(int)
    left, top = max(0, left), max(0, top)
    part = image[top : min(height, bottom), left : min(width, right)]
    if part.size == 0:
        return None
    shrink = min(1.0, params.longest_px / max(part.shape[:2]))
    if shrink < 1.0:
        size = max(1, round(part.shape[1] * shrink)), max(1, round(part.shape[0] * shrink))
        part = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    marks = [mark_of(die, (left, top), shrink) for die in layout.dice if not die.added]
    return with_marks(_packed(part, params.crop_quality), marks)


def _new_name() -> str:
    """Return a name that is unique even in another log that may be restored here."""
    return f"{secrets.token_hex(8)}.jpg"


def _packed(image: ImageBgr, quality: int) -> bytes:
    _, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return bytes(jpeg.tobytes())
