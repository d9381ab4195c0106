"""Dice of one's own, taught by their faces."""

from device.calibration.teaching import Teaching
from device.web.core.page import Page, cards
from device.web.core.web import Web
from device.web.features.dice_sets.routes import DICE_UPLOADS, add_faces, add_teaching


def install(web: Web) -> None:
    sheets = (*cards(), "css/settings", "./dice-sets")
    web.add_page(
        "/dice", Page("dice_sets", "dice-sets", "page.dice_sets.title", "page.dice_sets.heading", sheets, ("settings",))
    )
    web.uploads.update(DICE_UPLOADS)
    teaching = web.find(Teaching)
    add_faces(web, teaching)
    if teaching is not None:
        add_teaching(web, teaching)
