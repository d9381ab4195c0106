"""Reads dice that lie anywhere, in a picture of which nothing is known: no tray, no size of dice."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from vision.classification.die_net import NO_PIPS, DieReader, read_places
from vision.colour.body import colour_classes, is_colourless, white_pips
from vision.colour.classes import ColourParams, light_of
from vision.colour.top_faces import measure_tops, quads_of
from vision.decision.decide import Believed, load_decision
from vision.detection.detector import Detector
from vision.detection.scales import ScaleParams, find_anywhere
from vision.detection.squares import Squares
from vision.geometry.neighbours import IntArray
from vision.imaging.pyramid import ImagePyramid
from vision.imaging.softened import soften
from vision.types.frame import FloatArray, ImageBgr
from vision.types.reading import DieReading, PointPx, Unread


@dataclass(frozen=True, slots=True)
class PhotoParams:
    """How photographs are read.

    Attributes:
        scales: Parameters of the scales at which a photograph is searched.
        colour: Parameters of how body colours give classes.
        soft_sigma: Blur of the copy in which colours are measured, in edges.
        hidden: Least share of a doubtful die's top that shows; with less it is reported as occluded.
    """

    scales: ScaleParams = field(default_factory=ScaleParams)
    colour: ColourParams = field(default_factory=ColourParams)
    soft_sigma: float = 0.036
    hidden: float = 0.6


@dataclass(frozen=True, slots=True, eq=False)
class PhotoDice:
    """What was made of a photograph.

    Attributes:
        believed: Every place that may be a die, and what is believed of it.
        dice: Dice that are likely enough to be reported.
    """

    believed: Believed
    dice: tuple[DieReading, ...]


class PhotoReader:
    """Finds and reads dice lying anywhere; threads may share one."""

    def __init__(self, colours: Mapping[str, str], params: PhotoParams | None = None) -> None:
        """Load the nets and the fitted decision.

        Args:
            colours: Class label to colour name.
            params: The tunables.

        Raises:
            VisionError: Their files are missing.
        """
        self._params = params or PhotoParams()
        self._colours = colours
        self._detector = Detector(self._params.scales.detector)
        self._reader = DieReader()
        self._decision = load_decision("anywhere")

    def read(self, image_bgr: ImageBgr, lap: Callable[[str], None]) -> PhotoDice:
        """Find and read dice.

        Args:
            image_bgr: Shape (H, W, 3).
            lap: Told the name of each part of the work, `find`, `read` and `colour`, when it is done.

        Returns:
            The dice, the most believed first; colour is None where it fits no class.
        """
        picture = ImagePyramid(image_bgr)
        found = find_anywhere(self._detector, picture, self._params.scales)
        lap("find")
        found, sights = read_places(self._reader, picture, found)
        believed = self._decision.weigh(found, sights)
        lap("read")
        rows = np.flatnonzero(believed.is_die >= self._decision.shown)
        places = believed.found.some(rows)
        squares = Squares(places.center_xy, places.edge_px, places.turn_rad)
        quads = quads_of(squares)
        colours = self._classes(picture, squares, believed.values[rows])
        dice = tuple(
            self._reported(believed, row, quad, colour)
            for row, quad, colour in zip(rows.tolist(), quads, colours, strict=True)
        )
        lap("colour")
        return PhotoDice(believed, dice)

    def _reported(self, believed: Believed, row: int, quad: FloatArray, colour: str | None) -> DieReading:
        shares, unread = believed.sights.shares[row], None
        value = int(believed.values[row]) if shares[:6].max() > shares[NO_PIPS] else None
        if value is None or believed.is_right[row] < self._decision.trusted:
            hidden = believed.sights.seen[row] < self._params.hidden
            unread = Unread.OCCLUDED if hidden else Unread.PIPS_UNCLEAR
        low, high = quad.min(axis=0).tolist(), quad.max(axis=0).tolist()
        x, y = believed.found.center_xy[row].tolist()
        corners: list[PointPx] = [(float(px), float(py)) for px, py in quad.tolist()]
        return DieReading(
            colour=colour,
            value=value,
            confidence=round(float(believed.is_right[row]), 3),
            unread=unread,
            center_px=(x, y),
            box_px=(low[0], low[1], high[0] - low[0], high[1] - low[1]),
            top_quad_px=(corners[0], corners[1], corners[2], corners[3]),
        )

    def _classes(self, picture: ImagePyramid, squares: Squares, values: IntArray) -> tuple[str | None, ...]:
        """Colour classes where they fit; of a picture without colour none."""
        count = len(squares.edge_px)
        if not count or is_colourless(picture.whole_bgr):
            return (None,) * count
        soft = soften(picture, float(np.median(squares.edge_px)), self._params.soft_sigma)
        faces = measure_tops(soft, squares, values)
        params = self._params.colour
        light_pips = [face for face in faces if face.has_lattice and not face.dark]
        light = light_of(white_pips(light_pips, params), params)
        return colour_classes(faces, light, None, self._colours, params)
