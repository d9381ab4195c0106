"""A night at the tray as a folder of frames: written, read, played, scored."""
