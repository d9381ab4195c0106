-- Whose roll it was, and what for, where somebody asked for it.
ALTER TABLE rolls ADD COLUMN owner TEXT;
ALTER TABLE rolls ADD COLUMN label TEXT;
