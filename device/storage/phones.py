"""The phones that gave the PIN, in a small file of the data folder: what each may do outlives the program.

Beside the roll log and not in it, so that a copy of the log, which people hand on, lets nobody in.
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
"""More have no place at a table."""
_MOST: Final = 2**53


@dataclass(frozen=True, slots=True)
class Phone:
    id: int
    # SHA-256 of the token that it shows with each request, in hexadecimal; the token itself is not kept
    token_hash: str
    device: str = ""
    name: str | None = None
    sheets: tuple[int, ...] = ()
    is_game_master: bool = False


class PhoneFile:
    def __init__(self, path: Path) -> None:
        """Name the file; it is made with the first phone."""
        self._path = path

    def load(self) -> tuple[Phone, ...]:
        """Return every phone, in the order in which they came.

        A file that cannot be understood is put aside, and a line says so: then every phone gives the PIN once more.
        """
        return read_kept(self._path, lambda body: tuple(_load(body)), (), "phones must enter the PIN again")

    def write(self, phones: Iterable[Phone]) -> None:
        """Put the phones on the disk, all or nothing."""
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
            # Nobody else of this machine reads who may change what.
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
