"""Bodies of requests about the log."""

from typing import Annotated

from pydantic import Field

from device.web.core.bodies import Body


class EveningName(Body):
    """The name of an evening; an empty one removes it."""

    name: Annotated[str, Field(max_length=80)]


class RestoreRequest(Body):
    """The token returned for an uploaded backup."""

    token: Annotated[str, Field(min_length=1, max_length=64)]
