-- Addresses of To and Cc of a mail, as JSON arrays, because rules compare each one.
ALTER TABLE mails ADD COLUMN to_addresses TEXT; -- NULL: none
ALTER TABLE mails ADD COLUMN cc_addresses TEXT;
