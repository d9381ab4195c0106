"""Check the fields of a JSON file one by one; an error names the file, the value and the cure."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from device.errors import BadInput
from rules.request import show_value
from vision.types.cures import cure_of, why


def load_object(path: Path) -> dict[str, Any]:
    try:
        body = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise BadInput(f"{path} is missing: name the folder of a recording") from error
    except OSError as error:
        cure = cure_of(error.errno, "copy the recording again")
        raise BadInput(f"{path} cannot be read ({why(error)}): {cure}") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not JSON: correct the file") from error
    if not isinstance(body, dict):
        raise BadInput(f"{path} holds {show_value(body)}, needs an object: correct the file")
    return body


def number(path: Path, body: Mapping[str, Any], key: str, least: float, most: float) -> float:
    """Return a field that must be a number within bounds."""
    value = body.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise BadInput(f"{path}: {key} is {value!r}, needs a number from {least:g} to {most:g}")
    return float(value)


def whole(path: Path, body: Mapping[str, Any], key: str, least: int, most: float) -> int:
    """Return a field that must be an integer within bounds."""
    value = body.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        limit = f"from {least} to {most:g}" if math.isfinite(most) else f"of at least {least}"
        raise BadInput(f"{path}: {key} is {value!r}, needs a whole number {limit}")
    return value
