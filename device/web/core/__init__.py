"""What every page and path stands on."""
