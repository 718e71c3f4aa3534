-- A draft that people of staff who see the conversation read, and can take (core/cases/draft.h).
ALTER TABLE drafts ADD COLUMN is_shared INTEGER NOT NULL DEFAULT 0;
