"""Readings compared with labels, and the time of each stage."""
