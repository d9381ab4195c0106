"""What the tray is in: frozen values, events that happen to it, effects that it asks for."""
