"""The cheapest assignment of rows to different columns, which matches dice as a whole instead of one by one."""

from collections.abc import Sequence


def cheapest_assignment(costs: Sequence[Sequence[float]]) -> tuple[int, ...]:
    """Assign each row a different column so that the sum of costs is least.

    Args:
        costs: At least as many columns as rows, all rows of the same length.

    Returns:
        The column of each row.

    Raises:
        ValueError: There are fewer columns than rows, or rows of different lengths.

    Source: the Hungarian method in its shortest-augmenting-path form (Kuhn 1955, Jonker and Volgenant 1987); cubic in
    the number of dice, which is at most a few dozen.
    """
    rows = len(costs)
    columns = len(costs[0]) if rows else 0
    if any(len(row) != columns for row in costs):
        raise ValueError("rows of costs differ in length: give every row a cost for every column")
    if columns < rows:
        raise ValueError(f"{rows} rows cannot have a column each of {columns}: add columns")
    infinity = float("inf")
    row_price = [0.0] * (rows + 1)
    column_price = [0.0] * (columns + 1)
    row_of = [0] * (columns + 1)
    came_from = [0] * (columns + 1)
    for row in range(1, rows + 1):
        row_of[0] = row
        column = 0
        least = [infinity] * (columns + 1)
        used = [False] * (columns + 1)
        while row_of[column] != 0:
            used[column] = True
            current, delta, following = row_of[column], infinity, 0
            for candidate in range(1, columns + 1):
                if used[candidate]:
                    continue
                slack = costs[current - 1][candidate - 1] - row_price[current] - column_price[candidate]
                if slack < least[candidate]:
                    least[candidate], came_from[candidate] = slack, column
                if least[candidate] < delta:
                    delta, following = least[candidate], candidate
            for candidate in range(columns + 1):
                if used[candidate]:
                    row_price[row_of[candidate]] += delta
                    column_price[candidate] -= delta
                else:
                    least[candidate] -= delta
            column = following
        while column != 0:
            row_of[column] = row_of[came_from[column]]
            column = came_from[column]
    answer = [0] * rows
    for column in range(1, columns + 1):
        if row_of[column] != 0:
            answer[row_of[column] - 1] = column - 1
    return tuple(answer)
