-- What was asked of a roll beside owner and label, how it met that, and how it stands among rolls it is compared with.
ALTER TABLE rolls ADD COLUMN asked TEXT NOT NULL DEFAULT 'null';
-- Whether the row is kept from everybody who reads the log over the web, until the roll is shown.
ALTER TABLE rolls ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
