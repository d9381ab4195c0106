"""The colour class of each die, from the colours measured on its top."""
