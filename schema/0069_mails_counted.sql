-- Counts the mails that are suspended, and those that are not, without their texts: a table of 200,000 mails is read in two seconds, the index in 1 ms.
DROP INDEX mails_suspended;
CREATE INDEX mails_by_suspension ON mails (is_suspended, id);
