"""The gate: the reader's results on every labelled picture, compared with a frozen file of verdicts.

    python tests/benchmarks/gate/gate.py freeze [--sets stills photos]    # writes verdicts.json
    python tests/benchmarks/gate/gate.py compare [--sets ...] [--committed]

`compare` reads all pictures again and prints a row for each set and one for all together: exact and trusted, values
right, trusted and wrong, before -> after, with the two-sided p of McNemar's exact test on the changes. It exits with 1
if, of all pictures together, fewer are good or more are trusted and wrong beyond chance (p under 0.05). `--committed`
uses the sets whose pictures are in this repository, and exits with 1 if one more of them is trusted and wrong; the
others need the folder of shared pictures (`--fixtures`), and are skipped with a message if it is missing. `--more
NAME=FOLDER` adds traced and drawn trays.
"""

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT)]


from device.recording.evaluation import evaluate_recordings  # noqa: E402
from device.recording.recording import Recording  # noqa: E402
from vision.colour.classes import STANDARD_COLOURS  # noqa: E402
from vision.evaluation.evaluate import judge  # noqa: E402
from vision.evaluation.labels import TruePicture, load_labels  # noqa: E402
from vision.imaging.image_file import load_image  # noqa: E402
from vision.pipeline.calibrate import calibrate  # noqa: E402
from vision.pipeline.reader import Reader  # noqa: E402
from vision.tracking.watch import TrayWatch  # noqa: E402
from vision.training.labelled import photographs  # noqa: E402
from vision.tray.profile import load_profile  # noqa: E402
from vision.types.reading import TrayReading  # noqa: E402

