"""When a reader counts as worse: beyond chance, or by one more committed picture that is trusted and wrong."""

from tests.benchmarks.gate.gate import Picture, is_worse

GOOD = Picture(plain=True, exact=True, trusted=True, values=True, dice=(5, 5, 0))
DOUBT = Picture(plain=True, exact=True, trusted=False, values=True, dice=(5, 5, 0))
SILENT = Picture(plain=True, exact=False, trusted=True, values=False, dice=(5, 4, 1))


def of(*pictures: Picture) -> dict[str, Picture]:
    return {str(number): picture for number, picture in enumerate(pictures)}


def test_a_few_pictures_either_way_are_chance() -> None:
    assert not is_worse(of(*[GOOD] * 20), of(*[GOOD] * 17, DOUBT, DOUBT, SILENT), by_count=False)
    assert is_worse(of(*[GOOD] * 20), of(*[GOOD] * 10, *[DOUBT] * 10), by_count=False)
    assert is_worse(of(*[DOUBT] * 20), of(*[DOUBT] * 10, *[SILENT] * 10), by_count=False)
    assert not is_worse(of(*[DOUBT] * 20), of(*[GOOD] * 20), by_count=False)


def test_committed_pictures_are_counted() -> None:
    assert is_worse(of(GOOD, GOOD), of(GOOD, SILENT), by_count=True)
    assert not is_worse(of(GOOD, SILENT), of(SILENT, GOOD), by_count=True)
    assert not is_worse(of(GOOD, GOOD), of(DOUBT, GOOD), by_count=True)
