"""Positions on the floor of the dice that the light ring points to."""

from device.game.state.die_history import Whereabouts
from device.game.state.layout import LyingDie
from device.game.state.states import AwaitingPush, Resolved, Result
from device.game.state.tray import Tray
from device.ring.plan import PointMm, RingDie, RingView, Wanted
from rules.marks import Mark
from rules.system import find_system
from vision.tray.profile import Profile


class FloorPlan:
    """A tray's floor in millimetres, from its profile.

    Perspective is ignored: seen from above it shifts a die by less than the ring's shortest arc.
    """

    def __init__(self, profile: Profile) -> None:
        outline = profile.floor.outline_px
        low, high = outline.min(axis=0), outline.max(axis=0)
        self._center_px = ((low + high) / 2.0).tolist()
        self._size_px = (high - low).tolist()
        self._floor_mm = profile.floor_mm
        self._picture_px = (profile.width_px, profile.height_px)

    def place_mm(self, die: LyingDie, width_px: int, height_px: int) -> PointMm:
        """Return a die's place on the floor, from its centre, x to the right, y away from the viewer of the picture."""
        x_px = die.reading.center_px[0] * self._picture_px[0] / width_px
        y_px = die.reading.center_px[1] * self._picture_px[1] / height_px
        return (
            (x_px - self._center_px[0]) / self._size_px[0] * self._floor_mm[0],
            (self._center_px[1] - y_px) / self._size_px[1] * self._floor_mm[1],
        )


def ring_view(tray: Tray, floor: FloorPlan | None) -> RingView:
    name, state = tray.state_name, tray.dice
    if tray.fault is not None:
        return RingView(name)
    if isinstance(state, AwaitingPush):
        return RingView(name, dice=() if floor is None else _pointed(state, floor))
    if not isinstance(state, Result) or tray.has_hidden_result:
        return RingView(name)
    report = find_system(tray.table.system).report(state.outcome.facts, tray.table.context)
    return RingView(name, success=state.outcome.success is True, harm=isinstance(state, Resolved) and bool(report.harm))


def _pointed(state: AwaitingPush, floor: FloorPlan) -> tuple[RingDie, ...]:
    """Return the dice in the tray: those to pick up and those to keep."""
    layout, to_throw = state.lying, state.to_throw
    # After a wrong push the thrown dice are in the tray again where they are seen.
    gone = state.die_history.only(Whereabouts.GONE) if state.after is None else ()
    return tuple(
        RingDie(
            floor.place_mm(die, layout.width_px, layout.height_px),
            Wanted.PICK if die.id in to_throw else Wanted.KEEP,
            costs=die.id not in to_throw and state.first.outcome.marks.get(str(die.id)) is Mark.COST,
        )
        for die in layout.dice
        if die.id not in gone
    )
