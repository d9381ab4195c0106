"""Draws recordings of a push in hard trays, with their truth, for `pushtray evaluate` and `pushtray replay`.

    .venv/bin/python tests/benchmarks/hard_recordings.py FOLDER --recordings 12 --seed 1 [--width 1280]

Trays are those of `hard_trays.py`; dice fly like the simulated camera's. A hand with any skin and sleeve takes out what
must be thrown again, in every third recording wrongly: it leaves a die, or takes one that is locked. The light flickers
or drifts, the camera's exposure follows it when a hand comes in, and landing dice shake the table.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from device.recording.writer import RecordingWriter  # noqa: E402
from device.simulation.hand import HandParams  # noqa: E402
from device.simulation.physics import ThrowParams  # noqa: E402
from device.simulation.scenery import box_of  # noqa: E402
from device.simulation.script import SimulatedDie, Take, Toss, TrayPlay  # noqa: E402
from tests.benchmarks.hard_trays import FLAT_DEG, PARAMS  # noqa: E402
from tests.benchmarks.recorded_camera import FPS, RecordedCamera, Unsteady  # noqa: E402
from vision.rendering.optics import project  # noqa: E402
from vision.rendering.scene import Bgr, DiePose, Scene  # noqa: E402
from vision.rendering.synthetic import die_truth  # noqa: E402
from vision.training.trays import BODIES, STANDARD, looks_of, resized, whole_scene  # noqa: E402

DICE = (4, 5, 6, 6, 7, 8, 9, 10)
EMPTY_S, PRESS_AFTER_S, LOOK_S, GONE_S = 0.6, 1.3, 0.2, 0.5
"""Seconds before the first throw; from dice at rest to the push press; from there to the hand; after the tray is
swept.
"""
PLAYS = ("right", "right", "right", "right", "left_lying", "locked_but_rerolled")
COLOUR_NAMES = {
    "yellow-green-black": {"base": "yellow", "skill": "green", "gear": "black"},
    "red-white-blue": {"base": "red", "skill": "white", "gear": "blue"},
}
SKINS: tuple[Bgr, ...] = ((142, 172, 222), (120, 150, 205), (90, 120, 175), (60, 85, 130), (40, 55, 90))
SLEEVES: tuple[Bgr, ...] = ((92, 66, 52), (30, 30, 30), (215, 215, 215), (40, 40, 150), (70, 110, 60))
HAND_MM, REACH_MM = 45.0, 120.0
"""Height of a hand's back above the floor, and how far its fingers reach from its centre."""


def some_hand(rng: np.random.Generator, scene: Scene) -> HandParams:
    """Return a hand that comes from beyond the picture's lower edge."""
    camera, edge_mm = scene.camera, 0.0
    while edge_mm < 900 and project(camera, np.array([[0.0, -edge_mm, HAND_MM]]))[0, 1] < camera.height_px:
        edge_mm += 10.0
    sleeve = scene.tray.floor_bgr if rng.random() < 0.2 else SLEEVES[int(rng.integers(len(SLEEVES)))]
    return HandParams(
        enter_s=float(rng.uniform(0.3, 0.8)),
        reach_s=float(rng.uniform(0.12, 0.3)),
        grip_s=float(rng.uniform(0.08, 0.4)),
        outside_mm=edge_mm + REACH_MM,
        height_mm=HAND_MM,
        skin_bgr=SKINS[int(rng.integers(len(SKINS)))],
        sleeve_bgr=sleeve,
    )


def some_unsteadiness(rng: np.random.Generator) -> Unsteady:
    """Return the unsteadiness of a recording; half of them have almost none."""
    return Unsteady(
        drift=float(rng.normal(0, 0.03)),
        ripple=float(rng.choice([0.0, 0.0, 0.01, 0.03])),
        follow=float(rng.choice([0.0, 0.0, 0.06, -0.06])),
        knock_px=float(rng.choice([0.0, 0.0, 0.5, 1.2])),
    )


def dice_of(scene: Scene, dice: Sequence[SimulatedDie]) -> list[dict[str, object]]:
    """Return the tray's dice in the form of truth.json."""
    entries: list[dict[str, object]] = []
    for die in sorted(dice, key=lambda one: one.number):
        assert die.pose is not None  # a lying die has a place
        pose = DiePose(die.look, die.pose.center_mm, die.pose.rotation)
        truth = die_truth(pose, scene.camera)
        entries.append(
            {
                "id": f"d{die.number}",
                "colour": die.colour,
                "value": truth.value,
                "cocked": truth.cocked,
                "tilt_deg": round(truth.tilt_deg, 1),
                "stacked": pose.is_stacked,
                "center_px": [round(v, 1) for v in truth.center_px],
                "top_quad_px": [[round(v, 1) for v in corner] for corner in truth.top_quad_px],
            }
        )
    return entries


