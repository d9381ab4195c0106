"""The system's refusals, and what a person can do about them."""

import errno
import os

import pytest

from vision.types.cures import cure_of, why

CURES = {
    errno.EACCES: "let user",
    errno.EPERM: "let user",
    errno.EROFS: "make its drive writable",
    errno.ENOSPC: "make room on its drive",
    errno.EDQUOT: "this user's share",
    errno.ENOLCK: "a drive of this machine",
    errno.EIO: "check its drive",
    errno.ENOTDIR: "where a folder should be",
    errno.EISDIR: "it is a folder",
    errno.ENAMETOOLONG: "a shorter name",
    errno.EMFILE: "start this program again",
    errno.ESTALE: "network drive",
}


@pytest.mark.parametrize("number", CURES, ids=errno.errorcode.get)
def test_each_reason_has_its_own_cure(number: int) -> None:
    reported = cure_of(number, "name another folder")
    assert CURES[number] in reported
    assert reported.endswith(", or name another folder")


def test_reasons_with_different_cures_are_distinguished() -> None:
    assert len({cure_of(number, "x") for number in CURES}) == len(CURES) - 1, "EACCES and EPERM are one"


def test_an_unforeseen_reason_has_the_cure_that_always_helps() -> None:
    assert cure_of(errno.ECHILD, "name another folder") == "name another folder"
    assert cure_of(None, "name another folder") == "name another folder"


@pytest.mark.parametrize("number", sorted(errno.errorcode))
def test_no_cure_has_a_colon_which_parts_cause_from_cure(number: int) -> None:
    assert ":" not in cure_of(number, "name another")


def test_the_systems_own_words_stay_to_be_searched_for() -> None:
    assert why(OSError(errno.EROFS, os.strerror(errno.EROFS), "/x")) == "Read-only file system"
    assert why(ValueError("embedded\nnull byte")) == "embedded null byte"
    assert why(OSError()) == "OSError"
