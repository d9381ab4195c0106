"""What dice at rest change in the state: roles, scores, pushes and corrections."""
