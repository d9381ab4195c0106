"""The camera's view of the empty tray: the floor from several pictures; place, level, focus and light.

Each is checked, with its cure, for the page `/calibrate`, the reset button and `pushtray calibrate`.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from device.check import Check, CheckStatus
from device.texts.catalogue import translate
from vision.tray.floor import Floor
from vision.tray.framing import Framing, measure_framing
from vision.tray.scene_floor import find_common_floor
from vision.types.frame import Frame, ImageBgr

WELL_LIT = (20.0, 225.0)
"""Mean grey, 0-255: below the first it is too dark to play, above the second too much is burnt out."""


@dataclass(frozen=True, slots=True)
class CalibrationParams:
    """Limits of a good view; measured on drawn trays and on the shared photographs of empty ones."""

    # least room between the floor and the picture's edge, see `Framing.margin`: room for the wall helps to find the
    # floor
    min_margin: float = 0.01
    # least width of the floor, see `Framing.width_share`: below it dice get fewer pixels than the reader needs
    min_width: float = 0.4
    max_tilt: float = 0.06  # greatest tilt, see `Framing.tilt`: 0.06 is a camera 3 degrees off on an arm of 30 cm
    # greatest width of edges, see `Framing.edge_px`: 3 to 4 is sharp, 5 is soft, from 6 on pips merge
    max_edge_px: float = 5.5
    mean: tuple[float, float] = WELL_LIT
    max_burnt: float = 0.01  # greatest share of the floor that may be burnt out
    min_evenness: float = 0.4
    alike: float = 18.0
    # number of pictures used to find the floor: 9 take 0.6 s at 15 a second
    frames: int = 9
    # greatest distance of the floors in these pictures, as a share of the longer side: about a die's breadth
    max_apart: float = 0.05
    # longest wait for the next picture, in seconds; a stalled camera is judged by those already taken
    frame_s: float = 1.0


def check_framing(empty_bgr: ImageBgr, floor: Floor, params: CalibrationParams | None = None) -> tuple[Check, ...]:
    """Check place, level, focus and light of a picture of the empty tray, each with its cure."""
    return judge_framing(measure_framing(empty_bgr, floor), params or CalibrationParams())


def judge_framing(framing: Framing, params: CalibrationParams) -> tuple[Check, ...]:
    return (
        _judge_place(framing, params),
        _judged(
            "level",
            framing.tilt <= params.max_tilt,
            translate("calibration.level", tilt=f"{framing.tilt:.0%}"),
            translate("calibration.level_cure"),
        ),
        _judged(
            "focus",
            framing.edge_px <= params.max_edge_px,
            translate("calibration.sharp")
            if framing.edge_px <= params.max_edge_px
            else translate("calibration.edges", pixels=f"{min(framing.edge_px, 99.0):.0f}"),
            translate("calibration.focus_cure"),
        ),
        _judge_light(framing, params),
    )


def _judge_place(framing: Framing, params: CalibrationParams) -> Check:
    share = f"{framing.width_share:.0%}"
    if framing.margin < params.min_margin:
        return Check(
            "place",
            CheckStatus.FAIL,
            translate("calibration.cut_off", share=share),
            translate("calibration.cut_off_cure"),
        )
    if framing.width_share < params.min_width:
        return Check(
            "place", CheckStatus.WARN, translate("calibration.small", share=share), translate("calibration.small_cure")
        )
    return Check("place", CheckStatus.OK, translate("calibration.fills", share=share))


def _judge_light(framing: Framing, params: CalibrationParams) -> Check:
    low, high = params.mean
    if framing.mean < low:
        return Check(
            "light",
            CheckStatus.FAIL,
            translate("calibration.dark", mean=f"{framing.mean:.0f}"),
            translate("calibration.dark_cure"),
        )
    if framing.mean > high or framing.burnt > params.max_burnt:
        return Check("light", CheckStatus.FAIL, translate("calibration.burnt"), translate("calibration.burnt_cure"))
    if framing.evenness < params.min_evenness:
        seen = translate("calibration.uneven", share=f"{framing.evenness:.0%}")
        return Check("light", CheckStatus.WARN, seen, translate("calibration.uneven_cure"))
    return Check("light", CheckStatus.OK, translate("calibration.even", share=f"{framing.evenness:.0%}"))


def _judged(part: str, is_well: bool, seen: str, cure: str) -> Check:
    return Check(part, CheckStatus.OK, seen) if is_well else Check(part, CheckStatus.WARN, seen, cure)


@dataclass(frozen=True, slots=True)
class EmptyLook:
    frame: Frame
    floor: Floor | None
    checks: tuple[Check, ...]


def look_at_empty(newest: Callable[[], Frame], shown: Floor | None, params: CalibrationParams) -> EmptyLook:
    """Find the floor in several pictures, and check the camera's view of it."""
    if shown is not None:
        frame = newest()
        return EmptyLook(frame, shown, check_framing(frame.image_bgr, shown, params))
    frames = list(_frames(newest, params))
    frame = frames[-1]
    common = find_common_floor([one.image_bgr for one in frames])
    if common is None:
        return EmptyLook(frame, None, _no_floor(frame.image_bgr, params))
    if common.apart_px <= params.max_apart * common.floor.span_px:
        return EmptyLook(frame, common.floor, check_framing(frame.image_bgr, common.floor, params))
    seen, cure = translate("calibration.apart", frames=len(frames)), translate("calibration.apart_cure")
    return EmptyLook(frame, common.floor, (Check("place", CheckStatus.FAIL, seen, cure),))


def _frames(newest: Callable[[], Frame], params: CalibrationParams) -> Iterator[Frame]:
    """Yield the newest frame and those after it; fewer than wanted if the camera stalls."""
    last = newest()
    yield last
    for _ in range(params.frames - 1):
        ends_s = time.monotonic() + params.frame_s
        while (frame := newest()).sequence == last.sequence:
            if time.monotonic() >= ends_s:
                return
            time.sleep(0.01)
        last = frame
        yield last


def _no_floor(image_bgr: ImageBgr, params: CalibrationParams) -> tuple[Check, ...]:
    cure = translate("calibration.no_floor_cure")
    place = Check("place", CheckStatus.FAIL, translate("calibration.no_floor"), cure)
    mean = float(image_bgr.mean())
    if mean >= params.mean[0]:
        return (place,)
    return place, Check(
        "light",
        CheckStatus.FAIL,
        translate("calibration.dark_picture", mean=f"{mean:.0f}"),
        translate("calibration.dark_cure"),
    )
