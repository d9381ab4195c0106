"""What a caller is shown of hidden results, which only the game master's phone sees."""

from collections.abc import Mapping

from device.body import Body, BodyValue
from device.game.redaction import redact_odds
from device.game.snapshot import Snapshot
from device.game.snapshot_model import Snapshot as Seen
from device.storage.log_rows import Row, redacted_row
from device.web.core.rights import Identity


def visible_body(snapshot: Snapshot, viewer: Identity) -> Seen:
    return snapshot.whole if viewer.may_see_hidden else snapshot.body


def visible_row(row: Row, viewer: Identity) -> Row:
    return row if viewer.may_see_hidden else redacted_row(row)


def visible_odds(odds: Mapping[str, BodyValue], snapshot: Snapshot, viewer: Identity) -> Body:
    hides = snapshot.body["hidden"] and not viewer.may_see_hidden
    return redact_odds(odds) if hides else dict(odds)


def is_redacted(snapshot: Snapshot, viewer: Identity) -> bool:
    """Return whether the tray's picture is withheld from a caller now."""
    return snapshot.body["covered"] and not viewer.may_see_hidden
