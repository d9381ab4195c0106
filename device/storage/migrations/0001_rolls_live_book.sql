-- The whole schema of 0.1.0. "IF NOT EXISTS", for the first day's files have all but the last table already.
CREATE TABLE IF NOT EXISTS rolls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    roll INTEGER NOT NULL,
    system TEXT NOT NULL,
    pool TEXT NOT NULL,
    context TEXT NOT NULL,
    dice TEXT NOT NULL,
    outcome TEXT NOT NULL,
    correction TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS live (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS book (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
