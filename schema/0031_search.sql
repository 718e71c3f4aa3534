-- The search index (docs/SEARCH.md). search_texts has a row for each text that a search finds, with its words as src/core/query/token.c
-- divides and folds them. Both tables are derived: deskd move rebuilds them.
@SQLITE{
CREATE TABLE search_texts (
    id INTEGER PRIMARY KEY,   -- kind, row and source: SEARCH_TEXT_ID of src/core/search/text.h
    kind INTEGER NOT NULL,    -- of the result: 1 conversation, 2 person, 3 organization
    owner_id BIGINT NOT NULL, -- the result
    terms TEXT NOT NULL
);
-- The tokenizer only divides at blanks and slashes. No positions are kept, because phrases are compared with `terms`.
CREATE VIRTUAL TABLE search_words USING fts5(terms, content='search_texts', content_rowid='id', detail=none, columnsize=0,
    tokenize="ascii tokenchars '@._+-'");
CREATE TRIGGER search_texts_added AFTER INSERT ON search_texts BEGIN
    INSERT INTO search_words (rowid, terms) VALUES (new.id, new.terms);
END;
CREATE TRIGGER search_texts_changed AFTER UPDATE OF terms ON search_texts WHEN old.terms <> new.terms BEGIN
    INSERT INTO search_words (search_words, rowid, terms) VALUES ('delete', old.id, old.terms);
    INSERT INTO search_words (rowid, terms) VALUES (new.id, new.terms);
END;
CREATE TRIGGER search_texts_removed AFTER DELETE ON search_texts BEGIN
    INSERT INTO search_words (search_words, rowid, terms) VALUES ('delete', old.id, old.terms);
END;
}@
@POSTGRES{
CREATE TABLE search_texts (
    id BIGINT PRIMARY KEY,
    kind INTEGER NOT NULL,
    owner_id BIGINT NOT NULL,
    terms TEXT NOT NULL,
    words TSVECTOR GENERATED ALWAYS AS (array_to_tsvector(string_to_array(translate(terms, '/', ' '), ' '))) STORED
);
CREATE INDEX search_words ON search_texts USING gin (words);
}@
CREATE INDEX search_texts_owner ON search_texts (owner_id, kind);

-- Existing texts are indexed by a job, part by part.
INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at) VALUES ('index_search', 1, '{}', 0, 0, 0, 0);
