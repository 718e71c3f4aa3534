-- Incoming mail and mailboxes (docs/MAIL.md).

CREATE TABLE mailboxes (
    id @ID@,
    uuid TEXT NOT NULL,
    address TEXT,     -- NULL: the system mailbox, which has the address of mail.from_address
    address_key TEXT, -- email_key of base/fold.h
    name TEXT,        -- sender name of mails; NULL: that of the settings
    brand_id BIGINT NOT NULL REFERENCES brands (id),
    team_id BIGINT REFERENCES teams (id), -- of new conversations
    is_system INTEGER NOT NULL DEFAULT 0,
    is_default INTEGER NOT NULL DEFAULT 0,
    is_enabled INTEGER NOT NULL DEFAULT 1,
    verified_at BIGINT,
    verification_hash TEXT, -- of the code that was mailed to the address
    verification_sent_at BIGINT,
    imap_host TEXT, -- NULL: not read by IMAP
    imap_port INTEGER,
    imap_security INTEGER, -- enum smtp_security
    imap_user TEXT,
    imap_password TEXT, -- sealed
    imap_folder TEXT,
    imap_after TEXT,      -- folder that mails are moved to; NULL: they are deleted
    imap_error TEXT,      -- of the last attempt; NULL: it succeeded
    imap_tried_at BIGINT,
    deleted_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX mailboxes_address ON mailboxes (address_key) WHERE address_key IS NOT NULL AND deleted_at IS NULL;
CREATE UNIQUE INDEX mailboxes_default ON mailboxes (is_default) WHERE is_default = 1;
CREATE INDEX mailboxes_of_brand ON mailboxes (brand_id);
CREATE INDEX mailboxes_of_team ON mailboxes (team_id) WHERE team_id IS NOT NULL;

ALTER TABLE cases ADD COLUMN mailbox_id BIGINT REFERENCES mailboxes (id); -- by which the conversation came in; replies leave with its address
ALTER TABLE posts ADD COLUMN mailbox_id BIGINT REFERENCES mailboxes (id);

CREATE TABLE mails (
    id @ID@,
    status INTEGER NOT NULL, -- enum incoming_status
    suspension INTEGER,      -- enum suspension; kept after a release
    reason TEXT,
    is_suspended INTEGER NOT NULL DEFAULT 0,
    door INTEGER NOT NULL,   -- enum mail_door
    envelope_from TEXT,      -- NULL: unknown; empty: <>
    recipient TEXT,          -- of the envelope; NULL: unknown
    from_text TEXT,          -- the header From, decoded
    from_key TEXT,           -- email_key of its address; NULL: none
    to_text TEXT,
    cc_text TEXT,
    sender_id BIGINT REFERENCES users (id),
    subject TEXT,
    content_text TEXT,
    content_html TEXT,
    message_id TEXT,         -- of the header
    dkim INTEGER,            -- enum mail_verdict, of the trusted Authentication-Results; NULL: none
    spf INTEGER,
    dmarc INTEGER,
    size BIGINT NOT NULL,    -- bytes of the raw mail
    file_id BIGINT REFERENCES files (id), -- the raw mail
    mailbox_id BIGINT REFERENCES mailboxes (id),
    case_id BIGINT REFERENCES cases (id),
    post_id BIGINT,          -- the message
    time_taken BIGINT,       -- milliseconds of the last attempt
    created_at BIGINT NOT NULL,
    completed_at BIGINT
);
CREATE INDEX mails_suspended ON mails (id) WHERE is_suspended = 1;
CREATE INDEX mails_of_case ON mails (case_id, id) WHERE case_id IS NOT NULL;
CREATE INDEX mails_of_post ON mails (post_id) WHERE post_id IS NOT NULL;
CREATE INDEX mails_of_sender ON mails (sender_id) WHERE sender_id IS NOT NULL;
CREATE INDEX mails_of_address ON mails (from_key, created_at) WHERE from_key IS NOT NULL;
CREATE INDEX mails_of_file ON mails (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX mails_of_mailbox ON mails (mailbox_id) WHERE mailbox_id IS NOT NULL;
CREATE INDEX cases_of_mailbox ON cases (mailbox_id) WHERE mailbox_id IS NOT NULL;
CREATE INDEX posts_of_mailbox ON posts (mailbox_id) WHERE mailbox_id IS NOT NULL;

CREATE TABLE mail_arrivals (
    digest TEXT PRIMARY KEY, -- SHA-256 of the recipient, a NUL and the SHA-256 of the raw mail, in hex digits
    arrived_at BIGINT NOT NULL
);
CREATE INDEX mail_arrivals_old ON mail_arrivals (arrived_at);

INSERT INTO mailboxes (id, uuid, brand_id, is_system, is_default, verified_at, created_at, updated_at)
SELECT 1, '7b5ad54e-0b0c-4c5c-9d0e-6f6d61696c31', id, 1, 1, created_at, created_at, created_at FROM brands WHERE is_default = 1;
