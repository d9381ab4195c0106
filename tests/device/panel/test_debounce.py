import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.panel.debounce import ButtonMoved, ButtonParams, Debouncer, Edge


def feed(button: Debouncer, levels: str, step_s: float = 0.005, start_s: float = 0.0) -> list[ButtonMoved]:
    """Samples written as `_` up and `#` down."""
    moved: list[ButtonMoved] = []
    for index, level in enumerate(levels):
        moved.extend(button.sample(level == "#", start_s + index * step_s))
    return moved


def test_clean_press_and_release() -> None:
    moved = feed(Debouncer(ButtonParams(0.02)), "____" + "#" * 20 + "_" * 10)
    assert [one.edge for one in moved] == [Edge.PRESSED, Edge.RELEASED]
    assert moved[1].held_s == pytest.approx(0.1)


def test_bounce_is_one_press() -> None:
    moved = feed(Debouncer(ButtonParams(0.02)), "__#_##_#_" + "#" * 30 + "_#__#_" + "_" * 10)
    assert [one.edge for one in moved] == [Edge.PRESSED, Edge.RELEASED]


def test_spike_is_nothing() -> None:
    assert feed(Debouncer(ButtonParams(0.02)), "_____##____#____###_____") == []


def test_press_is_reported_when_settled_and_no_sooner() -> None:
    button = Debouncer(ButtonParams(0.02))
    assert feed(button, "__####") == []
    assert [one.edge for one in button.sample(True, 0.031)] == [Edge.PRESSED]


def test_holds_are_reported_once_each_and_while_down() -> None:
    button = Debouncer(ButtonParams(0.02, (2.0, 8.0)))
    moved = feed(button, "_" + "#" * 1800 + "_" * 10)
    assert [(one.edge, round(one.held_s, 3)) for one in moved] == [
        (Edge.PRESSED, 0.0),
        (Edge.HELD, 2.0),
        (Edge.HELD, 8.0),
        (Edge.RELEASED, 9.0),
    ]


def test_button_down_from_the_start_shows_nothing_until_released() -> None:
    button = Debouncer(ButtonParams(0.02, (0.1,)))
    assert feed(button, "#" * 100 + "_" * 20) == []
    assert [one.edge for one in feed(button, "#" * 10, start_s=1.0)] == [Edge.PRESSED]


@given(st.text("_#", max_size=300))
def test_presses_and_releases_alternate_and_start_with_a_press(levels: str) -> None:
    edges = [one.edge for one in feed(Debouncer(ButtonParams(0.02)), "_" + levels)]
    assert edges == [Edge.PRESSED, Edge.RELEASED] * (len(edges) // 2) + [Edge.PRESSED] * (len(edges) % 2)
