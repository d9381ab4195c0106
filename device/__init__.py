"""The tray's hardware and services: camera, lamps, buttons, web, disk, and the state that joins vision to rules."""
