"""Setting up a new tray."""
