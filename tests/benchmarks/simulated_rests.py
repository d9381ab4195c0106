"""How simulated dice come to rest: run `python tests/benchmarks/simulated_rests.py [--throws 1000] [--no-pictures]`.

Each throw of eight dice into an empty tray is followed by a push: the dice that a push throws again are picked up and
thrown past the others. Prints how many dice lean, on what, how many pictures of these rests are not trusted, and why.
There is no pass or fail. Physics alone takes about a fifth of a second for a throw and its push, with the pictures half
a second.
"""

import argparse
from collections import Counter
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from device.simulation.hand import HandParams
from device.simulation.physics import ThrowParams
from device.simulation.scenery import SceneryParams, box_of, die_look, scenery
from device.simulation.script import SimulatedDie, Take, Toss, TrayPlay
from device.simulation.studio import Studio
from vision.colour.classes import STANDARD_COLOURS
from vision.pipeline.reader import Reader
from vision.rendering.scene import CameraPose, DiePose
from vision.rendering.synthetic import DieTruth, die_truth
from vision.types.reading import TrayReading

DICE = ("base",) * 5 + ("skill",) * 2 + ("gear",)
FRAME_S = 1 / 15
Shop: TypeAlias = tuple[Studio, Reader]


@dataclass
class Counted:
    """Counts over all rests of one kind."""

    rests: int = 0
    dice: int = 0
    leaning: Counter[str] = field(default_factory=Counter)
    rests_with_leaning: int = 0
    tilts_deg: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    trusted_wrong: int = 0
    not_trusted: Counter[str] = field(default_factory=Counter)
    seeds: list[int] = field(default_factory=list)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--throws", type=int, default=1000)
    options.add_argument("--first-seed", type=int, default=1)
    options.add_argument("--no-pictures", action="store_true", help="dice alone: nothing is drawn and read")
    options.add_argument("--shape", default="rectangle", help="rectangle, round, hexagon or octagon")
    chosen = options.parse_args()
    params = SceneryParams(shape=chosen.shape)
    scene = scenery(params)
    shop = None if chosen.no_pictures else (Studio(scene, HandParams(), 0.01), Reader(None, STANDARD_COLOURS))
    first, pushed = Counted(), Counted()
    looks = [die_look(STANDARD_COLOURS[label], params.die_mm, index) for index, label in enumerate(DICE)]
    for seed in range(chosen.first_seed, chosen.first_seed + chosen.throws):
        play = TrayPlay(box_of(scene.tray), ThrowParams(), HandParams())
        dice = [SimulatedDie(n, label, look) for n, (label, look) in enumerate(zip(DICE, looks, strict=True))]
        np.random.default_rng([seed, 1]).shuffle(dice)  # as the camera mixes them in the hand
        play.begin((Toss(tuple(dice), (seed,)),))
        now_s = look_at(play, 0.0, seed, scene.camera, first, shop=shop)
        going = [die for die in play.lying if must_go(die, scene.camera)]
        if going:
            play.begin((Take(tuple(die.number for die in going)), Toss(tuple(going), (seed, 1))))
            look_at(play, now_s, seed, scene.camera, pushed, shop=shop)
    for title, counted in (("first throws", first), ("pushes", pushed)):
        tell(title, counted, with_pictures=shop is not None)


def must_go(die: SimulatedDie, camera: CameraPose) -> bool:
    """Return whether a push of push-pool throws it again."""
    value = truth_of(die, camera).value
    return value != 6 and (value != 1 or die.colour == "skill")


def truth_of(die: SimulatedDie, camera: CameraPose) -> DieTruth:
    assert die.pose is not None
    return die_truth(DiePose(die.look, die.pose.center_mm, die.pose.rotation), camera)


def look_at(
    play: TrayPlay, now_s: float, seed: int, camera: CameraPose, counted: Counted, *, shop: Shop | None
) -> float:
    """Let everything come to rest from `now_s` on, count the dice and how the picture is read; return the time."""
    began_s = now_s
    while play.is_busy:
        play.advance(now_s)
        now_s += FRAME_S
    counted.seconds.append(now_s - FRAME_S - began_s)
    lying = play.lying
    truths = [truth_of(die, camera) for die in lying]
    places = np.array([die.pose.center_mm for die in lying if die.pose is not None])
    counted.rests += 1
    counted.dice += len(lying)
    for index, (die, shows) in enumerate(zip(lying, truths, strict=True)):
        gaps = np.linalg.norm(places - places[index], axis=1)
        gaps[index] = np.inf
        flat_mm = die.look.size_mm / 2
        if shows.tilt_deg > 2.0 or places[index, 2] > flat_mm + 0.6:
            is_near_die = gaps.min() < 1.75 * die.look.size_mm
            counted.leaning["on another die" if is_near_die else "on the wall"] += 1
            counted.tilts_deg.append(shows.tilt_deg)
            if not counted.seeds or counted.seeds[-1] != seed:
                counted.seeds.append(seed)
                counted.rests_with_leaning += 1
    if shop is None:
        return now_s
    studio, reader = shop
    reading = reader.read(studio.picture(play.view(now_s, 0.01)))
    leans = bool(counted.seeds) and counted.seeds[-1] == seed
    if not reading.trusted:
        counted.not_trusted[f"{'a die leans' if leans else 'all dice lie flat'}: {why(reading)}"] += 1
    else:
        shown = Counter((die.colour, shows.value) for die, shows in zip(lying, truths, strict=True))
        counted.trusted_wrong += shown != Counter((die.colour, die.value) for die in reading.dice)
    return now_s


def why(reading: TrayReading) -> str:
    """Return every reason why a picture is not trusted, each once."""
    reasons = [str(problem) for problem in reading.problems]
    reasons += [str(die.unread) for die in reading.dice if die.unread is not None]
    return ", ".join(sorted(set(reasons))) or "no single die, the picture as a whole"


def tell(title: str, counted: Counted, *, with_pictures: bool) -> None:
    """Print the counts."""
    leaning = counted.leaning.total()
    one_in = f"one in {counted.dice / leaning:.0f}" if leaning else "none"
    print(f"{title}: {counted.rests} rests, {counted.dice} dice, {leaning} lean ({one_in})")
    for what, count in counted.leaning.most_common():
        print(f"  {count:4d} {what}")
    low, middle, high = (float(np.percentile(counted.seconds, share)) for share in (0, 50, 100))
    print(f"  from the order to the rest {middle:.1f} s in the median, {low:.1f} to {high:.1f} s")
    if counted.tilts_deg:
        tilts = np.array(counted.tilts_deg)
        print(f"  leaning by {tilts.min():.0f} to {tilts.max():.0f} degrees, {np.median(tilts):.0f} in the median")
        print(f"  seeds of the first such rests: {', '.join(str(seed) for seed in counted.seeds[:12])}")
    if not with_pictures:
        return
    stopped = counted.not_trusted.total()
    print(f"  {stopped} rests not trusted ({100 * stopped / max(counted.rests, 1):.1f} %)")
    print(f"  {counted.trusted_wrong} rests trusted and wrong")
    for what, count in counted.not_trusted.most_common():
        print(f"  {count:4d} {what}")


if __name__ == "__main__":
    main()
