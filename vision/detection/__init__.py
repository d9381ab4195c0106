"""Detection of places that may be dice: a net, and the scales at which it searches."""
