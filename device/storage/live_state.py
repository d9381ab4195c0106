"""The live state in the log, compressed because it is written with every press."""

import zlib
from base64 import b64decode, b64encode
from typing import Final

from device.game.state.tray import Tray
from device.storage.serialisation import UnknownState, pack_state, unpack_state

_MARK: Final = "zlib:"
_MAX_BYTES: Final = 4_000_000
"""Far more than any state, so that a damaged one does not fill the memory."""


def pack_live(tray: Tray) -> str:
    """Return a state as stored text, a tenth the size of its JSON."""
    return _MARK + b64encode(zlib.compress(pack_state(tray).encode())).decode()


def unpack_live(text: str) -> Tray:
    """Return the state from what `pack_live` made, or from plain JSON of older programs."""
    if isinstance(text, str) and text.startswith(_MARK):
        try:
            text = zlib.decompressobj().decompress(b64decode(text[len(_MARK) :]), _MAX_BYTES).decode()
        except (ValueError, zlib.error) as error:
            raise UnknownState(f"the stored state cannot be read: {error}") from error
    return unpack_state(text)
