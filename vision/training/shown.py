"""Pictures to fit the decision on: unchanged, with an object over a part of a die, with a sign instead of pips."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from vision.imaging.pyramid import ImagePyramid
from vision.pipeline.looker import Looked, Looker
from vision.training.covered import covered, signed
from vision.training.labelled import LabelledPicture, gather, labelled_trays, listed_photographs
from vision.tray.profile import Profile
from vision.tray.stage import set_stage
from vision.types.frame import ImageBgr

AWKWARD, COVERED, RARE = 0.15, 0.02, 0.3
"""Worth of a picture with a leaning die, with a covered one, of a rare kind, which are less common on tables."""
EVERY_PLACE = 1.1
"""No place is dropped at the first look here: models are fitted on all of them."""
Look: TypeAlias = Callable[[ImageBgr], Looked | None]
"""What was found in a picture; None if no tray was found."""


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A labelled picture to judge."""

    label: LabelledPicture
    look: Look
    image_bgr: ImageBgr | None = None  # pixels if they are not those of the file


def photographs_shown(fixtures: Path, weights: Path) -> list[Shown]:
    """Return set-aside pictures of dice lying anywhere."""
    looker = Looker(None, weights, surely_none=EVERY_PLACE)
    pictures = [p for p in gather(fixtures, []) if p.held and not p.is_crop]
    pictures += listed_photographs(fixtures / "photos")
    return [Shown(p, lambda image: looker.look_anywhere(ImagePyramid(image), _no_lap)) for p in pictures]


def trays_shown(folder: Path, profile: Profile | None, weights: Path, worth: float = 1.0) -> list[Shown]:
    """Return pictures of trays, some again with an object over a part of a die, or a sign instead of pips."""
    looker = Looker(profile, weights)

    def look(image: ImageBgr) -> Looked | None:
        stage = set_stage(image, profile)
        return None if stage is None else looker.look_in(stage, _no_lap)

    shown = []
    for number, label in enumerate(labelled_trays(folder, folder.name)):
        is_plain = all(die.is_flat for die in label.dice)
        shown.append(Shown(replace(label, weight=worth * (1.0 if is_plain else AWKWARD)), look))
        rng = np.random.default_rng(number)
        laid = covered(label, label.load(), rng, cut=True) if number % 2 else None
        if laid is not None:
            dice = [
                replace(die, seen=laid.shows) if k == laid.cut else die
                for k, die in enumerate(label.dice)
                if k not in laid.hidden
            ]
            shown.append(Shown(replace(label, dice=tuple(dice), weight=worth * COVERED), look, laid.image_bgr))
        sign = signed(label, label.load(), rng) if number % 4 == 0 else None
        if sign is not None:
            dice = [replace(die, value=0) if k == sign[1] else die for k, die in enumerate(label.dice)]
            shown.append(Shown(replace(label, dice=tuple(dice), weight=worth * COVERED), look, sign[0]))
    return shown


def _no_lap(name: str) -> None:
    """Measure no time."""
