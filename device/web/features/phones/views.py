"""Responses about phones: to a device about itself, and to those who manage all of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from device.game.snapshot_model import ListedSheet, Snapshot
from device.web.core.pairing import Pairing
from device.web.core.rights import Identity, Role
from rules.system import JsonValue


def known_sheets(tray: Snapshot) -> dict[int, ListedSheet]:
    return {one["id"]: one for one in tray["sheets"]}


def of_system(tray: Snapshot, system: str) -> set[int]:
    return {one["id"] for one in tray["sheets"] if one["system"] == system}


def own_body(pairing: Pairing, asker: Identity, tray: Snapshot) -> dict[str, JsonValue]:
    """Return a device's role, player and sheets."""
    phone, known = asker.phone, known_sheets(tray)
    others = [] if phone is None else [one for one in pairing.phones if one.id != phone.id]
    return {
        "asked": pairing.is_required,
        "role": asker.role.value,
        "id": None if phone is None else phone.id,
        "name": None if phone is None else phone.name,
        "sheets": [] if phone is None else [one for one in phone.sheets if one in known],
        # Do not offer what another phone holds.
        "taken": [sheet for other in others for sheet in other.sheets],
    }


def own_body_without_phones() -> dict[str, JsonValue]:
    """Return the body of a device at a tray without phones, which may do everything."""
    return {"asked": False, "role": Role.TABLE.value, "id": None, "name": None, "sheets": [], "taken": []}


@dataclass(frozen=True, slots=True)
class Entrance:
    """Whether phones are let in: the tray listens on the network or only on its own machine."""

    is_open: Callable[[], bool]
    # function that opens (True) or closes it and stores that in the settings file; raises BadInput
    turn: Callable[[bool], None]
    asks_pin: bool  # whether a device on the network must give a PIN before it changes anything


PhoneUrls: TypeAlias = tuple[str | None, str | None]
"""URLs for phones, by address and by the machine's name."""


def phones_body(pairing: Pairing, tray: Snapshot, urls: PhoneUrls, entrance: Entrance | None) -> dict[str, JsonValue]:
    """Return the PINs, if required, and every phone with its player."""
    known = known_sheets(tray)
    phones: list[JsonValue] = [
        {
            "id": phone.id,
            "name": phone.name,
            "device": phone.device,
            "game_master": phone.is_game_master,
            "sheets": [{"id": one, "title": known[one]["title"]} for one in phone.sheets if one in known],
        }
        for phone in pairing.phones
    ]
    pins = pairing.pins
    shown: JsonValue = {"player": pins.player, "game_master": pins.game_master} if pairing.is_required else None
    return {
        "asked": pairing.is_required,
        "address": urls[0],
        "address_by_name": urls[1],
        "pins": shown,
        "pins_renewed": pairing.is_required and pairing.were_renewed,
        "phones": phones,
        "open": None if entrance is None else entrance.is_open(),
        "asks_pin": pairing.is_required if entrance is None else entrance.asks_pin,
    }
