"""Photo-like trays, given and traced, with labels from their geometry: a minimum for the reader, and no trusted error.

Those in `traced` are pictures of `tests/benchmarks/traced_trays.py`, seed 1; the wooden ones are for `test_floor`.
"""

import hashlib
from pathlib import Path

import pytest

from vision.evaluation.evaluate import Report, judge
from vision.evaluation.labels import load_labels
from vision.imaging.image_file import load_image
from vision.pipeline.explain import draw_reading, write_picture
from vision.pipeline.reader import Reader

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
STILLS, TRACED = GOLDEN / "stills", GOLDEN / "traced"


@pytest.mark.parametrize("folder", [STILLS, TRACED], ids=lambda folder: folder.name)
def test_files_are_the_ones_that_were_labelled(folder: Path) -> None:
    for line in (folder / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split()
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, name


def read_all(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    reader = Reader()
    verdicts = []
    for truth in load_labels(folder):
        image = load_image(truth.path)
        reading = reader.read(image)
        verdict = judge(truth, reading)
        if verdict.misses:
            write_picture(tmp_path_factory.getbasetemp() / f"miss-{truth.path.name}", draw_reading(image, reading))
        verdicts.append(verdict)
    return Report(tuple(verdicts))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return read_all(STILLS, tmp_path_factory)


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return read_all(TRACED, tmp_path_factory)


def test_plain_trays_are_exact(report: Report) -> None:
    assert report.summary["plain"] == 8
    assert report.summary["plain_exact_and_trusted"] >= 7, report.to_text()


def test_nothing_is_wrong_in_silence(report: Report) -> None:
    assert report.summary["silent_errors"] == 0, report.to_text()


def test_an_empty_tray_reads_as_empty(report: Report) -> None:
    (empty,) = (verdict for verdict in report.verdicts if "empty" in verdict.tags)
    assert empty.exact
    assert empty.trusted


def test_traced_trays_are_exact(traced: Report) -> None:
    assert traced.summary["plain"] == 5
    assert traced.summary["plain_exact_and_trusted"] >= 4, traced.to_text()
    assert traced.summary["silent_errors"] == 0, traced.to_text()
