"""The Pi's own camera as a kind: how it is made, its settings, its checks in doctor."""

from device.camera import names
from device.camera.base import CameraDriver, CameraKind, CameraRequest, Cures, FrameSource, OwnReport, SizePx
from device.camera.pi_camera import PiCamera, PiCameraParams
from device.camera.pi_driver import pi_number
from device.camera.pi_memory import MeasuringPiCamera, memory_name


def _make(request: CameraRequest[PiCameraParams]) -> PiCamera:
    number = pi_number(request.name)
    if request.data is None or not request.params.measure:
        return PiCamera(request.params, number=number)
    return MeasuringPiCamera(request.params, request.data / memory_name(number), number=number, keep=request.keep)


def _cures(request: CameraRequest[PiCameraParams], got_px: SizePx) -> Cures:
    """Return the cures for a camera that measures its light unless the settings fix it."""
    if request.params.measure:
        by_light = "; then start the tray and, with it empty, measure the light on /calibrate"
    else:
        by_light = ", or set pi.gain and pi.half_periods"
    return Cures(
        dark=f"{Cures().dark}{by_light}",
        burnt=f"{Cures().burnt}{by_light}",
        slow="lower pi.main_px, or raise pi.fps",
        size=f"set pi.main_px = [{got_px[0]}, {got_px[1]}], or another size that it can",
    )


def _report(source: FrameSource) -> OwnReport:
    if not isinstance(source, PiCamera) or source.view is None:
        return OwnReport()
    return OwnReport(source.view.summary(), source.view.field_fault(), source.view.focus_fault)


PI = CameraKind(
    id="pi",
    written="pi, pi:1",
    names=names.PI,
    driver=CameraDriver(_make, lambda params: params.main_px, _cures, _report),
    suggested=("pi", "pi:1"),
    section="pi",
    keys=("measure", "lens_mm", "fps", "mains_hz", "half_periods", "gain"),
    pins="gpio",
    keeps_data=True,
)
"""A camera on a Pi's ribbon; `pi:1` is the second one of a Pi 5."""
