"""Calibrating the camera."""

from device.calibration.workflow import CalibrationWorkflow
from device.web.core.page import Page, cards
from device.web.core.web import Web
from device.web.features.calibration.routes import add_calibration


def install(web: Web) -> None:
    sheets = (*cards(), "css/settings", "./calibrate")
    web.add_page(
        "/calibrate",
        Page("calibration", "calibrate", "page.calibrate.title", "page.calibrate.heading", sheets, ("settings",)),
    )
    if workflow := web.find(CalibrationWorkflow):
        add_calibration(web, workflow)
