"""Growing pauses between retries."""


class Backoff:
    """Pauses in seconds, each twice as long as the previous one, up to a limit."""

    def __init__(self, first_s: float, max_s: float) -> None:
        self._first_s = first_s
        self._max_s = max_s
        self.pause_s = first_s

    def grow(self) -> None:
        self.pause_s = min(2.0 * self.pause_s, self._max_s)

    def reset(self) -> None:
        self.pause_s = self._first_s
