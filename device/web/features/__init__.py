"""One folder a feature. None imports another."""
