"""Unit tests of the pages' scripts, next to them in JavaScript, each file run separately by Node.js."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

STATIC = Path(__file__).with_name("static")
WEB = Path(__file__).parents[2] / "device/web"
FILES = sorted(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.test.js"))


@pytest.fixture(scope="module")
def node() -> str:
    path = shutil.which("node")
    if path is None:
        cure = "no Node.js on the PATH: apt install nodejs"
        if os.environ.get("CI"):
            pytest.fail(cure)
        pytest.skip(cure)
    return path


@pytest.mark.parametrize("file", FILES)
def test_units_of_a_script(node: str, file: str) -> None:
    done = subprocess.run([node, STATIC / file], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_script_of_lib_has_units() -> None:
    scripts = {path.stem for path in WEB.rglob("lib/*.js")}
    assert {Path(file).name.removesuffix(".test.js") for file in FILES if file.startswith("lib/")} == scripts
