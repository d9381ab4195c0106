"""The settings file: read and validated before anything starts."""
