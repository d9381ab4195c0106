"""The tray in a picture: its floor, its profile, its own objects."""
