"""The file of paired phones: stored whole, private, set aside if it cannot be read."""

import json
import logging
import stat
from pathlib import Path

import pytest

from device.errors import DeviceError
from device.storage.phones import FORMAT, MAX_PHONES, Phone, PhoneFile

MIRA = Phone(1, "a" * 64, "iPhone", "Mira", (3, 5))
MASTER = Phone(4, "b" * 64, is_game_master=True)


def test_phones_are_known_again(tmp_path: Path) -> None:
    path = tmp_path / "phones.json"
    assert PhoneFile(path).load() == ()
    PhoneFile(path).write([MIRA, MASTER])
    assert PhoneFile(path).load() == (MIRA, MASTER)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    PhoneFile(path).write([])
    assert PhoneFile(path).load() == ()
    assert [one.name for one in tmp_path.iterdir()] == ["phones.json"]


def test_as_many_phones_as_may_be_paired_are_read_again(tmp_path: Path) -> None:
    phones = tuple(Phone(number, f"{number:064d}", name=f"Player {number}") for number in range(1, MAX_PHONES + 1))
    PhoneFile(tmp_path / "phones.json").write(phones)
    assert PhoneFile(tmp_path / "phones.json").load() == phones


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"\xff",
        b"[]",
        b'{"format": "pushtray-phones/9", "phones": []}',
        json.dumps({"format": FORMAT, "phones": [{"id": 0, "token_hash": "x"}]}).encode(),
        json.dumps({"format": FORMAT, "phones": [{"id": 1}]}).encode(),
    ],
)
def test_a_file_that_cannot_be_understood_is_put_aside(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "phones.json"
    path.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        assert PhoneFile(path).load() == ()
    assert (tmp_path / "phones.json.damaged").read_bytes() == content
    assert not path.exists()
    (line,) = caplog.messages
    assert "phones must enter the PIN again" in line
    assert "\n" not in line


def test_a_folder_that_is_gone_is_reported_with_its_cure(tmp_path: Path) -> None:
    (tmp_path / "gone").touch()
    with pytest.raises(DeviceError, match=r"phones\.json cannot be written \(.+\): .*--data"):
        PhoneFile(tmp_path / "gone" / "phones.json").write([MIRA])
