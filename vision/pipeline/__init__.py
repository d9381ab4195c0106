"""From a picture to a reading: the readers, calibration, and pictures that explain a reading."""
