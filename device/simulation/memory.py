"""Where the simulated dice lie, kept in a file: real dice do not vanish when the program is killed, nor do these."""

import json
import logging
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.types.cures import why
from vision.types.frame import FloatArray

_log = logging.getLogger(__name__)

FORMAT = "pushtray-simulated-dice/1"
FILE_NAME = "simulated_dice.json"


@dataclass(frozen=True, slots=True, eq=False)
class KeptDie:
    """One die that lay in the simulated tray.

    Attributes:
        colour: Colour class of the die.
        look_seed: Seed of the die's look, one of many of its colour.
        center_mm: Shape (3,), middle of the die in the world.
        rotation: Shape (3, 3), whose columns are the die's axes in the world.
    """

    colour: str
    look_seed: int
    center_mm: FloatArray
    rotation: FloatArray


class SimulatedMemory:
    """The file. It only serves the simulation: neither vision nor the tray's state ever looks into it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> tuple[KeptDie, ...]:
        """The dice that lay there; none where there is no file, or it cannot be understood."""
        try:
            body = json.loads(self._path.read_text(encoding="utf-8"))
            if body["format"] != FORMAT:
                return ()
            return tuple(
                KeptDie(
                    str(die["colour"]),
                    int(die["look_seed"]),
                    np.array(die["center_mm"], dtype=np.float64).reshape(3),
                    np.array(die["rotation"], dtype=np.float64).reshape(3, 3),
                )
                for die in body["dice"]
            )
        except (OSError, ValueError, KeyError, TypeError):
            return ()

    def save(self, dice: tuple[KeptDie, ...]) -> None:
        """Write the file, whole or not at all; its folder is made where there is none.

        A disk that does not take it only costs the simulation its memory.
        """
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
        draft = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(json.dumps(body), encoding="utf-8")
            os.replace(draft, self._path)
        except OSError as error:
            _log.warning("the simulated dice cannot be kept in %s (%s)", self._path, why(error))
