"""Where a tray's calibration is stored, and which one a run uses."""

from pathlib import Path
from typing import Any

from device.config.settings import Settings
from vision.decision.own_faces import OwnFaces
from vision.tray.profile import Profile, load_profile
from vision.types.errors import BadProfile


def profile_path(settings: Settings) -> Path:
    """Return the path of this tray's calibration: from the settings, or named after the camera in the data folder."""
    camera = settings.tray.camera.replace(":", "-").replace("/", "-")
    return settings.tray.profile or settings.data_folder / f"profile-{camera}.json"


def own_profile_path(settings: Settings) -> Path | None:
    """Return the profile named in the settings or made on this camera's calibration page; None if there is neither."""
    path = profile_path(settings)
    if settings.tray.profile is not None:
        return path
    return path if not settings.tray.camera.startswith("replay:") and path.exists() else None


def load_own_profile(settings: Settings) -> tuple[Profile | None, str | None]:
    """Return the calibration, and why it cannot be used; one that the settings name must be right."""
    path = own_profile_path(settings)
    try:
        return (None if path is None else load_profile(path)), None
    except BadProfile as error:
        if settings.tray.profile is not None:
            raise
        return None, str(error)


def live_colours(settings: Settings) -> list[str]:
    """Return the keys of the colours that take effect at once: simulated dice are painted as the tray starts."""
    return [] if settings.tray.camera == "simulated" else [f"colours.{label}" for label in settings.colours]


def reader_metadata(settings: Settings, profile: Profile | None, faces: OwnFaces | None) -> dict[str, Any]:
    """Return what screens show of the reader, as fields of `TrayMetadata`: calibration, colour classes, taught dice."""
    colours = dict(settings.colours)
    name = None
    if profile is not None:
        name = profile_path(settings).stem
    if profile is not None and profile.palette:
        colours = {colour.label: colours.get(colour.label, colour.label) for colour in profile.palette}
    return {"profile": name, "colours": colours, "taught": faces.polyhedra if faces else frozenset()}
