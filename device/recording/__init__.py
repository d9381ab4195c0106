"""Recordings: read, write, replay through the whole tray, evaluate."""
