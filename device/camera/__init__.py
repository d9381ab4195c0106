"""Cameras behind one interface, and the thread that reads frames and posts events."""
