"""Every fault of a camera names a cure."""

import ast
import re
from pathlib import Path

import device.camera

FOLDER = Path(device.camera.__file__).parent
CURE = re.compile(r": [a-z]|[:,] \{\}$")
NO_CURE = re.compile(r"see the log|must ")


def faults() -> dict[str, str]:
    """Return the text of each fault, by file and line; placeholders are {}."""
    found = {}
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_fault = isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("DeviceError", "DriverHangs")
            if not is_fault or not isinstance(node, ast.Call) or not node.args:
                continue
            text = node.args[0].values[-1] if isinstance(node.args[0], ast.BoolOp) else node.args[0]
            parts = text.values if isinstance(text, ast.JoinedStr) else [text]
            words = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
            if words != "{}":
                found[f"{path.name}:{node.lineno}"] = words
    return found


def test_every_fault_of_a_camera_says_what_helps() -> None:
    known = faults()
    assert len(known) > 20
    assert {place: text for place, text in known.items() if not CURE.search(text) or NO_CURE.search(text)} == {}
