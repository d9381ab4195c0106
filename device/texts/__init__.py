"""All texts for people: one catalogue per language, for the server and for the pages' scripts."""
