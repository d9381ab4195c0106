"""What dice at rest, and a person's word for them, change in the state."""
