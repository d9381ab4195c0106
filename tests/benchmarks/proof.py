"""Prints what the tray withstands: `python -m tests.benchmarks.proof [PART ...] [--short]`.

Kills and power cuts lose nothing that was announced; external faults are reported and end without help; a night leaves
the tray unchanged; strangers delay no user and shut no phone out; a report names no one; no external input breaks a
reader. The first loss ends the run. The suite runs the short forms (`tests/proof/test_short_forms.py`).
"""

import argparse
import logging
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks import strangers
from tests.proof.hostile import hostile
from tests.proof.inputs import spoil
from tests.proof.kills import NoBlockDevice, cuts, kills
from tests.proof.night import night
from tests.proof.outsiders import floods, reports
from tests.proof.world import world


def tried_kills(folder: Path, *, short: bool, seed: int) -> Mapping[str, Any]:
    return kills(folder, 10 if short else 300, seed)


def tried_cuts(folder: Path, *, short: bool, seed: int) -> Mapping[str, Any]:
    try:
        return cuts(folder, 5 if short else 50, seed)
    except NoBlockDevice as error:
        return {"not tried, for nothing can be mounted here": error}


def tried_world(folder: Path, *, short: bool, seed: int) -> Mapping[str, Any]:
    return world(folder, 5 if short else 100)


def tried_night(folder: Path, *, short: bool, seed: int) -> Mapping[str, Any]:
    return night(folder, 200 if short else 2000)


def tried_inputs(folder: Path, *, short: bool, seed: int) -> Mapping[str, Any]:
    tried, found = spoil(300 if short else 20_000, seed)
    for fault, data in found.items():
        print(fault, data[:200])
    return {**tried, "faults found": len(found)}


def tried_strangers(folder: Path, *, short: bool, seed: int) -> Mapping[str, Any]:
    strangers.main(["--seconds", "2", "--rolls", "300"] if short else [])
    if not short:
        strangers.main(["--routes"])
    return {}


def tried_pins(folder: Path, *, short: bool, seed: int) -> Mapping[str, Any]:
    among_askers = floods(folder / "ask", 1 if short else 4, seed, ask_too=True)
    return {
        **floods(folder, 2 if short else 40, seed),
        **{f"{what}, guessers ask at the display, too": count for what, count in among_askers.items()},
    }


def tried_reports(folder: Path, *, short: bool, seed: int) -> Mapping[str, Any]:
    return reports(folder, 3 if short else 50, seed)


def tried_files(folder: Path, *, short: bool, seed: int) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for name, cost in hostile(folder, 3 if short else 200, seed).items():
        found[f"{name}: files; at most {cost.seconds:.1f} s, {cost.memory_mb:.0f} MB"] = cost.files
        found |= dict.fromkeys((f"fault: {fault}" for fault in cost.faults), name)
    return found


PARTS = {
    "kills": tried_kills,
    "cuts": tried_cuts,
    "world": tried_world,
    "night": tried_night,
    "strangers": tried_strangers,
    "pins": tried_pins,
    "reports": tried_reports,
    "files": tried_files,
    "inputs": tried_inputs,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all where none is named")
    parser.add_argument("--short", action="store_true", help="as in the suite")
    parser.add_argument("--seed", type=int, default=1, help="of what chance chooses")
    words = parser.parse_args()
    if unknown := set(words.parts) - set(PARTS):
        parser.error(f"no part {unknown.pop()}: choose of {', '.join(PARTS)}")
    logging.disable(logging.CRITICAL)
    for part in words.parts or PARTS:
        begun_s = time.monotonic()
        print(f"{part}:", flush=True)
        with tempfile.TemporaryDirectory(prefix="pushtray-proof-") as folder:
            found = PARTS[part](Path(folder) / part, short=words.short, seed=words.seed)
        for what, value in sorted(found.items()):
            print(f"{value!s:>10}  {what}")
        print(f"{time.monotonic() - begun_s:10.0f}  seconds\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
