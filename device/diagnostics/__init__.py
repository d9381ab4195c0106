"""Checks of `pushtray doctor`, one for each part of the tray."""
