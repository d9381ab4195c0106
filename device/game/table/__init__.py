"""What the table does beside the dice: sheets, clocks, typed dice, tests over several rolls."""
