"""The roll log as an archive: one summary per roll, evenings, their stories, and statistics."""
