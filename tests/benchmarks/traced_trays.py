"""Draws labelled pictures of trays with Blender's path tracer, for `pushtray evaluate`.

    python3.11 -m venv TRACER && TRACER/bin/pip install bpy pillow fonttools && TRACER/bin/pip install -e .
    TRACER/bin/python tests/benchmarks/traced_trays.py FOLDER --pictures 100 --seed 1
    TRACER/bin/python tests/benchmarks/traced_trays.py FOLDER --rigs 4 --seed 1
    TRACER/bin/python tests/benchmarks/traced_trays.py FOLDER --rigs 6 --seed 1 --fonts FONTS --faces game-icons.json
    TRACER/bin/python tests/benchmarks/traced_trays.py FOLDER --rigs 2 --seed 1 --fonts FONTS --solids

Except for how dice come to rest, it shares no code with what drew the training pictures of the nets, apart from some 60
pictures of the stance net's (`traced_stances.py`, other seeds). Floors of felt, velvet, leather, neoprene, cork and
wood; rectangles, hexagons, octagons, round trays; a lamp, a window, both, a ring around the lens, a lamp that dice
reflect, little light; plastic, marbled and translucent dice of 12, 16 or 19 mm, matt to polished; coins, pencils,
chips, cards. Pictures with a flat die that a person could not read are left out (`legible`). A picture takes 20 s of
two cores. With --rigs each is a folder of one tray with its calibration pictures, for `calibrated_trays.py FOLDER
--again`; with --faces play is with dice that show symbols, symbols and pips, and numerals in turn, some engraved, some
worn, for `own_dice.py --rigs`; with --solids with numerals on 8, 10 and 12 faces.
Blender (`bpy`, 370 MB) has its own environment: it requires an older NumPy than OpenCV, works with the newer, and warns
at its start.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.calibrated_trays import CALIBRATION_DICE, drifted  # noqa: E402
from tests.benchmarks.hard_trays import write_jpeg  # noqa: E402
from tests.benchmarks.own_sets import KINDS, digits, icons_of  # noqa: E402
from tests.benchmarks.traced_camera import bent, developed, exposure_of, shot  # noqa: E402
from tests.benchmarks.traced_plays import PARAMS, OwnPlay, PipPlay, SolidPlay, thrown  # noqa: E402
from tests.benchmarks.traced_recipe import BODIES, Setting, setting, things_among  # noqa: E402
from tests.benchmarks.traced_scene import trace  # noqa: E402
from vision.rendering.optics import project  # noqa: E402
from vision.rendering.scene import DieLook, DiePose  # noqa: E402
from vision.training.throws import throw  # noqa: E402
from vision.types.frame import ImageBgr  # noqa: E402

FLAT = replace(PARAMS, leaning=0.0, stacked=0.0)


def flat_dice(rng: np.random.Generator, where: Setting, look: DieLook) -> tuple[DiePose, ...]:
    """Return as many dice of one class as a calibration needs."""
    while True:
        dice = throw(rng, (look,), CALIBRATION_DICE, where.look, FLAT)
        if len(dice) == CALIBRATION_DICE:
            return dice


def light_of(where: Setting, dice: tuple[DiePose, ...], samples: int) -> np.ndarray:
    """Return the light that reaches the camera, distorted by its lens."""
    return bent(trace(replace(where.tray, dice=dice), samples), where.camera)


def draw_one(
    rng: np.random.Generator, colours: str, name: str, samples: int
) -> tuple[ImageBgr, dict[str, object]] | None:
    """Return one picture of a new tray, and its label; None if a person could not read it."""
    where = setting(rng, BODIES[colours])
    dice = thrown(rng, where)
    things = things_among(rng, dice, where.look)
    where = replace(where, tray=replace(where.tray, things=things))
    light = light_of(where, dice, samples)
    picture = developed(rng, light, exposure_of(light), shot(rng, where.dark))
    tags = [*where.tags, *sorted({f"clutter:{thing.kind}" for thing in things})]
    labels = PipPlay().labels(picture, dice, where)
    return (
        None
        if labels is None
        else (picture, {"image": name, "tags": tags, "floor_px": floor_px(where), "dice": labels})
    )


def floor_px(where: Setting) -> list[list[float]]:
    """Return the outline of the floor in the picture."""
    corners = np.column_stack([where.tray.inner_mm, np.zeros(len(where.tray.inner_mm))])
    outline: list[list[float]] = project(where.camera, corners).tolist()
    return outline


def draw_rig(folder: Path, rng: np.random.Generator, play: PipPlay, colours: str, samples: int) -> None:
    """Draw one tray's folder: empty, five dice of each class, and play in a light that drifts; the camera's own set."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    where = setting(rng, BODIES[colours])
    how = shot(rng, where.dark)
    light = light_of(where, (), samples)
    exposure = exposure_of(light)
    write_jpeg(folder / "empty.jpg", developed(rng, light, exposure, how))
    for label, look in where.looks.items():
        light = light_of(where, flat_dice(rng, where, look), samples)
        write_jpeg(folder / f"calib_{label}.jpg", developed(rng, light, exposure, how))
    entries = []
    where = play.prepared(where)
    for number in range(play.pictures):
        dice = play.throw(rng, where, number)
        name = f"images/{folder.name}_{number:02d}.jpg"
        picture = drifted(rng, developed(rng, light_of(where, dice, samples), exposure, how))
        labels = play.labels(picture, dice, where)
        if labels is not None:
            write_jpeg(folder / name, picture)
            entries.append({"image": name, "tags": list(where.tags), "floor_px": floor_px(where), "dice": labels})
    (folder / "labels.json").write_text(json.dumps(entries), encoding="utf-8")


