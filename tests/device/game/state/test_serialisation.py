"""A kept state is understood by every later program."""

from device.game.state import serialisation


def test_a_renamed_class_keeps_its_stored_name() -> None:
    renamed = {"Chain", "Trail", "Trouble", "Usual"}
    assert renamed | {"Empty", "Unclear", "Scored", "AwaitingPush", "Resolved", "Table"} <= set(serialisation._KEPT)
