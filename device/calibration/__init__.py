"""Calibrating a tray step by step."""
