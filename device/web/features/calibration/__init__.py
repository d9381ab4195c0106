"""Calibrating the camera."""
