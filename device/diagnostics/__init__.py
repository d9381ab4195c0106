"""What `pushtray doctor` looks at: a check for each part of the tray, with its cure."""
