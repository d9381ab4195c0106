"""A program without free file descriptors reports that, whether the system or SQLite refused."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from device.errors import DeviceError
from device.storage.log_file import FILE_NAME
from device.storage.phones import PhoneFile
from device.storage.rolls import RollLog


@contextmanager
def no_more_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.open(os.devnull, os.O_RDONLY)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_one_cause_has_one_text(tmp_path: Path) -> None:
    history = RollLog(tmp_path / FILE_NAME)
    for act in (lambda: history.rolls(10, None), lambda: PhoneFile(tmp_path / "phones.json").write(())):
        with (
            pytest.raises(DeviceError, match="start this program again, which has too many files open") as refused,
            no_more_files(),
        ):
            act()
        assert "user" not in str(refused.value)
    assert history.rolls(10, None) == []
    history.close()
