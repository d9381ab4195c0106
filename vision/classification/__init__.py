"""What a detected die shows: a net that reads crops."""
