"""The data folder: its owner, and why it is not available."""

import errno
import fcntl
import os
from contextlib import closing
from pathlib import Path

import pytest

from device.errors import BadInput
from device.storage.data_folder import DataFolder


def test_one_tray_at_a_time(tmp_path: Path) -> None:
    with closing(DataFolder(tmp_path)), pytest.raises(BadInput, match="another pushtray uses data folder"):
        DataFolder(tmp_path)
    DataFolder(tmp_path).close()


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (errno.ENOLCK, r"No locks available.*: use a drive of this machine, since network drives"),
        (errno.EOPNOTSUPP, "use a drive of this machine"),
        (errno.EIO, "check its drive"),
        (errno.EAGAIN, "another pushtray uses"),
    ],
    ids=["ENOLCK", "EOPNOTSUPP", "EIO", "EAGAIN"],
)
def test_a_lock_is_refused_with_the_cure_of_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, expected: str
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(BadInput, match=expected) as caught:
        DataFolder(tmp_path)
    assert ("another pushtray" in str(caught.value)) == (number == errno.EAGAIN)


def test_a_place_is_refused_with_the_cure_of_its_reason(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused = {
        tmp_path / "file" / "data": "stands where a folder should be",
        tmp_path / "file": "what else has that name",
        tmp_path / ("a" * 300): "give it a shorter name",
    }
    for path, expected in refused.items():
        with pytest.raises(BadInput, match=f"{expected}, or choose another with --data"):
            DataFolder(path)
