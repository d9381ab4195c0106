"""What other programs are sent."""
