"""Evenings, rolls found again, statistics, stories, copies."""
