"""Files of the pages with their cache headers."""

import os
from pathlib import Path
from typing import Final

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

STATIC: Final = Path(__file__).parents[1]
"""What is served under `/static` lies in `ui` and `features` of this folder, a script next to its routes."""
FOLDERS: Final = ("ui", "features")
_SERVED: Final = frozenset({".css", ".js", ".png", ".svg", ".woff2"})


def static_files(*folders: str) -> list[Path]:
    """Return what is served of the files in some folders, in one order."""
    return [path for name in folders for path in sorted((STATIC / name).rglob("*")) if path.suffix in _SERVED]


class Assets(StaticFiles):
    def __init__(self, cache_control: str, *, directory: Path) -> None:
        super().__init__(directory=directory)
        self._cache_control = cache_control

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        return super().lookup_path(path) if Path(path).suffix in _SERVED else ("", None)

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["cache-control"] = self._cache_control
        if os.fspath(full_path).endswith(".woff2"):
            # Python knows it from 3.14 on, and not every system's list of types has it.
            response.headers["content-type"] = "font/woff2"
        return response
