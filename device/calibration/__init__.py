"""Calibrate a tray step by step, and check the camera's view."""
