"""The module for Foundry VTT: manifest and archive, made for the address of the request."""

import io
import json
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

from device.version import installed_version

FOLDER = Path(__file__).with_name("module")
LICENSE = Path(__file__).parents[4] / "LICENSE"
MANIFEST, ARCHIVE = "/foundry/module.json", "/foundry/pushtray.zip"
_KINDS = {".js", ".json", ".md"}
_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The date of every file in an archive, so that equal files make equal archives."""


def add_foundry(app: FastAPI) -> None:
    @app.get(MANIFEST, summary="The manifest of the module for Foundry VTT: install the module by this address")
    def manifest(request: Request) -> Response:
        return JSONResponse(manifest_for(_address(request)), headers={"cache-control": "no-cache"})

    @app.get(ARCHIVE, summary="The module for Foundry VTT, packed")
    def archive(request: Request) -> Response:
        return Response(
            archive_for(_address(request)), media_type="application/zip", headers={"cache-control": "no-cache"}
        )


def manifest_for(address: str, release: str | None = None) -> dict[str, Any]:
    body: dict[str, Any] = json.loads((FOLDER / "module.json").read_text(encoding="utf-8"))
    return {
        **body,
        "version": release or installed_version() or "0.0.0",
        "url": f"{address}/",
        "manifest": f"{address}{MANIFEST}",
        "download": f"{address}{ARCHIVE}",
        "flags": {"pushtray": {"url": address}},
    }


@lru_cache(maxsize=2)  # each name in a Host header makes another
def archive_for(address: str, release: str | None = None) -> bytes:
    files = {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in _files()}
    files["module.json"] = json.dumps(manifest_for(address, release), ensure_ascii=False, indent=2).encode()
    if LICENSE.is_file():
        files["LICENSE"] = LICENSE.read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, _EARLIEST), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _files() -> list[Path]:
    return [path for path in FOLDER.rglob("*") if path.is_file() and path.suffix in _KINDS]


def _address(request: Request) -> str:
    return str(request.base_url).rstrip("/")
