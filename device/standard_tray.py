"""The usual tray, as in the build guide, and what fits in it."""

DIE_MM = 16.0
"""Edge of the commonest dice; they are read by their top faces, this far above the floor."""

FLOOR_MM = (260.0, 200.0)
"""Width and depth of the floor."""

MAX_DICE_AT_ONCE = 20
"""Dice of one role, or thrown together: what two hands hold and what lies flat; more than the limit of any rules."""

MAX_DICE_IN_TRAY = 40
"""More dice do not fit in a tray; this many may be declared."""
