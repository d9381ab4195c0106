"""PINs, pauses, names and sheets of phones, without a network; the clock is set by the test."""

import logging
import re
import stat
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from device.errors import BadInput
from device.runtime.bounded_log import strangers_logged_seldom
from device.storage.display_secret import FILE_NAME, display_secret
from device.storage.phones import MAX_PHONES, PhoneFile
from device.texts.catalogue import translate
from device.web.core.addresses import net_of
from device.web.core.errors import ApiError
from device.web.core.knocks import AGAIN_S, MAX_WAITING, SHOWN_S, TTL_S
from device.web.core.pairing import Pairing
from device.web.core.pin_pauses import (
    DAY_S,
    FIRST_S,
    FREE_OF_NET,
    MAX_A_FLOOD,
    MAX_OF_NET_S,
    MAX_RENEWALS,
    MAX_S,
    QUIET_S,
    PinPauses,
)


class Clock:
    now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pairing(tmp_path: Path, clock: Clock) -> Pairing:
    return Pairing(PhoneFile(tmp_path / "phones.json"), is_required=True, now_s=clock)


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(ApiError) as caught:
        act()
    assert "\n" not in str(caught.value)
    return caught.value.reason


def paired(pairing: Pairing, pin: str | None = None) -> int:
    phone = pairing.phone_of(pairing.pair(pin or pairing.pins.player, "192.0.2.1"))
    assert phone is not None
    return phone.id


def wrong(pairing: Pairing) -> str:
    return next(
        pin for pin in ("000000", "000001", "000002") if pin not in (pairing.pins.player, pairing.pins.game_master)
    )


def test_pins_are_two_numbers_of_six_digits_by_chance(tmp_path: Path) -> None:
    drawn = iter([7, 7, 7, 8, 999_999, 0])
    pairing = Pairing(PhoneFile(tmp_path / "phones.json"), is_required=True, draw=lambda _most: next(drawn))
    assert (pairing.pins.player, pairing.pins.game_master) == ("000007", "000008")
    assert pairing.renew_pins() == pairing.pins
    assert (pairing.pins.player, pairing.pins.game_master) == ("999999", "000000")


def test_a_token_is_known_again_and_its_hash_alone_is_kept(pairing: Pairing, tmp_path: Path) -> None:
    pin = pairing.pins.player
    token = pairing.pair(f"{pin[:3]}\u200b-{pin[3:]}\n", "192.0.2.1", "iPhone")
    other = pairing.pair(pairing.pins.game_master, "192.0.2.1")
    assert token != other
    text = (tmp_path / "phones.json").read_text()
    assert token not in text
    assert pin not in text
    again = Pairing(PhoneFile(tmp_path / "phones.json"), is_required=True)
    first, second = again.phone_of(token), again.phone_of(other)
    assert first is not None
    assert second is not None
    assert (first.device, first.is_game_master, second.is_game_master) == ("iPhone", False, True)
    assert again.phone_of(token[:-1]) is again.phone_of("") is again.phone_of(None) is None
    assert again.phone_of(first.token_hash) is None
    again.forget(first.id)
    assert again.phone_of(token) is None
    assert refused(lambda: again.forget(first.id)) == "unknown_phone"


def test_pauses_of_one_address_double_and_hold_the_right_pin_too(pairing: Pairing, clock: Clock) -> None:
    pauses = []
    for _ in range(5):
        with pytest.raises(ApiError) as caught:
            pairing.pair(wrong(pairing), "192.0.2.9")
        pauses.append(caught.value.retry_after_s)
        assert refused(lambda: pairing.pair(pairing.pins.player, "192.0.2.9")) == "wait"
        clock.now_s += caught.value.retry_after_s
    assert pauses == [2, 3, 5, 9, 17]
    assert paired(pairing), "another address may"
    pairing.pair(pairing.pins.player, "192.0.2.9")
    with pytest.raises(ApiError) as caught:
        pairing.pair(wrong(pairing), "192.0.2.9")
    assert caught.value.retry_after_s == 2, "the right one lets the wrong ones before it be forgotten"


def test_who_did_not_guess_pairs_at_once_next_to_those_who_do(pairing: Pairing, clock: Clock) -> None:
    guessers = [f"192.0.2.{number}" for number in range(15)]
    ends_s = clock.now_s + DAY_S
    tries = 0
    while clock.now_s < ends_s:
        waits = []
        for guesser in guessers:
            with pytest.raises(ApiError) as caught:
                pairing.pair(wrong(pairing), guesser)
            tries += caught.value.reason == "wrong_pin"
            waits.append(caught.value.retry_after_s)
        pairing.forget(pairing.phone_of(pairing.pair(pairing.pins.player, "198.51.100.2")).id)  # type: ignore[union-attr]
        clock.now_s += min(waits)
    assert tries < MAX_A_FLOOD


