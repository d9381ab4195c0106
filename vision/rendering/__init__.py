"""Drawn trays and dice, for the simulated camera, the tests and the training of nets."""
