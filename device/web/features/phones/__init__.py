"""Phones: pairing, players, pages that stay."""
