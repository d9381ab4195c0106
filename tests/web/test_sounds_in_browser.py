"""Sounds and speech: switched on by a person, stored, given once and only for news."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from device.texts.catalogue import catalogue, languages
from tests.web.accessible import trips
from tests.web.conftest import scene
from tests.web.layout import layout_of
from tests.web.resting import shows
from tests.web.windows import WAIT_MS, Windows

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

VOICES = ["en-GB", "de-DE"]
LISTEN = """voices => {
  window.heard = { pitches: [], words: [], hushed: 0 };
  window.isAway = false;
  Object.defineProperty(document, "hidden", { get: () => window.isAway });
  // The headless shell lets every page be heard. A browser that people use waits for their first gesture.
  const touched = new Promise((done) => {
    const look = () => navigator.userActivation.hasBeenActive && done();
    for (const gesture of ["pointerup", "click", "keydown"]) addEventListener(gesture, look, true);
  });
  const { resume, suspend } = AudioContext.prototype;
  AudioContext.prototype.resume = function () {
    return touched.then(() => resume.call(this));
  };
  // Audio goes on while a sound is put together, on a busy machine for long: what counts is the time that was read.
  const clock = Object.getOwnPropertyDescriptor(BaseAudioContext.prototype, "currentTime");
  let read_s = Infinity;
  const get = function () {
    return (read_s = clock.get.call(this));
  };
  Object.defineProperty(BaseAudioContext.prototype, "currentTime", { get });
  const { start } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function (when) {
    if (!navigator.userActivation.hasBeenActive) throw new Error("a tone before any gesture");
    if (!(when > read_s)) throw new Error("a tone that begins late");
    window.heard.pitches.push(this.frequency.value);
    start.call(this, when);
  };
  class Utterance {
    constructor(text) {
      this.text = text;
    }
  }
  class Synthesis extends EventTarget {
    getVoices() {
      return voices.map((lang) => ({ lang, name: lang, localService: true, default: false }));
    }
    speak({ text, lang, volume }) {
      if (navigator.userActivation.hasBeenActive) window.heard.words.push([lang, text, volume]);
    }
    cancel() {
      window.heard.hushed += 1;
    }
  }
  window.SpeechSynthesisUtterance = Utterance;
  Object.defineProperty(window, "speechSynthesis", { value: new Synthesis() });
}"""
SETTLED, PUSHABLE, PERSON, WRONG = [587, 880], [587, 880, 880], [392, 392, 294], [294, 294, 294, 208]
PUSHED, RESET = [587, 740, 880, 1175], [262]


@pytest.fixture
def open_page(windows: Windows, served: str) -> Iterator[Callable[..., Any]]:
    """Open a page that records its sounds, in a separate browser or in a further tab of one."""
    wrong: list[str] = []

    def look(path: str = "/", size: tuple[int, int] = (800, 480), voices: list[str] = VOICES, other: Any = None) -> Any:
        script = f"({LISTEN})({voices})"
        if other is None:
            page = windows.lend(size, script=script)
        else:
            page = other.context.new_page()
            page.add_init_script(script)
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.set_default_timeout(WAIT_MS)
        page.goto(served + path)
        return page

    yield look
    assert wrong == []


def switch(page: Any, *names: str) -> None:
    """Open the help window and switch these on or off."""
    page.locator(".menu [data-section=help]").click()
    for name in names:
        page.locator(f"#{name}").click()
    page.locator("#volume-field").wait_for()
    page.locator("#help-close").click()


def sounded(page: Any, pitches: list[int]) -> None:
    """Wait until exactly these tones were played, and clear them."""
    page.wait_for_function("wanted => window.heard.pitches.join() === wanted", arg=",".join(map(str, pitches)))
    page.evaluate("() => { window.heard.pitches = []; }")


def spoken(page: Any) -> list[list[Any]]:
    """Return what has been spoken since."""
    words: list[list[Any]] = page.evaluate("() => window.heard.words.splice(0)")
    return words


def show(tray: Any, page: Any, body: dict[str, Any]) -> None:
    tray.show(body)
    page.wait_for_function("state => document.body?.dataset.state === state", arg=body["state"])


def test_a_page_is_silent_until_somebody_switches_it_on(open_page: Any, tray: Any) -> None:
    page = open_page()
    shows(page, "empty")
    page.locator(".menu [data-section=help]").click()
    assert [page.locator(name).is_checked() for name in ("#sounds", "#speech")] == [False, False]
    assert not page.locator("#volume-field").is_visible()
    page.locator("#help-close").click()
    show(tray, page, scene("scored"))
    assert page.evaluate("window.heard") == {"pitches": [], "words": [], "hushed": 0}
    switch(page, "sounds")
    sounded(page, SETTLED)


def test_each_thing_that_happens_has_its_sound_once(open_page: Any, tray: Any) -> None:
    page = open_page()
    switch(page, "sounds")
    sounded(page, SETTLED)
    scored, resolved = scene("scored"), scene("resolved")
    for body, pitches in [
        (scene("rolling"), []),
        (scene("unclear"), PERSON),
        (scored, PUSHABLE),
        (scored | {"hand_in_view": True}, []),
        (scene("awaiting_push"), []),
        (scene("wrong_push"), WRONG),
        (resolved, PUSHED),
        (resolved, []),
        (scene("empty"), RESET),
    ]:
        show(tray, page, body)
        if pitches:
            sounded(page, pitches)
    assert spoken(page) == []


def test_the_choice_is_this_browsers_and_stays(open_page: Any, tray: Any) -> None:
    first = open_page()
    switch(first, "sounds", "speech")
    first.locator(".menu [data-section=help]").click()
    first.locator("#volume").fill("30")
    again = open_page("/phone", other=first)
    again.locator("#toast").wait_for()
    again.locator(".menu [data-section=help]").click()
    assert [again.locator(name).is_checked() for name in ("#sounds", "#speech")] == [True, True]
    assert again.locator("#volume").input_value() == "30"
    again.locator("#sounds").click()
    again.locator("#speech").click()
    again.locator("#volume-field").wait_for(state="hidden")
    third = open_page(other=first)
    shows(third, "empty")
    show(tray, third, scene("scored"))
    other = open_page()
    other.locator(".menu [data-section=help]").click()
    assert not other.locator("#sounds").is_checked()


def test_nothing_is_heard_on_load_and_a_browser_that_waits_for_a_gesture_is_announced(
    open_page: Any, tray: Any
) -> None:
    first = open_page()
    switch(first, "sounds", "speech")
    tray.show(scene("unclear"))
    page = open_page(other=first)
    page.locator("#toast").wait_for()
    blocked = catalogue("en").render("page.sound.blocked", {})
    assert page.locator("#toast").inner_text() == blocked
    assert page.locator("#aloud-note").text_content() == blocked
    show(tray, page, scene("scored"))
    page.locator("#headline").click()
    page.wait_for_function("() => document.querySelector('#aloud-note').textContent === ''")
    show(tray, page, scene("resolved"))
    sounded(page, PUSHED)
    assert len(spoken(page)) == 1


def test_results_are_spoken_in_the_language_of_the_page(open_page: Any, tray: Any) -> None:
    page = open_page("/?lang=de")
    shows(page, "empty")
    switch(page, "speech")
    assert spoken(page) == [["de-DE", "Ergebnisse vorlesen", 0.6]]
    show(tray, page, scene("failed"))
    region = page.locator("#result")
    (sentence,) = [text for _, text, _ in spoken(page)]
    assert sentence.startswith("Kein Erfolg.")
    show(tray, page, scene("resolved"))
    ((lang, sentence, _),) = spoken(page)
    assert lang == "de-DE"
    shown = " ".join(region.inner_text().split())
    assert sentence.split(".")[0] == "3 Erfolge"
    assert [part for part in sentence.removesuffix(".").split(". ") if part not in shown] == []
    hushed = page.evaluate("window.heard.hushed")
    assert hushed >= 3
    show(tray, page, scene("empty"))
    assert spoken(page) == []
    assert page.evaluate("window.heard.hushed") == hushed + 1
    assert page.evaluate("window.heard.pitches") == []


def test_a_hidden_page_is_silent_and_shows_nothing_later(open_page: Any, tray: Any) -> None:
    page = open_page()
    switch(page, "sounds", "speech")
    sounded(page, SETTLED)
    spoken(page)
    page.evaluate("() => { window.isAway = true; document.dispatchEvent(new Event('visibilitychange')); }")
    show(tray, page, scene("scored"))
    page.evaluate("() => { window.isAway = false; document.dispatchEvent(new Event('visibilitychange')); }")
    show(tray, page, scene("empty"))
    sounded(page, RESET)
    assert spoken(page) == []


@pytest.mark.parametrize(("language", "size"), zip(languages(), [(800, 480), (390, 844)], strict=True))
def test_the_switches_lie_right_and_are_clean_by_axe(open_page: Any, language: str, size: tuple[int, int]) -> None:
    page = open_page(f"/?lang={language}", size, voices=[])
    if page.locator("#menu-button").is_visible():
        page.locator("#menu-button").click()
    page.locator(".menu [data-section=help]").click()
    page.locator("#sounds").click()
    page.locator("#speech").click()
    page.wait_for_function("() => document.querySelector('#aloud-note').textContent !== ''")
    found = layout_of(page)
    assert (found.spilt, found.overlaps) == ((), ())
    assert [one for one in found.held if one.startswith(("x ", "cut off"))] == []
    labels = [page.locator(name) for name in ("label:has(#sounds)", "label:has(#speech)", "#volume-field")]
    assert all(label.bounding_box()["height"] >= 44 for label in labels)
    assert trips(page) == []
