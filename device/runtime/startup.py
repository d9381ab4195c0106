"""The start of a run: the state of the last run."""

import json
import logging
from dataclasses import replace

from device.camera.registry import REPLAY, camera_kind, replay_folder
from device.config.settings import Settings
from device.game.machine import step
from device.game.snapshot import TrayMetadata, snapshot_body
from device.game.state.campaign import Carry
from device.game.state.effects import Refuse
from device.game.state.events import DiceSettled, MotionSeen, PushPressed, ResetPressed, SystemChosen
from device.game.state.known_dice import restored
from device.game.state.states import Empty
from device.game.state.table_state import Table, TableDefaults
from device.game.state.tray import Tray
from device.game.table.transitions import opened_table
from device.recording.recording import load_recording
from device.recording.replay import replay_table
from device.storage.rolls import RollLog
from device.storage.serialisation import UnknownState
from device.texts.catalogue import ENGLISH, in_language, localizable
from vision.types.sighting import Rest

_log = logging.getLogger(__name__)


def starting_tray(history: RollLog, table: Table, named_system: str | None, carry: Carry) -> Tray:
    """Return the tray as the last run left it.

    The table's choices override the settings for colours, rulings and the usual declaration.
    """
    try:
        kept = history.kept_state()
    except UnknownState as error:
        _log.warning("%s: starting with an empty tray, the roll log goes on", error)
        kept = None
    table, campaign = opened_table(table, history.kept_campaign(carry))
    empty = Tray(Empty(), table, campaign)
    if kept is None:
        return empty
    try:
        tray = _gone_on_with(kept, empty, named_system)
        _try(tray)
    except Exception as error:  # noqa: BLE001 - a state that cannot be shown or left would stop the tray at each start
        cause = f"{type(error).__name__}: {error}"
        _log.warning("the stored state is damaged (%s): starting with an empty tray, the roll log goes on", cause)
        _log.debug("where it failed", exc_info=error)
        return empty
    return tray


def _try(tray: Tray) -> None:
    """Show a tray and its successors after presses and other dice, so that a damaged one raises here."""
    nothing = Rest(0.0, 0, 1, 1, (), (), trusted=True)
    for events in ((), (PushPressed(),), (ResetPressed(),), (MotionSeen(), DiceSettled(nothing), ResetPressed())):
        now = tray
        for event in events:
            now, _ = step(now, event)
        json.dumps(in_language(snapshot_body(1, now, TrayMetadata("", None, {})), ENGLISH), allow_nan=False)


def _gone_on_with(kept: Tray, opened: Tray, named_system: str | None) -> Tray:
    table = replace(
        kept.table,
        colour_classes=opened.table.colour_classes,
        colour_roles=opened.table.colour_roles,
        rulings=opened.table.rulings,
        usual=opened.table.usual,
    )
    tray = replace(opened, dice=restored(kept.dice), table=table)
    if named_system is not None and named_system != table.system:
        tray, commands = step(tray, SystemChosen(named_system))
        for command in commands:
            if isinstance(command, Refuse):
                _log.warning("--system %s: %s", named_system, localizable(command.text))
    return tray


def starting_table(settings: Settings) -> Table:
    """Return the table of the settings; a replayed recording gives its pool if they declare none."""
    table = settings.table()
    if camera_kind(settings.tray.camera) is not REPLAY or table.pool is not None:
        return table
    recorded = replay_table(load_recording(replay_folder(settings.tray.camera)))
    if recorded.system != table.system:
        return table
    return replace(table, pool=recorded.pool, usual=TableDefaults(table.system, recorded.pool, table.context))
