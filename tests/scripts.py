"""Scripts as modules."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

from tests.narrowing import there


def load_script(path: Path) -> Any:
    """Run a script as a module, a new one at each call."""
    spec = there(importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path))
    module = importlib.util.module_from_spec(spec)
    # Where dataclasses look up the types of their fields.
    sys.modules[spec.name] = module
    there(spec.loader).exec_module(module)
    return module
