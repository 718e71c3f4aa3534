-- The relay of a mailbox (docs/MAIL.md "Relays and accounts"). NULL: that of the settings.
ALTER TABLE mailboxes ADD COLUMN smtp_host TEXT;
ALTER TABLE mailboxes ADD COLUMN smtp_port INTEGER;
ALTER TABLE mailboxes ADD COLUMN smtp_security INTEGER; -- enum smtp_security
ALTER TABLE mailboxes ADD COLUMN smtp_user TEXT;
ALTER TABLE mailboxes ADD COLUMN smtp_password TEXT; -- sealed
