"""The values that the machine works on: states, events, effects, the table's choices."""
