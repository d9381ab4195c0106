"""What bodies of requests have in common; most are made from the events."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from device.game.state.bounds import LAST_ID, PathId

SheetId = PathId

_SEEN: dict[str, Any] = {
    "ge": 0,
    "le": LAST_ID,
    "description": "of the state that the page shows: refused where it has changed",
}
VersionQuery = Annotated[int | None, Query(**_SEEN)]
"""Version of the state on the page, for a request without a body."""


class Body(BaseModel):
    """Base body that rejects unknown fields."""

    model_config = ConfigDict(extra="forbid", strict=True)


class VersionedBody(Body):
    """Base body with the version of the state on the page."""

    version: Annotated[int, Field(strict=True, **_SEEN)] | None = None
