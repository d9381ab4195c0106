"""The die net's opinion on what the reader doubts, and on values that it reads otherwise.

Lattice, finder and face reader learned from drawn dice; the die net learned from photographs as well, and from what
looks like a die in them and is none. It is asked where the reader is in doubt, so that a printed dot or a coin is no
die, and a real die is read. It takes trust away from a value that it reads otherwise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from vision.classification.die_net import NO_DIE, DieReader, DieSights
from vision.decision.features import logit, sight_columns
from vision.decision.model import Logistic, load_models
from vision.decision.verdict import Verdict
from vision.detection.squares import Squares
from vision.geometry.neighbours import IntArray
from vision.imaging.pyramid import ImagePyramid
from vision.nets.onnx_net import WEIGHTS
from vision.types.errors import VisionError
from vision.types.frame import FloatArray
from vision.types.reading import Unread

OPINION_FEATURES = (
    "die",
    "value",
    "margin",
    "agreement",
    "seen",
    "no_pips",
    "same",
    "sure",
    "leans",
    "flat",
    "lattice",
    "confidence",
)
"""Names of the columns of `Opinion.columns`; the first six as in `vision.decision.features`."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the reader made of a place.

    Attributes:
        verdict: The reader's verdict on the place.
        flat: Share of lying flat, 0 to 1.
        has_lattice: Whether the lattice of its pips was read.
    """

    verdict: Verdict
    flat: float
    has_lattice: bool


@dataclass(frozen=True, slots=True, eq=False)
class Opinion:
    """What the die net sees at the K of N places that it was asked about.

    Attributes:
        rows: Shape (K,), rows of the places among the N.
        values: Shape (K,), the likeliest value of each, 1 to 6.
        columns: Shape (K, len(OPINION_FEATURES)). Columns of the net's own sight come first. `same`: whether it reads
            the same value as the reader; `sure`: whether the reader trusted its value; `leans`: whether the reader
            takes the die for cocked or stacked; `flat`: log odds of lying flat; `lattice`: whether the lattice was
            read; `confidence`: log odds of the reader's confidence.
    """

    rows: IntArray
    values: IntArray
    columns: FloatArray


class Reviewer(Protocol):
    """Reviews verdicts."""

    def review(self, picture: ImagePyramid, squares: Squares, said: Sequence[Said]) -> list[Verdict | None]:
        """See `SecondOpinion.review`."""
        ...


class SecondOpinion:
    """Reviews verdicts by what was fitted; threads may share one."""

    def __init__(self, fitted: Path = WEIGHTS / "decision.json") -> None:
        """Load the die net and what was fitted.

        Args:
            fitted: The file of what was fitted.

        Raises:
            VisionError: Their files are missing, or were fitted on other features.
        """
        self._reader = DieReader()
        models = load_models(fitted)
        try:
            second = models["second"]
            self._is_die, self._is_right = _model(second, "is_die"), _model(second, "is_right")
            self._denied, self._trusted = float(str(second["denied"])), float(str(second["trusted"]))
        except KeyError as error:
            raise VisionError(f"the fitted decision lacks {error}: install the project again") from error

    def review(self, picture: ImagePyramid, squares: Squares, said: Sequence[Said]) -> list[Verdict | None]:
        """Ask about dice.

        Args:
            picture: With its halves.
            squares: Where N tops lie.
            said: What the reader made of each.

        Returns:
            The verdicts now, in their order; None for what is no die.
        """
        verdicts: list[Verdict | None] = [one.verdict for one in said]
        opinion = ask(self._reader, picture, squares, said)
        is_die, is_right = self._is_die.share(opinion.columns), self._is_right.share(opinion.columns)
        for k, row in enumerate(opinion.rows.tolist()):
            before = said[row].verdict
            if before.unread is not None and is_die[k] < self._denied:
                verdicts[row] = None
            else:
                verdicts[row] = self._weighed(before, int(opinion.values[k]), float(is_right[k]))
        return verdicts

    def _weighed(self, before: Verdict, value: int, is_right: float) -> Verdict:
        """A verdict on a die in the light of the value that the net reads, and of how likely that is right."""
        if before.unread is None:
            # The net reads another value than the one that is trusted.
            if is_right >= self._trusted:
                return Verdict(value, is_right, None)
            return Verdict(value if is_right >= 0.5 else before.value, before.confidence, Unread.PIPS_UNCLEAR)
        if before.unread is Unread.PIPS_UNCLEAR and is_right >= self._trusted:
            return Verdict(value, is_right, None)
        return replace(before, value=value) if is_right >= 0.5 or before.value is None else before


def ask(reader: DieReader, picture: ImagePyramid, squares: Squares, said: Sequence[Said]) -> Opinion:
    """See what the reader doubts, and what the net reads otherwise at one look.

    Args:
        reader: The net.
        picture: With its halves.
        squares: Where N tops lie.
        said: What the reader made of each.
    """
    glance = reader.look_at(picture, squares, turns=1, spans=1)
    read = (glance.shares[:, :NO_DIE].argmax(axis=1) + 1).tolist()
    asked = [
        one.verdict.unread is not None or one.verdict.value != value for one, value in zip(said, read, strict=True)
    ]
    rows = np.flatnonzero(np.array(asked, np.bool_))
    sights = reader.look_at(picture, squares.some(rows))
    values = np.asarray(sights.shares[:, :NO_DIE].argmax(axis=1) + 1, np.intp)
    return Opinion(rows, values, _columns(sights, values, [said[row] for row in rows.tolist()]))


def _columns(sights: DieSights, values: IntArray, said: Sequence[Said]) -> FloatArray:
    verdicts = [one.verdict for one in said]
    own = [
        [verdict.value == value for verdict, value in zip(verdicts, values.tolist(), strict=True)],
        [verdict.unread is None for verdict in verdicts],
        [verdict.unread in {Unread.COCKED, Unread.STACKED} for verdict in verdicts],
        logit(np.array([one.flat for one in said], np.float64)),
        [one.has_lattice for one in said],
        logit(np.array([verdict.confidence for verdict in verdicts], np.float64)),
    ]
    return np.concatenate([sight_columns(sights), np.array(own, np.float64).reshape(6, -1).T], axis=1)


def _model(models: Mapping[str, object], name: str) -> Logistic:
    return Logistic.from_json(dict(models[name]), OPINION_FEATURES)  # type: ignore[call-overload]
