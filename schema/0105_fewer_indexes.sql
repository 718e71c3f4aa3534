-- Only the job that computes open clocks again read this index (src/core/sla/clocks_finish.c), and each new or completed clock wrote it.
DROP INDEX sla_metrics_open;
-- No statement begins with the mailbox of a row, and rows of mailboxes stay when they are deleted.
DROP INDEX cases_of_mailbox;
DROP INDEX posts_of_mailbox;
DROP INDEX mails_of_mailbox;
-- outgoing_mails_thread begins with the conversation, too.
DROP INDEX outgoing_mails_case;
