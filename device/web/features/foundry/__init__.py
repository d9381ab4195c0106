"""The module for Foundry VTT."""
