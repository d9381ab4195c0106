"""Rebuild every drawing, table, card and printable part: `python hardware/build.py`.

Needs OpenSCAD (with xvfb for the pictures), PrusaSlicer, and WireViz with Graphviz, see README.md; without one of them
its files are left alone and reported. `built.json` records what each file was made from; a test fails if one is out of
date. Rebuilt from the same sources, with the same programs and fonts, every file is identical.
"""

import errno
import hashlib
import json
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import card  # noqa: E402 - a folder of scripts, not a package
import optics  # noqa: E402
import printing  # noqa: E402
import routes  # noqa: E402

PARTS = tuple(printing.PIECES)
BUILT = HERE / "built.json"

PICTURES = {
    "assembly": ("1300,1200", "10,10,150,65,0,28,1500"),
    "frame_1": ("900,560", "0,0,15,52,0,25,830"),
    "frame_2": ("900,560", "0,0,35,58,0,25,800"),
    "frame_3": ("900,560", "0,-5,0,45,0,20,1150"),
    "arm_1": ("700,800", "0,60,250,74,0,52,1900"),
    "arm_2": ("800,600", "0,8,320,72,0,40,260"),
    "arm_3": ("700,800", "0,30,170,78,0,52,1250"),
    "arm_4": ("700,800", "0,70,190,78,0,35,1050"),
    "pi_1": ("800,600", "-10,160,60,62,0,205,600"),
    "pi_2": ("800,600", "-16,185,75,66,0,225,560"),
    "box_1": ("800,500", "75,30,5,66,0,22,420"),
    "box_2": ("800,500", "75,36,-8,118,0,338,380"),
    "box_3": ("800,500", "0,-150,35,58,0,28,560"),
    "wiring_1": ("700,800", "0,80,170,72,0,212,1300"),
    "wiring_2": ("1000,800", "-20,20,130,60,0,212,1500"),
    "wiring_3": ("1000,700", "110,20,130,62,0,28,1700"),
    "ring_1": ("800,500", "22,0,6,48,0,20,170"),
    "ring_2": ("900,600", "-10,0,-20,48,0,20,850"),
    "ring_3": ("800,500", "131,-103,-5,42,0,20,130"),
    "ring_4": ("800,500", "122,-92,-22,66,0,225,170"),
    "ring_5": ("800,600", "35,-18,12,72,0,62,240"),
    "ring_6": ("800,500", "-118,145,20,66,0,335,340"),
    "ring_7": ("1000,700", "-70,70,10,45,0,215,1050"),
}
"""Each picture of the guide: its size in pixels, and OpenSCAD's camera. One for each step that has something to see."""

CABLES = {
    "wiring_1": ("CameraRibbon",),
    "wiring_2": ("CameraRibbon", "PushCable", "ResetCable", "LampCable"),
    "wiring_3": ("CameraRibbon", "PushCable", "ResetCable", "LampCable", "ScreenVideo", "ScreenUSB"),
    "ring_6": ("RingSignal",),
    "ring_7": ("RingPower", "RingData", "RingSignal", "SupplyPower", "RingUSB"),
}
"""The cables that a picture shows."""


def digest(*paths: Path) -> str:
    """Return a fingerprint of files."""
    together = hashlib.sha256()
    for path in paths:
        together.update(path.read_bytes())
    return together.hexdigest()


def sources() -> dict[str, list[str]]:
    """Return the sources of each built file, all relative to this folder."""
    made = {f"parts/{part}.stl": ["parts/tray.scad"] for part in PARTS}
    made |= {f"pictures/{name}.png": ["parts/tray.scad"] for name in PICTURES}
    made |= {f"pictures/{name}.png": ["parts/tray.scad", "scad.py", "routes.py"] for name in CABLES}
    made |= {f"{name}.{kind}": [f"{name}.yml"] for name in routes.WIRINGS for kind in ("svg", "png")}
    made["cables.csv"] = ["parts/tray.scad", "scad.py", "routes.py", *(f"{name}.yml" for name in routes.WIRINGS)]
    made["printing.csv"] = ["printing.py", *(f"parts/{part}.stl" for part in PARTS)]
    return made | {"optics.csv": ["optics.py"], "calibration-card.pdf": ["card.py"]}


def fingerprint(name: str) -> str:
    """Return a fingerprint of what a built file is made from: its sources, and a picture's size, camera and cables."""
    picture = Path(name).stem
    recipe = (*PICTURES[picture], *CABLES.get(picture, ())) if name.startswith("pictures/") else ()
    return digest(*(HERE / source for source in sources()[name])) + "".join(f" {word}" for word in recipe)


