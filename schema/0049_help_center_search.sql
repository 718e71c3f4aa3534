-- Searches of the help center (docs/SEARCH.md). Both tables are derived, with search_texts.

-- The words of titles, for suggestions while typing.
@SQLITE{
CREATE TABLE search_titles (
    word TEXT NOT NULL, -- folded, or its stem
    text_id INTEGER NOT NULL REFERENCES search_texts (id) ON DELETE CASCADE,
    PRIMARY KEY (word, text_id)
) WITHOUT ROWID;
}@
@POSTGRES{
CREATE TABLE search_titles (
    word TEXT NOT NULL,
    text_id BIGINT NOT NULL REFERENCES search_texts (id) ON DELETE CASCADE,
    PRIMARY KEY (word, text_id)
);
}@
CREATE INDEX search_titles_text ON search_titles (text_id);

-- The vocabulary of articles, for misspelled words: each word by its pieces (src/core/search/vocabulary.c). Words that no article has any more
-- stay, because a word only counts if a visible article has it.
@SQLITE{
CREATE TABLE search_pieces (
    piece TEXT NOT NULL,
    word TEXT NOT NULL,
    PRIMARY KEY (piece, word)
) WITHOUT ROWID;
}@
@POSTGRES{
CREATE TABLE search_pieces (
    piece TEXT NOT NULL,
    word TEXT NOT NULL,
    PRIMARY KEY (piece, word)
);
}@
