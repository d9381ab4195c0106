"""The table apart from its dice: sheets, clocks, manual dice, extended tests."""
