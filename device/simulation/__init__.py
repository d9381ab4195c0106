"""The simulated tray: dice, a hand and a camera that are not there."""
