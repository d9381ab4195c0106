"""Services over HTTP: a module each, named like its section of the settings, that ends in `SETTINGS = ...`."""
