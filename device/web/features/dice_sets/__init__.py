"""Dice of one's own, taught by their faces."""
