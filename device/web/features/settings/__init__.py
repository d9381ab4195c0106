"""Settings that a table may touch."""
