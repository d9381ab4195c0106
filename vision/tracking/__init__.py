"""A watched tray: motion and rest, hands, several frames read as one, dice that keep their ids."""
