"""What pictures and readings are, and the errors that a user may see."""
