"""Recordings: read, written, played through the whole tray, scored."""
