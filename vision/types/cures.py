"""Cures for a file, folder or lock that the system refuses: one for each reason, in one place."""

import errno
import os
import pwd
from contextlib import suppress


def why(error: OSError | ValueError) -> str:
    """Return the system's own message for a refusal, on one line, as a search finds it."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split()) or type(error).__name__


def cure_of(number: int | None, instead: str) -> str:
    """Return the cure for a refusal.

    Args:
        number: The system's error number (`errno`); None if there is none.
        instead: What helps whatever the reason, as in `name another folder with --data`.

    Returns:
        Half a sentence without a colon, to end a message with.
    """
    if number in (errno.EACCES, errno.EPERM):
        return f"let user {_user()} use it, or {instead}"
    cure = _CURES.get(number or 0)
    return instead if cure is None else f"{cure}, or {instead}"


_CURES = {
    errno.ENOENT: "check its name",
    errno.ENOTDIR: "move the file away that stands where a folder should be",
    errno.EISDIR: "name a file in it, for it is a folder",
    errno.EEXIST: "move away what else has that name",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.ELOOP: "mend its links, which lead in a circle",
    errno.EINVAL: "give it a name that its drive takes",
    errno.EILSEQ: "give it a name that its drive takes",
    errno.EROFS: "make its drive writable (a worn-out card turns read-only automatically)",
    errno.ENOSPC: "make room on its drive",
    errno.EDQUOT: "make room within this user's share of its drive",
    errno.EFBIG: "use another drive, since this one takes no file so large",
    errno.EIO: "check its drive, which may be failing",
    errno.ENXIO: "plug its drive in",
    errno.ENODEV: "plug its drive in",
    errno.ESTALE: "bring the network drive back",
    errno.ETIMEDOUT: "bring the network drive back",
    errno.EHOSTDOWN: "bring the network drive back",
    errno.EHOSTUNREACH: "bring the network drive back",
    errno.ENOTCONN: "bring the network drive back",
    errno.ENOLCK: "use a drive of this machine, since network drives may know no locks",
    errno.EOPNOTSUPP: "use a drive of this machine, since this one knows no locks",
    errno.ENOSYS: "use a drive of this machine, since this one knows no locks",
    errno.EBUSY: "close the program that uses it",
    errno.ETXTBSY: "close the program that uses it",
    errno.EAGAIN: "close the program that uses it",
    errno.EMFILE: "start this program again, which has too many files open",
    errno.ENFILE: "close other programs, since the system has too many files open",
    errno.ENOMEM: "close other programs, since memory is short",
}


def _user() -> str:
    with suppress(KeyError):
        return pwd.getpwuid(os.geteuid()).pw_name
    return f"number {os.geteuid()}"
