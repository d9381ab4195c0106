"""Pairing: a phone sends the PIN on the display and gets a token; each phone has a player and that player's sheets.

Any thread. Only hashes of tokens are stored and PINs are new with each start, so the disk has nothing that lets a phone
in.
"""

import hashlib
import hmac
import logging
import secrets
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final

from device.game.state.names import digits_of, name_key
from device.message import Text, message
from device.runtime.loop import Offer
from device.storage.phones import MAX_PHONES, Phone, PhoneFile
from device.texts.catalogue import translate
from device.web.core.errors import ApiError
from device.web.core.knocks import TTL_S, Knock, Knocks
from device.web.core.pin_pauses import PinPauses

PIN_DIGITS: Final = 6
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pins:
    """The PINs for players and for the game master."""

    player: str
    game_master: str


class Pairing:
    def __init__(
        self,
        file: PhoneFile,
        *,
        is_required: bool,
        display_secret: str = "",
        trusts_machine: bool = True,
        offer: Callable[[Offer], object] = lambda _offer: None,
        now_s: Callable[[], float] = time.monotonic,
        draw: Callable[[int], int] = secrets.randbelow,
    ) -> None:
        """Load the phones paired before.

        Args:
            is_required: Whether a device must be paired before it changes anything.
            display_secret: The display's secret, which replaces a PIN; empty if it has none.
            trusts_machine: Whether requests from this machine count as the display without its secret; not if a proxy
                may run on it.
        """
        self._offer = offer
        self.is_required = is_required
        self.trusts_machine = trusts_machine
        self._display_secret = display_secret.encode()
        self._file = file
        self._now_s = now_s
        self._draw = draw
        self._lock = threading.Lock()
        self._pauses = PinPauses()
        self._knocks = Knocks(draw)
        self.were_renewed = False
        """Whether the PINs are new because many wrong ones came."""
        self.on_knocks: Callable[[], None] = lambda: None
        """Called after a phone asked to be let in, was answered, or waited too long. Any thread."""
        self._phones: Mapping[int, Phone] = {phone.id: phone for phone in file.load()}
        self._next_id = max(self._phones, default=0) + 1
        self._pins = self._new_pins()

    @property
    def pins(self) -> Pins:
        with self._lock:
            self._renew_after_flood(self._now_s())
            return self._pins

    @property
    def knocks(self) -> tuple[Knock, ...]:
        """The phones that ask to be let in, oldest first."""
        with self._lock:
            return self._knocks.waiting(self._now_s())

    @property
    def phones(self) -> tuple[Phone, ...]:
        return tuple(self._phones.values())

    def is_display(self, secret: str | None) -> bool:
        return bool(self._display_secret and secret) and hmac.compare_digest(
            (secret or "").encode("utf-8", "replace"), self._display_secret
        )

    def phone_of(self, token: str | None) -> Phone | None:
        """Return the phone with this token, if any. Does not block."""
        if not token:
            return None
        # The lookup is by a hash of a random number, so its timing reveals nothing.
        wanted = _hash(token)
        return next((phone for phone in self._phones.values() if phone.token_hash == wanted), None)

    def pair(self, pin: str, address: str, device: str = "") -> str:
        with self._lock:
            now_s = self._now_s()
            self._renew_after_flood(now_s)
            self._pauses.tried(now_s)
            left_s = self._pauses.left_s(address, now_s)
            if left_s > 0:
                seconds = int(left_s) + 1
                is_shut = self._pauses.left_of_all_s(now_s) > 0
                text = translate("web.phone.shut") if is_shut else translate("web.phone.wait", count=seconds)
                raise ApiError("wait", text, retry_after_s=seconds)
            given = digits_of(pin).encode()
            # Always compare both, each in constant time.
            is_master = hmac.compare_digest(given, self._pins.game_master.encode())
            is_player = hmac.compare_digest(given, self._pins.player.encode())
            if not is_master and not is_player:
                self._pauses.wrong(address, now_s)
                _log.warning("%s", translate("web.phone.wrong_pin_from", address=address))
                seconds = int(self._pauses.left_s(address, now_s)) + 1
                raise ApiError("wrong_pin", translate("web.phone.wrong_pin", count=seconds), retry_after_s=seconds)
            token = self._add(device, is_game_master=is_master)
            self._pauses.right(address)
            return token

    def knock(self, address: str, device: str = "") -> Knock:
        """Ask for a phone to be let in without a PIN, as where PINs are refused after many wrong ones."""
        with self._lock:
            knock = self._knocks.ask(address, device, self._now_s())
        self.on_knocks()
        over = threading.Timer(TTL_S + 1.0, self.on_knocks)
        over.daemon = True
        over.start()
        return knock

    def answer_knock(self, knock_id: int, *, is_let_in: bool) -> None:
        with self._lock:
            self._knocks.answer(knock_id, self._now_s(), is_let_in=is_let_in)
        self.on_knocks()

    def enter(self, ticket: str) -> str | None:
        """Return the token of a phone that was let in; None while it waits for the answer."""
        with self._lock:
            knock = self._knocks.enter(ticket, self._now_s())
            return None if knock is None else self._add(knock.device, is_game_master=False)

    def _add(self, device: str, *, is_game_master: bool) -> str:
        if len(self._phones) >= MAX_PHONES:
            raise ApiError("too_many_phones", translate("web.phone.too_many", most=MAX_PHONES))
        token = secrets.token_urlsafe(32)
        phone = Phone(self._next_id, _hash(token), device, None, (), is_game_master)
        self._keep({**self._phones, phone.id: phone})
        self._next_id += 1
        return token

    def _renew_after_flood(self, now_s: float) -> None:
        if self._pauses.renews(now_s):
            self._pins, self.were_renewed = self._new_pins(), True
            _log.warning("%s", translate("web.phone.renewed"))

    def renew_pins(self) -> Pins:
        """Make new PINs; paired phones stay paired."""
        with self._lock:
            before, self._pins, self.were_renewed = self._pins, self._new_pins(), False
            self._pauses.forget()
        self._offer(Offer("pins", message("tray.undo.pins"), lambda: setattr(self, "_pins", before)))
        return self._pins

    def name(self, phone_id: int, name: str) -> Phone:
        """Set the phone's player, once: another name would mean another player's rolls."""
        with self._lock:
            phone = self._find(phone_id)
            if phone.name is not None and name_key(phone.name) != name_key(name):
                raise ApiError("name_kept", translate("web.phone.name_kept", name=phone.name))
            known = (one for one in self._phones.values() if one.id != phone_id and one.name is not None)
            if any(one.name is not None and name_key(one.name) == name_key(name) for one in known):
                raise ApiError("name_taken", translate("web.phone.name_taken", name=name))
            return self._change(replace(phone, name=phone.name or name))

    def hold(self, phone_id: int, sheet_id: int, others: Collection[int]) -> Phone:
        with self._lock:
            phone = self._find(phone_id)
            self._check_free(phone, others, sheet_id)
            holder = next((one for one in self._phones.values() if one is not phone and sheet_id in one.sheets), None)
            if holder is not None:
                whose = translate("web.phone.another") if holder.name is None else holder.name
                raise ApiError("sheet_taken", translate("web.phone.sheet_taken", name=whose))
            if sheet_id in phone.sheets:
                return phone
            return self._change(replace(phone, sheets=(*phone.sheets, sheet_id)))

    def name_to_hold(self, phone_id: int, others: Collection[int]) -> str:
        """Return the player's name of a phone that may hold one more sheet of the same rules."""
        with self._lock:
            return self._check_free(self._find(phone_id), others, None)

    def make_game_master(self, phone_id: int, *, is_game_master: bool) -> Phone:
        """Make a phone the game master's, or a player's again."""
        with self._lock:
            return self._change(replace(self._find(phone_id), is_game_master=is_game_master))

    def free(self, phone_id: int) -> Phone:
        """Unassign a phone's player and release its sheets."""
        with self._lock:
            before = self._find(phone_id)
            freed = self._change(replace(before, name=None, sheets=()))
        self._offer(Offer("free", message("tray.undo.free", what=_called(before)), lambda: self._put_back(before)))
        return freed

    def forget(self, phone_id: int) -> Phone:
        """Unpair a phone."""
        with self._lock:
            gone = self._find(phone_id)
            self._keep({known: phone for known, phone in self._phones.items() if known != phone_id})
            return gone

    def forget_for_now(self, phone_id: int) -> None:
        """Unpair a phone so that it can be undone for a while."""
        gone = self.forget(phone_id)
        self._offer(Offer("phone", message("tray.undo.phone", what=_called(gone)), lambda: self._put_back(gone)))

    def _put_back(self, phone: Phone) -> None:
        with self._lock:
            others = [one for one in self._phones.values() if one.id != phone.id]
            if phone.name is not None and any(name_key(one.name or "") == name_key(phone.name) for one in others):
                raise ApiError("name_taken", translate("web.phone.name_taken", name=phone.name))
            held = {sheet for one in others for sheet in one.sheets}
            phone = replace(phone, sheets=tuple(sheet for sheet in phone.sheets if sheet not in held))
            self._keep(dict(sorted({**self._phones, phone.id: phone}.items())))

    def _check_free(self, phone: Phone, others: Collection[int], sheet_id: int | None) -> str:
        if phone.name is None:
            raise ApiError("no_name", translate("web.phone.no_name"))
        if any(held in others and held != sheet_id for held in phone.sheets):
            raise ApiError("has_sheet", translate("web.phone.has_sheet", name=phone.name))
        return phone.name

    def _find(self, phone_id: int) -> Phone:
        phone = self._phones.get(phone_id)
        if phone is None:
            raise ApiError("unknown_phone", translate("web.phone.unknown"))
        return phone

    def _change(self, phone: Phone) -> Phone:
        if self._phones[phone.id] != phone:
            self._keep({**self._phones, phone.id: phone})
        return phone

    def _keep(self, phones: Mapping[int, Phone]) -> None:
        self._file.write(phones.values())
        self._phones = phones

    def _new_pins(self) -> Pins:
        player = self._new_pin()
        game_master = self._new_pin()
        while game_master == player:
            game_master = self._new_pin()
        return Pins(player, game_master)

    def _new_pin(self) -> str:
        return f"{self._draw(10**PIN_DIGITS):0{PIN_DIGITS}d}"


def _called(phone: Phone) -> Text:
    return phone.name or phone.device or message("tray.undo.a_phone")


def _hash(token: str) -> str:
    """Return the stored hash of a token. With 256 random bits a plain hash cannot be brute-forced."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
