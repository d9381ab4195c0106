"""Types of pictures and readings, and the errors that a user may see."""
