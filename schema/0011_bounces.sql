-- A delivery report refers to its mail by the Message-ID: src/mail/bounce.c.
CREATE INDEX outgoing_mails_message ON outgoing_mails (message_id);
