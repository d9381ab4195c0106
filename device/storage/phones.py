"""Phones that entered the PIN and their permissions, in a small file of the data folder.

Stored outside the roll log, so that a shared copy of the log grants no access.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from device.errors import DeviceError
from device.kept_files import read_kept, write_whole
from vision.types.cures import cure_of, why

_log = logging.getLogger(__name__)

FILE_NAME: Final = "phones.json"
FORMAT: Final = "pushtray-phones/1"
MAX_PHONES: Final = 60
"""More than any table needs."""
_Id: TypeAlias = Annotated[int, Field(ge=1, le=2**53)]


@dataclass(frozen=True, slots=True)
class Phone:
    id: _Id
    # SHA-256 of the token that it sends with each request, in hexadecimal; the token itself is not stored
    token_hash: str
    device: str = ""
    name: str | None = None
    sheets: tuple[_Id, ...] = ()
    is_game_master: Annotated[bool, Field(alias="game_master")] = False


@dataclass(frozen=True, slots=True)
class _Kept:
    format: Literal["pushtray-phones/1"]
    phones: Annotated[tuple[Phone, ...], Field(max_length=MAX_PHONES)]


_FILE: Final = TypeAdapter(_Kept)


class PhoneFile:
    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> tuple[Phone, ...]:
        """Return all phones, oldest first."""
        return read_kept(
            self._path, lambda body: _FILE.validate_python(body).phones, (), "phones must enter the PIN again"
        )

    def write(self, phones: Iterable[Phone]) -> None:
        """Write the phones to disk, all or nothing."""
        text = _FILE.dump_json(_Kept(FORMAT, tuple(phones)), by_alias=True, indent=1)
        try:
            # Other users of this machine must not read who has access.
            write_whole(self._path, text, 0o600)
        except OSError as error:
            cure = cure_of(error.errno, "start the tray with another --data folder")
            raise DeviceError(f"the phones {self._path} cannot be written ({why(error)}): {cure}") from error
