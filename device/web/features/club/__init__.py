"""Every tray of a broker on one page."""
