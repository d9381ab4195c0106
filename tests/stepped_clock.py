"""Time of a simulation that is drawn as fast as it can be."""


class SteppedClock:
    """Time that advances only by waiting: a simulation as fast as it can be drawn."""

    def __init__(self, start_s: float = 0.0) -> None:
        self._now_s = start_s

    def now_s(self) -> float:
        return self._now_s

    def wait_until(self, t_s: float) -> None:
        self._now_s = max(self._now_s, t_s)