def flood(pairing: Pairing) -> None:
    for number in range(MAX_A_FLOOD):
        assert refused(partial(pairing.pair, wrong(pairing), f"10.{number // 250}.{number % 250}.7")) == "wrong_pin"


def test_pins_are_new_once_a_flood_is_over_a_few_times_a_day(pairing: Pairing, clock: Clock) -> None:
    for _ in range(MAX_RENEWALS):
        before = pairing.pins
        flood(pairing)
        assert pairing.pins == before
        clock.now_s += QUIET_S
        assert pairing.pins != before
        assert pairing.were_renewed
        assert paired(pairing)
    flood(pairing)
    clock.now_s += QUIET_S
    assert refused(lambda: paired(pairing)) == "wait"


def test_neighbours_of_who_guesses_wait_too(pairing: Pairing) -> None:
    for number in range(FREE_OF_NET + 4):
        assert refused(partial(pairing.pair, wrong(pairing), f"192.0.2.{number}")) in {"wrong_pin", "wait"}
    assert refused(lambda: pairing.pair(pairing.pins.player, "192.0.2.200")) == "wait"
    assert pairing.pair(pairing.pins.player, "192.0.3.1")


def test_a_phone_comes_in_without_a_pin_once_the_display_agreed(pairing: Pairing, clock: Clock) -> None:
    told: list[tuple[str, ...]] = []
    pairing.on_knocks = lambda: told.append(tuple(one.word for one in pairing.knocks))
    flood(pairing)
    knock = pairing.knock("192.0.2.1", "iPhone")
    assert re.fullmatch("[A-Z]{4}", knock.word)
    assert pairing.enter(knock.ticket) is None
    clock.now_s += TTL_S - 1
    pairing.answer_knock(knock.id, is_let_in=True)
    token = pairing.enter(knock.ticket)
    phone = pairing.phone_of(token)
    assert phone is not None
    assert (phone.device, phone.is_game_master) == ("iPhone", False)
    assert refused(lambda: pairing.enter(knock.ticket)) == "not_let_in", "a ticket is used once"
    assert told == [(knock.word,), ()]


def test_a_phone_that_is_refused_waits_before_it_asks_again(pairing: Pairing, clock: Clock) -> None:
    knock = pairing.knock("192.0.2.1")
    pairing.answer_knock(knock.id, is_let_in=False)
    assert refused(lambda: pairing.enter(knock.ticket)) == "not_let_in"
    assert refused(lambda: pairing.knock("192.0.2.1")) == "not_let_in"
    assert refused(lambda: pairing.answer_knock(knock.id, is_let_in=True)) == "unknown_phone"
    clock.now_s += AGAIN_S
    assert pairing.knock("192.0.2.1").word


def test_of_many_that_ask_each_is_shown_for_a_while(pairing: Pairing, clock: Clock) -> None:
    first = [pairing.knock(f"192.0.2.{number}") for number in range(MAX_WAITING)]
    assert pairing.knocks == tuple(first)
    assert refused(lambda: pairing.knock("198.51.100.1")) == "wait"
    again = pairing.knock("192.0.2.3")  # one of them: in the place of its first question
    clock.now_s += SHOWN_S
    late = pairing.knock("198.51.100.1")
    assert pairing.knocks == (*first[1:3], again, late)
    clock.now_s += TTL_S
    assert pairing.knocks == ()
    assert refused(lambda: pairing.enter(late.ticket)) == "not_let_in"


def test_guessing_from_everywhere_ends_until_there_is_a_new_pin(pairing: Pairing, clock: Clock) -> None:
    flood(pairing)
    with pytest.raises(ApiError, match=re.escape(translate("web.phone.shut"))):
        pairing.pair(pairing.pins.player, "198.51.100.2")
    clock.now_s += QUIET_S - 1
    assert refused(lambda: pairing.pair(pairing.pins.player, "198.51.100.2")) == "wait"
    before = pairing.pins
    pairing.renew_pins()
    assert refused(lambda: pairing.pair(before.player, "198.51.100.2")) == "wrong_pin"
    assert paired(pairing)


def test_wrong_pins_are_forgotten_in_time() -> None:
    pauses = PinPauses()
    for _ in range(30):
        pauses.wrong("192.0.2.1", 0.0)
    assert pauses.left_s("192.0.2.1", 0.0) == MAX_S
    assert pauses.left_s("192.0.2.2", 0.0) == MAX_OF_NET_S
    assert pauses.left_s("192.0.3.2", 0.0) == 0.0
    pauses.wrong("192.0.2.1", DAY_S)
    assert pauses.left_s("192.0.2.1", DAY_S) == FIRST_S


