"""Where dice may be: a net that finds them, at the scales at which they are looked for."""
