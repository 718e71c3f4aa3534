-- Files on messages and notes (docs/CONVERSATIONS.md, "Attachments").
CREATE TABLE post_attachments (
    id @ID@,
    post_id BIGINT NOT NULL, -- a message or a note: they share one id space
    file_id BIGINT NOT NULL REFERENCES files (id),
    content_id TEXT,         -- by which the HTML of the post refers to it
    is_inline INTEGER NOT NULL DEFAULT 0,
    sort_order INTEGER NOT NULL
);
CREATE INDEX post_attachments_post ON post_attachments (post_id, sort_order);
CREATE INDEX post_attachments_file ON post_attachments (file_id);
ALTER TABLE files ADD COLUMN width INTEGER NOT NULL DEFAULT 0; -- of pictures; else 0
ALTER TABLE files ADD COLUMN height INTEGER NOT NULL DEFAULT 0;
