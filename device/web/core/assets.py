"""Files of the pages with their cache headers."""

import os
from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope


class Assets(StaticFiles):
    def __init__(self, cache_control: str, *, directory: Path) -> None:
        super().__init__(directory=directory)
        self._cache_control = cache_control

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["cache-control"] = self._cache_control
        if os.fspath(full_path).endswith(".woff2"):
            # Python knows it from 3.14 on, and not every system's list of types has it.
            response.headers["content-type"] = "font/woff2"
        return response
