"""MuJoCo, loaded where dice are simulated: a tray with a real camera starts without it and needs none."""

import importlib
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from device.errors import BadInput

LOCK = Path(__file__).parents[1] / "simulation.lock"
"""What the simulated camera needs besides, pinned; it is installed with everything but the service of a real tray."""


@cache
def load_mujoco() -> ModuleType:
    try:
        return importlib.import_module("mujoco")
    except Exception as error:  # a library that does not fit this machine raises kinds of its own
        raise BadInput(
            f"the simulated camera needs MuJoCo, which does not load here ({error}): "
            f"run {sys.executable} -m pip install --no-deps --require-hashes -r {LOCK}"
        ) from error


class _Mujoco:
    """The library's names, each looked up in it when it is used."""

    def __getattr__(self, name: str) -> Any:
        return getattr(load_mujoco(), name)


mujoco: Any = _Mujoco()
