"""The usual tray, as the build guide has it, and what it holds: said here once for whoever needs it."""

DIE_MM = 16.0
"""Edge of the commonest dice; they are read by their top faces, so much above the floor."""

FLOOR_MM = (260.0, 200.0)
"""Width and depth of the floor."""

MOST_DICE_AT_ONCE = 20
"""Dice of one role, or thrown together: what two hands hold and what lies flat; more than any rule text's cap."""

MOST_DICE_IN_TRAY = 40
"""More dice than that do not lie in a tray; as many may be declared."""
