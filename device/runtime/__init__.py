"""What a run is made of: the loop that owns the state, health, the camera of the run, its first state."""
