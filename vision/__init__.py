"""Light and geometry: which colour class each die has and how many pips its top face shows."""
