"""Persistent data: the roll log, the sheets, and backups of both."""
