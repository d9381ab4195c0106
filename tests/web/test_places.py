"""The limited number of event streams: which are accepted, which must wait, which end."""

from device.web.core.places import Caller, Place, PlaceParams, Places, Standing

SMALL = PlaceParams(most=6, of_strangers=4, of_caller=2)


def takes(places: Places, name: str, standing: Standing = Standing.STRANGER, count: int = 1) -> list[Place]:
    taken = [places.take(Caller(name, standing)) for _ in range(count)]
    return [place for place in taken if place is not None]


def test_a_greedy_stranger_leaves_places_to_others() -> None:
    places = Places(SMALL)
    assert len(takes(places, "greedy", count=9)) == 2
    assert len(takes(places, "ann", count=2)) == 2
    assert takes(places, "bo") == [], "strangers together"
    (phone,) = takes(places, "phone 1", Standing.PAIRED)
    places.leave(phone)
    places.leave(phone)
    assert len(takes(places, "phone 1", Standing.PAIRED, 3)) == 2


def test_the_trays_own_take_the_oldest_place_of_the_caller_with_most() -> None:
    places = Places(SMALL)
    takes(places, "ann")
    greedy = takes(places, "own script", Standing.OWN, 5)
    (display,) = takes(places, "display", Standing.OWN)
    assert [place.is_over for place in greedy] == [True, False, False, False, False]
    assert greedy[0].news.is_set()
    again = takes(places, "own script", Standing.OWN, 20)
    assert not display.is_over
    assert len(again) == 20
    assert sum(not place.is_over for place in again) == 4


def test_a_hundred_honest_screens_are_served() -> None:
    places = Places()
    screens = [place for number in range(100) for place in takes(places, f"10.0.0.{number}")]
    assert len(screens) == 100
    assert len(takes(places, "127.0.0.1", Standing.OWN, 200)) == 200
    assert not any(place.is_over for place in screens)


def test_a_stop_ends_all_and_lets_no_one_in() -> None:
    places = Places(SMALL)
    (one,) = takes(places, "ann")
    places.close()
    assert one.is_over
    assert takes(places, "ann") == takes(places, "display", Standing.OWN) == []
