"""Read the numbers and tables of `parts/tray.scad`, so that none is repeated. Only the standard library."""

import ast
import operator
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

TRAY = Path(__file__).resolve().parent / "parts/tray.scad"

_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def values_of(source: str) -> dict[str, float]:
    """Return every number that a drawing names at its top level.

    Args:
        source: OpenSCAD. Only names, numbers, brackets and + - * / are evaluated; other assignments are skipped.

    Returns:
        Name to value, millimetres.
    """
    values: dict[str, float] = {}
    for name, words in re.findall(r"^(\w+) = ([^;\"\[\]]+);", source, re.MULTILINE):
        values[name] = _worked_out(ast.parse(words, mode="eval").body, values)
    return values


def tray() -> dict[str, float]:
    """Return the numbers of the tray's own drawing."""
    return values_of(TRAY.read_text(encoding="utf-8"))


def table(name: str) -> list[Any]:
    """Return a table of the tray's own drawing: lists of numbers, strings and lists."""
    source = re.sub(r"//.*", "", TRAY.read_text(encoding="utf-8"))
    (words,) = re.findall(rf"^{name} = (\[.*?\]);", source, re.MULTILINE | re.DOTALL)
    values = tray()
    return [_listed(row, values) for row in ast.parse(words, mode="eval").body.elts]  # type: ignore[attr-defined]


def _listed(node: ast.expr, values: dict[str, float]) -> Any:
    if isinstance(node, ast.List):
        return [_listed(one, values) for one in node.elts]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return _worked_out(node, values)


def _worked_out(node: ast.expr, values: dict[str, float]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_worked_out(node.operand, values)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = _worked_out(node.left, values), _worked_out(node.right, values)
        return _OPERATORS[type(node.op)](left, right)
    raise ValueError(f"{ast.unparse(node)} is more than a sum of numbers: keep top-level values of tray.scad simple")
