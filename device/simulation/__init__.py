"""The simulated tray: dice with physics, a hand, and a camera that draws them."""
