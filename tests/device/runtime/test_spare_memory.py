"""A tray at rest frees the memory that its reader keeps for the next reading."""

from pathlib import Path

from device.runtime.spare_memory import REST_S, SpareMemory, give_back
from tests.proof.night import resident_mb
from vision.imaging.image_file import load_image
from vision.pipeline.reader import Reader

STILL = next((Path(__file__).parents[2] / "golden" / "stills").glob("*.jpg"))


def test_memory_is_given_back_once_a_minute_in_each_rest() -> None:
    now_s, given = 0.0, list[float]()
    spare = SpareMemory(lambda: given.append(now_s), lambda: now_s)
    for version, seconds in ((1, 100), (2, 30), (3, 200)):
        for _ in range(seconds):
            spare.idle(version)
            now_s += 1
    assert given == [REST_S, 130 + REST_S, 130 + 2 * REST_S, 130 + 3 * REST_S]


def test_what_a_reading_took_goes_back_and_the_next_reading_is_the_same() -> None:
    reader, image = Reader(None, None), load_image(STILL)
    before = reader.read(image).dice
    held_mb = resident_mb()
    give_back()
    assert held_mb - resident_mb() > 30
    assert reader.read(image).dice == before
