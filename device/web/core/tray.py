"""The tray as the web sees it: loop, camera, history and, in simulation, the simulated dice."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

import cv2
import numpy as np

from device.camera.live_picture import Picture
from device.camera.worker import CameraWorker
from device.errors import BadInput
from device.game.dice.role_mapping import distinct_roles
from device.game.mending import suggest_fix
from device.game.presses import plan_throw
from device.game.snapshot import Snapshot
from device.game.state.effects import Refuse
from device.game.state.events import DieAdded, Event, PoolDeclared, ResetPressed, ThrowOrdered, UndoPressed
from device.game.state.states import AwaitingPush
from device.game.state.table_state import Pool
from device.game.state.tray import Tray
from device.game.table.odds import odds_now
from device.game.throw_orders import HandAction, SimulatedThrow, SimulatedTray, ThrowRefusal, ThrowRefused
from device.message import Text, message_of
from device.runtime.health import Health
from device.runtime.loop import STALE, STALE_TEXT, STOPPING_TEXT, Answer, TrayLoop
from device.storage.export import csv_lines
from device.storage.log_rows import redacted_row
from device.storage.own_rolls import rolls_counted
from device.storage.rolls import RollLog
from device.texts.catalogue import translate
from device.web.core.errors import refused_by
from device.web.core.rights import Identity, UndoOffer, may
from device.web.core.rule_views import with_costs
from device.web.core.visibility import visible_row
from rules.system import Facts, JsonValue, find_system
from vision.types.frame import ImageBgr

BUSY_WAIT_S = 6.0
"""Longest wait of a throw for the simulated hand, in seconds; sweeping out twenty dice takes about three."""
_BUSY_LOOK_S = 0.05
WHY_PX = 300
"""Width and height of the picture of one die at a stage of the reader."""


class TrayService:
    """What the web may do with the tray. Any thread; every method may raise `LoopBusy`.

    A request may name the `seen` version of its page's snapshot: if state, dice or roll have changed since, it is
    refused with `stale`. None applies to the current state.
    """

    def __init__(
        self,
        loop: TrayLoop,
        camera: CameraWorker,
        history: RollLog,
        health: Health,
        simulated: SimulatedTray | None,
        *,
        explain: Callable[[ImageBgr], list[ImageBgr]] | None = None,
        now_s: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """Connect the parts without starting them."""
        self._loop = loop
        self._camera = camera
        self._history = history
        self._health = health
        self._simulated = simulated
        self._explain = explain
        self._now_s = now_s
        self._pause = pause
        self._ordering = threading.Lock()
        self._ordered_at = 0

    @property
    def now(self) -> Tray:
        return self._loop.tray

    def snapshot(self) -> Snapshot:
        return self._loop.newest

    def subscribe(self, listener: Callable[[Snapshot], None]) -> Callable[[], None]:
        return self._loop.subscribe(listener)

    def ask(self, event: Event, seen: int | None = None) -> Answer:
        return self._after(event, self._loop.newest, self._loop.ask(self._sized(event), seen))

    async def request(self, event: Event, caller: Identity, seen: int | None = None) -> Answer:
        """Send a caller's event to the loop; in simulation a reset sweeps the dice out, and its undo puts them back.

        Raises:
            ApiError: The caller may not send it.
        """
        self.authorize(event, caller)
        by = None if caller.phone is None else caller.phone.id
        return self._after(event, self._loop.newest, await self._loop.request(self._sized(event), seen, by))

    def authorize(self, event: Event, caller: Identity) -> None:
        """Raise `ApiError` if a caller may not send an event now."""
        offered = self._loop.newest.body["undo"]
        undo = None if offered is None else UndoOffer(offered["id"], offered["by"])
        refused_by(may(caller, event, self._loop.tray, undo))

    def _sized(self, event: Event) -> Event:
        if not isinstance(event, DieAdded):
            return event
        frame = self._camera.newest
        height, width = (0, 0) if frame is None else frame.image_bgr.shape[:2]
        return replace(event, width_px=width, height_px=height)

    def _after(self, event: Event, before: Snapshot, answer: Answer) -> Answer:
        if self._simulated is None or not answer.accepted:
            return answer
        undo = before.body["undo"]
        if isinstance(event, UndoPressed) and undo is not None and undo["action"] == "reset":
            self._simulated.put_back()
        if isinstance(event, ResetPressed):
            # Flying dice are swept out by the next throw and are not a new roll until then.
            with suppress(ThrowRefused):
                self._simulated.clear()
        return answer

    def throw(
        self, dice: Mapping[str, int] | None, hand: HandAction, seed: int | None, seen: int | None = None
    ) -> Answer:
        """Let the simulated hand throw, or pick up and rethrow the dice of an awaited push.

        Args:
            dice: Counts by colour class or role; dice in the tray are taken out first. None: rethrow the dice of an
                awaited push, else throw the declared pool.
            hand: Which rule of the push to break, if any; `mends` applies the snapshot's `mend` instead.
        """
        simulated = self._simulated
        if simulated is None:
            return self._refused("not_simulated", translate("tray.refused.real_dice"))
        # One order at a time: of two pages that order the same throw, the second is stale.
        with self._ordering:
            if seen is not None and (seen < self._ordered_at or self._loop.is_throw_stale(seen)):
                return self._refused(STALE, STALE_TEXT)
            answer = self._throw_now(simulated, dice, hand, seed)
            if answer.accepted:
                self._ordered_at = answer.snapshot.version
            return answer

    async def declare_pool(self, pool: Mapping[str, int] | None, caller: Identity) -> Answer:
        table = self._loop.tray.table
        try:
            known = distinct_roles(find_system(table.system), table)
            declared = PoolDeclared(None if pool is None else Pool.from_counts(pool, known))
        except BadInput as error:
            self.authorize(PoolDeclared(None), caller)
            return self._refused("unknown_role", message_of(error))
        return await self.request(declared, caller)

    def hold_undo(self, undo_id: int) -> None:
        """Keep an action undoable for as long again. Returns at once."""
        self._loop.hold_undo(undo_id)

    def odds(self) -> Facts:
        return odds_now(self._loop.tray)

    def rolls(self, limit: int, before: int | None) -> list[dict[str, JsonValue]]:
        return self._history.rolls(limit, before)

    def shown_roll(self, number: int) -> dict[str, JsonValue] | None:
        return self._history.shown_roll(number)

    def rolls_of(self, owner: str, limit: int, viewer: Identity) -> dict[str, JsonValue]:
        """Return one player's newest rolls, redacted for a viewer, and their totals."""
        return rolls_counted((with_costs(visible_row(row, viewer)) for row in self._history.rolls_of(owner)), limit)

    def rolls_csv(self, separator: str | None = None) -> Iterator[str]:
        """Yield the whole history, hidden rolls redacted; several threads may take lines in turn."""
        return csv_lines((redacted_row(row) for row in self._history.since()), separator)

    def why(self, die_id: int) -> bytes | None:
        """Return a picture of what each stage of the reader makes of a die, side by side."""
        frame = self._camera.read
        die = next((one for one in self._loop.newest.body["dice"] if one["id"] == die_id), None)
        if frame is None or die is None or self._explain is None:
            return None
        height, width = frame.image_bgr.shape[:2]
        x, y = (
            round(min(max(float(at), 0.0), side)) for at, side in zip(die["center_px"], (width, height), strict=True)
        )
        half = round(0.9 * max(die["box_px"][2:]))
        crops = [
            cv2.resize(
                cv2.copyMakeBorder(stage, half, half, half, half, cv2.BORDER_CONSTANT)[
                    y : y + 2 * half, x : x + 2 * half
                ],
                (WHY_PX, WHY_PX),
                interpolation=cv2.INTER_CUBIC,
            )
            for stage in self._explain(frame.image_bgr)
        ]
        columns = min(3, len(crops))
        crops += [np.zeros_like(crops[0])] * (-len(crops) % columns)
        rows = [np.hstack(crops[first : first + columns]) for first in range(0, len(crops), columns)]
        return bytes(cv2.imencode(".jpg", np.vstack(rows))[1].tobytes())

    def picture(self, width_px: int | None = None) -> Picture | None:
        """The picture to show now; None before the first."""
        return self._camera.picture(width_px)

    def read_picture(self) -> Picture | None:
        """The picture that the dice were read from, in full size; None before the first."""
        return self._camera.read_picture()

    def health(self) -> dict[str, JsonValue]:
        return self._health.report()

    def _refused(self, reason: str, text: Text) -> Answer:
        return Answer(accepted=False, snapshot=self._loop.newest, reason=reason, text=text)

    def _throw_now(
        self, simulated: SimulatedTray, dice: Mapping[str, int] | None, hand: HandAction, seed: int | None
    ) -> Answer:
        tray = self._loop.tray
        if hand is HandAction.MENDS:
            return self._mend(simulated, tray, seed)
        plan = plan_throw(tray, dice, seed)
        match plan:
            case Refuse():
                return self._refused(plan.reason, plan.text)
            case SimulatedThrow():
                return self._order(lambda: simulated.throw(plan), ThrowOrdered())
            case _:
                # An exploding die has no rule of a push to break.
                how = hand if isinstance(tray.dice, AwaitingPush) else HandAction.RIGHT
                return self._order_for_seen(lambda: simulated.pick_up_and_rethrow(plan, how, seed))

    def _mend(self, simulated: SimulatedTray, tray: Tray, seed: int | None) -> Answer:
        mend = suggest_fix(tray)
        if mend is None:
            text = translate("tray.refused.nothing_to_mend")
            return self._refused("nothing_to_mend", text)
        return self._order_for_seen(lambda: simulated.mend(mend.order, seed))

    def _order_for_seen(self, carry_out: Callable[[], None]) -> Answer:
        """Give an order about dice at seen places: at once or not at all, since they may move."""
        try:
            carry_out()
        except BadInput as error:
            return self._refused("bad_value", message_of(error))
        except ThrowRefused as error:
            return self._refused(error.reason.value, message_of(error))
        return Answer(accepted=True, snapshot=self._loop.newest)

    def _order(self, carry_out: Callable[[], None], event: Event) -> Answer:
        """Give an order once the simulated hand is free, and report it to the loop."""
        until_s = self._now_s() + BUSY_WAIT_S
        while True:
            try:
                carry_out()
            except BadInput as error:
                return self._refused("bad_value", message_of(error))
            except ThrowRefused as error:
                if error.reason is not ThrowRefusal.TRAY_BUSY or self._now_s() >= until_s:
                    return self._refused(error.reason.value, message_of(error))
                if not self._loop.is_alive:
                    return self._refused("stopping", STOPPING_TEXT)
                self._pause(_BUSY_LOOK_S)
            else:
                return self._loop.report(event)
