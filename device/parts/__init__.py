"""The parts of a tray, one module each; they do not know each other. `device/app.py` connects them."""
