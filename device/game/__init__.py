"""The tray's state and everything that changes it. Pure: no clock, no chance, no I/O."""
