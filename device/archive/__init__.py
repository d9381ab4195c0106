"""What the roll log is worth remembering: one row a roll, evenings, their stories, and what people argue about."""
