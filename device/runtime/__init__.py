"""The parts of a run: the loop that owns the state, health, the camera, the first state."""
