-- The HTML that a message or a note was given as. Readers see the clean HTML of the row itself (core/cases/original.h).
CREATE TABLE post_originals (
    post_id INTEGER NOT NULL PRIMARY KEY,
    html TEXT NOT NULL
);
