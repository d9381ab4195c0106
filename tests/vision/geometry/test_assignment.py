from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.geometry.assignment import cheapest_assignment


@st.composite
def matrices(draw: st.DrawFn) -> list[list[float]]:
    rows = draw(st.integers(0, 4))
    columns = draw(st.integers(rows, 5))
    cost = st.integers(0, 50).map(float)
    return [draw(st.lists(cost, min_size=columns, max_size=columns)) for _ in range(rows)]


@given(matrices())
@settings(max_examples=150, deadline=None)
def test_no_other_assignment_is_cheaper(costs: list[list[float]]) -> None:
    chosen = cheapest_assignment(costs)
    assert len(set(chosen)) == len(costs)
    total = sum(row[column] for row, column in zip(costs, chosen, strict=True))
    columns = range(len(costs[0]) if costs else 0)
    best = min(sum(row[c] for row, c in zip(costs, order, strict=True)) for order in permutations(columns, len(costs)))
    assert total == pytest.approx(best)


def test_misuse_is_named() -> None:
    with pytest.raises(ValueError, match="add columns"):
        cheapest_assignment([[1.0], [2.0]])
    with pytest.raises(ValueError, match="differ in length"):
        cheapest_assignment([[1.0, 2.0], [2.0]])
