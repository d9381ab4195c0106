"""The state machine of the tray, and what is derived from its state. Pure: no clock, no chance, no I/O."""
