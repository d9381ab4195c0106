"""What `pushtray doctor` runs: one check for each part of the tray."""
