"""The settings file: read and checked before anything starts."""
