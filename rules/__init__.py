"""The meaning of dice: roles, pools, scores, pushes, odds. Pure: no clock, chance, thread, file or array."""
