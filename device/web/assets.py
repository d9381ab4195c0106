"""Files of the pages as browsers get them: for a while or for good, scripts without their comments."""

import hashlib
import os
import re
from functools import lru_cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

_SCRIPTS = 200
"""More than there are."""
_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*(?:[^*]|\*(?!/))*\*/)[ \t]*$", re.MULTILINE)
"""A comment that has its lines to itself. Others stay: where they end only a parser knows.

What it takes for one may be a line of a string: `tests/web/test_assets.py` compares what every script says with what is
left of it, so that such a line fails a test.
"""


class Assets(StaticFiles):
    """A folder of such files.

    A fourth of the scripts' bytes are comments, most of them types. They are for whoever reads the sources, so they are
    left out of what is sent. Code of others is sent as it was published: its licence stands in it.
    """

    def __init__(self, cache_control: str, *, directory: Path) -> None:
        super().__init__(directory=directory)
        self._cache_control = cache_control

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """Answer with a file, or that it is as before."""
        path = Path(full_path)
        if path.suffix == ".js" and "vendor" not in path.parts:
            response = self._script(path, stat_result, scope)
        else:
            response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["cache-control"] = self._cache_control
        if path.suffix == ".woff2":
            # Python learned of it in 3.14, and not every system's list of types has it.
            response.headers["content-type"] = "font/woff2"
        return response

    def _script(self, path: Path, stat_result: os.stat_result, scope: Scope) -> Response:
        content, tag = without_comments(path, stat_result.st_mtime_ns)
        response = Response(content, media_type="text/javascript", headers={"etag": tag})
        if self.is_not_modified(response.headers, Headers(scope=scope)):
            return NotModifiedResponse(response.headers)
        return response


@lru_cache(maxsize=_SCRIPTS)
def without_comments(path: Path, _changed_ns: int) -> tuple[bytes, str]:
    """A script without the comments that have lines to themselves, and the tag that tells it from what it was before.

    The lines stay, empty, so that a browser names the same ones as the source.
    """
    content = _COMMENT.sub(_lines_of, path.read_text(encoding="utf-8")).encode()
    return content, f'"{hashlib.sha256(content).hexdigest()[:16]}"'


def _lines_of(comment: re.Match[str]) -> str:
    return "\n" * comment[0].count("\n")
