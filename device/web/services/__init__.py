"""The tray and its table as the web uses them: requests into events, states into answers."""