def test_the_display_is_known_by_its_secret_alone(tmp_path: Path) -> None:
    secret = display_secret(tmp_path)
    assert display_secret(tmp_path) == secret
    assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o640
    pairing = Pairing(PhoneFile(tmp_path / "phones.json"), is_required=True, display_secret=secret)
    assert pairing.is_display(secret)
    assert [pairing.is_display(other) for other in (None, "", secret[:-1], "é", "\udcff")] == [False] * 5
    assert not Pairing(PhoneFile(tmp_path / "phones.json"), is_required=True).is_display("")
    (tmp_path / FILE_NAME).write_text("short")
    assert display_secret(tmp_path) not in ("short", secret)
    (tmp_path / FILE_NAME).unlink()
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(BadInput, match=r"the display's secret .* cannot be read or made \(Is a directory\)"):
        display_secret(tmp_path)


@pytest.mark.parametrize(
    ("address", "net"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
    ],
)
def test_one_device_is_one_net(address: str, net: str) -> None:
    assert net_of(address) == net


def test_guesses_at_the_same_time_are_one_after_the_other(pairing: Pairing) -> None:
    reasons: list[str] = []
    start = threading.Barrier(8)

    def guess() -> None:
        start.wait()
        reasons.append(refused(lambda: pairing.pair(wrong(pairing), "192.0.2.3")))

    threads = [threading.Thread(target=guess) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(reasons) == ["wait"] * 7 + ["wrong_pin"]


def test_a_pin_in_digits_of_another_script_is_the_pin(pairing: Pairing) -> None:
    assert paired(pairing, "".join(chr(0x0660 + int(digit)) for digit in pairing.pins.player))


def test_a_name_that_looks_alike_is_taken(pairing: Pairing) -> None:
    first, second = paired(pairing), paired(pairing)
    pairing.name(first, "Zo\u00eb")
    for name in ("Zoe\u0308", "ZO\u00cb"):
        with pytest.raises(ApiError, match="already has a phone"):
            pairing.name(second, name)
    assert pairing.name(first, "ZO\u00cb").name == "Zo\u00eb"


def test_a_name_is_given_once_and_is_one_phones(pairing: Pairing) -> None:
    mira, zo = paired(pairing), paired(pairing)
    assert pairing.name(mira, "Mira").name == "Mira"
    assert pairing.name(mira, "Mira").name == "Mira"
    assert refused(lambda: pairing.name(mira, "Zo")) == "name_kept"
    assert refused(lambda: pairing.name(zo, "MIRA")) == "name_taken"
    pairing.free(mira)
    assert pairing.name(zo, "mira").name == "mira"


def test_a_sheet_is_one_phones_and_one_of_its_rules(pairing: Pairing) -> None:
    mira, zo = paired(pairing), paired(pairing)
    assert refused(lambda: pairing.hold(mira, 1, {1, 2})) == "no_name"
    pairing.name(mira, "Mira")
    pairing.name(zo, "Zo")
    assert pairing.hold(mira, 1, {1, 2}).sheets == (1,)
    assert pairing.hold(mira, 1, {1, 2}).sheets == (1,)
    assert refused(lambda: pairing.hold(mira, 2, {1, 2})) == "has_sheet"
    assert refused(lambda: pairing.name_to_hold(mira, {1, 2})) == "has_sheet"
    assert pairing.name_to_hold(mira, {7}) == "Mira"
    assert pairing.hold(mira, 7, {7}).sheets == (1, 7)
    assert refused(lambda: pairing.hold(zo, 1, {1, 2})) == "sheet_taken"
    # Deleted entries do not interfere.
    assert pairing.hold(mira, 9, {2, 9}).sheets == (1, 7, 9)
    assert pairing.free(mira).sheets == ()
    assert pairing.hold(zo, 1, {1, 2}).sheets == (1,)


def test_phones_have_an_end(pairing: Pairing) -> None:
    for _ in range(MAX_PHONES):
        paired(pairing)
    assert refused(lambda: paired(pairing)) == "too_many_phones"
    pairing.forget(1)
    assert paired(pairing) == MAX_PHONES + 1


def test_wrong_pins_leave_a_line_a_minute_in_the_journal(
    pairing: Pairing, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Servers of other tests limit the same logger.
    monkeypatch.setattr(logging.getLogger("device.web.core.pairing"), "filters", [])
    with strangers_logged_seldom():
        for number in range(1, 9):
            assert refused(partial(pairing.pair, "no PIN", f"192.0.2.{number}")) == "wrong_pin"
    assert caplog.messages == [translate("web.phone.wrong_pin_from", address="192.0.2.1")]
