"""What outlives the program: the roll log, the sheets, their copies."""
