"""Phones that entered the PIN and their permissions, in a small file of the data folder.

Stored outside the roll log, so that a shared copy of the log grants no access.
"""

import json
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from device.errors import DeviceError
from device.kept_files import read_kept, write_whole
from rules.errors import BadRequest
from rules.request import Fields, read_facts
from rules.system import Facts, JsonValue
from vision.types.cures import cure_of, why

_log = logging.getLogger(__name__)

FILE_NAME: Final = "phones.json"
FORMAT: Final = "pushtray-phones/1"
MOST_PHONES: Final = 60
"""More than any table needs."""
_MOST: Final = 2**53


@dataclass(frozen=True, slots=True)
class Phone:
    id: int
    # SHA-256 of the token that it sends with each request, in hexadecimal; the token itself is not stored
    token_hash: str
    device: str = ""
    name: str | None = None
    sheets: tuple[int, ...] = ()
    is_game_master: bool = False


class PhoneFile:
    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> tuple[Phone, ...]:
        """Return all phones, oldest first."""
        return read_kept(self._path, lambda body: tuple(_load(body)), (), "phones must enter the PIN again")

    def write(self, phones: Iterable[Phone]) -> None:
        """Write the phones to disk, all or nothing."""
        rows = [
            {
                "id": phone.id,
                "token_hash": phone.token_hash,
                "device": phone.device,
                "name": phone.name,
                "sheets": [*phone.sheets],
                "game_master": phone.is_game_master,
            }
            for phone in phones
        ]
        text = json.dumps({"format": FORMAT, "phones": rows}, ensure_ascii=False, indent=1)
        try:
            # Other users of this machine must not read who has access.
            write_whole(self._path, text.encode(), 0o600)
        except OSError as error:
            cure = cure_of(error.errno, "start the tray with another --data folder")
            raise DeviceError(f"the phones {self._path} cannot be written ({why(error)}): {cure}") from error


def _load(body: JsonValue) -> Iterator[Phone]:
    facts = read_facts(body, "phones")
    if facts.get("format") != FORMAT:
        raise BadRequest(f"its format is {facts.get('format')!r}, this program reads {FORMAT}")
    for row in Fields(facts, "").sequence("phones", MOST_PHONES):
        yield _load_phone(read_facts(row, "phones"))


def _load_phone(facts: Facts) -> Phone:
    fields = Fields(facts, "phones")
    return Phone(
        id=fields.integer("id", 1, _MOST),
        token_hash=fields.text("token_hash"),
        device=fields.text("device") if facts.get("device") else "",
        name=fields.optional_text("name"),
        sheets=fields.integers("sheets", 1, _MOST),
        is_game_master=fields.flag("game_master"),
    )
