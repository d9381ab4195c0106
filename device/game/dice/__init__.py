"""What dice at rest change in the state: roles, scores, pushes, and what a person says of the dice."""
