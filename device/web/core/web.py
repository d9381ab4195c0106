"""What a feature adds its pages and routes to."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from fastapi import FastAPI

from device.web.core.access import AccessControl
from device.web.core.addresses import AddressNow
from device.web.core.guard import Upload
from device.web.core.page import Page
from device.web.core.pools import Pools
from device.web.core.rights import Identity
from device.web.core.stream import StreamParams
from device.web.core.tray import TrayService
from device.web.core.visibility import is_redacted

Part = TypeVar("Part")


def find_part(parts: Iterable[object], kind: type[Part]) -> Part | None:
    """Return the part of a class; None if this tray has none."""
    return next((part for part in parts if isinstance(part, kind)), None)


@dataclass(frozen=True, slots=True)
class Web:
    """The application while its features are installed."""

    app: FastAPI
    tray: TrayService
    parts: Iterable[object]
    door: AccessControl
    streams: StreamParams
    address: AddressNow
    version: str
    pools: Pools = field(default_factory=Pools)
    pages: dict[str, Page] = field(default_factory=dict)
    uploads: dict[str, Upload] = field(default_factory=dict)

    def find(self, kind: type[Part]) -> Part | None:
        return find_part(self.parts, kind)

    def add_page(self, path: str, page: Page) -> None:
        self.pages[path] = page

    def is_redacted(self, viewer: Identity) -> bool:
        """Return whether a viewer may not see a picture of the tray now."""
        return is_redacted(self.tray.snapshot(), viewer)
