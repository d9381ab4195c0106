"""Doors whose answers a test sets."""

from collections.abc import Callable

from fastapi import Request

from device.web.core.access import AccessControl
from device.web.core.rights import Identity, Role


class SetDoor(AccessControl):
    """Everyone is the display, or the game master where a test says so."""

    def __init__(self, *, may_change: bool = False, sees_hidden: Callable[[Request], bool] = lambda _: False) -> None:
        super().__init__(None)
        self._set = may_change
        self._sees_hidden = sees_hidden

    def identify(self, request: Request) -> Identity:
        return Identity(Role.GAME_MASTER if self._sees_hidden(request) else Role.TABLE)

    def may_change(self, request: Request) -> bool:
        return self._set
