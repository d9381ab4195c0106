"""What people read: one catalogue for each language, for the server and for the pages' scripts."""
