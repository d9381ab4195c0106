"""Cameras behind one shape, and the thread that reads them."""
