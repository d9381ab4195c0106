"""Drawn trays and dice, for the simulated camera, the tests and the teaching of nets."""
