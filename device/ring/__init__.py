"""The light ring round the floor: what it shows, and WLED on a serial port."""
