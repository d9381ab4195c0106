"""Services over HTTP: one module each, named like its section of the settings and ending in `SETTINGS = ...`."""