def run(*words: str) -> None:
    """Run a program.

    Raises:
        CalledProcessError: It failed.
    """
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - fixed words, no shell


def need(program: str) -> None:
    """Check that a program called by another one is installed.

    Raises:
        FileNotFoundError: It is not.
    """
    if shutil.which(program) is None:
        raise FileNotFoundError(errno.ENOENT, "no such program", program)


def build_stl(part: str, path: Path) -> None:
    """Export one printable part."""
    run(
        "openscad",
        "-q",
        "-D",
        f'part="{part}"',
        "--export-format",
        "binstl",
        "-o",
        str(path),
        str(HERE / "parts/tray.scad"),
    )
    path.write_bytes(in_order(path.read_bytes()))


def in_order(stl: bytes) -> bytes:
    """Return a binary STL with its triangles sorted, since OpenSCAD's order differs each time."""
    (count,) = struct.unpack("<I", stl[80:84])
    triangles = []
    for at in range(84, 84 + 50 * count, 50):
        normal, corners, rest = stl[at : at + 12], stl[at + 12 : at + 48], stl[at + 48 : at + 50]
        # Each starts at its smallest corner and keeps its direction.
        turns = [corners[12 * first :] + corners[: 12 * first] for first in range(3)]
        triangles.append(min(turns, key=lambda turn: struct.unpack("<9f", turn)) + normal + rest)
    triangles.sort(key=lambda one: struct.unpack("<12f", one[:48]))
    return stl[:84] + b"".join(one[36:48] + one[:36] + one[48:] for one in triangles)


def build_picture(name: str) -> None:
    """Draw one picture of the guide."""
    need("openscad")
    size, camera = PICTURES[name]
    look = (f"--imgsize={size}", f"--camera={camera}", "--colorscheme=Tomorrow")
    out = ("-o", str(HERE / f"pictures/{name}.png"))
    what = ["-D", f'part="{name}"']
    if name in CABLES:
        what += ["-D", f"cables={routes.to_scad(CABLES[name])}"]
    run("xvfb-run", "-a", "openscad", "-q", *what, *look, *out, str(HERE / "parts/tray.scad"))


def build_wiring(name: str) -> None:
    """Draw one wiring."""
    need("dot")
    with tempfile.TemporaryDirectory() as folder:
        run(
            shutil.which("wireviz") or str(Path(sys.executable).parent / "wireviz"),
            "-f",
            "sp",
            "-o",
            folder,
            str(HERE / f"{name}.yml"),
        )
        for kind in ("svg", "png"):
            shutil.copyfile(Path(folder) / f"{name}.{kind}", HERE / f"{name}.{kind}")


def main() -> int:
    """Build everything that can be built. Returns 1 if a tool was missing."""
    steps: list[tuple[list[str], Callable[[], None]]] = [
        (["optics.csv"], lambda: optics.write_file(HERE / "optics.csv")),
        (["calibration-card.pdf"], lambda: card.write_file(HERE / "calibration-card.pdf")),
        (["cables.csv"], lambda: routes.write_file(HERE / "cables.csv")),
        *(([f"{name}.svg", f"{name}.png"], partial(build_wiring, name)) for name in routes.WIRINGS),
    ]
    steps += [([f"pictures/{name}.png"], partial(build_picture, name)) for name in PICTURES]
    steps += [([f"parts/{part}.stl"], partial(build_stl, part, HERE / f"parts/{part}.stl")) for part in PARTS]
    steps.append((["printing.csv"], lambda: printing.write_file(HERE / "printing.csv")))  # from the parts built above
    built = json.loads(BUILT.read_text()) if BUILT.exists() else {}
    built = {name: one for name, one in built.items() if name in sources()}
    missing = 0
    for names, step in steps:
        try:
            step()
        except FileNotFoundError as error:
            print(f"{', '.join(names)} left alone: {error.filename} is missing", file=sys.stderr)  # noqa: T201
            missing = 1
            continue
        for name in names:
            built[name] = {
                "sources": fingerprint(name),
                "file": digest(HERE / name),
            }
            print(name)  # noqa: T201
    BUILT.write_text(json.dumps(built, indent=1, sort_keys=True) + "\n")
    return missing


if __name__ == "__main__":
    sys.exit(main())
