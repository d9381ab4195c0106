"""`python -m device` is `pushtray`."""

from device.cli.main import command

command()
