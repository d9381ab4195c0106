"""Where in a picture the tray lies: its floor, its profile, what it has of its own."""
