"""Which colour class a die is of, from the colours measured on its top."""
