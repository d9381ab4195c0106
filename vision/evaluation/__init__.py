"""Readings held against labels, and the time of each stage."""
