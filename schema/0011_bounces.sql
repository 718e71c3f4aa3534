-- A delivery report names the letter that it is about by its Message-ID: src/mail/bounce.c.
CREATE INDEX outgoing_mails_message ON outgoing_mails (message_id);
