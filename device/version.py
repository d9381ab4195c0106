"""The installed version."""

from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str | None:
    """Return the version; None if the tray is run from its folder."""
    try:
        return version("pushtray")
    except PackageNotFoundError:
        return None