FROZEN = Path(__file__).with_name("verdicts.json")
REAL_TRAYS = {"N3VERS4YDIE_trays", "NikitaMensh_DiceWatcher"}
"""Sources of photographs of trays, which are also read as trays."""
_CHANCE = 0.05
COMMITTED = {"golden": ROOT / "tests/golden/stills", "golden-traced": ROOT / "tests/golden/traced"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A verdict on one picture.

    Attributes:
        plain: Nothing in it is cocked, stacked or covered.
        exact: Every die found once, all that counts of it right, none in doubt, none extra.
        trusted: The reader trusted its reading.
        values: The values read, doubted or not, are those of the dice.
        dice: Numbers of dice, of those with their value as a multiset, and of extra values.
    """

    plain: bool
    exact: bool
    trusted: bool
    values: bool
    dice: tuple[int, int, int]

    @property
    def silent(self) -> bool:
        """Whether it is trusted and wrong."""
        return self.trusted and not self.exact

    @property
    def good(self) -> bool:
        """Whether it is all right and trusted or, with a die that must not be trusted, not trusted."""
        return self.exact and self.trusted if self.plain else not self.trusted


def seen(truth: TruePicture, reading: TrayReading, *, with_colour: bool) -> Picture:
    """Judge one reading."""
    verdict = judge(truth, reading, with_colour=with_colour)
    wanted = Counter(die.value for die in truth.dice if not die.covered)
    got = Counter(die.value for die in reading.dice if die.value is not None)
    right = sum((wanted & got).values())
    dice = (sum(wanted.values()), right, sum(got.values()) - right)
    return Picture(verdict.plain, verdict.exact, verdict.trusted, wanted == got, dice)


def read_trays(folder: Path) -> Iterator[tuple[str, Picture]]:
    """Read trays without a profile, each with the colours in its label."""
    entries = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    readers: dict[str, Reader] = {}
    for truth, entry in zip(load_labels(folder), entries, strict=True):
        names = _colours_of(entry)
        reader = readers.setdefault(json.dumps(names), Reader(None, names))
        yield truth.path.stem, seen(truth, reader.read(load_image(truth.path)), with_colour=True)


def _colours_of(entry: dict[str, dict[str, dict[str, str]]]) -> dict[str, str]:
    scheme = entry.get("scheme") or {}
    names = {role: str(scheme[role]["colour"]) for role in STANDARD_COLOURS if role in scheme}
    return names or dict(STANDARD_COLOURS)


def read_rigs(folder: Path) -> Iterator[tuple[str, Picture]]:
    """Read fixed trays, each calibrated by its own pictures."""
    for rig in sorted(path.parent for path in folder.glob("*/labels.json")):
        dice = {role: load_image(rig / f"calib_{role}.jpg") for role in STANDARD_COLOURS}
        reader = Reader(calibrate(load_image(rig / "empty.jpg"), dice))
        for truth in load_labels(rig):
            yield truth.path.stem, seen(truth, reader.read(load_image(truth.path)), with_colour=True)


def read_photos(folder: Path) -> Iterator[tuple[str, Picture]]:
    """Read photographs of dice lying anywhere; only values count."""
    reader = Reader(None, tray=False)
    for truth in load_labels(folder):
        yield truth.path.stem, seen(truth, reader.read(load_image(truth.path)), with_colour=False)


def read_held(folder: Path, source: str, *, tray: bool) -> Iterator[tuple[str, Picture]]:
    """Read the set-aside photographs of one source; only values count."""
    reader = Reader(None, tray=tray)
    held = {p.path for p in photographs(folder) if p.source == source and p.held and not p.is_crop}
    for truth in load_labels(folder / source):
        if truth.path in held:
            yield truth.path.stem, seen(truth, reader.read(load_image(truth.path)), with_colour=False)


def read_recordings(folder: Path) -> Iterator[tuple[str, Picture]]:
    """Judge the rests of recordings: found in time, dice right, ids kept."""
    for score in evaluate_recordings(folder, _watch):
        for rest in score.rests:
            right = rest.in_time and rest.dice_right and rest.ids_right
            silent = rest.silent_error
            yield f"{score.name}@{rest.first_frame}", Picture(True, right, right or silent, right, (0, 0, 0))


def _watch(recording: Recording) -> TrayWatch:
    profile = None if recording.profile is None else load_profile(recording.profile)
    return TrayWatch(Reader(profile, None if profile is not None else recording.colours or None))


def sets_of(fixtures: Path, more: dict[str, Path]) -> dict[str, Callable[[], Iterator[tuple[str, Picture]]]]:
    """Return every available set, by name."""
    sets: dict[str, Callable[[], Iterator[tuple[str, Picture]]]] = {}
    for name, folder in COMMITTED.items():
        sets[name] = partial(read_trays, folder)
    for name in ("stills", "stills-hard"):
        if (fixtures / name / "labels.json").exists():
            sets[name] = partial(read_trays, fixtures / name)
    if (fixtures / "rigs").exists():
        sets["rigs"] = lambda: read_rigs(fixtures / "rigs")
    if (fixtures / "recordings").exists():
        sets["recordings"] = lambda: read_recordings(fixtures / "recordings")
    if (fixtures / "photos/labels.json").exists():
        sets["photos"] = lambda: read_photos(fixtures / "photos")
    for labels in sorted((fixtures / "photos-train").glob("*/labels.json")):
        source = labels.parent.name
        if not source.endswith("crops") and not source.startswith("skovy"):
            read = partial(read_held, fixtures / "photos-train", source)
            sets[f"held {source}"] = partial(read, tray=False)
            if source in REAL_TRAYS:
                sets[f"tray of {source}"] = partial(read, tray=True)
    for name, folder in more.items():
        sets[name] = partial(read_trays, folder)
    return sets


def mcnemar(gained: int, lost: int) -> float:
    """Return the two-sided p that at least so many pictures change one way by chance."""
    changed = gained + lost
    if not changed:
        return 1.0
    tail: float = sum(math.comb(changed, k) for k in range(min(gained, lost) + 1)) / 2**changed
    return min(1.0, 2 * tail)


def is_worse(old: dict[str, Picture], new: dict[str, Picture], *, by_count: bool) -> bool:
    """Return whether fewer pictures are good, or more trusted and wrong: beyond chance, or by one more wrong one."""
    if by_count:
        return sum(p.silent for p in new.values()) > sum(p.silent for p in old.values())
    lost = sum(old[key].good and not new[key].good for key in new)
    won = sum(new[key].good and not old[key].good for key in new)
    bad = sum(new[key].silent and not old[key].silent for key in new)
    mended = sum(old[key].silent and not new[key].silent for key in new)
    return (lost > won and mcnemar(won, lost) < _CHANCE) or (bad > mended and mcnemar(mended, bad) < _CHANCE)


def row_of(name: str, before: dict[str, Picture], after: dict[str, Picture]) -> str:
    """Return one line of the table."""
    both = sorted(before.keys() & after.keys())
    old, new = [before[k] for k in both], [after[k] for k in both]
    gained = sum(n.good and not o.good for o, n in zip(old, new, strict=True))
    lost = sum(o.good and not n.good for o, n in zip(old, new, strict=True))
    dice = [sum(p.dice[0] for p in new), sum(p.dice[1] for p in old), sum(p.dice[1] for p in new)]
    extra = [sum(p.dice[2] for p in old), sum(p.dice[2] for p in new)]

    def pair(key: Callable[[Picture], bool]) -> str:
        return f"{sum(map(key, old))} -> {sum(map(key, new))}"

    return (
        f"{name:<30}{len(both):>5}{pair(lambda p: p.good):>12}{pair(lambda p: p.values):>12}"
        f"{pair(lambda p: p.silent):>10}   {dice[1]} -> {dice[2]} of {dice[0]}, {extra[0]} -> {extra[1]} too many"
        f"   p {mcnemar(gained, lost):.3f}"
    )


def picture_of(plain: bool, exact: bool, trusted: bool, values: bool, dice: list[int]) -> Picture:
    """Return a verdict from its row in the file."""
    there, right, extra = dice
    return Picture(plain, exact, trusted, values, (there, right, extra))


def load_frozen() -> dict[str, dict[str, Picture]]:
    """Return the frozen verdicts, by set and picture."""
    stored = json.loads(FROZEN.read_text(encoding="utf-8")) if FROZEN.exists() else {}
    return {name: {key: picture_of(*row) for key, row in rows.items()} for name, rows in stored.items()}


def store(verdicts: dict[str, dict[str, Picture]]) -> None:
    """Write verdicts as the frozen ones."""
    rows = {
        name: {key: [p.plain, p.exact, p.trusted, p.values, list(p.dice)] for key, p in found.items()}
        for name, found in sorted(verdicts.items())
    }
    lines = [
        f' "{name}": {{\n' + ",\n".join(f'  "{k}": {json.dumps(v)}' for k, v in found.items()) + "\n }"
        for name, found in rows.items()
    ]
    FROZEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> int:
    """Freeze or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["freeze", "compare"])
    parser.add_argument("--sets", nargs="*", help="only these")
    parser.add_argument("--committed", action="store_true", help="only sets whose pictures lie in this repository")
    parser.add_argument("--fixtures", type=Path, default=ROOT.parent / "shared/fixtures")
    parser.add_argument("--more", nargs="*", default=[], metavar="NAME=FOLDER", help="further labelled trays")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    more = dict(pair.split("=", 1) for pair in args.more)
    sets = sets_of(args.fixtures, {name: Path(folder) for name, folder in more.items()})
    wanted = set(COMMITTED) if args.committed else set(args.sets or sets)
    for name in sorted(wanted - sets.keys()):
        print(f"{name}: no such pictures here, left out")
    frozen = load_frozen()
    old: dict[str, Picture] = {}
    new: dict[str, Picture] = {}
    print(f"{'set':<30}{'':>5}{'good':>12}{'values':>12}{'silent':>10}   dice")
    for name in [name for name in sets if name in wanted]:
        after = dict(sets[name]())
        before = frozen.get(name, {}) or after
        print(row_of(name, before, after), flush=True)
        both = before.keys() & after.keys()
        old |= {f"{name} {key}": before[key] for key in both}
        new |= {f"{name} {key}": after[key] for key in both}
        if args.what == "freeze":
            frozen[name] = after
    if args.what == "freeze":
        store(frozen)
        return 0
    print(row_of("all", old, new))
    return int(is_worse(old, new, by_count=args.committed))


if __name__ == "__main__":
    sys.exit(main())
