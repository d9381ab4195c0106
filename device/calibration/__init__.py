"""Calibrates a tray step by step, and judges how the camera looks at it."""
