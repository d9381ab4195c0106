"""Lays a card, sheet, phone or coin over a part of the dice of labelled trays: what cuts a die off must be a doubt.

    .venv/bin/python tests/benchmarks/covered_trays.py LABELLED FOLDER --seed 5301        # makes them
    .venv/bin/python tests/benchmarks/covered_trays.py FOLDER --read                      # reads them

Each picture of LABELLED with a flat die in it is shown once, with something that is no die laid over one die, so that 5
to 85 % of its top still shows, and over whatever lies beside it. `--read` counts pictures that are trusted while a die
of which something shows is left out or read wrong.
"""

import argparse
import json
import sys
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from vision.frame import FloatArray, ImageBgr  # noqa: E402
from vision.reader import Reader  # noqa: E402
from vision.training.printed import paste, printed_thing  # noqa: E402

CUT = (0.05, 0.85)
"""Between these shares of its top the die that was meant still shows."""
_TRIES = 40
_SHOWS = 0.05


def covered_share(cover: FloatArray, quad: FloatArray) -> float:
    """Share of a top, shape (4, 2), that lies under something, shape (H, W), 0 to 1."""
    mask = np.zeros(cover.shape, np.uint8)
    cv2.fillPoly(mask, [np.rint(quad).astype(np.int32)], (1,))
    return float(cover[mask > 0].mean()) if mask.any() else 0.0


def lay_over(
    image: ImageBgr, quads: FloatArray, target: int, rng: np.random.Generator
) -> tuple[ImageBgr, FloatArray] | None:
    """A picture with a thing laid over a die, and what it covers; None where chance laid it badly."""
    edge = float(np.sqrt(cv2.contourArea(quads[target].astype(np.float32))))
    laid = image.copy()
    thing, cover = printed_thing(rng, edge)
    way, reach = rng.uniform(0, 2 * np.pi), 0.5 * min(thing.shape[:2]) + rng.uniform(-0.35, 0.45) * edge
    middle = quads[target].mean(axis=0) + reach * np.array([np.cos(way), np.sin(way)])
    turn = float(way + rng.integers(4) * np.pi / 2 + rng.normal(0, 0.3))
    shadow = cv2.GaussianBlur(cover.astype(np.float32), (0, 0), max(0.05 * edge, 0.5))
    drop = middle + rng.normal(0, 0.06, 2) * edge
    paste(laid, np.zeros_like(thing), 0.45 * shadow, (float(drop[0]), float(drop[1])), turn)
    hidden = paste(laid, thing, cover, (float(middle[0]), float(middle[1])), turn)
    shows = 1.0 - covered_share(hidden, quads[target])
    return (laid, hidden) if CUT[0] <= shows <= CUT[1] else None


def make(labelled: Path, folder: Path, seed: int) -> int:
    """Write the pictures and their labels; gives how many."""
    entries = json.loads((labelled / "labels.json").read_text(encoding="utf-8"))
    (folder / "images").mkdir(parents=True, exist_ok=True)
    kept = []
    for number, entry in enumerate(entries):
        rng = np.random.default_rng([seed, number])
        dice = entry["dice"]
        flat = [k for k, die in enumerate(dice) if not (die.get("cocked") or die.get("stacked") or die.get("covered"))]
        image = cv2.imread(str(labelled / entry["image"]), cv2.IMREAD_COLOR)
        if not flat or image is None:
            continue
        quads = np.array([die["top_quad_px"] for die in dice], np.float64)
        made = None
        for _ in range(_TRIES):
            made = lay_over(np.asarray(image, np.uint8), quads, int(rng.choice(flat)), rng)
            if made is not None:
                break
        if made is None:
            continue
        for die, quad in zip(dice, quads, strict=True):
            shows = float(die.get("top_visible", 1.0)) * (1.0 - covered_share(made[1], quad))
            die["top_visible"], die["covered"] = round(shows, 3), shows < _SHOWS
        entry["image"] = f"images/{Path(entry['image']).stem}.jpg"
        cv2.imwrite(str(folder / entry["image"]), made[0], [cv2.IMWRITE_JPEG_QUALITY, 93])
        kept.append(entry)
    (folder / "labels.json").write_text(json.dumps(kept), encoding="utf-8")
    return len(kept)


def read(folder: Path) -> None:
    """Read the pictures and print what was trusted with a die left out."""
    entries = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    readers: dict[str, Reader] = {}
    trusted = left_out = told = cut = 0
    for entry in entries:
        scheme = entry.get("scheme", {})
        colours = {role: scheme[role]["colour"] for role in ("base", "skill", "gear") if role in scheme} or None
        key = str(colours)
        if key not in readers:
            readers[key] = Reader(None, colours)
        image = cv2.imread(str(folder / entry["image"]), cv2.IMREAD_COLOR)
        reading = readers[key].read(np.asarray(image, np.uint8))
        missed = False
        for die in entry["dice"]:
            if die["covered"]:
                continue
            x, y = die["center_px"]
            edge = float(np.sqrt(cv2.contourArea(np.array(die["top_quad_px"], np.float32))))
            near = [d for d in reading.dice if np.hypot(d.center_px[0] - x, d.center_px[1] - y) < 0.7 * edge]
            is_cut = die["top_visible"] < CUT[1]
            doubted = any(d.unread is not None for d in near)
            cut += is_cut
            told += is_cut and doubted
            missed |= not near or (not doubted and all(d.value != die["pips"] for d in near))
        trusted += reading.trusted
        left_out += reading.trusted and missed
        if reading.trusted and missed:
            print(f"trusted, a die left out or wrong: {entry['image']}")
    print(
        f"{len(entries)} pictures, {trusted} trusted, {left_out} of these with a die left out or wrong; "
        f"of {cut} dice that are cut off {told} are in doubt"
    )


def main() -> None:
    """Read the command line, make pictures or read them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labelled", type=Path)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--seed", type=int, default=5301)
    parser.add_argument("--read", action="store_true")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    if asked.read:
        read(asked.labelled)
    elif asked.folder is None:
        parser.error("FOLDER is missing: name where the pictures go, or --read")
    else:
        print(f"{make(asked.labelled, asked.folder, asked.seed)} pictures in {asked.folder}")


if __name__ == "__main__":
    main()
