"""The tray in the world: camera, lamps, buttons, web, disk, and the state that joins vision to rules."""
