"""The live picture in a real browser: in the displayed size, and once."""

import pytest
from playwright.sync_api import Browser

from device.camera.live_picture import Picture
from tests.web.conftest import FakeTray, scene

pytestmark = pytest.mark.browser

TRANSFERS = """() => performance.getEntriesByType('resource')
    .filter(entry => entry.name.includes('/api/frame.jpg')).map(entry => entry.transferSize)"""


@pytest.mark.parametrize("screen", [(1600, 900, 1.0), (390, 844, 3.0), (390, 844, 1.0)])
def test_a_still_picture_is_sent_once_and_no_larger_than_it_is_shown(
    chromium: Browser, served: str, tray: FakeTray, screen: tuple[int, int, float], *, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide, high, pixels = screen
    widths: list[int | None] = []
    own = tray.picture

    def note(width_px: int | None = None) -> Picture | None:
        widths.append(width_px)
        return own(width_px)

    monkeypatch.setattr(tray, "picture", note)
    tray.show(scene("scored"))
    context = chromium.new_context(viewport={"width": wide, "height": high}, device_scale_factor=pixels)
    try:
        page = context.new_page()
        page.goto(served)
        page.locator("#picture[data-etag]").wait_for()
        # A page whose layout still moves may request one more size than its final one.
        page.wait_for_function(f"() => ({TRANSFERS})().slice(-4).every(size => size < 1000)")
        sent = page.evaluate(TRANSFERS)
        assert 1 <= sum(size > 1000 for size in sent) <= 2
        width = widths[-1]
        shown = page.evaluate("() => document.querySelector('#picture').getBoundingClientRect().width")
        assert width is not None
        assert width <= shown * min(pixels, 2) + 16
        canvas = page.locator("#picture")
        assert canvas.evaluate("node => [node.width, node.height]") == [1280, 960], "taps and marks keep their pixels"
        drawn = canvas.evaluate(
            "node => [...node.getContext('2d').getImageData(1275, 955, 1, 1).data].map(level => Math.round(level / 8))"
        )
        assert drawn[3] == 32, "the picture fills the canvas"
    finally:
        context.close()


def test_a_page_that_was_hidden_shows_the_present_when_it_is_looked_at_again(
    chromium: Browser, served: str, tray: FakeTray
) -> None:
    context = chromium.new_context()
    try:
        page = context.new_page()
        page.add_init_script("Object.defineProperty(document, 'hidden', { get: () => globalThis.isHidden ?? false })")
        page.goto(served)
        page.locator("#picture[data-etag]").wait_for()
        page.evaluate("() => { globalThis.isHidden = true; }")
        before = page.locator("#picture").get_attribute("data-etag")
        tray.show(scene("scored"))
        page.evaluate("() => { globalThis.isHidden = false; document.dispatchEvent(new Event('visibilitychange')); }")
        page.wait_for_function("tag => document.querySelector('#picture').dataset.etag !== tag", arg=before)
    finally:
        context.close()
