"""What survives the program: the roll log, the sheets, copies of both."""
