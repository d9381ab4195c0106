"""How dice stand: flat, leaning, or on another die."""
