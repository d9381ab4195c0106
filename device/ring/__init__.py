"""The light ring round the floor: its plan, and WLED on a serial port."""
