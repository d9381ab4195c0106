"""One calibrated probability for each place, from named features."""
