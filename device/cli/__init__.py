"""The command `pushtray`: one module for each group of subcommands."""
