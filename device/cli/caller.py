"""Whoever called `sudo pushtray`: what root makes for that user is that user's."""

import os
from pathlib import Path


def give_to_caller(made: Path) -> None:
    """Let what is root's of a file or folder that was just made belong to whoever called sudo, where somebody did."""
    user, group = (os.environ.get(name, "") for name in ("SUDO_UID", "SUDO_GID"))
    if os.geteuid() != 0 or not (user.isdecimal() and group.isdecimal()):
        return
    for path in (made, *made.rglob("*")):
        if path.lstat().st_uid == 0:
            os.chown(path, int(user), int(group), follow_symlinks=False)
