"""What keeps a tray running: its loop, its health, what a run begins with."""
