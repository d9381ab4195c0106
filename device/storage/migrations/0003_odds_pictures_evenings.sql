-- What a roll's chances were when it lay there, and the name of its picture's file.
ALTER TABLE rolls ADD COLUMN odds TEXT;
ALTER TABLE rolls ADD COLUMN picture TEXT;
-- The table said that an evening ended after this row; long pauses end the others, and are no rows here.
CREATE TABLE evening_ends (after_row INTEGER PRIMARY KEY, at TEXT NOT NULL) STRICT;
-- What the table calls the evening that begins with this row.
CREATE TABLE evening_names (first_row INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
