"""Ownership of files that `sudo pushtray` creates: they belong to the user who called sudo."""

import os
from pathlib import Path


def give_to_caller(made: Path) -> None:
    """Give a new file or folder of root to the user who called sudo, if any."""
    user, group = (os.environ.get(name, "") for name in ("SUDO_UID", "SUDO_GID"))
    if os.geteuid() != 0 or not (user.isdecimal() and group.isdecimal()):
        return
    for path in (made, *made.rglob("*")):
        if path.lstat().st_uid == 0:
            os.chown(path, int(user), int(group), follow_symlinks=False)
