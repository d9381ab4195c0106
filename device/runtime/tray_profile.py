"""Where a tray's calibration is stored, and which one a run uses."""

from pathlib import Path

from device.config.settings import Settings
from device.game.snapshot import TrayMetadata
from vision.decision.own_faces import OwnFaces
from vision.tray.profile import Profile


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


def tray_metadata(settings: Settings, profile: Profile | None, faces: OwnFaces | None) -> TrayMetadata:
    """Return what screens show of the camera: its name, its calibration's name, its colour classes, taught dice."""
    colours = dict(settings.colours)
    name = None
    if profile is not None:
        name = profile_path(settings).stem
    if profile is not None and profile.palette:
        colours = {colour.label: colours.get(colour.label, colour.label) for colour in profile.palette}
    taught = faces.polyhedra if faces else frozenset()
    shown = settings.display
    return TrayMetadata(settings.tray.camera, name, colours, shown.idle_min, shown.undo_s, taught)
