"""Places of the simulated dice, stored in a file so that they survive a restart as real dice do."""

import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from device.kept_files import read_kept, write_whole
from vision.types.cures import why
from vision.types.frame import FloatArray

_log = logging.getLogger(__name__)

FORMAT = "pushtray-simulated-dice/1"
FILE_NAME = "simulated_dice.json"
_MAX_MM = 10_000.0


@dataclass(frozen=True, slots=True, eq=False)
class KeptDie:
    colour: str
    look_seed: int
    center_mm: FloatArray
    rotation: FloatArray


class SimulatedMemory:
    """The file. Only the simulation uses it, never vision or the tray's state."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> tuple[KeptDie, ...]:
        """Return the stored dice; none if the file is missing or unreadable."""
        return read_kept(self._path, _dice_of, (), "the simulated tray is empty")

    def save(self, dice: tuple[KeptDie, ...]) -> None:
        """Write the file, all or nothing, creating its folder if missing."""
        body = {
            "format": FORMAT,
            "dice": [
                {
                    "colour": die.colour,
                    "look_seed": die.look_seed,
                    "center_mm": die.center_mm.tolist(),
                    "rotation": die.rotation.tolist(),
                }
                for die in dice
            ],
        }
        try:
            write_whole(self._path, json.dumps(body).encode())
        except OSError as error:
            _log.warning("the simulated dice cannot be kept in %s (%s)", self._path, why(error))


def _dice_of(body: Any) -> tuple[KeptDie, ...]:
    if body["format"] != FORMAT:
        raise ValueError("it has another format")
    return tuple(_die_of(die) for die in body["dice"])


def _die_of(die: dict[str, Any]) -> KeptDie:
    center_mm = np.array(die["center_mm"], dtype=np.float64).reshape(3)
    rotation = np.array(die["rotation"], dtype=np.float64).reshape(3, 3)
    if not (np.abs(center_mm).max() < _MAX_MM and np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-3)):
        raise ValueError("a die lies nowhere")
    return KeptDie(str(die["colour"]), int(die["look_seed"]), center_mm, rotation)
