"""What is believed of each place: one calibrated probability from named features."""
