"""MuJoCo, loaded only for simulated dice: a tray with a real camera starts and works without it."""

import importlib
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from device.errors import BadInput

LOCK = Path(__file__).parents[1] / "simulation.lock"
"""Additional pinned requirements of the simulated camera, installed except for the service of a real tray."""


@cache
def load_mujoco() -> ModuleType:
    try:
        return importlib.import_module("mujoco")
    except Exception as error:  # a library that does not fit this machine raises errors of any kind
        raise BadInput(
            f"the simulated camera needs MuJoCo, which does not load here ({error}): "
            f"run {sys.executable} -m pip install --no-deps --require-hashes -r {LOCK}"
        ) from error


class _Mujoco:
    """The library's names, each looked up on use."""

    def __getattr__(self, name: str) -> Any:
        return getattr(load_mujoco(), name)


mujoco: Any = _Mujoco()