def plays(args: argparse.Namespace) -> Iterator[PipPlay]:
    """Return what is played in each tray."""
    icons = icons_of([args.faces]) if args.faces else []
    numerals = digits(args.fonts, last=12) if args.fonts else []
    for number in range(args.rigs):
        rng = np.random.default_rng([args.seed, number, 1])
        if args.faces:
            of_font = numerals[(args.seed + number // len(KINDS)) % len(numerals)][:6]
            yield OwnPlay(rng, KINDS[number % len(KINDS)], icons, of_font)
        else:
            yield SolidPlay(rng, numerals[(args.seed + number) % len(numerals)]) if args.solids else PipPlay()


def main() -> int:
    """Draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=int, default=100)
    parser.add_argument("--rigs", type=int, default=0, help="so many calibrated trays instead")
    parser.add_argument("--faces", type=Path, help="font or set of icons for the dice of these trays; needs --fonts")
    parser.add_argument("--solids", action="store_true", help="dice of 8, 10 and 12 faces in them; needs --fonts")
    parser.add_argument("--fonts", type=Path, help="folder of fonts for numerals")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--colours", choices=list(BODIES), default="yellow-green-black")
    parser.add_argument("--samples", type=int, default=6, help="paths for each pixel, before the noise is taken out")
    args = parser.parse_args()
    if args.rigs:
        for number, play in enumerate(plays(args)):
            rng = np.random.default_rng([args.seed, number])
            draw_rig(args.folder / f"rig{number:02d}", rng, play, args.colours, args.samples)
            sys.stderr.write(f"{number + 1} of {args.rigs} rigs\n")
        return 0
    (args.folder / "images").mkdir(parents=True, exist_ok=True)
    entries: list[dict[str, object]] = []
    for number in range(args.pictures):
        name = f"images/t{number:04d}.jpg"
        rng = np.random.default_rng([args.seed, number])
        drawn = draw_one(rng, args.colours, name, args.samples)
        if drawn is None:
            sys.stderr.write(f"{number + 1} of {args.pictures} pictures: unreadable\n")
            continue
        write_jpeg(args.folder / name, drawn[0])
        entries.append(drawn[1])
        # So that a run that is stopped leaves a set that can be read.
        (args.folder / "labels.json").write_text(json.dumps(entries), encoding="utf-8")
        sys.stderr.write(f"{number + 1} of {args.pictures} pictures\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
