"""Files of the project, by git, for tests."""

from pathlib import Path

import pytest

needs_git_checkout = pytest.mark.skipif(
    not (Path(__file__).parents[1] / ".git").exists(), reason="the sources are no git checkout: clone them with git"
)
