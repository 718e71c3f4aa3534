-- The text that replaces an inline picture, from the HTML of the post.
ALTER TABLE post_attachments ADD COLUMN alt TEXT;