def parted(lying: Sequence[SimulatedDie], entries: Sequence[dict[str, object]]) -> tuple[list[SimulatedDie], ...]:
    """Return the dice that the push-pool rules let lie, and those that must be thrown again, from their `entries`."""
    shown = {entry["id"]: entry for entry in entries}
    kept: list[SimulatedDie] = []
    must: list[SimulatedDie] = []
    for die in lying:
        value = shown[f"d{die.number}"]["value"]
        (kept if value == 6 or (value == 1 and die.colour != "skill") else must).append(die)
    return kept, must


def record(folder: Path, rng: np.random.Generator, scene: Scene, size_mm: float, colours: str) -> bool:
    """Record a first throw, a push and the tray being swept.

    Returns:
        False without a recording, if a die of the first throw leans or too few have to be thrown again.
    """
    looks = looks_of(rng, size_mm, colours)
    labels = rng.choice(list(looks), int(rng.choice(DICE))).tolist()
    dice = tuple(SimulatedDie(number, label, looks[label]) for number, label in enumerate(labels))
    hand = some_hand(rng, scene)
    counts = {label: labels.count(label) for label in looks}
    writer = RecordingWriter(folder, FPS, "push-pool", counts, COLOUR_NAMES[colours])
    play = TrayPlay(box_of(scene.tray), ThrowParams(), hand)
    camera = RecordedCamera(scene, play, hand, writer, some_unsteadiness(rng), rng)
    seeds = rng.integers(1 << 30, size=2).tolist()

    camera.wait(EMPTY_S)
    _, thrown = camera.follow(Toss(dice, (seeds[0],)))
    first_still, first = camera.still_from, dice_of(scene, play.lying)
    kept, must = parted(play.lying, first)
    doing = str(rng.choice(PLAYS))
    least = 1 if doing == "right" else 2
    if any(float(str(entry["tilt_deg"])) > FLAT_DEG for entry in first) or len(must) < least:
        writer.discard()
        return False
    taken = list(must)
    if doing == "left_lying":
        taken.pop(int(rng.integers(len(taken))))
    elif doing == "locked_but_rerolled" and kept:
        taken.append(kept[int(rng.integers(len(kept)))])
    camera.wait(PRESS_AFTER_S)
    writer.add_press("push")
    camera.wait(LOOK_S)
    first_hand, thrown_again = camera.follow(Take(tuple(die.number for die in taken)), Toss(tuple(taken), (seeds[1],)))
    second_still, second = camera.still_from, dice_of(scene, play.lying)
    camera.wait(PRESS_AFTER_S + LOOK_S)
    second_hand, _ = camera.follow(Take(tuple(die.number for die in play.lying)))
    camera.wait(GONE_S)
    writer.add_press("reset")
    camera.wait(LOOK_S)
    writer.finish()

    pushed = {
        "kept": [die for die in kept if die not in taken],
        "must_reroll": must,
        "rerolled": taken,
        "left_lying": [die for die in must if die not in taken],
        "locked_but_rerolled": [die for die in kept if die in taken],
    }
    truth = {
        "rests": [
            {"first_frame": first_still, "last_frame": first_hand - 1, "dice": first},
            {"first_frame": second_still, "last_frame": second_hand - 1, "dice": second},
        ],
        "hand_visible_frames": camera.hand_frames,
        "throws": [[thrown, first_still - 1], [thrown_again, second_still - 1]],
        "push": {key: [f"d{die.number}" for die in some] for key, some in pushed.items()},
        "tags": [f"play:{doing}", f"shape:{scene.tray.shape}", f"floor:{scene.tray.floor}"],
    }
    (folder / "truth.json").write_text(json.dumps(truth), encoding="utf-8")
    return True


def main() -> int:
    """Draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--recordings", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--width", type=int, default=640, help="of the pictures")
    parser.add_argument("--colours", choices=list(BODIES), default=STANDARD)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    number = done = 0
    while done < args.recordings:
        rng = np.random.default_rng([args.seed, number])
        folder = args.folder / f"r{number:04d}"
        number += 1
        found = whole_scene(rng, PARAMS)
        if found is None:
            continue
        scene, kinds = resized(found[0], args.width), found[1]
        if record(folder, rng, scene, kinds[0].size_mm, args.colours):
            done += 1
            sys.stderr.write(f"{done} of {args.recordings} recordings\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
